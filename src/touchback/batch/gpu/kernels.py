"""Texts of kernels: functions of many instances, and whole rollouts, one thread an instance.

Arrays lie number by number, all instances side by side, so that neighbouring threads read and write
neighbouring memory; what all instances share is there once. Threads never leave early: those of
long programs wait for each other now and then, so that a block reads its instructions once.

Functions of long programs that repeat themselves, as those of chains do, in double precision:
kernels with loops, which compute the same bits.

Straight programs are bound by the reading of their own instructions, which loops read once. What
passes from loop to loop lies in memory that a block shares, as far as it has room: so a
multiprocessor has one block of few threads, each of which takes one instance after the other.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from touchback.batch.batch_spec import has_sensors, sensor_number
from touchback.batch.gpu import kernels
from touchback.codegen import Program, fuse_sums
from touchback.codegen.printers.cuda import (
    device_function,
    device_preamble,
    early_angles,
    spill_slots_needed,
)
from touchback.codegen.printers.cuda_loops import (
    function_in_loops,
    lay_out,
    numbers_in_tables,
    roll_loops,
    sines_cosines,
)
from touchback.system import Function

MACROS = """\
#define AT(array, k) array[(k) * {stride}]
#define X(k) AT(x, k)
#define U(k) AT(u, k)
#define P(k) p[{own}]
#define OUT(k) out[k]
#define ARGUMENTS const real *x, const real *u, const real *__restrict__ p, long long count, \\
                  long long i
#define PASSED x, u, p, count, i
#define TOGETHER() {together}
extern __shared__ __align__(16) real store[];
#define SPILLED(k) ((volatile real *)store)[({written} + (k)) * {block} + threadIdx.x]
"""


MACROS_IN_PLACE = """\
#undef X
#define X(k) x[(k) * count + i]
#undef U
#define U(k) ((k) < {inputs} ? u[{own_u}] : further[{own}])
#undef ARGUMENTS
#define ARGUMENTS const real *__restrict__ x, const real *__restrict__ u, \\
                  const real *__restrict__ further, const real *__restrict__ p, long long count, \\
                  long long i
#undef PASSED
#define PASSED x, u, further, p, count, i
#undef OUT
#define OUT(k) out[(k) * count + i]
"""


_WHO = """\
    const long long own = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = own < count ? own : count - 1; /* the last one fills the last block */
"""


_LOAD = """\
#pragma unroll
    for (int k = 0; k < {states}; k++)
        AT(x, k) = given_x[k * count + i];
#pragma unroll
    for (int k = 0; k < {inputs}; k++)
        AT(u, k) = given_u[{own_u}];
"""


LOAD_ALL = f"""\
{_LOAD}#pragma unroll
    for (int k = {{inputs}}; k < {{all_inputs}}; k++)
        AT(u, k) = given_further[{{own}}];
"""


LOAD_NOTHING = """\
    const real *x = given_x, *u = given_u, *further = given_further;
"""


EVALUATE = f"""\
extern "C" __global__ void __launch_bounds__({{bounds}})
evaluate(long long count, const real *__restrict__ given_x, const real *__restrict__ given_u,
         const real *__restrict__ given_further, const real *__restrict__ p,
         real *__restrict__ result)
{{{{
{_WHO}{{storage}}{{load}}{{give}}}}}}
"""


GIVE_ALL = """\
    real out[{outputs}];
    f::call(PASSED, out);
    if (own < count)
#pragma unroll
        for (int k = 0; k < {outputs}; k++)
            result[k * count + i] = out[k];
"""


GIVE_IN_PLACE = "    f::call(PASSED, result);\n"


# Two neighbours a thread, which halves the instructions that find and move their numbers.
EVALUATE_PAIRS = """\
struct alignas(2 * sizeof(real)) pair {{ real one, other; }};
extern "C" __global__ void __launch_bounds__({bounds})
evaluate(long long all, const real *__restrict__ given_x, const real *__restrict__ given_u,
         const real *__restrict__ given_further, const real *__restrict__ p,
         real *__restrict__ result)
{{
    const long long count = all / 2;
    const long long own = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = own < count ? own : count - 1;
    real x[{states}], x_too[{states}], u[{all_inputs}], u_too[{all_inputs}];
    real out[{outputs}], out_too[{outputs}];
#pragma unroll
    for (int k = 0; k < {states}; k++) {{
        const pair read = ((const pair *)given_x)[k * count + i];
        x[k] = read.one, x_too[k] = read.other;
    }}
#pragma unroll
    for (int k = 0; k < {inputs}; k++)
        u[k] = u_too[k] = given_u[k];
#pragma unroll
    for (int k = {inputs}; k < {all_inputs}; k++) {{
        const pair read = ((const pair *)given_further)[(k - {inputs}) * count + i];
        u[k] = read.one, u_too[k] = read.other;
    }}
    f::call(PASSED, out);
    f::call(x_too, u_too, p, count, i, out_too);
    if (own < count)
#pragma unroll
        for (int k = 0; k < {outputs}; k++)
            ((pair *)result)[k * count + i] = pair{{out[k], out_too[k]}};
}}
"""


ROLLOUT = f"""\
/* u = [t, inputs...]: some follow samples, spread evenly over the run and linear in between. */
static __device__ __forceinline__ void set_inputs(double t, real *u,
                                                  const real *__restrict__ series, double start,
                                                  double per_second, long long count, long long i)
{{{{
    AT(u, 0) = (real)t;
{{series}}}}}}

