"""The text of kernels for mechanisms with constraints: the processor's own C code, compiled for the
card, so that the same numbers come of it. An instance is a thread, with memory of its own for
everything that the code works on; templates hold what the C code (`native/constrained`) needs
around it, with sizes that the compiler knows."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from touchback import native
from touchback.batch.gpu import constrained_kernel as texts
from touchback.batch.gpu.kernels import BLOCK, Kernel, Rollout, Shared
from touchback.codegen.printers.cuda import device_function, device_preamble
from touchback.native import LIB, ConstrainedFunctions, constrained_arrays

# Copies are of numbers, so that compilers keep them in registers. A compiler that put functions
# wherever they are called would take minutes, and made six times as much code.
BEFORE = """\
#define TB_ON_DEVICE
#define TB_DEVICE static __noinline__
#define restrict __restrict__
#define AT(array, k) array[k]
#define X(k) x[k]
#define U(k) u[k]
#define P(k) p[k]
#define OUT(k) out[k]
#define ARGUMENTS const real *x, const real *u, const real *p
#define PASSED x, u, p
#define TOGETHER()
template <class T> static __device__ void copied(T *to, const T *from, size_t bytes)
{
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        to[k] = from[k];
}
template <class T> static __device__ void cleared(T *to, int, size_t bytes)
{
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        to[k] = T();
}
template <class T> static __device__ int differ(const T *a, const T *b, size_t bytes)
{
    int found = 0;
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        found |= a[k] != b[k];
    return found;
}
#define memcpy copied
#define memset cleared
#define memcmp differ
"""


FUNCTION = """\
static __device__ __noinline__ void {name}_of(const real *x, const real *u, const real *p,
                                              real *out)
{{
    {name}::call(x, u, p, out);
}}
"""


# A function that the mechanism has not is named, too, where nobody calls it.
ABSENT = "static __device__ void {name}_of(const real *, const real *, const real *, real *) {{}}\n"


# Only full matrices here; the clock of choices stands still.
STRUCT = """\
struct tb_sparse;
struct tb_shared_load;
{tables}
struct tb_constrained_model {{
{constants}    static constexpr const tb_sparse *sparse = 0;
{patterns}}};
struct tb_constrained_work {{
    static constexpr const tb_shared_load *shared = 0;
    long rank, position_rank, most_rank, started, truncated, unanswered;
    double redundant_h;
{arrays}    tb_constraint_statistics statistics;
}};
struct tb_constrained {{
    const tb_constrained_model *model;
    tb_constrained_work *work;
}};
struct tb_modes;
struct tb_problem {{
    static constexpr long nq = {nq};
    double *u;
    const double *p;
    const tb_constrained *constrained;
    const double *series;
    double start, per_second;
    long long count, i;
    tb_modes *modes;
}};
#define SIZED(model, work, call) {sized}
static __device__ double tb_seconds() {{ return 0.0; }}
static __device__ long tb_first_not_finite(const double *values, long count)
{{
    for (long k = 0; k < count; k++)
        if (!(values[k] - values[k] == 0.0))
            return k;
    return -1;
}}
"""


CALLS = """\
#define TB_CALL(owner, function, x, u, p, out) function##_of(x, u, p, out)
#define TB_HAS(owner, function) HAS_##function
"""


NO_SPARSE = """\
static __device__ void tb_sparse_choose(const tb_constrained_model *, tb_constrained_work *,
                                        const double *, double, long) {}
static __device__ int tb_sparse_factor(const tb_constrained_model *, tb_constrained_work *,
                                       const double *, int) { return 0; }
static __device__ void tb_sparse_correct(const tb_constrained_model *, tb_constrained_work *,
                                         const double *, const double *, int, double *) {}
static __device__ void tb_sparse_solve(const tb_constrained_model *, tb_constrained_work *,
                                       const double *, const double *, const double *,
                                       const double *, const double *, double *, double *) {}
