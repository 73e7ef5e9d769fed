"""Texts of kernels: functions of many instances, and whole rollouts, one thread an instance.

Arrays lie number by number, all instances side by side, so that neighbouring threads read and write
neighbouring memory; what all instances share is there once. Threads never leave early: those of
long programs wait for each other now and then, so that a block reads its instructions once."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from touchback.codegen.printers.cuda import device_function, device_preamble, early_turns
from touchback.fleet.gpu import texts
from touchback.symbolic.chains import chained
from touchback.symbolic.program import Program
from touchback.system.function import Function

BLOCK = 128  # threads
_LONG = 3000  # operations from which a program outgrows the nearest cache of instructions
_MOST_SHARED = 200_000  # bytes of a block's own memory
_CROWD = 3  # blocks at a time, which hide each other's waiting for what registers didn't hold
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
    place = _Place({"f": program}, {"x": states, "u": inputs + further}, real, writes=False)
    parts = {
        "states": states, "inputs": inputs, "all_inputs": inputs + further,
        "own_u": _own("(k)", shared.u), "own": _own(f"((k) - {inputs})", shared.further),
    }  # fmt: skip
    load, macros = texts.LOAD_ALL.format(**parts), ""
    if place.in_place:
        load, macros = texts.LOAD_NOTHING, texts.MACROS_IN_PLACE.format(**parts)
    kernel = texts.EVALUATE.format(
        storage=place.storage, load=load, outputs=len(program.outputs), bounds=place.bounds
    )
    return Kernel(place.text(shared, kernel, macros), "evaluate", real, place.shared_bytes)


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

    measure: ClassVar = "outputs::call(PASSED, shown)"  # how sensors are read

    @cached_property
    def programs(self) -> dict[str, Program]:
        """Of the functions."""
        return {name: function.second for name, function in self.functions}

    def kernel(self, shared: Shared, real: str) -> Kernel:
        """For the card."""
        sizes = {"x": self.states, "next": self.states, "u": self.inputs}
        named = {name.replace(" ", "_"): program for name, program in self.programs.items()}
        place = _Place(named, sizes, real, turns_apart=self.method == "euler")
        step = self._euler() if self.method == "euler" else texts.RK4.format(states=self.states)
        kernel = texts.ROLLOUT.format(
            series=self._series(shared), note=self._note(), advance=step, states=self.states,
            inputs=self.inputs, memories=self._memories(), own_u=_own("k", shared.u), block=BLOCK,
            storage=place.storage,
        )  # fmt: skip
        return Kernel(place.text(shared, kernel), "rollout", real, place.shared_bytes)

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
            lines = [f"    real shown[{size}];", f"    {self.measure};"]
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
    shares, which leaves the registers to what is computed: sines and cosines, and arrays that the
    kernel writes. Others are read where they were given."""

    def __init__(
        self, programs: Mapping[str, Program], sizes: Mapping[str, int], real: str,
        writes: bool = True, turns_apart: bool = True,
    ) -> None:  # fmt: skip
        # No turns apart for rk4: on an H200 (CUDA 13.0) later stages took the first one's sines,
        # while CUDA's intermediate text is right.
        if real == "float":  # its rounding is its own anyway
            programs = {name: chained(each) for name, each in programs.items()}
        self._programs, self._real = programs, real
        self._long = max(len(program.op) for program in programs.values()) > _LONG
        self.in_place = self._long and not writes
        self._written = 0 if self.in_place else sum(sizes.values())
        self._turns = {
            name: early_turns(each) if turns_apart else [] for name, each in programs.items()
        }
        kept = 2 * max(len(each) for each in self._turns.values())
        apart = self._long and self._bytes(self._written) <= _MOST_SHARED
        if not apart or self._bytes(self._written + kept) > _MOST_SHARED:
            self._turns, kept = {}, 0
        self.shared_bytes = self._bytes(self._written + kept) if apart else 0
        self._stride = BLOCK if apart else 1
        self.storage = "" if self.in_place else "".join(self._declared(sizes, apart))

    def _bytes(self, numbers: int) -> int:
        return numbers * BLOCK * (4 if self._real == "float" else 8)

    def _declared(self, sizes: Mapping[str, int], apart: bool) -> Iterator[str]:
        at = 0
        for name, size in sizes.items():
            if apart:
                yield f"    real *{name} = store + {at} + threadIdx.x;\n"
            else:
                yield f"    real {name}[{max(1, size)}];\n"
            at += size * BLOCK

    @property
    def bounds(self) -> str:
        """Threads of a block and, where registers don't suffice anyway, blocks at a time."""
        crowded = self.in_place and self._real == "double"
        return f"{BLOCK}, {_CROWD}" if crowded else f"{BLOCK}"

    def text(self, shared: Shared, kernel: str, further_macros: str = "") -> str:
        """The whole file."""
        macros = texts.MACROS.format(
            own=_own("(k)", shared.p), stride=self._stride, written=self._written, block=BLOCK,
            together="__syncthreads()" if self._long else "",
        )  # fmt: skip
        functions = [
            device_function(
                program, name, self._long and self._real == "double", self._turns.get(name, ())
            )
            for name, program in self._programs.items()
        ]
        preamble = device_preamble(self._programs.values(), self._real)
        return "\n".join([preamble, macros + further_macros, *functions, kernel])


def _own(index: str, shared: bool) -> str:
    return index if shared else f"{index} * count + i"