/* The instant at which a row is due. */
static __device__ __forceinline__ void note(const real *x, const real *u,
                                            const real *__restrict__ p, real *record,
                                            long long row, int alive, long long count, long long i)
{{{{
{{note}}}}}}

/* One step, to `next`. */
static __device__ __forceinline__ void advance(const real *x, real *u, const real *__restrict__ p,
                                               real *next, double t, double wide_h,
                                               const real *__restrict__ series, double start,
                                               double per_second, long long count, long long i)
{{{{
    const real h = (real)wide_h;
{{advance}}}}}}

/* Steps from `first` to before `end`. An instance that would become no number stays where it is. */
extern "C" __global__ void __launch_bounds__({{block}})
rollout(long long count, double t0, double h, long long first, long long end, long long every,
        real *given_x, const real *__restrict__ given_u, const real *__restrict__ p,
        const real *__restrict__ series, double start, double per_second, real *record,
        long long *made)
{{{{
{_WHO}{{storage}}{_LOAD}    int alive = own < count && made[i] == first;
    long long reached = first;
    if (first == 0) {{{{
        set_inputs(t0, u, series, start, per_second, count, i);
        note(x, u, p, record, 0, alive, count, i);
    }}}}
#pragma unroll 1
    for (long long step = first; step < end; step++) {{{{
        const double t = t0 + (double)step * h;
        set_inputs(t, u, series, start, per_second, count, i);
{{memories}}        advance(x, u, p, next, t, h, series, start, per_second, count, i);
        real sound = 0;
#pragma unroll
        for (int k = 0; k < {{states}}; k++)
            sound += AT(next, k) - AT(next, k);
        alive = alive && sound == 0;
{{undo_tick}}        if (alive) {{{{
            reached = step + 1;
#pragma unroll
            for (int k = 0; k < {{states}}; k++)
                AT(x, k) = AT(next, k);
        }}}}
        if ((step + 1) % every == 0) {{{{
            set_inputs(t0 + (double)(step + 1) * h, u, series, start, per_second, count, i);
            note(x, u, p, record, (step + 1) / every, alive, count, i);
        }}}}
    }}}}
    if (own < count && made[i] == first) {{{{
        made[i] = reached;
#pragma unroll
        for (int k = 0; k < {{states}}; k++)
            given_x[k * count + i] = AT(x, k);
    }}}}
}}}}
"""


EULER = """\
    real rate[{states}];
    rate::call(PASSED, rate);
#pragma unroll
    for (int k = {q}; k < {states}; k++)
        AT(next, k) = AT(x, k) + h * rate[k];
{turning}#pragma unroll
    for (int k = 0; k < {q}; k++)
        AT(next, k) = AT(x, k) + h * {turns};
"""


TURNING = """\
#pragma unroll
    for (int k = 0; k < {q}; k++)
        AT(next, k) = AT(x, k);
    {{
        const real *x = next;
        configuration_rate::call(PASSED, rate);
    }}
"""


RK4 = """\
    real first[{states}], middle[{states}], rate[{states}];
#pragma unroll
    for (int k = 0; k < {states}; k++)
        AT(next, k) = AT(x, k);
#pragma unroll 1
    for (int stage = 0; stage < 4; stage++) {{
        const real part = stage == 2 ? h : (real)0.5 * h;
        if (stage > 0)
            set_inputs(t + (stage == 3 ? wide_h : 0.5 * wide_h), u, series, start, per_second,
                       count, i);
        {{
            const real *x = next;
            rate::call(PASSED, rate);
        }}
        if (stage == 3)
            break;
#pragma unroll
        for (int k = 0; k < {states}; k++) {{
            first[k] = stage == 0 ? rate[k] : first[k];
            middle[k] = stage <= 1 ? rate[k] : middle[k] + rate[k];
            AT(next, k) = AT(x, k) + part * rate[k];
        }}
    }}
