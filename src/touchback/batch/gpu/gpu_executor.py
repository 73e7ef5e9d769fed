"""Batches and functions on a graphics card, through CuPy (extra `gpu`): of mechanisms that are
trees, have constraints, or modes; kernels are compiled for the card of this machine."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.batch_spec import BatchSpec, refuse_unknown_modes
from touchback.batch.gpu.constrained_kernel import ConstrainedRollout, RolloutWithConstraints, Rows
from touchback.batch.gpu.kernels import (
    USUAL_MEMORY,
    Kernel,
    Rollout,
    Shared,
    evaluation,
    evaluation_in_loops,
    evaluation_of_pairs,
    goes_in_pairs,
    rollout_kernel,
)
from touchback.batch.gpu.modes_kernel import (
    CHATTERING,
    NOT_BEGUN,
    NOT_FINITE,
    REPORTED,
    UNREAD,
    ModesRollout,
    largest_arrays,
)
from touchback.errors import InputError
from touchback.native import CROWDED, MOST, ConstrainedFunctions, Formulation
from touchback.progress import Progress
from touchback.simulate import (
    CHATTERING_HINT,
    Failure,
    Span,
    constraint_diagnostics,
    indicator_failure,
    mode_entry_failure,
    warn_when_astray,
    warn_when_open,
)
from touchback.system import Function, LoopedDerivatives, System

# Products and sums are fused where the program says so and nowhere else, so that the card computes
# what processors do; single precision takes what is quickest.
_OPTIONS = {
    "double": ("--std=c++14", "--device-as-default-execution-space", "--fmad=false"),
    "float": ("--std=c++14", "--fmad=true", "--prec-div=false", "--prec-sqrt=false", "--ftz=true"),
}


_SMALL = 4096  # bytes of an array that is kept on the card


@dataclass(frozen=True)
class GpuDevice:
    """A card that can compute; `cupy` is CuPy's module, `memory` the bytes that a block of threads
    may share."""

    name: str
    cupy: Any
    memory: int = USUAL_MEMORY

    def launch(self, kernel: Kernel, count: int, arguments: tuple[Any, ...]) -> None:
        """For `count` instances; it is under way when this returns."""
        grid, block, shared = (kernel.blocks(count),), (kernel.block,), kernel.shared_bytes
        _compiled(self, kernel)(grid, block, arguments, shared_mem=shared)

    def upload(self, array: np.ndarray) -> Any:
        """Numbers that kernels read. Few ones go there once: a copy before each call of a function
        would part the calls."""
        if array.nbytes > _SMALL:
            return self.cupy.asarray(np.ascontiguousarray(array))
        return _upload_once(self, array.tobytes(), array.shape, array.dtype)


@functools.cache
def find_device() -> GpuDevice | str:
    """The first card, or why there is none."""
    try:
        import cupy
    except ImportError:
        return "CuPy isn't installed, which the extra `gpu` brings"
    try:
        found = cupy.cuda.runtime.getDeviceProperties(0)
        cupy.zeros(1)
    except Exception as error:  # of the driver, which has no list of them
        return f"no graphics card answers ({error})"
    return GpuDevice(found["name"].decode(), cupy, found["sharedMemPerBlockOptin"])


@functools.lru_cache(256)
def _upload_once(
    card: GpuDevice, numbers: bytes, shape: tuple[int, ...], kind: np.dtype[Any]
) -> Any:
    return card.cupy.asarray(np.frombuffer(numbers, kind).reshape(shape))


@functools.lru_cache(64)
def _compiled(card: GpuDevice, kernel: Kernel) -> Any:
    options = _OPTIONS[kernel.real]
    module = card.cupy.RawModule(code=kernel.text, options=options, backend="nvrtc")
    found = module.get_function(kernel.name)
    if kernel.shared_bytes:
        found.max_dynamic_shared_size_bytes = kernel.shared_bytes
    return found


_A_PART = 0.1  # s of work between two looks at Ctrl-C and at the bar


_BYTES = {"double": np.float64, "float": np.float32}  # of numbers as CUDA C calls them


_CUDA = (2, 13)  # kinds of devices of DLPack: memory of a card, and memory that it shares


def is_on_device(array: Any) -> bool:
    """Whether an array (of CuPy, torch, jax, …) is in a card's memory."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in _CUDA


