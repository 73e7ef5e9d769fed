"""Many instances of one system, run at once: states, inputs and parameters of each.

A function of a system at the states of many instances. The back ends of batches: each says what it
can run, and runs it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike

from touchback.batch.batch_inputs import Floats, read_batch_inputs, room_for, states_of
from touchback.batch.batch_run import BatchRun
from touchback.batch.batch_spec import BatchSpec, recordable_signals
from touchback.batch.gpu.gpu_executor import (
    GpuBatch,
    cuda_type,
    device_for,
    evaluate_on_device,
    is_on_device,
)
from touchback.batch.native_per_thread import ConstrainedBatch, ContactBatch
from touchback.batch.simd import SimdBatch
from touchback.batch.threaded_simulate import ThreadedSimulate
from touchback.errors import InputError
from touchback.names import names_in, unknown_name
from touchback.native import Formulation
from touchback.numbers import read_array, read_number, whole_within
from touchback.progress import Progress
from touchback.simulate import (
    COPIES,
    Capability,
    Options,
    RunSpec,
    Solver,
    formulation_for,
    solver_for,
    warn_of_ground_jumps,
)
from touchback.system import Function, State, System, filled


class Backend(Protocol):
    """A way to run many instances of a system. It holds nothing of a run."""

    def can(self, spec: BatchSpec) -> str | None:
        """Why it can't run this; None where it can."""

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """All instances, each as a run of its own would be. `shown` gets the fraction done;
        raises `BatchInterrupted`, with what is done, after Ctrl-C."""


GPU = GpuBatch()

#: The first that can run a batch does: what is quick before what can do everything.
BACKENDS: tuple[Backend, ...] = (
    GPU,
    SimdBatch(),
    ConstrainedBatch(),
    ContactBatch(),
    ThreadedSimulate(),
)


def backend_for(spec: BatchSpec) -> Backend:
    """The first of the table that can run it; the last runs whatever the processor can."""
    return next(each for each in BACKENDS if each.can(spec) is None)


_MOST = 1 << 40  # instances; memory ends far below


_CREW = 1 << 16  # threads that may be asked for; as many work as there is work for


class Batch:
    """So many instances of a system. `run` lets them move at once; the functions of the system
    itself (`forward_dynamics`, …) take arrays of states and parameters too."""

    def __init__(self, system: System, count: int) -> None:
        if COPIES.names(system):
            raise InputError(f"{system.name}: a batch is of one mechanism; {COPIES.mend}.")
        sentence = f"A batch has a whole number of instances, from 1 to {_MOST}"
        self.system, self.count = system, whole_within(sentence, count, 1, _MOST)

    def __repr__(self) -> str:
        return f"<{self.count} × {self.system.name}>"

    def run(
        self,
        x0: State | Mapping[str, ArrayLike] | ArrayLike | None = None,
        duration: float = 1.0,
        *,
        method: str | Solver | None = "rk4",
        constraints: str | Formulation | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        record: Sequence[str] | None = None,
        start: float = 0.0,
        threads: int | None = None,
        on: str = "cpu",
        precision: str = "double",
        progress: bool | Callable[[float], None] = True,
        **options: Unpack[Options],
    ) -> BatchRun:
        """Every instance from its state at time `start`, for `duration` seconds.

        `x0` is one state for all, an array with a row of each, or a mapping of names of states to
        numbers or to an array with one of each; what isn't given is that of the model. `inputs`
        maps names to a number, to an array with one for each instance, or to samples spread evenly
        over the duration and linear in between: (1, samples) for all or (instances, samples).
        `parameters` maps names to numbers or to an array with one for each. `record` names the
        states and sensors that are kept (all), each `output_step` seconds (each step).

        Trees by "rk4" and "euler" (semi-implicit) run side by side in the lanes of vector
        registers, on `threads` (one for each core, 64 at most), and each gives the bits of a run of
        its own. So does each of those with constraints or modes, and with rigid contacts by
        "moreau-jean", which run one at a time on a thread. Others are runs of `tb.simulate` on
        threads. "rk4", "euler" and formulations that are steps make as many whole steps as the
        duration holds. An instance that becomes no number, or that its modes end, stops there, and
        the others don't know (`failed`, `reasons`).

        `on="gpu"` runs them by "rk4" and "euler" on a graphics card (extra `gpu`), one thread each,
        with `precision` "double", which gives the same bits but for the last of exp, log and their
        like, or "single" (trees only). An `x0` that lies on the card (of CuPy, torch, jax) stays
        there, and so does what comes of it. Where that can't be, the processor runs them in double
        precision, with a warning that says why."""
        system = self.system
        formulation = formulation_for(method, constraints)
        asked = Capability(0) if formulation is None else Capability.FORMULATIONS
        solver = solver_for(system, method, formulation, asked, options)
        run = RunSpec.read(
            system, duration, start=start, constraints=formulation, outputs=self._recorded(record)
        )
        warn_of_ground_jumps(replace(run, x0=system.initial_state().x))
        real, stays = cuda_type(precision), is_on_device(x0)
        instances = read_batch_inputs(system, self.count, None if stays else x0, inputs, parameters)
        spec = BatchSpec(
            run, solver, instances, _threads(threads), _place(on), real, x0 if stays else None
        )
        if (spec.on, real) != ("cpu", "double") and (why := GPU.can(spec)):
            self._warn_of_processor(why)
            spec = replace(spec, on="cpu", real="double")
        if stays and spec.on == "cpu":
            raise InputError(
                "x0 lies on a graphics card: give on='gpu' with method 'rk4' or 'euler', or bring "
                "it to the processor's memory."
            )
        with Progress(f"{self.count} × {system.name}", progress) as shown:
            solver.refuse_excess(run.span.duration, self.count * len(spec.names))
            return backend_for(spec).run(spec, shown)

    def _warn_of_processor(self, why: str) -> None:
        warnings.warn(
            f"{self.system.name} is computed by the processor, in double precision: {why}.",
            RuntimeWarning, stacklevel=3,
        )  # fmt: skip

    def evaluate(
        self,
        name: str,
        x: State | Mapping[str, ArrayLike] | ArrayLike,
        u: Mapping[str, ArrayLike] | ArrayLike | None = None,
        *,
        further: ArrayLike | None = None,
        t: float = 0.0,
        on: str = "cpu",
        precision: str = "double",
    ) -> Floats:
        """A function of the system ("forward dynamics", "inverse dynamics", …: see
        `system.counts`) at states `x`: a row [q, v, z] for each instance, one state for all, or
        names with numbers or arrays as in `run`. Inputs `u`, by name too, and the function's
        `further` argument (τ of forward dynamics, accelerations of inverse dynamics) have a row for
        each, or one for all. `on` and `precision` as in `run`."""
        function, real = self.system.function(name), cuda_type(precision)
        card = device_for(function, _place(on), real)
        if isinstance(card, str) and (on, real) != ("cpu", "double"):
            self._warn_of_processor(card)
        block = self.system.calls.block(function)
        given = evaluation_arguments(self.system, function, self.count, (x, u, further), t)
        if isinstance(card, str):
            return evaluate_on_processor(function, block, given)
        return evaluate_on_device(card, function, block, given, real)

    def _recorded(self, record: Sequence[str] | None) -> list[str] | None:
        if record is None:
            return None
        known = recordable_signals(self.system)
        names = names_in("record", record)
        for name in names:
            if name not in known:
                raise unknown_name("signal", name, known)
        return names


