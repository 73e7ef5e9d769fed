"""Batches and functions on a graphics card."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.given import Given
from touchback.batch.gpu.card import Card
from touchback.batch.gpu.in_loops import evaluation_in_loops
from touchback.batch.gpu.kernels import (
    Kernel,
    Rollout,
    Shared,
    evaluation,
    evaluation_of_pairs,
    goes_in_pairs,
    rollout_kernel,
)
from touchback.batch.laid_out import blocks_of, constants_of, series_of, whole_steps
from touchback.errors import InputError
from touchback.simulate.progress import Progress
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Span
from touchback.simulate.ticks import steps_between
from touchback.system import System
from touchback.system.compiled_function import Function

_A_PART = 0.1  # s of work between two looks at Ctrl-C and at the bar
_BYTES = {"double": np.float64, "float": np.float32}  # of numbers as CUDA C calls them
_CUDA = (2, 13)  # kinds of devices of DLPack: memory of a card, and memory that it shares


def lies_on_card(array: Any) -> bool:
    """Whether an array (of CuPy, torch, jax, …) is in a card's memory."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in _CUDA


class CardBatch:
    """Runs of a system's instances by equal steps on a card. States that lie there already, `x0`
    with a row for each, stay there, and so does what comes of them."""

    def __init__(self, card: Card, system: System, given: Given, x0: Any, real: str) -> None:
        self.card, self.system, self.given, self.real = card, system, given, real
        self._type = _BYTES[real]
        self.cupy = card.cupy
        self._stays = lies_on_card(x0)
        self.x = self._states(x0)

    def _states(self, x0: Any) -> Any:
        """(states, instances)."""
        count, size = self.given.count, len(self.system.state_names)
        if not self._stays:
            if self.given.x0 is None:
                raise AssertionError("a tree begins somewhere")
            rows = np.broadcast_to(self.given.x0, (count, size))
            return self.cupy.asarray(np.ascontiguousarray(rows.T, dtype=self._type))
        found = self.cupy.from_dlpack(x0)
        if found.shape != (count, size):
            raise InputError(
                f"State on the card: an array of shape ({count}, {size}) is expected, a row for "
                f"each instance, got {found.shape}."
            )
        return self.cupy.array(found.T, dtype=self._type, order="C")

    def _laid(self, array: np.ndarray, own: int) -> Any:
        """Numbers first, instances last, of an array that has `own` dimensions where all share."""
        moved = array if array.ndim == own else np.moveaxis(array, 0, -1)
        return self.card.given(moved.astype(self._type))

    def run(self, solver: FixedStep, span: Span, names: Sequence[str], shown: Progress) -> BatchRun:
        """As `run_in_lanes`."""
        every = solver.steps_per_output()
        steps = whole_steps(solver, span)
        u, p = constants_of(self.system, self.given), blocks_of(self.system, self.given)
        series = series_of(self.system, self.given, span)
        known = [*self.system.state_names, *self.system.layout.outputs]
        rollout = self._rollout(
            solver, tuple(known.index(name) for name in names), tuple(series.places),
            tuple(series.samples),
        )  # fmt: skip
        shared = Shared(u.ndim == 1, p.ndim == 1, series.values.ndim == 1)
        kernel = rollout_kernel(rollout, shared, self.real, self.card.memory)
        rows = steps // every + 1
        record = self.cupy.empty((rows, len(names), self.given.count), dtype=self._type)
        made = self.cupy.zeros(self.given.count, dtype=np.int64)
        per_second = 1.0 / span.duration  # of the run, over which samples are spread
        arrays = (self.x, self._laid(u, 1), self._laid(p, 1), self._laid(series.values, 1))
        rest = (np.float64(span.start), np.float64(per_second), record, made,
                *self._kept(rollout, steps))  # fmt: skip
        interrupted = False
        try:
            self._launch(kernel, (span.start, solver.step, steps, every), (*arrays, *rest), shown)
        except KeyboardInterrupt:
            interrupted = True
        run = self._told(names, record, made, steps, every, solver.step, span)
        if interrupted:
            raise BatchInterrupted(run)
        return run

    def _kept(self, rollout: Rollout, steps: int) -> tuple[Any, ...]:
        """What instances keep on the card from launch to launch beside their states, and whatever
        else a kernel takes of a run of so many steps."""
        return ()

    def _rollout(
        self,
        solver: FixedStep,
        recorded: tuple[int, ...],
        series: tuple[int, ...],
        samples: tuple[int, ...],
    ) -> Rollout:
        layout, plan = self.system.layout, self.system.plan
        own = self.system.dynamics.acting(self.system.key).functions
        states = len(self.system.state_names)
        wanted = {
            "rate": True,
            "configuration rate": solver.word == "euler" and not plan.plain_coordinates,
            "outputs": any(place >= states for place in recorded),
            "updates": bool(layout.memories),
        }
        functions = tuple((name, own[name]) for name, needed in wanted.items() if needed)
        return Rollout(
            functions, layout.sizes[0], states, 1 + len(layout.inputs), solver.word,
            recorded, series, samples, tuple(layout.memory_places),
            steps_between(self.system, solver) or 1,
        )  # fmt: skip

    def _launch(
        self,
        kernel: Kernel,
        grid: tuple[float, float, int, int],
        arguments: tuple[Any, ...],
        shown: Progress,
    ) -> None:
        """In parts of the steps; a run without any notes its start."""
        t0, step, steps, every = grid
        count, first, size = self.given.count, 0, 16
        while True:
            end, began = min(first + size, steps), time.monotonic()
            head = (np.int64(count), np.float64(t0), np.float64(step), np.int64(first),
                    np.int64(end), np.int64(every))  # fmt: skip
            self.card.launch(kernel, count, (*head, *arguments))
            self.cupy.cuda.get_current_stream().synchronize()
            shown.update(end / max(1, steps))
            if end == steps:
                return
            first = end
            if time.monotonic() - began < _A_PART:
                size *= 2

    def _told(
        self, names: Sequence[str], record: Any, made: Any, steps: int, every: int, step: float,
        span: Span,
    ) -> BatchRun:  # fmt: skip
        times = span.start + np.arange(len(record)) * every * step
        whole, ended = np.ones(made.size, dtype=bool), np.full(made.size, span.start + steps * step)
        if int(made.min()) < steps:
            reached = self.cupy.asnumpy(made)
            whole, ended = reached == steps, span.start + reached * step
            rows = self.cupy.arange(len(record))[:, None, None] * every
            record = self.cupy.where(rows > made, np.nan, record).astype(record.dtype)
        kept = (record.transpose(2, 0, 1), self.x.T)
        if not self._stays:
            kept = tuple(self.cupy.asnumpy(each) for each in kept)
        return BatchRun(
            self.system.name, tuple(self.system.state_names), tuple(names), times, *kept,
            ended, whole, {}, 1, 1, self.card.name,
        )  # fmt: skip


