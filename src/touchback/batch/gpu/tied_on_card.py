"""Batches of mechanisms with constraints on a graphics card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from touchback.batch.batch_run import BatchRun
from touchback.batch.given import Given
from touchback.batch.gpu.card import Card
from touchback.batch.gpu.kernels import Rollout
from touchback.batch.gpu.on_card import CardBatch
from touchback.batch.gpu.tied import KeptRollout, Rows, TiedRollout
from touchback.native import Formulation
from touchback.simulate.progress import Progress
from touchback.simulate.run_diagnostics import remarks, warn_when_astray, warn_when_open
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Span
from touchback.simulate.ticks import steps_between
from touchback.system import System
from touchback.system.constraint_functions import ConstraintLayout, Pattern

#: How constraints can be kept on a card.
FORMULATIONS = ("partitioning", "multipliers", "baumgarte", "projection")


class TiedCardBatch(CardBatch):
    """With constraints, kept by a formulation, in double precision."""

    def __init__(
        self, card: Card, system: System, given: Given, x0: Any, formulation: Formulation
    ) -> None:
        super().__init__(card, system, given, x0, "double")
        self._formulation = formulation
        self._memory: Any = None  # a row of each number that an instance keeps
        self._counted: dict[str, int] = {}  # where counts are among them
        self._gap_at = 0

    def run(self, solver: FixedStep, span: Span, names: Sequence[str], shown: Progress) -> BatchRun:
        """As `CardBatch.run`, and with a warning where constraints weren't met or kept."""
        ran = self._judged(super().run(solver, span, names, shown), span)
        warn_when_open(self.system.name, float(self._memory[self._gap_at].max()))
        if not ran.whole.any():
            return ran
        counts = self._counts(self.cupy.asarray(ran.whole))
        said = remarks(self._formulation.word, counts, self._rubbing())
        warn_when_astray(self.system.name, {"statistics": counts, "remarks": said})
        return ran

    def _judged(self, ran: BatchRun, span: Span) -> BatchRun:
        """What came of it, with why instances ended early."""
        return ran

    def _counts(self, whole: Any) -> dict[str, float]:
        """Of instances that reached the end: the worst, or all together."""
        counts = {name: self._memory[at][whole] for name, at in self._counted.items()}
        return {
            name: float(each.max() if name == "largest_h" else each.sum())
            for name, each in counts.items()
        }

    def _rubbing(self) -> list[str]:
        """The constraints with friction."""
        return rubbing_of(self.system.dynamics.acting(self.system.key).rows)

    def _kept(self, rollout: Rollout, steps: int) -> tuple[Any, ...]:
        if not isinstance(rollout, TiedRollout):
            raise AssertionError("constraints have a rollout of their own")
        self._counted, self._gap_at = rollout.counted, rollout.remembered
        shape = (rollout.remembered + 1, self.given.count)  # and the gap at the start
        self._memory = self.cupy.zeros(shape, dtype=np.float64)
        return (self._memory,)

    def _rollout(
        self,
        solver: FixedStep,
        recorded: tuple[int, ...],
        series: tuple[int, ...],
        samples: tuple[int, ...],
    ) -> KeptRollout:
        layout, plan, kind = self.system.layout, self.system.plan, self._formulation
        acting = self.system.dynamics.acting(self.system.key)
        own = acting.functions
        states = len(self.system.state_names)
        wanted = {
            "terms": True,
            "positions": True,
            "velocity level": any(own["velocity level"].second.outputs),
            "configuration rate": not plan.plain_coordinates,
            "outputs": any(place >= states for place in recorded),
            "updates": bool(layout.memories),
        }
        return TiedRollout(
            tuple((name, own[name]) for name, needed in wanted.items() if needed),
            layout.sizes[0], states, 1 + len(layout.inputs), solver.word, recorded, series, samples,
            tuple(layout.memory_places), steps_between(self.system, solver) or 1,
            kind.rate, kind.motion.removesuffix("_motion"), settings_of(kind),
            rows_of(acting.rows, layout.sizes),
        )  # fmt: skip


def rubbing_of(layout: ConstraintLayout) -> list[str]:
    """Constraints whose forces rub."""
    return [name for name, rubs in zip(layout.names, layout.rubs, strict=True) if rubs]


def settings_of(kind: Formulation) -> tuple[tuple[str, float], ...]:
    """Numbers that the code of formulations reads."""
    usual = {"tolerance": kind.tolerance, "rank_tolerance": kind.rank_tolerance}
    return tuple({**usual, "alpha": 0.0, "beta": 0.0, **asdict(kind)}.items())


def rows_of(layout: ConstraintLayout, sizes: tuple[int, int, int]) -> Rows:
    """As texts take them."""
    twins = layout.twins()
    return Rows(
        sizes, _pattern(layout.J), _pattern(layout.W), _pattern(layout.M),
        () if twins is None else tuple(map(int, twins)), tuple(map(int, layout.holonomic)),
    )  # fmt: skip


def _pattern(pattern: Pattern | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if pattern is None:
        return (), ()
    return tuple(map(int, pattern.rows)), tuple(map(int, pattern.columns))
