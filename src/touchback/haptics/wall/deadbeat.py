"""Deadbeat compensation of crossings between samples (Gillespie 1996, section 5.4.3).

The floor is entered and left between samples. From the last sample outside, the models give the
state that a continuous floor would leave at the first sample outside again. Two held forces reach
any state of a plant of second order, so the last two inside reach that one. A contact with fewer
than two samples inside gets its second force after the continuous ball has left; these are counted
apart.

Gillespie's prediction takes the hand's force as constant through a contact. Here the continuous
contact is carried along from sample to sample with the force that each sample shows to have acted,
which is the same where the force is constant, and lets a hand push and let go as it likes.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise

from touchback.haptics.wall.continuous import ContinuousBall
from touchback.haptics.wall.controllers import Controller
from touchback.haptics.wall.oscillator import Flow, Oscillator, State
from touchback.haptics.wall.placement import controllability
from touchback.haptics.wall.plant import Plant, Target


@dataclass
class DeadbeatWall:
    """An inner controller, and the two forces that end each contact where it should end.

    With `throughout`, every pair of samples inside reaches the continuous contact, not the last
    alone: the error of the entry goes at once, and the inner controller rests.
    """

    inner: Controller
    plant: Plant
    wall: Target
    period: float
    throughout: bool = False
    contacts: int = field(default=0, init=False)
    short_contacts: list[int] = field(default_factory=list, init=False)
    """The numbers of the contacts with fewer than two samples inside."""
    _free: Oscillator = field(init=False)
    _touching: Oscillator = field(init=False)
    _flow: Flow = field(init=False)
    _before: State | None = field(default=None, init=False)
    _acting: float = field(default=0.0, init=False)
    _reference: State | None = field(default=None, init=False)  # the continuous contact, now
    _second_force: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._free = self.plant.motion
        self._touching = self.wall.touching(self._free)
        self._flow = self._free.flow(self.period)

    def force(self, sample: int, state: State) -> float:
        answer = self._decide(sample, state)
        self._before, self._acting = state, answer
        return answer

    def _decide(self, sample: int, state: State) -> float:
        outside = self._reference is None and state.y >= 0.0
        if outside or self._before is None:
            return self.inner.force(sample, state)
        hand = self._hand_force(self._before, state)
        if self._reference is not None:
            (reference,) = self._onward(self._reference, hand, 1)
        elif self._before.y >= 0.0:
            (reference,) = self._onward(self._before, hand, 1)
        else:  # a model so wrong that the floor was never left
            return self.inner.force(sample, state)
        following, desired = self._onward(reference, hand, 2)
        staying = reference.y < 0.0 and following.y < 0.0
        if self._reference is None:
            if not staying:
                self.short_contacts.append(self.contacts)
            self.contacts += 1
        self._reference = reference
        if self._second_force is not None:
            answer, self._second_force = self._second_force, None
            if following.y >= 0.0:
                self._reference = None
            return answer
        if staying and desired.y < 0.0 and not self.throughout:
            return self.inner.force(sample, state)
        answer, self._second_force = self._reach(state, desired, hand)
        return answer

    def _onward(self, state: State, hand: float, periods: int) -> list[State]:
        """The continuous motion at the samples that follow (5.7, 5.11, 5.16)."""
        inside, flow = [state], self._touching.flow(self.period)
        for _ in range(periods):
            inside.append(flow(inside[-1], hand))
        if self._stayed(inside):
            return inside[1:]
        continuous = ContinuousBall(self._free, self._touching, hand, state)
        return [continuous.state(number * self.period) for number in range(1, periods + 1)]

    def _stayed(self, samples: list[State]) -> bool:
        """Whether a contact that is inside at its samples was not outside between two of them: it
        turns at most once a period, and never from up to down."""
        if any(each.y >= 0.0 for each in samples):
            return False
        slow = self._touching.square * self.period**2 < math.pi**2
        return slow and not any(a.v > 0.0 > b.v for a, b in pairwise(samples))

    def _hand_force(self, before: State, state: State) -> float:
        """The force beside ours that the last period must have seen, by its change of velocity."""
        expected = self._flow(before, self._acting)
        return (state.v - expected.v) / self._flow.vf

    def _reach(self, state: State, desired: State, hand: float) -> tuple[float, float]:
        """Two forces that reach the desired state: C⁻¹ (x_d − Φ² x) (5.21–5.24).

        Eq. 5.24 prints the earlier force first; C = [Γ, ΦΓ] gives the later one first.
        """
        flow = self._flow
        ahead = flow(flow(state, hand), hand)
        dy, dv = desired.y - ahead.y, desired.v - ahead.v
        py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
        determinant = controllability(flow)
        return (flow.yf * dv - flow.vf * dy) / determinant, (pv * dy - py * dv) / determinant