static __device__ void tb_sparse_row_shares(const tb_constrained_model *,
                                            const tb_constrained_work *, const double *, long,
                                            double *) {}
static __device__ void tb_share_load(const tb_constrained_model *, tb_constrained_work *,
                                     const double *) {}
"""


PROBLEM = """\
static __device__ long tb_state_size(const tb_problem *) {{ return {states}; }}
static __device__ long tb_moving_size(const tb_problem *) {{ return {moving}; }}
/* u = [t, inputs...]: some follow samples, spread evenly over the run and linear in between. */
static __device__ void tb_set_inputs(const tb_problem *problem, double t, const double *)
{{
    double *u = problem->u;
    const double *series = problem->series, start = problem->start;
    const double per_second = problem->per_second;
    const long long count = problem->count, i = problem->i;
    (void)start, (void)per_second, (void)count, (void)i;
    u[0] = t;
{series}}}
"""


RATE = """\
static __device__ void tb_rate(const tb_problem *problem, double t, const double *x, double *rate)
{{
    tb_set_inputs(problem, t, x);
    tb_{rate}(x, problem->u, problem->p, rate, 0, problem->constrained);
}}
static __device__ void tb_add_scaled(long n, const double *x, double h, const double *rate,
                                   double *next)
{{
    for (long k = 0; k < n; k++)
        next[k] = x[k] + h * rate[k];
}}
"""


# After `solved`, u goes on with what the rate has solved for: [t, inputs, a, lambda].
MEASURE = """\
static __device__ void {name}_at(const tb_problem *problem, double t, const double *x, double *out)
{{
    double u[{inputs} + {n} + {m}];
{solved}    for (int k = 0; k < {inputs}; k++)
        u[k] = problem->u[k];
    {name}_of(x, u, problem->p, out);
}}
"""


SOLVED = """\
    double rate[{states}];
    tb_rate(problem, t, x, rate);
    for (int k = 0; k < {n}; k++)
        u[{inputs} + k] = problem->constrained->work->a[k];
    for (int k = 0; k < {m}; k++)
        u[{inputs} + {n} + k] = problem->constrained->work->lambda[k];