def _place(on: str) -> str:
    if on not in ("cpu", "gpu"):
        raise InputError(f"on: 'cpu' or 'gpu' is expected, got {on!r}.")
    return on


def _threads(given: int | None) -> int:
    if given is None:
        return len(os.sched_getaffinity(0))
    return whole_within(f"threads must be a whole number from 1 to {_CREW}", given, 1, _CREW)


Arguments = tuple[Any, Any, Any]


def evaluation_arguments(
    system: System, function: Function, count: int, given: Arguments, t: float
) -> Arguments:
    """Rows of x, of [t, inputs…] and of the further argument, each of which may lie on a graphics
    card; of the latter two, one may serve all."""
    x, u, further = given
    layout = system.layout
    inputs = filled("u", u, layout.inputs, np.array(layout.input_defaults, dtype=float))
    time = np.broadcast_to(read_number("t", t), (*inputs.shape[:-1], 1))
    head = np.concatenate([time, inputs], axis=-1)
    if further is None and function.second.size("u") > head.shape[-1]:
        raise InputError(
            f"{function.name}: its further argument, {len(layout.v)} numbers, is needed."
        )
    return (
        _states(system, count, x),
        _rows("u", head, count, head.shape[-1]),
        np.zeros(0) if further is None else _rows("further", further, count, len(layout.v)),
    )


def _states(system: System, count: int, given: Any) -> Any:
    """A row for each instance, on the card where it lies there."""
    size = len(system.state_names)
    if is_on_device(given):
        return _rows("x", given, count, size, single=False)
    if isinstance(given, Mapping):
        given = states_of(system, count, given, {})
        given = given[0] if len(given) == 1 else given
    found = _rows("x", getattr(given, "x", given), count, size)
    if found.ndim == 2:
        return found
    every = room_for(system, count)
    every[:] = found
    return every


def _rows(name: str, given: Any, count: int, size: int, single: bool = True) -> Any:
    """An array with a row for each instance, or with one for all where that may be."""
    array = given if is_on_device(given) else read_array(name, given)
    if tuple(array.shape) not in [(count, size), *([(size,)] if single else [])]:
        raise InputError(
            f"{name}: an array of shape {(count, size)} is expected, a row for each instance, got "
            f"{tuple(array.shape)}."
        )
    return array


def evaluate_on_processor(function: Function, block: Floats, given: Arguments) -> Floats:
    """By the processor."""
    if any(is_on_device(each) for each in given):
        raise InputError("An argument lies on a graphics card: give on='gpu'.")
    parts, at = [], 0
    for each in given:
        parts.append((np.ascontiguousarray(each), at))
        at += each.shape[-1]
    x = given[0]
    result = np.empty((len(x), function.out_size))
    function.rows((x.shape[1], at - x.shape[1]), parts, block, result)
    return result.reshape(len(x), *function.shape)