def evaluate_on_card(
    card: Card, function: Function, block: np.ndarray, given: tuple[Any, Any, Any], real: str
) -> Any:
    """What a function gives at rows of x, of [t, inputs…] and of its further argument; the latter
    two may be one for all. Where x lies on the card, the result does."""
    cupy = card.cupy

    def laid(array: Any) -> Any:
        if not lies_on_card(array):
            return card.given(np.asarray(array, dtype=_BYTES[real]).T)
        return cupy.ascontiguousarray(cupy.from_dlpack(array).T, dtype=_BYTES[real])

    x, u, further = (laid(each) for each in given)
    count, sizes = x.shape[1], (len(x), len(u), len(further))
    shared = Shared(u.ndim == 1, True, further=further.ndim == 1)
    in_pairs = goes_in_pairs(function, sizes, shared, real, count) and _even(x) and _even(further)
    usual = evaluation_of_pairs if in_pairs else evaluation
    wanted = (function, sizes, shared, real, card.memory)
    kernel = evaluation_in_loops(*wanted) or usual(*wanted)
    result = cupy.empty((function.out_size, count), dtype=_BYTES[real])
    arrays = (x, u, further, laid(block), result)
    card.launch(kernel, count, (np.int64(count), *arrays))
    shaped = result.T.reshape(count, *function.shape)
    return shaped if lies_on_card(given[0]) else cupy.asnumpy(shaped)


def _even(array: Any) -> bool:
    """Whether pairs of numbers can be read at once: arrays of others begin anywhere."""
    return getattr(array.data, "ptr", 0) % (2 * array.itemsize) == 0


_REALS: Mapping[str, str] = {"double": "double", "single": "float"}


def real_of(precision: str) -> str:
    """The type of CUDA C that a word stands for."""
    if precision not in _REALS:
        raise InputError(f"precision: 'double' or 'single' is expected, got {precision!r}.")
    return _REALS[precision]
