"""Texts of kernels: functions of many instances, and whole rollouts, one thread an instance.

Arrays lie number by number, all instances side by side, so that neighbouring threads read and write
neighbouring memory; what all instances share is there once. Threads never leave early: those of
long programs wait for each other now and then, so that a block reads its instructions once."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from touchback.codegen.printers.cuda import device_function, device_preamble
from touchback.fleet.gpu import texts
from touchback.symbolic.program import Program
from touchback.system.function import Function

BLOCK = 128  # threads
_LONG = 3000  # operations from which a program outgrows the nearest cache of instructions
_MOST_SHARED = 200_000  # bytes of a block's own memory
_KEPT = 64  # kernels whose texts, which take longer to print than to run, are kept


@dataclass(frozen=True)
class Shared:
    """Which arrays are there once for all instances."""

    u: bool
    p: bool
    series: bool = True
    further: bool = True


@dataclass(frozen=True)
class Kernel:
    """A text, the name of its kernel, what its numbers are, and the bytes that a block shares."""

    text: str
    name: str
    real: str
    shared_bytes: int


@functools.lru_cache(_KEPT)
def evaluation(
    function: Function, sizes: tuple[int, int, int], shared: Shared, real: str
) -> Kernel:
    """The kernel `evaluate` of one function: of so many numbers of x, of [t, inputs…] and of the
    function's further argument, which follows them."""
    states, inputs, further = sizes
    program = function.second
    place = _Place([program], {"x": states, "u": inputs + further}, real)
    kernel = texts.EVALUATE.format(
        storage=place.storage, states=states, inputs=inputs, further=further, block=BLOCK,
        outputs=len(program.outputs), own_u=_own("k", shared.u), own=_own("k", shared.further),
    )  # fmt: skip
    functions = [device_function(program, "f")]
    return Kernel(place.text(shared, functions, kernel), "evaluate", real, place.shared_bytes)


@dataclass(frozen=True)
class Rollout:
    """What the kernel `rollout` is made of: functions ("rate" and, where there are some,
    "configuration rate", "outputs", "updates"), how many numbers q, x and u have, the method,
    recorded places in [x, outputs], places of inputs that follow so many samples, and memories'
    places with the steps from tick to tick."""

    functions: tuple[tuple[str, Function], ...]
    q: int
    states: int
    inputs: int
    method: str
    recorded: tuple[int, ...]
    series: tuple[int, ...]
    samples: int
    memories: tuple[int, ...]
    ticks: int

    @cached_property
    def programs(self) -> dict[str, Program]:
        """Of the functions."""
        return {name: function.second for name, function in self.functions}

    def kernel(self, shared: Shared, real: str) -> Kernel:
        """For the card."""
        sizes = {"x": self.states, "next": self.states, "u": self.inputs}
        place = _Place(self.programs.values(), sizes, real)
        functions = [
            device_function(program, name.replace(" ", "_"))
            for name, program in self.programs.items()
        ]
        step = self._euler() if self.method == "euler" else texts.RK4.format(states=self.states)
        kernel = texts.ROLLOUT.format(
            series=self._series(shared), note=self._note(), advance=step, states=self.states,
            inputs=self.inputs, memories=self._memories(), own_u=_own("k", shared.u), block=BLOCK,
            storage=place.storage,
        )  # fmt: skip
        return Kernel(place.text(shared, functions, kernel), "rollout", real, place.shared_bytes)

    def _euler(self) -> str:
        turning, turns = "", f"AT(next, {self.q} + k)"
        if "configuration rate" in self.programs:
            turning, turns = texts.TURNING.format(q=self.q), "rate[k]"
        return texts.EULER.format(q=self.q, states=self.states, turning=turning, turns=turns)

    def _series(self, shared: Shared) -> str:
        if not self.series:
            return "    (void)series;\n"
        stride, at = ("1", "0") if shared.series else ("count", "i")
        rows = "".join(
            texts.SERIES_ROW.format(
                row=row, place=place, samples=self.samples, stride=stride, at=at
            )
            for row, place in enumerate(self.series)
        )
        return texts.SERIES.format(last=self.samples - 1, last_cell=self.samples - 2) + rows

    def _note(self) -> str:
        lines = []
        if any(place >= self.states for place in self.recorded):
            size = len(self.programs["outputs"].outputs)
            lines = [f"    real shown[{size}];", "    outputs::call(PASSED, shown);"]
        width = len(self.recorded)
        for k, place in enumerate(self.recorded):
            value = f"AT(x, {place})" if place < self.states else f"shown[{place - self.states}]"
            lines.append(f"    if (alive) record[(row * {width} + {k}) * count + i] = {value};")
        return "".join(f"{line}\n" for line in lines)

    def _memories(self) -> str:
        if not self.memories:
            return ""
        kept = "".join(
            f"            AT(x, {place}) = became[{k}];\n" for k, place in enumerate(self.memories)
        )
        size = len(self.programs["updates"].outputs)
        return texts.MEMORIES.format(ticks=self.ticks, size=size, kept=kept)


@functools.lru_cache(_KEPT)
def rollout_kernel(rollout: Rollout, shared: Shared, real: str) -> Kernel:
    """Put together once."""
    return rollout.kernel(shared, real)


class _Place:
    """Where a thread's numbers lie: in registers or, of long programs, in memory that its block
    shares, which leaves the registers to what is computed."""

    def __init__(self, programs: Iterable[Program], sizes: Mapping[str, int], real: str) -> None:
        self._programs, self._real = list(programs), real
        size = sum(sizes.values()) * BLOCK * (4 if real == "float" else 8)
        self._long = max(len(program.op) for program in self._programs) > _LONG
        apart = self._long and size <= _MOST_SHARED
        self.shared_bytes = size if apart else 0
        self._stride = BLOCK if apart else 1
        self.storage = "".join(self._declared(sizes, apart))

    def _declared(self, sizes: Mapping[str, int], apart: bool) -> list[str]:
        if not apart:
            return [f"    real {name}[{max(1, size)}];\n" for name, size in sizes.items()]
        lines, at = ["    extern __shared__ real store[];\n"], 0
        for name, size in sizes.items():
            lines.append(f"    real *{name} = store + {at} + threadIdx.x;\n")
            at += size * BLOCK
        return lines

    def text(self, shared: Shared, functions: Sequence[str], kernel: str) -> str:
        """The whole file."""
        macros = texts.MACROS.format(
            own=_own("(k)", shared.p), stride=self._stride,
            together="__syncthreads()" if self._long else "",
        )  # fmt: skip
        return "\n".join([device_preamble(self._programs, self._real), macros, *functions, kernel])


def _own(index: str, shared: bool) -> str:
    return index if shared else f"{index} * count + i"
