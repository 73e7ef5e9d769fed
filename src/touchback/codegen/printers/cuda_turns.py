"""CUDA C: sines and cosines of many angles, some at a time, whose steps fill each other's
waiting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from touchback.symbolic.loop_arrays import Entries
from touchback.symbolic.ops import COS, INPUT, SIN
from touchback.symbolic.reading import operands
from touchback.symbolic.rolled import Loop, Numbers, Rolled
from touchback.symbolic.sincos import (
    COS_COEFFICIENTS,
    LIMIT,
    MAGIC,
    PI_HALF,
    SIN_COEFFICIENTS,
    TWO_OVER_PI,
)

_AT_A_TIME = 6


@dataclass(frozen=True)
class Turns:
    """Of an iteration: the body's node of its angle, and what each of its results is."""

    angle: int
    results: dict[int, str]

    def lines(
        self, count: int, row: str, before: Sequence[str], angle: str,
        given: Sequence[tuple[str, int]],
    ) -> Iterator[str]:  # fmt: skip
        """A loop over groups of angles; the last group repeats the last one. Angles beyond those
        that `near_sines_cosines` takes are noted in `large`."""
        each = [
            "#pragma unroll",
            f"for (int k = 0; k < {_AT_A_TIME}; k++) {{",
            f"const int at = t + k < {count} ? t + k : {count - 1};",
            "real *const up = own + at * BLOCK, *const down = own - at * BLOCK;",
            "real *const far_up = far + at, *const far_down = far - at;",
        ]
        yield "int large = 0;"
        yield "#pragma unroll 1"
        yield f"for (int t = 0; t < {count}; t += {_AT_A_TIME}) {{"
        yield f"real angle[{_AT_A_TIME}], sine[{_AT_A_TIME}], cosine[{_AT_A_TIME}];"
        yield from (*each, f"const real *const row = {row};", *before, f"angle[k] = {angle};")
        yield f"large |= !(fabs(angle[k]) <= {LIMIT!r});"
        yield from ("}", "near_sines_cosines(angle, sine, cosine);", *each)
        yield from (f"{place} = {self.results[node]}[k];" for place, node in given)
        yield from ("}", "}")


def only_turns(loop: Loop, rolled: Rolled) -> Turns | None:
    """Of a loop that gives sine and cosine of an angle of arguments, and nothing else."""
    body = loop.body
    turns = {node: op for node, op in enumerate(body.op) if op in (SIN, COS)}
    angles = {body.a[node] for node in turns}
    given = {node for node, _ in loop.stores} | set(loop.leaves.values())
    used = {each for node in range(len(body.op)) for each in operands(body, node)}
    if len(angles) != 1 or used & turns.keys() or loop.gives or not given <= turns.keys():
        return None
    for column in loop.columns:
        if isinstance(column, Entries):
            nodes = rolled.arrays[column.array].values()
            if any(rolled.program.op[node] != INPUT for node in nodes):
                return None
        elif not isinstance(column, Numbers):
            return None
    return Turns(
        angles.pop(), {node: "sine" if op == SIN else "cosine" for node, op in turns.items()}
    )


def sines_cosines() -> str:
    """The function, operation by operation as `sine_cosine` within its limit. The number of quarter
    turns is read off the sum that rounds it."""
    horner = [
        f"ps[k] = fma(ps[k], z[k], {SIN_COEFFICIENTS[degree]!r}), "
        f"pc[k] = fma(pc[k], z[k], {COS_COEFFICIENTS[degree]!r});"
        for degree in range(4, -1, -1)
    ]
    steps = [
        f"q[k] = fma(x[k], {TWO_OVER_PI!r}, {MAGIC!r}), r[k] = x[k];",
        f"quarter[k] = __double2loint(q[k]), q[k] -= {MAGIC!r};",
        *(f"r[k] = fma(-q[k], {part!r}, r[k]);" for part in PI_HALF),
        "z[k] = r[k] * r[k];",
        f"ps[k] = {SIN_COEFFICIENTS[5]!r}, pc[k] = {COS_COEFFICIENTS[5]!r};",
        *horner,
        "pc[k] = fma(z[k] * z[k], pc[k], fma(-0.5, z[k], 1.0));",
        "ps[k] = fma(r[k] * z[k], ps[k], r[k]);",
        "s[k] = quarter[k] & 1 ? pc[k] : ps[k], c[k] = quarter[k] & 1 ? ps[k] : pc[k];",
        "s[k] = quarter[k] & 2 ? -s[k] : s[k], c[k] = (quarter[k] + 1) & 2 ? -c[k] : c[k];",
    ]
    return _TEXT.format(steps="\n".join(f"    EACH {step}" for step in steps))


_TEXT = """\
#define EACH _Pragma("unroll") for (int k = 0; k < n; k++)
template <int n>
static __device__ __forceinline__ void near_sines_cosines(const real (&x)[n], real (&s)[n],
                                                          real (&c)[n])
{{
    real q[n], r[n], z[n], ps[n], pc[n];
    int quarter[n];
{steps}
}}
"""
