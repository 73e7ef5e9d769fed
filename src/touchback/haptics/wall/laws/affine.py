"""Laws without memory: the standard wall, half-sample prediction, z-plane design."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from touchback.haptics.wall.laws.told import Told
from touchback.haptics.wall.plant import SOFTEST
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, select


class Memoryless:
    """What laws without memory have in common."""

    start: tuple[float, ...] = ()
    compensates = True

    def idle(self, memory: Sequence[Scalar], told: Told) -> Sequence[Scalar]:
        return ()


@dataclass(frozen=True)
class Standard(Memoryless):
    """−K y − B v at the sample (Gillespie 1996, table 5.1)."""

    compensates = False

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        force = -told.stiffness * told.y - told.damping * told.v
        return (), select(told.y < 0.0, force, 0.0)


@dataclass(frozen=True)
class HalfSample(Memoryless):
    """The same at the state half a sample ahead in contact (section 5.4.1)."""

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        y, v = told.touching.over(0.5 * told.period)(told.y, told.v, told.bias)
        return (), select(told.y < 0.0, -told.stiffness * y - told.damping * v, 0.0)


@dataclass(frozen=True)
class Placed(Memoryless):
    """Gains that put the sampled poles where the continuous contact has them (section 5.4.2), by
    Ackermann's formula; the bias is fed forward, to a wall of `SOFTEST` at least."""

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        told = replace(told, stiffness=maximum(told.stiffness, SOFTEST))
        flow, due = told.plant.over(told.period), told.touching.over(told.period)
        c1, c0 = -(due.yy + due.vv), due.yy * due.vv - due.yv * due.vy
        py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
        determinant = flow.yf * pv - flow.vf * py
        left, right = -flow.vf / determinant, flow.yf / determinant
        trace = flow.yy + flow.vv + c1
        yy = flow.yy * flow.yy + flow.yv * flow.vy + c1 * flow.yy + c0
        vv = flow.vv * flow.vv + flow.yv * flow.vy + c1 * flow.vv + c0
        k1 = left * yy + right * flow.vy * trace
        k2 = left * flow.yv * trace + right * vv
        rest = told.bias / (told.plant.stiffness + told.stiffness)
        force = -told.stiffness * rest - k1 * (told.y - rest) - k2 * told.v
        return (), select(told.y < 0.0, force, 0.0)
