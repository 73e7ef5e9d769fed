"""Batches of mechanisms with modes on a graphics card."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.batch.batch_run import BatchRun
from touchback.batch.given import Given
from touchback.batch.gpu.card import Card
from touchback.batch.gpu.kernels import Rollout
from touchback.batch.gpu.mode_tables import Exit, Mode, Struck
from touchback.batch.gpu.modes import (
    CHATTERING,
    NOT_BEGUN,
    NOT_FINITE,
    TOLD,
    UNREAD,
    ModesRollout,
    largest_arrays,
)
from touchback.batch.gpu.tied_on_card import TiedCardBatch, rows_of, rubbing_of, settings_of
from touchback.batch.laid_out import refuse_unknown_modes
from touchback.native import Formulation
from touchback.native.modes.data import ExitData, ImpactData, ModeData, ModesData
from touchback.native.modes.memory import CROWDED, MOST
from touchback.simulate.mode_stepper import CHATTERING_HINT, not_begun, not_read
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Failure, Span
from touchback.simulate.ticks import steps_between
from touchback.system import System
from touchback.system.active_equations import ActiveEquations
from touchback.system.compiled_function import Function

_AT = {name: place for place, name in enumerate(TOLD)}
_OF_A_SET = ("terms", "positions")
_SHORTER = "take a shorter step, and check the initial state, inputs and parameters there"
MOST_BYTES = 400_000  # of a thread's own memory for sets of constraints, of 512 kB on any card


class ModesCardBatch(TiedCardBatch):
    """With modes, each instance in one of its own."""

    def __init__(
        self, card: Card, system: System, given: Given, x0: Any, formulation: Formulation
    ) -> None:
        super().__init__(card, system, given, x0, formulation)
        self._modes = system.dynamics.modes
        # of states that stay on the card, one in each mode comes to be looked at
        places = [system.state_names.index(name) for name in system.modes]
        _, one_of_each = np.unique(self.cupy.asnumpy(self.x[places]), axis=1, return_index=True)
        refuse_unknown_modes(system, self.cupy.asnumpy(self.x[:, one_of_each]).T)

    def _judged(self, ran: BatchRun, span: Span) -> BatchRun:
        """With a warning of those that modes ended."""
        told = self.cupy.asnumpy(self._memory[: len(TOLD)])
        ended = np.flatnonzero(told[_AT["why"]])
        whole = ran.whole.copy()
        whole[ended] = False
        reasons = {int(i): _reason(self.system, told[:, i], ran.ended[i]) for i in ended}
        by_modes = [i for i in reasons if told[_AT["why"], i] != NOT_FINITE]
        if by_modes:
            first = by_modes[0]
            warnings.warn(
                f"{self.system.name}: {len(by_modes)} of {len(ran)} instances ended early by their "
                f"modes, which `reasons` has; instance {first} {reasons[first]}.",
                RuntimeWarning, stacklevel=4,
            )  # fmt: skip
        return replace(ran, whole=whole, reasons=reasons)

    def _counts(self, whole: Any) -> dict[str, float]:
        """As `tb.simulate` tells them of runs with modes."""
        largest = float(self._memory[_AT["largest_h"]][whole].max())
        paradoxes = float(self._memory[_AT["paradoxes"]][whole].sum())
        return {"largest_h": largest, "paradoxes": paradoxes, "singular": 0, "not_converged": 0}

    def _rubbing(self) -> list[str]:
        return [name for mode in self._modes.every for name in rubbing_of(mode.acting.rows)]

    def _kept(self, rollout: Rollout, steps: int) -> tuple[Any, ...]:
        if not isinstance(rollout, ModesRollout):
            raise AssertionError("modes have a rollout of their own")
        self._gap_at = _AT["gap"]
        shape = (rollout.remembered, self.given.count)
        self._memory = self.cupy.zeros(shape, dtype=np.float64)
        return self._memory, np.int64(steps)

    def _rollout(
        self,
        solver: FixedStep,
        recorded: tuple[int, ...],
        series: tuple[int, ...],
        samples: tuple[int, ...],
    ) -> ModesRollout:
        layout, kind, states = self.system.layout, self._formulation, len(self.system.state_names)
        data: ModesData = self.system.dynamics.modes_data()
        actings = _actings(self.system)
        numbers = {address: k for k, address in enumerate(actings)}
        measured = any(place >= states for place in recorded)
        return ModesRollout(
            tuple(self._functions(actings.values(), measured)),
            layout.sizes[0], states, 1 + len(layout.inputs), solver.word, recorded, series, samples,
            tuple(layout.memory_places), steps_between(self.system, solver) or 1,
            kind.rate, kind.motion.removesuffix("_motion"), settings_of(kind),
            tuple(rows_of(acting.rows, layout.sizes) for acting in actings.values()),
            tuple(_mode(mode, numbers) for mode in data.modes),
            (tuple(data.group_places), tuple(data.group_sizes)),
            len(data.row_names), len(layout.outputs) if measured else 0,
        )  # fmt: skip

    def _functions(
        self, actings: Iterable[ActiveEquations], measured: bool
    ) -> Iterator[tuple[str, Function]]:
        """Those of each set of constraints and of each mode, by its number."""
        for k, acting in enumerate(actings):
            own = acting.functions
            for name in _OF_A_SET:
                yield f"{name} {k}", own[name]
            if any(own["velocity level"].second.outputs):
                yield f"velocity level {k}", own["velocity level"]
            if not k and not self.system.plan.plain_coordinates:
                yield "configuration rate", own["configuration rate"]
        for k, mode in enumerate(self._modes.every):
            wanted = {
                "indicators": bool(mode.exits), "outputs": measured,
                "updates": bool(self.system.layout.memories),
            }  # fmt: skip
            for name in (name for name, needed in wanted.items() if needed):
                yield f"{name} {k}", mode.acting.functions[name]


def _actings(system: System) -> dict[int, ActiveEquations]:
    """Sets of constraints, each once, by the address of its terms: of modes and of impacts."""
    modes = system.dynamics.modes
    every = [mode.acting for mode in modes.every]
    every += [each.acting for each in (*modes.impacts.values(), *modes.rest_impacts.values())]
    return {acting.functions["terms"].compiled.address: acting for acting in every}


def modes_misfit(system: System) -> str:
    """Why a thread can't hold the modes of a system; empty where it can."""
    sets = [rows_of(acting.rows, system.layout.sizes) for acting in _actings(system).values()]
    size = len(sets) * sum(
        count * (8 if kind == "double" else 4) for (kind, _), count in largest_arrays(sets).items()
    )
    if size <= MOST_BYTES:
        return ""
    return (
        f"its modes need {size / 1000:.0f} kB of memory an instance, more than the "
        f"{MOST_BYTES / 1000:.0f} kB that threads of a card have for them"
    )