#pragma unroll
    for (int k = 0; k < {states}; k++)
        AT(next, k) = AT(x, k) + h / 6 * (first[k] + 2 * middle[k] + rate[k]);
"""


SERIES = """\
    {{
        const double in_samples = fmin(fmax((t - start) * per_second, 0.0), 1.0) * {last};
        const int cell = in_samples < {last_cell} ? (int)in_samples : {last_cell};
        const real part = (real)(in_samples - cell);
        const real *at = series + (({first}LL + cell) * {stride} + {at});
        AT(u, {place}) = at[0] + (at[{stride}] - at[0]) * part;
    }}
"""


MEMORIES = """\
        const int ticked = alive && step % {ticks} == 0;
        real remembered[{count}];
        if (step % {ticks} == 0) {{
            real became[{size}];
            updates::call(PASSED, became);
            if (ticked) {{
{kept}            }}
        }}
"""


# One that would become no number has its memories of before the tick.
UNDO_TICK = """\
        if (ticked && !alive) {{
{back}        }}
"""


BLOCK = 128  # threads


LONG = 3000  # operations from which a program outgrows the nearest cache of instructions


_WIDE = {"double": 192, "float": BLOCK}  # threads for which what long functions spill has room


USUAL_MEMORY = 232_448  # bytes that a block may share on an H200


_HELD = {"double": 100, "float": 220}  # numbers that registers hold, beside addresses


_SHORT, _PAIRS = 1500, (256, 2)  # operations; threads of a block, and blocks at a time


CACHED_KERNELS = 64  # whose texts, which take longer to print than to run, are kept


@dataclass(frozen=True)
class Shared:
    """Which arrays are there once for all instances."""

    u: bool
    p: bool
    series: bool = True
    further: bool = True


@dataclass(frozen=True)
class Kernel:
    """A text, the name of its kernel, what its numbers are, the bytes that a block shares, its
    threads, how many instances each of them has, and how many blocks there are at most, whose
    threads then take further ones."""

    text: str
    name: str
    real: str
    shared_bytes: int = 0
    block: int = BLOCK
    each: int = 1
    most: int | None = None

    def blocks(self, count: int) -> int:
        """For so many instances."""
        wanted = -(-count // (self.each * self.block))
        return wanted if self.most is None else min(wanted, self.most)


@functools.lru_cache(CACHED_KERNELS)
def evaluation(
    function: Function,
    sizes: tuple[int, int, int],
    shared: Shared,
    real: str,
    memory: int = USUAL_MEMORY,
) -> Kernel:
    """The kernel `evaluate` of one function: of so many numbers of x, of [t, inputs…] and of the
    function's further argument, which follows them; for cards whose blocks may share so many bytes
    of `memory`."""
    states, inputs, further = sizes
    program = function.second
    wide = _WIDE[real]
    arrays = {"x": states, "u": inputs + further}
    place = _ThreadStorage({"f": program}, arrays, real, wide, memory, writes=False)
    parts = {
        "states": states, "inputs": inputs, "all_inputs": inputs + further,
        "own_u": own_place("(k)", shared.u), "own": own_place(f"((k) - {inputs})", shared.further),
    }  # fmt: skip
    load, macros = kernels.LOAD_ALL.format(**parts), ""
    give = kernels.GIVE_ALL.format(outputs=len(program.outputs))
    if place.in_place:
        load, macros = (
            kernels.LOAD_NOTHING,
            kernels.MACROS_IN_PLACE.format(**parts),
        )
        give = kernels.GIVE_IN_PLACE
    kernel = kernels.EVALUATE.format(
        storage=place.storage, load=load, give=give, bounds=place.block
    )
    text = place.text(shared, kernel, macros)
    return Kernel(text, "evaluate", real, place.shared_bytes, place.block)


def goes_in_pairs(
    function: Function, sizes: tuple[int, int, int], shared: Shared, real: str, count: int
) -> bool:
    """Whether a thread should take two neighbours: of short programs in single precision, which are
    bound by the number of their instructions."""
    arrays = shared.u and (not shared.further or sizes[2] == 0)
    return real == "float" and arrays and count % 2 == 0 and len(function.second.op) <= _SHORT


@functools.lru_cache(CACHED_KERNELS)
def evaluation_of_pairs(
    function: Function,
    sizes: tuple[int, int, int],
    shared: Shared,
    real: str,
    memory: int = USUAL_MEMORY,
) -> Kernel:
    """As `evaluation`, two instances a thread."""
    states, inputs, further = sizes
    program, (block, crowd) = function.second, _PAIRS
    place = _ThreadStorage({"f": program}, {}, real, block, memory)
    kernel = kernels.EVALUATE_PAIRS.format(
        states=states, inputs=inputs, all_inputs=inputs + further, outputs=len(program.outputs),
        bounds=f"{block}, {crowd}",
    )  # fmt: skip
    return Kernel(place.text(shared, kernel), "evaluate", real, 0, block, 2)


@dataclass(frozen=True)
class Rollout:
    """What the kernel `rollout` is made of: functions ("rate" and, where there are some,
    "configuration rate", "outputs", "updates"), how many numbers q, x and u have, the method,
    recorded places in [x, outputs], places of inputs that follow samples and how many each has, and
    memories' places with the steps from tick to tick."""

    functions: tuple[tuple[str, Function], ...]
    q: int
    states: int
    inputs: int
    method: str
    recorded: tuple[int, ...]
    series: tuple[int, ...]
    samples: tuple[int, ...]
    memories: tuple[int, ...]
    ticks: int

    measure: ClassVar = "outputs::call(PASSED, shown)"  # how sensors are read

    @cached_property
    def programs(self) -> dict[str, Program]:
        """Of the functions."""
        return {name: function.second for name, function in self.functions}

    @property
    def measures(self) -> bool:
        """Whether sensors are recorded."""
        return has_sensors(self.recorded, self.states)

    @property
    def sensors(self) -> int:
        """How many numbers they show."""
        return len(self.programs["outputs"].outputs)

    def kernel(self, shared: Shared, real: str, memory: int) -> Kernel:
        """For the card."""
        sizes = {"x": self.states, "next": self.states, "u": self.inputs}
        named = {name.replace(" ", "_"): program for name, program in self.programs.items()}
        place = _ThreadStorage(named, sizes, real, BLOCK, memory, spills=self.method == "euler")
        step = self._euler() if self.method == "euler" else kernels.RK4.format(states=self.states)
        kernel = kernels.ROLLOUT.format(
            series=self._series(shared), note=self._note(), advance=step, states=self.states,
            inputs=self.inputs, memories=self._memories(), undo_tick=self._undo_tick(),
            own_u=own_place("k", shared.u), block=BLOCK, storage=place.storage,
        )  # fmt: skip
        return Kernel(place.text(shared, kernel), "rollout", real, place.shared_bytes)

    def _euler(self) -> str:
        turning, turns = "", f"AT(next, {self.q} + k)"
        if "configuration rate" in self.programs:
            turning, turns = kernels.TURNING.format(q=self.q), "rate[k]"
        return kernels.EULER.format(q=self.q, states=self.states, turning=turning, turns=turns)

    def _series(self, shared: Shared) -> str:
        if not self.series:
            return "    (void)series;\n"
        stride, at = ("1", "0") if shared.series else ("count", "i")
        rows, first = [], 0
        for place, samples in zip(self.series, self.samples, strict=True):
            sizes = {"first": first, "last": samples - 1, "last_cell": samples - 2}
            rows.append(kernels.SERIES.format(place=place, stride=stride, at=at, **sizes))
            first += samples
        return "".join(rows)

    def _note(self) -> str:
        lines = []
        if self.measures:
            lines = [f"    real shown[{self.sensors}];", f"    {self.measure};"]
        width = len(self.recorded)
        for k, place in enumerate(self.recorded):
            sensor = sensor_number(place, self.states)
            value = f"AT(x, {place})" if sensor is None else f"shown[{sensor}]"
            lines.append(f"    if (alive) record[(row * {width} + {k}) * count + i] = {value};")
        return "".join(f"{line}\n" for line in lines)

    def _memories(self) -> str:
        if not self.memories:
            return ""
        kept = "".join(
            f"            remembered[{k}] = AT(x, {place}), AT(x, {place}) = became[{k}];\n"
            for k, place in enumerate(self.memories)
        )
        sizes = {"size": len(self.programs["updates"].outputs), "count": len(self.memories)}
        return kernels.MEMORIES.format(ticks=self.ticks, kept=kept, **sizes)

    def _undo_tick(self) -> str:
        if not self.memories:
            return ""
        back = "".join(
            f"            AT(x, {place}) = remembered[{k}];\n"
            for k, place in enumerate(self.memories)
        )
        return kernels.UNDO_TICK.format(back=back)


