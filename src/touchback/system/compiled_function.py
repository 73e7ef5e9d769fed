"""A derived function of a system: programs, counts, machine code, and the call."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from touchback import native
from touchback.codegen import Backend, Compiled, compile_program, native_lanes
from touchback.errors import InputError
from touchback.native import Interpreter, as_floats, rows
from touchback.symbolic import (
    Counts,
    Depth,
    PositionCells,
    Program,
    Switches,
    cells_in,
    depth,
    is_nonlinear_in_time,
    parameters_in_time,
    switches_in,
)
from touchback.symbolic.operation_count import count

Floats = NDArray[np.float64]


RowParts = tuple[tuple[Floats, int, int, int], ...]  # numbers, stride, how many, place


_WIDE_FROM = 256  # rows from which code for several lanes is worth emitting


_A_THREAD = 2_000_000  # operations, a part of a millisecond, that are worth a thread of their own


_AT_A_TIME = 10 * _A_THREAD  # operations of each thread between two looks at Ctrl-C


_MOST_THREADS = 64  # TB_MOST_THREADS of native/python/rows.h


class Function:
    """One program with its parameter stage. Any number of threads may call it."""

    refusal: ClassVar = -1  # which output tells that there is no answer: none

    def __init__(
        self, name: str, first: Program, second: Program, shape: tuple[int, ...], backend: Backend
    ) -> None:
        self.name, self.first, self.second, self.shape = name, first, second, shape
        self.backend = backend
        self.block_size, self.out_size = max(len(first.outputs), 1), len(second.outputs)
        self._wide: dict[int, Compiled] = {}
        self._switches: dict[tuple[frozenset[int], frozenset[int]], Switches | None] = {}
        self._curves: dict[frozenset[int], bool] = {}

    @property
    def _identifier(self) -> str:
        """Its name as languages allow it."""
        return re.sub(r"\W", "_", self.name)

    @cached_property
    def compiled(self) -> Compiled:
        """The function on this machine."""
        return compile_program(self.second, self._identifier, backend=self.backend)

    def for_lanes(self, lanes: int) -> Compiled:
        """The function of so many instances at once: one, or as many as a vector register holds."""
        if lanes == 1:
            return self.compiled
        if lanes not in self._wide:
            self._wide[lanes] = compile_program(self.second, self._identifier, lanes)
        return self._wide[lanes]

    def rows(
        self,
        sizes: tuple[int, int],
        parts: Sequence[tuple[Floats, int]],
        blocks: Floats,
        result: Floats,
        first: int = 0,
    ) -> None:
        """Outputs from the `first` on for each row of `result`. `sizes`: of x and u; parts of
        [x, u], each with its place there, and parameter blocks have a row for each, or one for all
        (one dimension)."""
        one = self.compiled
        lanes = lanes_for(len(result), one)
        wide = self.for_lanes(lanes)
        if sizes[0] < one.sizes[0] or sizes[1] < one.sizes[1]:
            raise InputError(
                f"{self.name}: x and u of {one.sizes[0]} and {one.sizes[1]} numbers are expected, "
                f"got {sizes[0]} and {sizes[1]}."
            )
        operations = len(self.second.op)
        threads = threads_for(len(result), operations)
        for some, block, out in chunks(parts, blocks, result, operations):
            rows(
                (one.address, wide.address, lanes), ((one.context_address, wide.context_address),),
                (*sizes, self.block_size, self.out_size, max(one.work_size, wide.work_size)),
                some, block, out.reshape(-1), first, len(out), threads,
            )  # fmt: skip

    def at(self, x: Floats, u: Floats, block: Floats) -> Floats:
        """The outputs, flat, for a state, u = [t, inputs…] and a parameter block; of `x` and `u` it
        reads as much as it needs."""
        result = np.empty((1, self.out_size))
        parts = [(as_floats(x), 0), (as_floats(u), len(x))]
        self.rows((len(x), len(u)), parts, block, result)
        return result[0]

    @cached_property
    def _first(self) -> native.Interpreter:
        return native.Interpreter(self.first)

    @property
    def parameter_stage(self) -> native.Interpreter | None:
        """What computes the block from the parameters; None when nothing depends on them."""
        return self._first if self.first.outputs else None

    def block_for(self, parameters: Floats) -> Floats:
        """The derived parameter block of given parameters; of rows of them, a row for each."""
        if not self.first.outputs:
            return np.zeros(1)
        if parameters.ndim > 1:
            return self._first.run_rows(parameters, np.zeros(1), np.zeros(1))
        return self._first.run(parameters, np.zeros(1), np.zeros(1))

    def seconds_per_call(self, start: Floats, parameters: Floats, calls: int = 2000) -> float:
        """The median time of a call from C, at a state, at time zero and without inputs."""
        compiled = self.compiled
        x, u = np.append(start, 0.0), np.zeros(max(compiled.sizes[1], 1))
        timing = native.time_calls(
            compiled.address, x, u, self.block_for(parameters), compiled.out_size,
            compiled.work_size, compiled.context_address, calls=calls,
        )  # fmt: skip
        return timing.median

    def switches(self, moving: frozenset[int], known: frozenset[int]) -> Switches | None:
        """Where it switches in time: see `switches_in`."""
        asked = moving, known
        if asked not in self._switches:
            self._switches[asked] = switches_in(self.second, moving, known)
        return self._switches[asked]

    def parameters_in_time(self, moving: frozenset[int]) -> list[int]:
        """Which numbers of the parameter block what changes in time depends on."""
        return parameters_in_time(self.second, moving)

    def curves(self, known: frozenset[int]) -> bool:
        """Whether it reads time other than along straight lines: see `curves_in_time`."""
        if known not in self._curves:
            self._curves[known] = is_nonlinear_in_time(self.second, known)
        return self._curves[known]

    @cached_property
    def _cells(self) -> dict[int, PositionCells | None]:
        return {}

    def cells(self, positions: int) -> PositionCells | None:
        """Numbers of positions with kinks or jumps: see `cells_in`."""
        if positions not in self._cells:
            self._cells[positions] = cells_in(self.second, positions)
        return self._cells[positions]

    @cached_property
    def counts(self) -> Counts:
        """Operations per call."""
        return count(self.second)

    @cached_property
    def depth(self) -> Depth:
        """Steps of a call, each of which waits for the one before."""
        return depth(self.second)


def lanes_for(count: int, one: Compiled) -> int:
    """How many of so many rows are to be computed at once, by code for several lanes where the
    code for one is ours."""
    return native_lanes() if count >= _WIDE_FROM and one.backend == "machine" else 1


def threads_for(count: int, operations: int) -> int:
    """How many threads are worth starting for so many rows of so many operations."""
    worth = count * operations // _A_THREAD
    return max(1, min(len(os.sched_getaffinity(0)), _MOST_THREADS, worth))


def chunks(
    parts: Sequence[tuple[Floats, int]], blocks: Floats, result: Floats, operations: int
) -> Iterator[tuple[RowParts, Floats, Floats]]:
    """Rows of so many operations, with parts of [x, u] and blocks as C takes them (one dimension
    serves all rows): all at once, unless Python is to answer to Ctrl-C in between."""
    threads = min(len(os.sched_getaffinity(0)), _MOST_THREADS)
    size = max(1, threads * _AT_A_TIME // max(operations, 1) // _WIDE_FROM) * _WIDE_FROM
    for start in range(0, len(result), size):
        some = slice(start, start + size)
        yield (
            tuple(
                (
                    array.reshape(-1),
                    array.shape[-1] if array.ndim > 1 else 0,
                    array.shape[-1],
                    place,
                )
                for array, place in ((_part(each, some), place) for each, place in parts)
            ),
            _part(blocks, some).reshape(-1),
            result[some],
        )


def _part(rows: Floats, some: slice) -> Floats:
    return rows[some] if rows.ndim > 1 else rows


class FunctionSet(Mapping[str, Function]):
    """Functions by name, derived together, at least one: one stage turns parameters into the block
    that all of them read."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = dict(functions)
        self._one = next(iter(self._functions.values()))

    def __getitem__(self, name: str) -> Function:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def only(self, names: Mapping[str, str]) -> "FunctionSet":
        """Some of them under other names: of each its new name."""
        return FunctionSet({new: self._functions[name] for name, new in names.items()})

    @property
    def block_size(self) -> int:
        """How many numbers the block has."""
        return self._one.block_size

    @property
    def first(self) -> Program:
        """The program that computes the block from the parameters."""
        return self._one.first

    @property
    def parameter_stage(self) -> Interpreter | None:
        """What computes the block from the parameters; None when nothing depends on them."""
        return self._one.parameter_stage

    def block_for(self, parameters: np.ndarray) -> np.ndarray:
        """The block of given parameters."""
        return self._one.block_for(parameters)
