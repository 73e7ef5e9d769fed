"""CUDA C: a program as a function of one thread of a graphics card, in double or single precision.

In double precision it computes the bits of `symbolic.evaluate`, but for the library's functions
(exp, log, pow, …), whose last bit may differ.
"""

from collections.abc import Iterable
from dataclasses import replace

from touchback.codegen.printers.c import C99, CSpeller, body_lines, helper_texts, table_text
from touchback.codegen.printers.chunks import Chunk, cut
from touchback.codegen.printers.cuda_single import SINGLE_SINE_COSINE
from touchback.symbolic import ops
from touchback.symbolic.program import Program

CHUNK_LENGTH = 12_000  # statements to a function: compilers slow down beyond
TOGETHER = 500  # statements after which threads wait for each other, where they shall

_CUDA = replace(
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


class _CudaSpeller(CSpeller):
    """As C, with elements through macros, so that a kernel decides where they lie."""

    real = "real"

    def __init__(self, program: Program) -> None:
        super().__init__(program, _CUDA)

    def operand(self, node: int) -> str:
        program = self.program
        if program.op[node] == ops.INPUT:
            array, index = program.inputs[node]
            return f"{array.upper()}({index})"
        text = super().operand(node)
        return f"(real){text}" if program.op[node] == ops.CONST else text


def device_preamble(programs: Iterable[Program], real: str) -> str:
    """What device functions of these programs need before them; `real` is "double" or "float"."""
    helpers = {text: None for program in programs for text in helper_texts(program)}
    single = real == "float"
    texts = [
        SINGLE_SINE_COSINE if single and " sine_cosine(" in text else _on_card(text)
        for text in helpers
    ]
    return "\n".join([_PREAMBLE.format(real=real), *texts])


def device_function(program: Program, name: str) -> str:
    """`name::call(ARGUMENTS, real *out)`: macros X(i), U(i), P(i) are the elements of the input
    arrays, ARGUMENTS declares what they need and PASSED hands it on, and TOGETHER() lets threads
    wait for each other; a kernel's text defines them."""
    speller = _CudaSpeller(program)
    chunks, slots = cut(program, CHUNK_LENGTH)
    tables = [_on_card(table_text(number, each)) for each, number in speller.tables.items()]
    if len(chunks) == 1:
        functions = [_function("__forceinline__ void call", "", chunks[0], speller)]
    else:
        functions = [
            _function(f"__noinline__ void part{number}", ", real *w", chunk, speller)
            for number, chunk in enumerate(chunks)
        ]
        calls = "".join(f"    part{number}(PASSED, out, w);\n" for number in range(len(chunks)))
        functions.append(
            "static __device__ void call(ARGUMENTS, real *out)\n"
            f"{{\n    real w[{max(slots, 1)}];\n{calls}}}\n"
        )
    return "\n".join([f"namespace {name} {{", *tables, *functions, "}\n"])


def _function(start: str, extra: str, chunk: Chunk, speller: _CudaSpeller) -> str:
    lines = body_lines(chunk, speller)
    for at in range(TOGETHER, len(lines), TOGETHER):
        lines[at] = f"TOGETHER(); {lines[at]}"
    text = "".join(f"    {line}\n" for line in lines)
    return f"static __device__ {start}(ARGUMENTS, real *out{extra})\n{{\n{text}}}\n"


def _on_card(text: str) -> str:
    """A helper of C, or a table, as a card has it."""
    return text.replace("static ", "static __device__ ").replace("double", "real")