@functools.lru_cache(CACHED_KERNELS)
def rollout_kernel(
    rollout: Rollout, shared: Shared, real: str, memory: int = USUAL_MEMORY
) -> Kernel:
    """Put together once."""
    return rollout.kernel(shared, real, memory)


class _ThreadStorage:
    """Where a thread's numbers lie: in registers or, of long programs, in memory that its block
    shares, which leaves the registers to what is computed: sines and cosines, and arrays that the
    kernel writes. Others are read where they were given."""

    def __init__(
        self, programs: Mapping[str, Program], sizes: Mapping[str, int], real: str, block: int,
        memory: int, writes: bool = True, spills: bool = True,
    ) -> None:  # fmt: skip
        # Nothing is spilled for rk4: on an H200 (CUDA 13.0) later stages took the first one's
        # sines, while CUDA's intermediate text is right.
        if real == "float":  # its rounding is its own anyway
            programs = {name: fuse_sums(each) for name, each in programs.items()}
        self._programs, self._real = programs, real
        self._long = max(len(program.op) for program in programs.values()) > LONG
        self.block = block if self._long else BLOCK
        self.in_place = self._long and not writes
        self._written = 0 if self.in_place else sum(sizes.values())
        room = memory // self._bytes(1) - self._written
        apart = self._long and room >= 0
        self._angles, self._slots = self._spill(room) if apart and spills else ({}, 0)
        self.shared_bytes = self._bytes(self._written + self._slots) if apart else 0
        self._stride = self.block if apart else 1
        self.storage = "" if self.in_place else "".join(self._declared(sizes, apart))

    def _spill(self, room: int) -> tuple[dict[str, list[int]], int]:
        """Angles of each program whose sines and cosines are computed first, if they have room, and
        the slots that all programs need."""
        angles = {name: early_angles(each) for name, each in self._programs.items()}
        if 2 * max(map(len, angles.values())) > room:
            angles = {name: [] for name in angles}
        held = _HELD[self._real]
        wanted = [
            spill_slots_needed(each, angles[name], held) for name, each in self._programs.items()
        ]
        return angles, min(room, max(wanted))

    def _bytes(self, numbers: int) -> int:
        return numbers * self.block * (4 if self._real == "float" else 8)

    def _declared(self, sizes: Mapping[str, int], apart: bool) -> Iterator[str]:
        at = 0
        for name, size in sizes.items():
            if apart:
                yield f"    real *{name} = store + {at} + threadIdx.x;\n"
            else:
                yield f"    real {name}[{max(1, size)}];\n"
            at += size * self.block

    def text(self, shared: Shared, kernel: str, further_macros: str = "") -> str:
        """The whole file."""
        macros = kernels.MACROS.format(
            own=own_place("(k)", shared.p), stride=self._stride, written=self._written,
            block=self.block, together="__syncthreads()" if self._long else "",
        )  # fmt: skip
        functions = [
            device_function(
                program,
                name,
                self._long and self._real == "double",
                self._angles.get(name, ()),
                self._slots,
            )
            for name, program in self._programs.items()
        ]
        preamble = device_preamble(self._programs.values(), self._real)
        return "\n".join([preamble, macros + further_macros, *functions, kernel])


