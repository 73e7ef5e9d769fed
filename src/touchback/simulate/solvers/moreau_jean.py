"""Time stepping: Moreau 1988, "Unilateral contact and dry friction in finite freedom dynamics", and
Jean 1999, "The non-smooth contact dynamics method"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from touchback.contact import ContactKind
from touchback.errors import InputError
from touchback.numbers import keep, number_within
from touchback.simulate.course import Asked
from touchback.simulate.solvers.solver import Can, Solver
from touchback.simulate.span import needed, refuse_rows
from touchback.simulate.time_stepping.course import SteppedRun


@dataclass(frozen=True, kw_only=True)
class MoreauJean(Solver):
    """Many rigid contacts, by Moreau–Jean time stepping, every `step` [s] recorded: those that the
    model describes, and the `contacts` given by name. Forces and inputs count at t + θ·step.

    Steps hold speeds, not gaps: what lands stays as deep as it was noticed. `correct_positions`
    lifts bodies out of each other at the end of a step, by the least change weighted by the mass,
    and by no more than its work against the forces may be: what contacts have taken before.

    Besides the states the run holds, of each contact by name, "… gap", and "… impulse" [N s] and
    "… friction impulse" (" 1", " 2" with two tangents) of the step that ends at each instant; the
    stored "energy", the cumulated "work" of forces, "friction loss" and "impact loss" [J]; inputs,
    and the sensors of positions, velocities and inputs; and energy books, `run.books`.
    `run.metadata["remarks"]` says where contacts overlap at the start, where impulses were found
    only roughly, and which sensors need accelerations or forces and aren't recorded."""

    word = "moreau-jean"
    can = Can.CONSTRAINTS | Can.CONTACTS | Can.BOOKS

    step: float = 1e-4
    theta: float = 0.5
    correct_positions: bool = False
    contacts: Mapping[str, ContactKind] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        needed(self, "step")
        keep(self, theta=number_within("theta lies between 0 and 1", self.theta, 0.0, 1.0))

    def refuse_excess(self, duration: float, width: int) -> None:
        """Every step is recorded; contacts have three impulses or more."""
        refuse_rows(duration, self.step, width + 3 * len(self.contacts or ()))
        self.count(duration)

    def count(self, duration: float) -> int:
        """How many steps there are in so many seconds."""
        count = round(duration / self.step)
        if count < 1:
            raise InputError(
                f"step {self.step:g} s is longer than the duration {duration:g} s; give one that "
                "fits."
            )
        return count

    def course(self, asked: Asked) -> SteppedRun:
        """The run, ready to go."""
        return SteppedRun(asked, self)
