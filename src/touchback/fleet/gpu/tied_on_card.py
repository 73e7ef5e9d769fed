"""Batches of mechanisms with constraints on a graphics card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from touchback.fleet.batch_run import BatchRun
from touchback.fleet.given import Given
from touchback.fleet.gpu.card import Card
from touchback.fleet.gpu.kernels import Rollout
from touchback.fleet.gpu.on_card import CardBatch
from touchback.fleet.gpu.tied import Rows, TiedRollout
from touchback.native import Formulation
from touchback.simulate.inputs import read_inputs
from touchback.simulate.progress import Progress
from touchback.simulate.remarks import remarks, warn_when_astray
from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.span import Span
from touchback.simulate.start import initial_state
from touchback.simulate.ticks import steps_between
from touchback.system import System
from touchback.system.constrained import ConstraintLayout, Pattern

#: How constraints can be kept on a card.
FORMULATIONS = ("partitioning", "multipliers", "baumgarte", "projection")


class TiedCardBatch(CardBatch):
    """With constraints, kept by a formulation, in double precision."""

    def __init__(
        self, card: Card, system: System, given: Given, x0: Any, formulation: Formulation
    ) -> None:
        super().__init__(card, system, given, x0, "double")
        self._formulation = formulation
        self._layout: ConstraintLayout = system.motion.acting(system.key).rows
        self._memory: Any = None

    def run(self, solver: FixedStep, span: Span, names: Sequence[str], shown: Progress) -> BatchRun:
        """As `CardBatch.run`, and with a warning where constraints weren't kept."""
        ran = super().run(solver, span, names, shown)
        whole, layout = self.cupy.asarray(ran.whole), self._layout
        if not ran.whole.any():
            return ran
        counts = {
            name: float(_told(name, self._memory[at][whole]))
            for name, at in self._rollout(solver, (), (), 2).counted.items()
        }
        rubbing = [name for name, rubs in zip(layout.names, layout.rubs, strict=True) if rubs]
        said = remarks(self._formulation.word, counts, rubbing)
        warn_when_astray(self.system.name, {"statistics": counts, "remarks": said})
        return ran

    def _kept(self, rollout: Rollout) -> tuple[Any, ...]:
        if not isinstance(rollout, TiedRollout):
            raise AssertionError("constraints have a rollout of their own")
        shape = (rollout.remembered, self.given.count)
        self._memory = self.cupy.zeros(shape, dtype=np.float64)
        return (self._memory,)

    def _rollout(
        self, solver: FixedStep, recorded: tuple[int, ...], series: tuple[int, ...], samples: int
    ) -> TiedRollout:
        layout, plan, kind = self.system.layout, self.system.plan, self._formulation
        own = self.system.motion.acting(self.system.key).functions
        states = len(self.system.state_names)
        wanted = {
            "terms": True,
            "positions": True,
            "velocity level": any(own["velocity level"].second.outputs),
            "configuration rate": not plan.plain_coordinates,
            "outputs": any(place >= states for place in recorded),
            "updates": bool(layout.memories),
        }
        settings = {"tolerance": kind.tolerance, "rank_tolerance": kind.rank_tolerance,
                    "alpha": 0.0, "beta": 0.0, **asdict(kind)}  # fmt: skip
        return TiedRollout(
            tuple((name, own[name]) for name, needed in wanted.items() if needed),
            layout.sizes[0], states, 1 + len(layout.inputs), solver.word, recorded, series, samples,
            tuple(layout.memory_places), steps_between(self.system, solver) or 1,
            _rows(self._layout, layout.sizes), kind.rate, kind.motion.removesuffix("_motion"),
            tuple(settings.items()),
        )  # fmt: skip


def _told(name: str, counts: Any) -> Any:
    """The worst of all instances, or all together."""
    return counts.max() if name == "largest_h" else counts.sum()


def with_states(system: System, given: Given, span: Span) -> Given:
    """With the states in which instances begin, closed loops and all: found once where all are
    alike, else of each."""
    if given.x0 is not None or not system.constrained:
        return given
    several = (*given.parameters.values(), *given.constants.values(), *given.samples.values())
    rows = []
    for i in range(given.count if any(len(each) > 1 for each in several) else 1):
        _, parameters, inputs = given.of(i, span)
        at = read_inputs(system, inputs, span.end)
        rows.append(initial_state(system, None, span.start, at, parameters))
    return replace(given, x0=np.array(rows))


def _rows(layout: ConstraintLayout, sizes: tuple[int, int, int]) -> Rows:
    twins = layout.twins()
    return Rows(
        sizes, _pattern(layout.J), _pattern(layout.W), _pattern(layout.M),
        () if twins is None else tuple(map(int, twins)), tuple(map(int, layout.holonomic)),
    )  # fmt: skip


def _pattern(pattern: Pattern | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if pattern is None:
        return (), ()
    return tuple(map(int, pattern.rows)), tuple(map(int, pattern.columns))