"""


NOT_SOLVED = "    tb_set_inputs(problem, t, x);\n"


NOTE = """\
static __device__ void note(const tb_problem *problem, double t, const double *x, double *record,
                            long long row)
{{
    const long long count = problem->count, i = problem->i;
    const int alive = 1;
{note}}}
"""


# By how much the state that is given breaks the constraints (constrained_dynamics.c has it for the
# processor).
GAP = """\
static __device__ double gap(const tb_problem *problem, double t, const double *x)
{
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    tb_set_inputs(problem, t, x);
    tb_load(model, work, x);
    tb_first_choice(model, work, problem->u, problem->p);
    tb_positions(model, work, problem->u, problem->p);
    return tb_position_size(work, work->at_positions);
}
"""


# What a mechanism remembers from launch to launch, and counts.
REMEMBER = """\
static __device__ void remember(const tb_constrained_work *work, double *memory, long long count)
{{
{lines}}}
static __device__ void recall(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *memory, long long count)
{{
{back}    tb_use_choice(model, work);
}}
"""


ROLLOUT = """\
/* Steps from `first` to before `end`. An instance that would become no number stays where it is. */
extern "C" __global__ void __launch_bounds__({block})
rollout(long long count, double t0, double h, long long first, long long end, long long every,
        double *given_x, const double *given_u, const double *given_p, const double *series,
        double start, double per_second, double *record, long long *made, double *memory)
{{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count || made[i] != first)
        return;
    double x[{states}], next[{states}], scratch[4 * {states}], u[{inputs}];
{parameters}    for (int k = 0; k < {states}; k++)
        x[k] = given_x[k * count + i];
    for (int k = 0; k < {inputs}; k++)
        u[k] = given_u[{own_u}];
    const tb_constrained_model model{{}};
    tb_constrained_work work{{}};
    const tb_constrained c{{&model, &work}};
    tb_problem problem{{u, p, &c, series, start, per_second, count, i, 0}};
    if (first == 0) {{
        memory[{gap} * count + i] = gap(&problem, t0, x);
        tb_{motion}_settle(&problem, t0, x, 1);
        note(&problem, t0, x, record, 0);
    }} else
        recall(&model, &work, memory + i, count);
    long long step = first;
#pragma unroll 1
    for (; step < end; step++) {{
        const double t = t0 + (double)step * h, then = t0 + (double)(step + 1) * h;
{memories}        tb_{method}_step(&problem, t, h, x, next, scratch);
        tb_{motion}_settle(&problem, then, next, 1);
        double sound = 0.0;
        for (int k = 0; k < {states}; k++)
            sound += next[k] - next[k];
        if (!(sound == 0.0)) {{
{undo_tick}            break;
        }}
        for (int k = 0; k < {states}; k++)
            x[k] = next[k];
        if ((step + 1) % every == 0)
            note(&problem, then, x, record, (step + 1) / every);
    }}
    made[i] = step;
    for (int k = 0; k < {states}; k++)
        given_x[k * count + i] = x[k];
    remember(&work, memory + i, count);
}}
"""


MEMORIES = """\
        const int ticked = step % {ticks} == 0;
        double remembered[{size}];
        if (ticked) {{
            double became[{size}];
            updates_at(&problem, t, x, became);
{kept}        }}
"""


# One that can't go on has its memories of before the tick.
UNDO_TICK = """\
            if (ticked) {{
{back}            }}
"""


_NATIVE = Path(native.__file__).parent


CONSTRAINED = (
    "constrained/arrays.h",
    "constrained/constrained.h", "linear/dense.h", "constrained/dense.h", "linear/dense.c",
    "constrained/dense_choice.c", "constrained/dense_factor.c", "constrained/dense_solve.c",
    "constrained/choice.c", "constrained/constrained.c", "constrained/least_multipliers.c",
    "constrained/friction.c",
    "constrained/projection.c", "constrained/multipliers.c", "constrained/baumgarte.c",
    "constrained/partitioning.c",
)  # fmt: skip


STATISTICS = "constrained/statistics.h"


#: Files that a card compiles, which are installed beside the library.
SOURCES = (STATISTICS, *CONSTRAINED, "integrate/rk4.c", "integrate/euler.c")


_COUNTED = ("singular", "not_converged", "paradoxes", "largest_h")


_SMALL = 8  # freedoms up to which loops are worth unrolling


_ABSENT_MAY_BE = ("velocity level", "configuration rate")


@dataclass(frozen=True)
class Rows:
    """The constraint rows of a mechanism: sizes of [q, v, z], patterns of J, W and M by rows and
    columns (W: none where it is J), its twins in J, and which rows have an equation for
    positions."""

    sizes: tuple[int, int, int]
    J: tuple[tuple[int, ...], tuple[int, ...]]
    W: tuple[tuple[int, ...], tuple[int, ...]]
    M: tuple[tuple[int, ...], tuple[int, ...]]
    twins: tuple[int, ...]
    holonomic: tuple[int, ...]

    @classmethod
    def of(cls, functions: ConstrainedFunctions) -> Rows:
        """Those of a set of constraints."""
        f = functions
        return cls(
            f.sizes,
            (_whole(f.J_rows), _whole(f.J_columns)),
            (_whole(f.W_rows), _whole(f.W_columns)),
            (_whole(f.M_rows), _whole(f.M_columns)),
            _whole(f.W_twins),
            _whole(f.holonomic),
        )

    @property
    def count(self) -> int:
        """Of them."""
        return len(self.holonomic)


def _whole(numbers: ArrayLike | None) -> tuple[int, ...]:
    return () if numbers is None else tuple(int(each) for each in np.asarray(numbers).reshape(-1))


def arrays_of(rows: Rows) -> Iterator[tuple[str, str, int]]:
    """Types, names and sizes of the arrays that explicit formulations work on (arrays.h), of full
    matrices."""
    nq, n, nz = rows.sizes
    counts = {"J_count": len(rows.J[0]), "W_count": len(rows.W[0]), "M_count": len(rows.M[0])}
    model = LIB.struct("tb_constrained_model")(nq=nq, n=n, nz=nz, m=rows.count, **counts)
    implicit = {name for _, name in LIB.arrays("TB_IMPLICIT_ARRAYS")}
    yield from (each for each in constrained_arrays(model) if each[1] not in implicit)


@dataclass(frozen=True)
class RolloutWithConstraints(Rollout):
    """With constraints, and how they are kept: rate, settling, settings."""

    rate: str
    motion: str
    settings: tuple[tuple[str, float], ...]

    measure = "outputs_at(problem, t, x, shown)"

    def _given(self, shared: Shared) -> dict[str, str]:
        """How a thread reads its parameters and inputs."""
        block = self.functions[0][1].block_size
        own = f"    double p[{block}];\n    for (int k = 0; k < {block}; k++)\n"
        own += "        p[k] = given_p[k * count + i];\n"
        return {
            "parameters": "    const double *p = given_p;\n" if shared.p else own,
            "own_u": "k" if shared.u else "k * count + i",
        }

    def _memories(self) -> str:
        if not self.memories:
            return ""
        kept = "".join(
            f"            remembered[{k}] = x[{place}], x[{place}] = became[{k}];\n"
            for k, place in enumerate(self.memories)
        )
        return texts.MEMORIES.format(ticks=self.ticks, size=len(self.memories), kept=kept)

    def _undo_tick(self) -> str:
        if not self.memories:
            return ""
        back = "".join(
            f"                x[{place}] = remembered[{k}];\n"
            for k, place in enumerate(self.memories)
        )
        return texts.UNDO_TICK.format(back=back)


@dataclass(frozen=True)
class ConstrainedRollout(RolloutWithConstraints):
    """Of constraints that act all the time: their rows."""

    rows: Rows

    def kernel(self, shared: Shared, real: str, memory: int) -> Kernel:
        """For the card, in double precision."""
        programs = self.programs
        functions = [
            device_function(program, word(name)) + texts.FUNCTION.format(name=word(name))
            for name, program in programs.items()
        ]
        functions += [
            texts.ABSENT.format(name=word(name)) for name in _ABSENT_MAY_BE if name not in programs
        ]
        functions += [
            f"#define HAS_{word(name)} {int(name in programs)}\n" for name in _ABSENT_MAY_BE
        ]
        text = "\n".join(
            [
                device_preamble(programs.values(), real), texts.BEFORE, *functions,
                source(STATISTICS), self._struct(), texts.CALLS, texts.NO_SPARSE,
                self._problem(shared), *map(source, CONSTRAINED),
                texts.RATE.format(rate=self.rate), source(f"integrate/{self.method}.c"),
                self._measures(), texts.GAP, self._save_text(), self._rollout_text(shared),
            ]
        )  # fmt: skip
        return Kernel(text, "rollout", real, 0)

    def _struct(self) -> str:
        nq, n, nz = self.rows.sizes
        rows, m = self.rows, self.rows.count
        counts = {"J": rows.J, "W": rows.W, "M": rows.M}
        whole = {"nq": nq, "n": n, "nz": nz, "m": m}
        whole |= {f"{name}_count": len(pattern[0]) for name, pattern in counts.items()}
        constants = [("long", name, str(number)) for name, number in whole.items()]
        constants += [("double", name, repr(number)) for name, number in self.settings]
        lists: dict[str, Sequence[int]] = {"holonomic": rows.holonomic, "W_twins": rows.twins}
        for name, pattern in counts.items():
            lists |= {f"{name}_rows": pattern[0], f"{name}_columns": pattern[1]}
        any_size = f"call({n}, (work)->rank)"
        small = f"((work)->rank == {m} ? call({n}, {m}) : {any_size})"
        return texts.STRUCT.format(
            tables="".join(table(name, numbers) for name, numbers in lists.items() if numbers),
            constants="".join(
                f"    static constexpr {kind} {name} = {value};\n"
                for kind, name, value in constants
            ),
            patterns="".join(_pointer(name, bool(numbers)) for name, numbers in lists.items()),
            arrays="".join(
                f"    mutable {kind} {name}[{max(size, 1)}];\n"
                for kind, name, size in arrays_of(self.rows)
            ),
            nq=nq, sized=small if n <= _SMALL else any_size,
        )  # fmt: skip

    def _problem(self, shared: Shared) -> str:
        nq, n, _ = self.rows.sizes
        resting = self.memories and len(self.memories) == self.rows.sizes[2]
        moving = nq + n if resting else self.states
        series = self._series(shared)
        return texts.PROBLEM.format(states=self.states, moving=moving, series=series)

    def _measures(self) -> str:
        _, n, _ = self.rows.sizes
        sizes = {"inputs": self.inputs, "n": n, "m": self.rows.count, "states": self.states}
        made = []
        for name in ("outputs", "updates"):
            if name in self.programs:
                solved = self.programs[name].size("u") > self.inputs
                before = texts.SOLVED.format(**sizes) if solved else texts.NOT_SOLVED
                made.append(texts.MEASURE.format(name=name, solved=before, **sizes))
        made.append(texts.NOTE.format(note=self._note()))
        return "\n".join(made)

    def _rollout_text(self, shared: Shared) -> str:
        return texts.ROLLOUT.format(
            **self._given(shared), states=self.states, inputs=self.inputs, block=BLOCK,
            memories=self._memories(), undo_tick=self._undo_tick(), method=self.method,
            motion=self.motion, gap=self.saved_numbers,
        )  # fmt: skip

    # ---- from launch to launch ----------------------------------------------------------------

    def _saved_fields(self) -> Iterator[tuple[str, str]]:
        """What comes next hangs on beside the state (as warm_start.c has it), then what is counted:
        places in the workspace, with their types."""
        for name in ("rank", "position_rank", "most_rank", "started", "truncated"):
            yield name, "long"
        yield "redundant_h", "double"
        saved = {*LIB.arrays("TB_CHOICE_ARRAYS"), ("double", "settled")}
        for kind, name, size in arrays_of(self.rows):
            if (kind, name) in saved:
                yield from ((f"{name}[{k}]", kind) for k in range(size))
        for name in _COUNTED:
            yield f"statistics.{name}", "double" if name == "largest_h" else "long"

    @property
    def saved_numbers(self) -> int:
        """How many numbers that is."""
        return len(list(self._saved_fields()))

    @property
    def counted(self) -> dict[str, int]:
        """Where among them counts are, by name."""
        first = self.saved_numbers - len(_COUNTED)
        return {name: first + k for k, name in enumerate(_COUNTED)}

    def _save_text(self) -> str:
        there = enumerate(self._saved_fields())
        pairs = [(f"work->{name}", f"memory[{k} * count]", kind) for k, (name, kind) in there]
        return texts.REMEMBER.format(
            lines="".join(f"    {to} = (double){of};\n" for of, to, _ in pairs),
            back="".join(f"    {of} = ({kind}){to};\n" for of, to, kind in pairs),
        )


def word(name: str) -> str:
    return name.replace(" ", "_")


def table(name: str, numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"static __device__ const int table_{name}[] = {{{listed}}};\n"


def _pointer(name: str, there: bool) -> str:
    if there:
        return f"    const int *{name} = table_{name};\n"
    return f"    static constexpr const int *{name} = 0;\n"


@functools.cache
def source(path: str) -> str:
    """A file of C as a part of one text (device.h)."""
    return (_NATIVE / path).read_text()
