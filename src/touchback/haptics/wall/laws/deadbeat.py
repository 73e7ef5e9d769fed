"""Deadbeat compensation of crossings between samples (Gillespie 1996, section 5.4.3), as
`wall/deadbeat.py` explains it."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.haptics.wall.laws.affine import Placed
from touchback.haptics.wall.laws.motion import Pair, Passage, onward
from touchback.haptics.wall.laws.told import Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, select

_INNER = Placed()


@dataclass(frozen=True)
class Deadbeat:
    """The z-plane design, and two last forces that leave the handle where the continuous wall
    would; with `throughout`, every pair of forces."""

    throughout: bool = False
    compensates = True

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y before, v before, whether there was a sample, whether a contact is followed, where
        the continuous one is: y, v, whether a second force is due, that force)."""
        return (0.0,) * 8

    def idle(self, memory: Sequence[Scalar], told: Told) -> Sequence[Scalar]:
        return (told.y, told.v, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        y_before, v_before, begun, followed, y_due, v_due, pending, second = memory
        free, touching, period = told.plant, told.touching, told.period
        flow = free.over(period)
        expected = flow(y_before, v_before, told.acting)
        hand = (told.v - expected.v) / flow.vf  # what the last period must have seen beside ours
        came = Pair(select(followed, y_due, y_before), select(followed, v_due, v_before))
        now = onward(free, touching, came, hand, period)
        following = onward(free, touching, now, hand, period)
        desired = onward(free, touching, following, hand, period)
        # A contact is compensated if it is followed, or was entered since the last sample.
        entered = select(told.y < 0.0, select(y_before >= 0.0, begun, 0.0), 0.0)
        active = maximum(followed, entered)
        gone = following.y >= 0.0
        leaving = maximum(now.y >= 0.0, maximum(gone, desired.y >= 0.0))
        one, two = _reach(flow, told, desired, hand)
        inner = _INNER.step((), told)[1]
        ending = 1.0 if self.throughout else leaving
        plain = select(ending, one, inner)
        force = select(active, select(pending, second, plain), inner)
        reaching = select(active, select(pending, 0.0, ending), 0.0)
        still = select(active, select(pending, select(gone, 0.0, 1.0), 1.0), 0.0)
        after = (told.y, told.v, 1.0, still, now.y, now.v, reaching, two)
        return after, force


def _reach(flow: Passage, told: Told, desired: Pair, hand: Scalar) -> tuple[Scalar, Scalar]:
    """Two forces that reach the desired state: C⁻¹ (x_d − Φ² x) (5.21–5.24)."""
    one = flow(told.y, told.v, hand)
    ahead = flow(one.y, one.v, hand)
    dy, dv = desired.y - ahead.y, desired.v - ahead.v
    py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
    determinant = flow.yf * pv - flow.vf * py
    return (flow.yf * dv - flow.vf * dy) / determinant, (pv * dy - py * dv) / determinant