def _mode(mode: ModeData, numbers: Mapping[int, int]) -> Mode:
    return Mode(
        numbers[mode.functions.terms.address], _whole(mode.rows), _whole(mode.tracks),
        mode.value_count, int(mode.uses_forces),
        tuple(_exit(each, numbers) for each in mode.exits),
    )  # fmt: skip


def _exit(each: ExitData, numbers: Mapping[int, int]) -> Exit:
    impact = _struck(each.impact, numbers)
    rest = Struck(0, ()) if each.rest_impact is None else _struck(each.rest_impact, numbers)
    return Exit(
        each.target, -1 if each.rest is None else each.rest, each.mode_place, each.target_number,
        each.rest_number, each.direction, each.when, _whole(each.reset_places), each.reset_start,
        each.restitution_start, sum(number >= 0 for number in impact.contacts), int(each.poisson),
        each.rest_speed, impact, rest,
    )  # fmt: skip


def _struck(impact: ImpactData, numbers: Mapping[int, int]) -> Struck:
    return Struck(numbers[impact.functions.terms.address], _whole(impact.contacts))


def _whole(numbers: ArrayLike) -> tuple[int, ...]:
    return tuple(int(each) for each in np.asarray(numbers).reshape(-1))


def _reason(system: System, told: np.ndarray, ended: float) -> str:
    """Why an instance ended early."""
    why, every = told[_AT["why"]], system.dynamics.modes.every
    t, mode, number = (
        told[_AT["failed_time"]],
        int(told[_AT["failed_mode"]]),
        int(told[_AT["failed"]]),
    )
    if why == CHATTERING:
        what = f"modes alternate more than {MOST} times within a step or {CROWDED:g} of them"
        found = Failure(float(ended), what, CHATTERING_HINT)
    elif why == NOT_BEGUN:
        found = not_begun(every, float(t), mode, number, float(told[_AT["failed_gap"]]))
    elif why == UNREAD:
        found = not_read(every, float(t), mode, number)
    else:
        last = told[_AT["failed_gap"]]
        what = f"{system.state_names[number]!r} stops being a finite number after {last:.6g}"
        found = Failure(float(t), what, _SHORTER)
    return f"stopped at t = {found.time:.6g} s: {found.what}; {found.mend}"
