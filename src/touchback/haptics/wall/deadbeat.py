"""Deadbeat compensation of crossings between samples (Gillespie 1996, section 5.4.3).

The floor is entered and left between samples. From the last sample outside, the models give the state
that a continuous floor would leave at the first sample outside again. Two held forces reach any
state of a plant of second order, so the last two inside reach that one. A contact with fewer than two
samples inside gets its second force after the continuous ball has left; these are counted apart.

Gillespie's prediction takes the hand's force as constant through a contact. Here the continuous
contact is carried along from sample to sample with the force that each sample shows to have acted,
which is the same where the force is constant, and lets a hand push and let go as it likes.
"""

from dataclasses import dataclass, field

from touchback.haptics.wall.continuous import ContinuousBall
from touchback.haptics.wall.controllers import Controller
from touchback.haptics.wall.oscillator import Flow, Oscillator, State
from touchback.haptics.wall.placement import controllability
from touchback.haptics.wall.plant import Plant, Target


@dataclass
class DeadbeatWall:
    """An inner controller, and the two forces that end each contact where it should end."""

    inner: Controller
    plant: Plant
    wall: Target
    period: float
    contacts: int = field(default=0, init=False)
    short_contacts: list[int] = field(default_factory=list, init=False)
    """The numbers of the contacts with fewer than two samples inside."""
    _free: Oscillator = field(init=False)
    _touching: Oscillator = field(init=False)
    _flow: Flow = field(init=False)
    _before: State | None = field(default=None, init=False)
    _acting: float = field(default=0.0, init=False)
    _reference: State | None = field(default=None, init=False)  # the continuous contact
    _last_force: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._free = self.plant.motion
        self._touching = self.wall.touching(self._free)
        self._flow = self._free.flow(self.period)

    def force(self, sample: int, state: State) -> float:
        answer = self._decide(sample, state)
        self._before, self._acting = state, answer
        return answer

    def _decide(self, sample: int, state: State) -> float:
        if self._last_force is not None:
            answer, self._last_force, self._reference = self._last_force, None, None
            return answer
        if self._reference is None and state.y >= 0.0:
            return 0.0
        if self._before is None:
            return self.inner.force(sample, state)
        hand = self._hand_force(self._before, state)
        if self._reference is None:
            if self._before.y < 0.0:  # a model so wrong that the floor was never left
                return self.inner.force(sample, state)
            continuous = ContinuousBall(self._free, self._touching, hand, self._before)
            self._reference, now = continuous.state(self.period), self.period
            following = continuous.state(2.0 * self.period)
            if self._reference.y >= 0.0 or following.y >= 0.0:
                self.short_contacts.append(self.contacts)
            self.contacts += 1
        else:
            flow = self._touching.flow(self.period)
            self._reference, now = flow(self._reference, hand), 0.0
            following = flow(self._reference, hand)
            if following.y < 0.0 and flow(following, hand).y < 0.0:
                return self.inner.force(sample, state)
            continuous = ContinuousBall(self._free, self._touching, hand, self._reference)
        desired = continuous.state(now + 2.0 * self.period)
        if self._reference.y < 0.0 and following.y < 0.0 and desired.y < 0.0:
            return self.inner.force(sample, state)
        first, self._last_force = self._reach(state, desired, hand)
        return first

    def _hand_force(self, before: State, state: State) -> float:
        """The force beside ours that the last period must have seen, from its change of velocity."""
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