def own_place(index: str, shared: bool) -> str:
    """An index into an array that all instances share, or have one of each."""
    return index if shared else f"{index} * count + i"


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


@functools.lru_cache(CACHED_KERNELS)
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
    rolled = roll_loops(program)
    if rolled is None or rolled.looped < _LOOPED * len(program.op):
        return None
    tables = numbers_in_tables(rolled)
    if 8 * tables > _MOST_TABLES * memory:
        return None
    _, inputs, _ = sizes
    macros = kernels.MACROS.format(
        own=own_place("(k)", shared.p), stride=1, written=0, block=BLOCK, together=""
    )
    macros += _MACROS.format(block=BLOCK) + kernels.MACROS_IN_PLACE.format(
        inputs=inputs, own_u=own_place("(k)", shared.u),
        own=own_place(f"((k) - {inputs})", shared.further),
    )  # fmt: skip
    layout = lay_out(rolled, (memory // 8 - tables) // BLOCK)
    text, numbers = function_in_loops(rolled, layout, BLOCK, "f")
    parts = [device_preamble([program], real), sines_cosines(), macros, text]
    kernel = _EVALUATE.format(bounds=BLOCK)
    return Kernel("\n".join([*parts, kernel]), "evaluate", real, 8 * numbers, BLOCK, most=_BLOCKS)
