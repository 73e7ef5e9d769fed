"""CUDA C: a program as a function of one thread of a graphics card, in double or single precision.

In double precision it computes the bits of `symbolic.evaluate`, but for the library's functions
(exp, log, pow, …), whose last bit may differ. In single precision sine and cosine are computed in
as few instructions as will do.

Long programs are bound by the reading of their own instructions and by registers. There sines and
cosines are computed in one loop and stored outside of registers, to be read again where they are
needed after a while, and so are other values: a recursion over a tree leaves values of each body
for later passes, and hundreds are alive at a time; of those that are read within some two hundred
statements there are a few dozen. Constants of 8 bytes, which no instruction holds, are operands in
memory.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from math import isfinite

from touchback.codegen.printers.c import (
    C99,
    CSpeller,
    body_lines,
    helper_texts,
    statement_line,
    table_text,
)
from touchback.codegen.printers.dialect import statements
from touchback.codegen.printers.program_chunks import Chunk, cut
from touchback.symbolic import Program, operands, ops

# Two fused steps take k·π off, and polynomials of z = r² follow, whose coefficients have the least
# greatest error on |r| ≤ π/2 (found by Lawson's weights: 4.6e-9 for the sine, 2.4e-10 for the
# cosine, where a float resolves 6e-8); odd k turn both signs. Half as wide a range would halve the
# error, 1.5e-7, but swap sine and cosine: five instructions more. No branch for large angles:
# beyond 2^20 neighbouring floats are 1/8 rad apart.
SINGLE_SINE_COSINE = """\
static __device__ __forceinline__ void sine_cosine(float x, float *s, float *c)
{
    const float shifted = fmaf(x, 0.318309886f, 12582912.0f);
    const float k = shifted - 12582912.0f;
    float r = fmaf(-k, 3.14159274f, x);
    r = fmaf(-k, -8.74227766e-8f, r);
    const float z = r * r;
    float ps = fmaf(2.600024345e-6f, z, -1.980660163e-4f);
    ps = fmaf(ps, z, 8.333017118e-3f);
    ps = fmaf(ps, z, -1.666665673e-1f);
    float pc = fmaf(-2.607681608e-7f, z, 2.476187001e-5f);
    pc = fmaf(pc, z, -1.388840377e-3f);
    pc = fmaf(pc, z, 4.166664183e-2f);
    pc = fmaf(pc, z, -0.5f);
    const int sign = __float_as_int(shifted) << 31;
    *s = __int_as_float(__float_as_int(fmaf(r * z, ps, r)) ^ sign);
    *c = __int_as_float(__float_as_int(fmaf(pc, z, 1.0f)) ^ sign);
}
"""


RELOAD_AFTER = 200  # statements after whose passing without a use a value is read again


Statements = Sequence[tuple[int, ...]]


@dataclass
class SpilledValues:
    """Slots of values that are spilled from registers to memory, and which ones are read again
    before a statement, by their nodes."""

    places: dict[int, int] = field(default_factory=dict)
    again: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


def assign_spill_slots(
    program: Program, ordered: Statements, first: Mapping[int, int], slots: int
) -> SpilledValues:
    """Nodes of `first` lie in their slots before the first statement; others take what is free of
    `slots`, for as long as they wait. Who finds none stays in registers: mostly those that
    are needed again first, as the next pass goes back the way that the last one came."""
    used = _uses(program, ordered)
    spilled = SpilledValues()
    free = sorted(set(range(slots)) - set(first.values()))
    leaving: list[tuple[int, int]] = []  # (statement, place)

    def wait(node: int, made: int, place: int) -> None:
        read = _reloads(made, used[node])
        spilled.places[node] = place
        for number in read:
            spilled.again[number].append(node)
        heapq.heappush(leaving, (read[-1] if read else -1, place))

    for node, place in first.items():
        wait(node, -RELOAD_AFTER - 1, place)
    for number, nodes in enumerate(ordered):
        while leaving and leaving[0][0] <= number:
            heapq.heappush(free, heapq.heappop(leaving)[1])
        for node in nodes:
            if node not in first and free and _reloads(number, used[node]):
                wait(node, number, heapq.heappop(free))
    return spilled


def peak_live_values(program: Program, ordered: Statements) -> int:
    """How many values that statements compute are still to be used, where these are most."""
    used, changes = _uses(program, ordered), [0] * (len(ordered) + 1)
    for number, nodes in enumerate(ordered):
        for node in nodes:
            if used[node]:
                changes[number] += 1
                changes[used[node][-1]] -= 1
    return max(accumulate(changes))


def _reloads(made: int, used: Sequence[int]) -> list[int]:
    """The uses before which a value waits for long."""
    return [b for a, b in pairwise([made, *used]) if b - a > RELOAD_AFTER]


def _uses(program: Program, ordered: Statements) -> dict[int, list[int]]:
    """Node → numbers of the statements that use it; sines that are results are used at the end."""
    used: dict[int, list[int]] = defaultdict(list)
    for number, nodes in enumerate(ordered):
        for node in set(operands(program, nodes[0])):
            used[node].append(number)
    made = {node for nodes in ordered for node in nodes}
    for node in {abs(output) for output in program.outputs} - made:
        used[node].append(len(ordered))
    return used


CHUNK_LENGTH = 12_000  # statements to a function: compilers slow down beyond


TOGETHER = 500  # statements after which threads wait for each other, where they shall


MOST_NUMBERS = 2000  # in the memory of constants, where 8192 have room


_SINE_COSINE = (ops.SIN, ops.COS)


CUDA = replace(
    C99,
    templates={
        **C99.templates,  # whole numbers take the precision of what they meet
        ops.LT: "{a} < {b} ? 1 : 0",
        ops.LE: "{a} <= {b} ? 1 : 0",
        ops.EQ: "{a} == {b} ? 1 : 0",
        ops.SELECT: "{a} != 0 ? {b} : {c}",
    },
)


_PREAMBLE = """\
typedef {real} real;
#ifndef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#endif
#define NEGATIVE(a) (-(a))
"""


_SINE_COSINE_LOOP = """\
#pragma unroll 1
for (int k = 0; k < {count}; k++) {{
    real sine, cosine;
    sine_cosine(SPILLED(2 * k), &sine, &cosine);
    SPILLED(2 * k) = sine;
    SPILLED(2 * k + 1) = cosine;
}}
"""


class CudaSpeller(CSpeller):
    """As C, with elements through macros, so that a kernel decides where they lie."""

    real = "real"

    def __init__(self, program: Program, apart: bool) -> None:
        super().__init__(program, CUDA)
        found = {  # but 0 and 1: compilers divide the latter more quickly
            C99.number(each): None
            for node, each in program.values.items()
            if node > 1 and isfinite(each)
        }
        fits = apart and len(found) <= MOST_NUMBERS
        self.numbers = {text: place for place, text in enumerate(found)} if fits else {}

    def result(self, index: int) -> str:
        return f"OUT({index})"

    def operand(self, node: int) -> str:
        program = self.program
        if node in self.names:  # an argument that lies elsewhere has one, too
            return self.names[node]
        if program.op[node] == ops.INPUT:
            array, index = program.inputs[node]
            return f"{array.upper()}({index})"
        text = super().operand(node)
        if program.op[node] != ops.CONST:
            return text
        return f"numbers[{self.numbers[text]}]" if text in self.numbers else f"(real){text}"


def device_preamble(programs: Iterable[Program], real: str) -> str:
    """What device functions of these programs need before them; `real` is "double" or "float"."""
    helpers = {text: None for program in programs for text in helper_texts(program)}
    single = real == "float"
    texts = [
        SINGLE_SINE_COSINE if single and " sine_cosine(" in text else _on_card(text)
        for text in helpers
    ]
    return "\n".join([_PREAMBLE.format(real=real), *texts])


def device_function(
    program: Program,
    name: str,
    apart: bool = False,
    angles: Sequence[int] = (),
    spill_slots: int = 0,
) -> str:
    """`name::call(ARGUMENTS, real *out)`: macros X(i), U(i), P(i) are the elements of the input
    arrays, OUT(i) those of the result, ARGUMENTS declares what they need and PASSED hands it on,
    and TOGETHER() lets threads wait for each other; a kernel's text defines them. Constants lie
    `apart`, or in instructions. Sine and cosine of the `angles` (see `early_angles`) and, as far
    as there are `spill_slots` (see `spill_slots_needed`), what is needed again after long lie in
    SPILLED(i)."""
    speller = CudaSpeller(program, apart)
    chunks, slots = cut(program, CHUNK_LENGTH)
    tables = [_on_card(table_text(number, each)) for each, number in speller.tables.items()]
    if len(chunks) == 1:
        lines = [
            *_sine_cosine_lines(angles, speller),
            *_body(chunks[0], speller, angles, spill_slots),
        ]
        functions = [_function("__forceinline__ void call", "", lines)]
    else:
        functions = [
            _function(f"__noinline__ void part{number}", ", real *w", body_lines(chunk, speller))
            for number, chunk in enumerate(chunks)
        ]
        calls = "".join(f"    part{number}(PASSED, out, w);\n" for number in range(len(chunks)))
        functions.append(
            "static __device__ void call(ARGUMENTS, real *out)\n"
            f"{{\n    real w[{max(slots, 1)}];\n{calls}}}\n"
        )
    numbers = f"static __constant__ double numbers[] = {{{', '.join(speller.numbers)}}};\n"
    constants = [numbers] if speller.numbers else []
    return "\n".join([f"namespace {name} {{", *constants, *tables, *functions, "}\n"])


def early_angles(program: Program) -> list[int]:
    """Angles that need no other sine or cosine first, of a program that is one function."""
    ordered = statements(program)
    if len(ordered) > CHUNK_LENGTH:
        return []
    late: set[int] = set()
    angles = []
    for nodes in ordered:
        turning = program.op[nodes[0]] in _SINE_COSINE
        if turning and program.a[nodes[0]] not in late:
            angles.append(program.a[nodes[0]])
        if turning or any(each in late for each in operands(program, nodes[0])):
            late.update(nodes)
    return angles


def spill_slots_needed(program: Program, angles: Sequence[int], held: int) -> int:
    """Slots for sine and cosine of each angle, or for what is alive beyond what registers hold;
    none where a program is more than one function."""
    ordered = statements(program)
    if len(ordered) > CHUNK_LENGTH:
        return 0
    return max(2 * len(angles), peak_live_values(program, ordered) - held)


def _sine_cosine_lines(angles: Sequence[int], speller: CudaSpeller) -> list[str]:
    """The loop that computes sine and cosine of angles, and what these are computed from."""
    if not angles:
        return []
    program = speller.program
    needed = set(angles)
    for node in range(len(program.op) - 1, 0, -1):
        if node in needed:
            needed.update(operands(program, node))
    first = [node for (node, *_) in statements(program) if node in needed]
    return [
        "{",
        *(statement_line((node,), speller) for node in first),
        *(f"SPILLED({2 * k}) = {speller.operand(angle)};" for k, angle in enumerate(angles)),
        "}",
        *_SINE_COSINE_LOOP.format(count=len(angles)).splitlines(),
    ]


def _body(chunk: Chunk, speller: CudaSpeller, angles: Sequence[int], slots: int) -> list[str]:
    """As `body_lines`; what is spilled is read again where it is needed, and results leave at
    once."""
    if not slots:
        return body_lines(chunk, speller)
    program, at = speller.program, {angle: 2 * k for k, angle in enumerate(angles)}
    precomputed = {
        node: at[program.a[node]] + (program.op[node] == ops.COS)
        for node, op in enumerate(program.op)
        if op in _SINE_COSINE and program.a[node] in at
    }
    ordered = [nodes for nodes in chunk.statements if nodes[0] not in precomputed]
    spilled = assign_spill_slots(program, ordered, precomputed, slots)
    results: dict[int, list[int]] = defaultdict(list)
    for index in chunk.outputs:
        results[abs(program.outputs[index])].append(index)
    lines: list[str] = []

    def give(node: int) -> None:
        for index in results.pop(node, ()):
            lines.append(f"{speller.result(index)} = {speller.output(index)};")

    for number, nodes in enumerate((*ordered, ())):
        for node in spilled.again[number]:
            speller.names[node] = f"k{len(lines)}"
            lines.append(f"const real {speller.names[node]} = SPILLED({spilled.places[node]});")
        if nodes:
            lines.append(statement_line(nodes, speller))
        for node in nodes:
            if node in spilled.places:
                lines.append(f"SPILLED({spilled.places[node]}) = {speller.names[node]};")
            give(node)
    for node in list(results):  # arguments, constants, sines and cosines
        give(node)
    return lines


def _function(start: str, extra: str, lines: Sequence[str]) -> str:
    text, passed = "", 0
    for line in lines:
        passed += line.startswith("const real ")
        waits = passed == TOGETHER
        passed %= TOGETHER
        text += f"    {'TOGETHER(); ' if waits else ''}{line}\n"
    return f"static __device__ {start}(ARGUMENTS, real *out{extra})\n{{\n{text}}}\n"


def _on_card(text: str) -> str:
    """A helper of C, or a table, as a card has it."""
    return text.replace("static ", "static __device__ ").replace("double", "real")