class DeviceBatch:
    """Runs of a system's instances by equal steps on a card. States that lie there already stay
    there, and so does what comes of them."""

    def __init__(self, card: GpuDevice, spec: BatchSpec, real: str) -> None:
        self.card, self.spec, self.system, self.real = card, spec, spec.system, real
        self._type = _BYTES[real]
        self.cupy = card.cupy
        self._stays = spec.x0_on_device is not None
        self.x = self._states()

    def _states(self) -> Any:
        """(states, instances)."""
        count, size = self.spec.count, len(self.system.state_names)
        if not self._stays:
            if self.spec.instances.x0 is None:
                raise AssertionError("a tree begins somewhere")
            rows = np.broadcast_to(self.spec.instances.x0, (count, size))
            return self.cupy.asarray(np.ascontiguousarray(rows.T, dtype=self._type))
        found = self.cupy.from_dlpack(self.spec.x0_on_device)
        if found.shape != (count, size):
            raise InputError(
                f"State on the card: an array of shape ({count}, {size}) is expected, a row for "
                f"each instance, got {found.shape}."
            )
        return self.cupy.array(found.T, dtype=self._type, order="C")

    def _instances_last(self, array: np.ndarray, own: int) -> Any:
        """Numbers first, instances last, of an array that has `own` dimensions where all share."""
        moved = array if array.ndim == own else np.moveaxis(array, 0, -1)
        return self.card.upload(moved.astype(self._type))

    def run(self, shown: Progress) -> BatchRun:
        """Each as a run of its own would be; Ctrl-C leaves out what isn't done."""
        spec, solver, span, names = self.spec, self.spec.fixed_step, self.spec.span, self.spec.names
        every = solver.steps_per_output()
        steps = spec.whole_steps
        u, p, series = spec.constants(), spec.blocks(), spec.series()
        rollout = self._rollout(tuple(spec.places), tuple(series.places), tuple(series.samples))
        shared = Shared(u.ndim == 1, p.ndim == 1, series.values.ndim == 1)
        kernel = rollout_kernel(rollout, shared, self.real, self.card.memory)
        rows = steps // every + 1
        record = self.cupy.empty((rows, len(names), spec.count), dtype=self._type)
        made = self.cupy.zeros(spec.count, dtype=np.int64)
        per_second = 1.0 / span.duration  # of the run, over which samples are spread
        shared_or_own = (self._instances_last(each, 1) for each in (u, p, series.values))
        arrays = (self.x, *shared_or_own)
        rest = (np.float64(span.start), np.float64(per_second), record, made,
                *self._further_arguments(rollout, steps))  # fmt: skip
        interrupted = False
        try:
            self._launch(kernel, (span.start, solver.step, steps, every), (*arrays, *rest), shown)
        except KeyboardInterrupt:
            interrupted = True
        run = self._batch_run(names, record, made, steps, every, solver.step, span)
        if interrupted:
            raise BatchInterrupted(run)
        return self._with_reasons(run)

    def _with_reasons(self, ran: BatchRun) -> BatchRun:
        """What came of it, with why instances ended early."""
        return ran

    def largest_gap(self) -> float:
        """By how much the worst start breaks constraints [m or rad]."""
        return 0.0

    def diagnostics(self, ran: BatchRun) -> dict[str, Any] | None:
        """Counts of constraints that weren't met or kept, and what is said of them."""
        return None

    def _further_arguments(self, rollout: Rollout, steps: int) -> tuple[Any, ...]:
        """What instances keep on the card from launch to launch beside their states, and whatever
        else a kernel takes of a run of so many steps."""
        return ()

    def _rollout(
        self, recorded: tuple[int, ...], series: tuple[int, ...], samples: tuple[int, ...]
    ) -> Rollout:
        layout, plan = self.system.layout, self.system.plan
        own = self.system.dynamics.active_equations(self.system.key).functions
        states = len(self.system.state_names)
        wanted = {
            "rate": True,
            "configuration rate": self.spec.solver.word == "euler" and not plan.plain_coordinates,
            "outputs": self.spec.measures,
            "updates": bool(layout.memories),
        }
        functions = tuple((name, own[name]) for name, needed in wanted.items() if needed)
        return Rollout(
            functions, layout.sizes[0], states, 1 + len(layout.inputs), self.spec.solver.word,
            recorded, series, samples, tuple(layout.memory_places),
            self.spec.steps_between_ticks,
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
        count, first, size = self.spec.count, 0, 16
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

    def _batch_run(
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


_BY_LOOPS = "loops of the processor solve for derivatives of so many coordinates"


def device_for(function: Function, on: str, real: str) -> GpuDevice | str:
    """The graphics card that evaluates a function, or why the processor does."""
    if on != "gpu":
        return _not_asked(real)
    return _BY_LOOPS if isinstance(function, LoopedDerivatives) else find_device()


def _not_asked(real: str) -> str:
    return "single precision needs on='gpu'" if real == "float" else "no card is asked for"


def evaluate_on_device(
    card: GpuDevice, function: Function, block: np.ndarray, given: tuple[Any, Any, Any], real: str
) -> Any:
    """What a function gives at rows of x, of [t, inputs…] and of its further argument; the latter
    two may be one for all. Where x lies on the card, the result does."""
    cupy = card.cupy

    def laid(array: Any) -> Any:
        if not is_on_device(array):
            return card.upload(np.asarray(array, dtype=_BYTES[real]).T)
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
    return shaped if is_on_device(given[0]) else cupy.asnumpy(shaped)


def _even(array: Any) -> bool:
    """Whether pairs of numbers can be read at once: arrays of others begin anywhere."""
    return getattr(array.data, "ptr", 0) % (2 * array.itemsize) == 0


_REALS: Mapping[str, str] = {"double": "double", "single": "float"}


def cuda_type(precision: str) -> str:
    """The type of CUDA C that a word stands for."""
    if precision not in _REALS:
        raise InputError(f"precision: 'double' or 'single' is expected, got {precision!r}.")
    return _REALS[precision]


#: How constraints can be kept on a card.
FORMULATIONS = ("partitioning", "multipliers", "baumgarte", "projection")


class ConstrainedDeviceBatch(DeviceBatch):
    """With constraints, kept by a formulation, in double precision."""

    def __init__(self, card: GpuDevice, spec: BatchSpec) -> None:
        super().__init__(card, spec, "double")
        self._formulation = spec.formulation
        self._saved: Any = None  # a row of each number that an instance keeps
        self._counted: dict[str, int] = {}  # where counts are among them
        self._gap_at = 0

    def largest_gap(self) -> float:
        """Of all instances."""
        return float(self._saved[self._gap_at].max())

    def diagnostics(self, ran: BatchRun) -> dict[str, Any] | None:
        """Of those that reached the end, if any did."""
        if not ran.whole.any():
            return None
        counts = self._counts(self.cupy.asarray(ran.whole))
        said = constraint_diagnostics(self._formulation.word, counts, self._friction_rows())
        return {"statistics": counts, "diagnostics": said}

    def _counts(self, whole: Any) -> dict[str, float]:
        """Of instances that reached the end: the worst, or all together."""
        counts = {name: self._saved[at][whole] for name, at in self._counted.items()}
        return {
            name: float(each.max() if name == "largest_h" else each.sum())
            for name, each in counts.items()
        }

    def _friction_rows(self) -> list[str]:
        """The constraints with friction."""
        return self._constraints().friction_rows

    def _constraints(self) -> ConstrainedFunctions:
        return self.system.dynamics.constrained_functions(self.system.key)

    def _further_arguments(self, rollout: Rollout, steps: int) -> tuple[Any, ...]:
        if not isinstance(rollout, ConstrainedRollout):
            raise AssertionError("constraints have a rollout of their own")
        self._counted, self._gap_at = rollout.counted, rollout.saved_numbers
        shape = (rollout.saved_numbers + 1, self.spec.count)  # and the gap at the start
        self._saved = self.cupy.zeros(shape, dtype=np.float64)
        return (self._saved,)

    def _rollout(
        self, recorded: tuple[int, ...], series: tuple[int, ...], samples: tuple[int, ...]
    ) -> RolloutWithConstraints:
        layout, plan, kind = self.system.layout, self.system.plan, self._formulation
        own = self.system.dynamics.active_equations(self.system.key).functions
        states = len(self.system.state_names)
        wanted = {
            "terms": True,
            "positions": True,
            "velocity level": any(own["velocity level"].second.outputs),
            "configuration rate": not plan.plain_coordinates,
            "outputs": self.spec.measures,
            "updates": bool(layout.memories),
        }
        return ConstrainedRollout(
            tuple((name, own[name]) for name, needed in wanted.items() if needed),
            layout.sizes[0], states, 1 + len(layout.inputs), self.spec.solver.word, recorded,
            series, samples, tuple(layout.memory_places), self.spec.steps_between_ticks,
            kind.rate, kind.table.removesuffix("_kind"), settings_of(kind),
            Rows.of(self._constraints()),
        )  # fmt: skip


def settings_of(kind: Formulation) -> tuple[tuple[str, float], ...]:
    """Numbers that the code of formulations reads."""
    usual = {"tolerance": kind.tolerance, "rank_tolerance": kind.rank_tolerance}
    return tuple({**usual, "alpha": 0.0, "beta": 0.0, **asdict(kind)}.items())


_ROW = {name: place for place, name in enumerate(REPORTED)}


_OF_A_SET = ("terms", "positions")


_SHORTER = "take a shorter step, and check the initial state, inputs and parameters there"


MOST_BYTES = 400_000  # of a thread's own memory for sets of constraints, of 512 kB on any card


class ModesDeviceBatch(ConstrainedDeviceBatch):
    """With modes, each instance in one of its own."""

    def __init__(self, card: GpuDevice, spec: BatchSpec) -> None:
        super().__init__(card, spec)
        system = spec.system
        self._modes = system.dynamics.modes
        # of states that stay on the card, one in each mode comes to be looked at
        places = [system.state_names.index(name) for name in system.modes]
        _, one_of_each = np.unique(self.cupy.asnumpy(self.x[places]), axis=1, return_index=True)
        refuse_unknown_modes(system, self.cupy.asnumpy(self.x[:, one_of_each]).T)

    def _with_reasons(self, ran: BatchRun) -> BatchRun:
        """With a warning of those that modes ended."""
        reported = self.cupy.asnumpy(self._saved[: len(REPORTED)])
        ended = np.flatnonzero(reported[_ROW["why"]])
        whole = ran.whole.copy()
        whole[ended] = False
        reasons = {int(i): _reason(self.system, reported[:, i], ran.ended[i]) for i in ended}
        by_modes = [i for i in reasons if reported[_ROW["why"], i] != NOT_FINITE]
        if by_modes:
            first = by_modes[0]
            warnings.warn(
                f"{self.system.name}: {len(by_modes)} of {len(ran)} instances ended early by their "
                f"modes, which `reasons` has; instance {first} {reasons[first]}.",
                RuntimeWarning, stacklevel=5,
            )  # fmt: skip
        return replace(ran, whole=whole, reasons=reasons)

    def _counts(self, whole: Any) -> dict[str, float]:
        """As `tb.simulate` tells them of runs with modes."""
        largest = float(self._saved[_ROW["largest_h"]][whole].max())
        paradoxes = float(self._saved[_ROW["paradoxes"]][whole].sum())
        return {"largest_h": largest, "paradoxes": paradoxes, "singular": 0, "not_converged": 0}

    def _friction_rows(self) -> list[str]:
        return self.system.dynamics.modes_data().friction_rows

    def _further_arguments(self, rollout: Rollout, steps: int) -> tuple[Any, ...]:
        if not isinstance(rollout, ModesRollout):
            raise AssertionError("modes have a rollout of their own")
        self._gap_at = _ROW["gap"]
        shape = (rollout.saved_numbers, self.spec.count)
        self._saved = self.cupy.zeros(shape, dtype=np.float64)
        return self._saved, np.int64(steps)

    def _rollout(
        self, recorded: tuple[int, ...], series: tuple[int, ...], samples: tuple[int, ...]
    ) -> ModesRollout:
        layout, kind, states = self.system.layout, self._formulation, len(self.system.state_names)
        return ModesRollout(
            tuple(self._functions()),
            layout.sizes[0], states, 1 + len(layout.inputs), self.spec.solver.word, recorded,
            series, samples, tuple(layout.memory_places), self.spec.steps_between_ticks,
            kind.rate, kind.table.removesuffix("_kind"), settings_of(kind),
            self.system.dynamics.modes_data(),
        )  # fmt: skip

    def _functions(self) -> Iterator[tuple[str, Function]]:
        """Those of each set of constraints and of each mode, by its number."""
        for k, acting in enumerate(self._modes.constraint_sets):
            own = acting.functions
            for name in _OF_A_SET:
                yield f"{name} {k}", own[name]
            if any(own["velocity level"].second.outputs):
                yield f"velocity level {k}", own["velocity level"]
            if not k and not self.system.plan.plain_coordinates:
                yield "configuration rate", own["configuration rate"]
        for k, mode in enumerate(self._modes.every):
            wanted = {
                "indicators": bool(mode.exits), "outputs": self.spec.measures,
                "updates": bool(self.system.layout.memories),
            }  # fmt: skip
            for name in (name for name, needed in wanted.items() if needed):
                yield f"{name} {k}", mode.acting.functions[name]


def modes_misfit(system: System) -> str:
    """Why a thread can't hold the modes of a system; empty where it can."""
    sets = [Rows.of(each) for each in system.dynamics.modes_data().constraint_sets]
    size = len(sets) * sum(
        count * (8 if kind == "double" else 4) for (kind, _), count in largest_arrays(sets).items()
    )
    if size <= MOST_BYTES:
        return ""
    return (
        f"its modes need {size / 1000:.0f} kB of memory an instance, more than the "
        f"{MOST_BYTES / 1000:.0f} kB that threads of a card have for them"
    )


def _reason(system: System, reported: np.ndarray, ended: float) -> str:
    """Why an instance ended early."""
    why, every = reported[_ROW["why"]], system.dynamics.modes.every
    t, mode, number = (
        reported[_ROW["failed_time"]],
        int(reported[_ROW["failed_mode"]]),
        int(reported[_ROW["failed"]]),
    )
    if why == CHATTERING:
        what = f"modes alternate more than {MOST} times within a step or {CROWDED:g} of them"
        found = Failure(float(ended), what, CHATTERING_HINT)
    elif why == NOT_BEGUN:
        found = mode_entry_failure(
            every, float(t), mode, number, float(reported[_ROW["failed_gap"]])
        )
    elif why == UNREAD:
        found = indicator_failure(every, float(t), mode, number)
    else:
        last = reported[_ROW["failed_gap"]]
        what = f"{system.state_names[number]!r} stops being a finite number after {last:.6g}"
        found = Failure(float(t), what, _SHORTER)
    return f"stopped at t = {found.time:.6g} s: {found.what}; {found.mend}"


METHODS = ("rk4", "euler")  # whose steps a card makes


class GpuBatch:
    """Instances on a graphics card, one thread each."""

    def can(self, spec: BatchSpec) -> str | None:
        """Where a card is asked for, is there, and has the method, the formulation and room."""
        if spec.on != "gpu":
            return _not_asked(spec.real)
        if spec.solver.word not in METHODS:
            return f"only methods 'rk4' and 'euler' run there, not '{spec.solver.word}'"
        if spec.system.constrained and spec.formulation.word not in FORMULATIONS:
            ways = ", ".join(FORMULATIONS)
            return f"constraints are kept there by {ways}, not by '{spec.formulation.word}'"
        if spec.system.modes and (why := modes_misfit(spec.system)):
            return why
        found = find_device()
        if isinstance(found, str):
            return found
        if jumps := [one for own in spec.rate_jumps for one in own]:
            row, t = jumps[0].rows[0], jumps[0].time
            return f"the rate of '{row}' jumps at t = {t:.6g} s, whose impulse isn't applied there"
        return None

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """Each as a run of its own would be, with a warning where constraints weren't met or
        kept."""
        there, name = _executor(spec), spec.system.name
        ran = there.run(shown)
        warn_when_open(name, there.largest_gap())
        if (about := there.diagnostics(ran)) is not None:
            warn_when_astray(name, about)
        return ran


def _executor(spec: BatchSpec) -> DeviceBatch:
    """What runs a tree, constraints that stay, or modes."""
    card, system = find_device(), spec.system
    if isinstance(card, str):
        raise AssertionError(card)
    if not system.constrained:
        return DeviceBatch(card, spec, spec.real)
    if spec.real == "float":
        warnings.warn(
            f"{system.name} is computed in double precision: its constraints are met to 1e-13"
            f"{', its transitions found to as much' if system.modes else ''}, which single "
            "precision can't tell.",
            RuntimeWarning, stacklevel=4,
        )  # fmt: skip
    spec = spec if spec.x0_on_device is not None else spec.assembled()
    return ModesDeviceBatch(card, spec) if system.modes else ConstrainedDeviceBatch(card, spec)
