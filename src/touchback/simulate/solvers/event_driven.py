"""Rigid contacts from event to event: Pfeiffer and Glocker 1996, "Multibody dynamics with
unilateral contacts"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from touchback.contact import ContactKind
from touchback.recording import unknown_name
from touchback.simulate.course import Asked, Course
from touchback.simulate.event_driven.course import DrivenRun
from touchback.simulate.event_driven.impacts import LAWS
from touchback.simulate.solvers.dopri5 import Dopri5
from touchback.simulate.solvers.solver import Can
from touchback.simulate.span import counted, needed


@dataclass(frozen=True, kw_only=True)
class EventDriven(Dopri5):
    """A few rigid contacts, every change located: impacts, lift-off, the instants at which
    something sticks, slips or rolls. The contacts are those that the model describes, and the
    `contacts` given by name.

    Between events one contact state is integrated by Dormand–Prince to `rtol` and `atol`: closed
    contacts and sticking friction are constraints, slipping friction is Coulomb's exactly. At an
    event complementarity decides which one follows. `impacts` are "newton" (restitution of speeds,
    of all contacts that touch at once), "poisson" (of impulses) or "sequential" (Newton's, one
    contact after the other, so that blows pass on through bodies that touch). Bounces that would be
    over within `rest` seconds are taken as over, and no contact is left for a flight shorter than
    that, or lower than gaps are rounded: a ball comes to rest, and so does a block of any size that
    rocks from corner to corner. `step` is the longest step (a hundredth of the duration),
    `event_limit` the most events. Every recorded state has gaps above −1e-9 m; a run that can't
    keep that ends before it.

    The run holds, besides the states, of each contact by name "… gap", "… force" [N],
    "… friction force" and "… rolling moment" (numbered with two tangents), the multipliers of the
    mechanism's own constraints, inputs and sensors; `run.events` ("floor hits", "floor slips", …),
    `run.books`, and in `run.metadata["remarks"]` where Painlevé's paradox was met, which impacts
    gave energy, what overlapped at the start and was moved apart, or which sensors can't be
    measured: reactions of joints that carry what touches. Many contacts, or contacts that repeat
    each other, are better stepped (`MoreauJean`)."""

    word = "event-driven"
    can = Can.ADAPTIVE | Can.CONSTRAINTS | Can.CONTACTS | Can.BOOKS

    rtol: float = 1e-9
    atol: float = 1e-11
    impacts: str = "newton"
    rest: float = 1e-8
    event_limit: int = 100_000
    contacts: Mapping[str, ContactKind] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        needed(self, "rest")
        counted(self, "event_limit")
        if self.impacts not in LAWS:
            raise unknown_name("law of impacts", self.impacts, LAWS)

    def course(self, asked: Asked) -> Course:
        """The run, ready to go."""
        return DrivenRun(asked, self)
