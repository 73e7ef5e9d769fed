"""Functions of long programs that repeat themselves, as those of chains do, in double precision:
kernels with loops, which compute the same bits.

Straight programs are bound by the reading of their own instructions, which loops read once. What
passes from loop to loop lies in memory that a block shares, as far as it has room: so a
multiprocessor has one block of few threads, each of which takes one instance after the other."""

from __future__ import annotations

import functools

from touchback.batch.gpu import texts
from touchback.batch.gpu.kernels import (
    BLOCK,
    KEPT,
    LONG,
    USUAL_MEMORY,
    Kernel,
    Shared,
    own_place,
)
from touchback.codegen.printers.cuda import device_preamble
from touchback.codegen.printers.cuda_layout import lay_out
from touchback.codegen.printers.cuda_loops import function_in_loops, numbers_in_tables
from touchback.codegen.printers.cuda_turns import sines_cosines
from touchback.symbolic.rolled import roll
from touchback.system.compiled_function import Function

_BLOCKS = 1056  # at most: a small multiple of the multiprocessors of a large card
_LOOPED = 0.7  # of a program's operations are worth the loops
_MOST_TABLES = 0.5  # of a block's memory
_MOST = 30_000  # operations in which loops are looked for, which takes seconds

_MACROS = """\
#define BLOCK {block}
#ifndef MINE
#define MINE(k, n) for (int k = threadIdx.x; k < (n); k += blockDim.x)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 /* copies that nobody waits for yet */
static __device__ __forceinline__ void stage(real *to, const real *from)
{{
    if (__isShared(to))
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::
                     "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof(real)));
    else
        *to = *from;
}}
#define STAGE(to, from) stage(&(to), &(from))
#define STAGE_END() asm volatile("cp.async.commit_group;" ::: "memory")
#define STAGED(left) asm volatile("cp.async.wait_group %0;" :: "n"(left) : "memory")
#else
#define STAGE(to, from) (to) = (from)
#define STAGE_END()
#define STAGED(left)
#endif
struct alignas(2 * sizeof(real)) pair {{ real one, other; }};
"""


# Few blocks, whose threads take one instance after the other: what a block shares is read once.
_EVALUATE = """\
extern "C" __global__ void __launch_bounds__({bounds})
evaluate(long long count, const real *__restrict__ x, const real *__restrict__ u,
         const real *__restrict__ further, const real *__restrict__ p, real *__restrict__ result)
{{
    const long long all = gridDim.x * (long long)blockDim.x;
    f::prepare();
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += all)
        f::call(PASSED, result);
}}
"""


@functools.lru_cache(KEPT)
def evaluation_in_loops(
    function: Function,
    sizes: tuple[int, int, int],
    shared: Shared,
    real: str,
    memory: int = USUAL_MEMORY,
) -> Kernel | None:
    """As `evaluation`; nothing for programs that don't repeat themselves."""
    program = function.second
    if real != "double" or not LONG < len(program.op) < _MOST:
        return None
    rolled = roll(program)
    if rolled is None or rolled.looped < _LOOPED * len(program.op):
        return None
    tables = numbers_in_tables(rolled)
    if 8 * tables > _MOST_TABLES * memory:
        return None
    _, inputs, _ = sizes
    macros = texts.MACROS.format(
        own=own_place("(k)", shared.p), stride=1, written=0, block=BLOCK, together=""
    )
    macros += _MACROS.format(block=BLOCK) + texts.MACROS_IN_PLACE.format(
        inputs=inputs, own_u=own_place("(k)", shared.u),
        own=own_place(f"((k) - {inputs})", shared.further),
    )  # fmt: skip
    layout = lay_out(rolled, (memory // 8 - tables) // BLOCK)
    text, numbers = function_in_loops(rolled, layout, BLOCK, "f")
    parts = [device_preamble([program], real), sines_cosines(), macros, text]
    kernel = _EVALUATE.format(bounds=BLOCK)
    return Kernel("\n".join([*parts, kernel]), "evaluate", real, 8 * numbers, BLOCK, most=_BLOCKS)
