"""Gillespie's walls (1996, chapter 5): standard, half-sample prediction, z-plane design, deadbeat
compensation, and any of them adapted to the grip that was identified."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from touchback import maximum, minimum, select
from touchback.haptics.wall.laws.base import HEAVIEST, Law, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import Motion, Pair, Passage, is_zero, onward
from touchback.haptics.wall.plant import SOFTEST, Device, Finger
from touchback.numbers import Scalar


class Memoryless:
    """What laws without memory have in common."""

    start: tuple[float, ...] = ()
    compensates = True

    def idle(self, memory: Sequence[Scalar], told: WallSample) -> Sequence[Scalar]:
        return ()


@dataclass(frozen=True)
class Standard(Memoryless):
    """−K y − B v at the sample (Gillespie 1996, table 5.1)."""

    compensates = False

    def step(self, memory: Sequence[Scalar], told: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        force = -told.stiffness * told.y - told.damping * told.v
        return (), select(told.y < 0.0, force, 0.0)


@dataclass(frozen=True)
class HalfSample(Memoryless):
    """The same at the state half a sample ahead in contact (section 5.4.1)."""

    def step(self, memory: Sequence[Scalar], told: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        y, v = told.touching.over(0.5 * told.period)(told.y, told.v, told.bias)
        return (), select(told.y < 0.0, -told.stiffness * y - told.damping * v, 0.0)


@dataclass(frozen=True)
class Placed(Memoryless):
    """Gains that put the sampled poles where the continuous contact has them (section 5.4.2), by
    Ackermann's formula; the bias is fed forward, to a wall of `SOFTEST` at least."""

    def step(self, memory: Sequence[Scalar], told: WallSample) -> tuple[Sequence[Scalar], Scalar]:
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

    def idle(self, memory: Sequence[Scalar], told: WallSample) -> Sequence[Scalar]:
        return (told.y, told.v, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def step(self, memory: Sequence[Scalar], told: WallSample) -> tuple[Sequence[Scalar], Scalar]:
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


def _reach(flow: Passage, told: WallSample, desired: Pair, hand: Scalar) -> tuple[Scalar, Scalar]:
    """Two forces that reach the desired state: C⁻¹ (x_d − Φ² x) (5.21–5.24)."""
    one = flow(told.y, told.v, hand)
    ahead = flow(one.y, one.v, hand)
    dy, dv = desired.y - ahead.y, desired.v - ahead.v
    py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
    determinant = flow.yf * pv - flow.vf * py
    return (flow.yf * dv - flow.vf * dy) / determinant, (pv * dy - py * dv) / determinant


_SCALE = (0.02, 3.75, 257.0, 1.0)  # of the finger's mass, damping, stiffness, and a force


_UNSURE = 1e12


_LEAST_MOTION = 1e-9  # N s


_PLACES = tuple((i, j) for i in range(4) for j in range(i, 4))  # of a symmetric matrix


@dataclass(frozen=True)
class Adaptive:
    """A law that is told the finger on a known device as it was found while it played. Velocity
    must be sensed; what the display believes of the hand is only the first guess."""

    law: Law
    device: Device
    guess: Finger = field(default_factory=Finger)
    forgetting: float = 0.9
    compensates = True

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y, v before, whether there was a sample; the estimate; its spread; the design; the
        law's own)."""
        own = (self.guess.mass, self.guess.damping, self.guess.stiffness, 0.0)
        theta = tuple(a / b for a, b in zip(own, _SCALE, strict=True))
        spread = tuple(_UNSURE if i == j else 0.0 for i, j in _PLACES)
        return (0.0, 0.0, 0.0, *theta, *spread, *theta, *self.law.start)

    def idle(self, memory: Sequence[Scalar], told: WallSample) -> Sequence[Scalar]:
        """Another law acts: the grip is learnt nevertheless."""
        grip, known = self._grip(memory, told)
        return (*grip, *self.law.idle(memory[len(grip) :], known))

    def step(self, memory: Sequence[Scalar], told: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        grip, known = self._grip(memory, told)
        inner, force = self.law.step(memory[len(grip) :], known)
        return (*grip, *inner), force

    def _grip(
        self, memory: Sequence[Scalar], told: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        """What is known of the finger after a sample, and what the law is told of it."""
        y, v, begun = memory[:3]
        theta, spread, design = memory[3:7], memory[7:17], memory[17:21]
        learnt, narrowed = self._learn(theta, spread, _Sample(y, v, told))
        moved = self.device.mass * (told.v - v)
        taught = select(maximum(moved, -moved) >= _LEAST_MOTION, begun, 0.0)
        theta = [select(taught, new, old) for new, old in zip(learnt, theta, strict=True)]
        spread = [select(taught, new, old) for new, old in zip(narrowed, spread, strict=True)]
        outside = select(told.y >= 0.0, is_zero(told.acting), 0.0)
        design = [select(outside, new, old) for new, old in zip(theta, design, strict=True)]
        known = [size * each for size, each in zip(_SCALE, design, strict=True)]
        mass, damping, stiffness = (maximum(each, 0.0) for each in known[:3])
        whole = self.device.mass + mass
        # A grip found to stop within a sample isn't told by held forces, nor by a law's series.
        heaviest = maximum(whole * HEAVIEST / told.period - self.device.damping, 0.0)
        plant = Motion(whole, self.device.damping + minimum(damping, heaviest), stiffness)
        told_of_it = replace(told, plant=plant, bias=known[3]).expressible()
        return (told.y, told.v, 1.0, *theta, *spread, *design), told_of_it

    def _learn(
        self, theta: Sequence[Scalar], spread: Sequence[Scalar], pairs: "_Sample"
    ) -> tuple[list[Scalar], list[Scalar]]:
        """The estimate and its spread after one sample (Åström & Wittenmark, section 2.2)."""
        row, value = pairs.balance(self.device)
        phi = [a * b for a, b in zip(row, _SCALE, strict=True)]
        P = {place: each for place, each in zip(_PLACES, spread, strict=True)}
        P |= {(j, i): each for (i, j), each in P.items()}
        wide = [sum(P[i, j] * phi[j] for j in range(4)) for i in range(4)]
        error = value - sum(a * b for a, b in zip(phi, theta, strict=True))
        weight = 1.0 / (self.forgetting + sum(a * b for a, b in zip(phi, wide, strict=True)))
        new = [t + w * weight * error for t, w in zip(theta, wide, strict=True)]
        fade = 1.0 / self.forgetting
        narrowed = {(i, j): (P[i, j] - wide[i] * weight * wide[j]) * fade for i, j in _PLACES}
        widest = narrowed[0, 0]
        for i in range(1, 4):
            widest = maximum(widest, narrowed[i, i])
        bound = minimum(1.0, _UNSURE / maximum(widest, 1e-300))
        return new, [narrowed[place] * bound for place in _PLACES]


@dataclass(frozen=True)
class _Sample:
    """The ends of a sample."""

    y: Scalar
    v: Scalar
    told: WallSample

    def balance(self, device: Device) -> tuple[tuple[Scalar, ...], Scalar]:
        """φ and y of φ·θ = y: momentum over the sample, with ∫y dt by Hermite's rule."""
        told, half = self.told, 0.5 * self.told.period
        dv, dy = told.v - self.v, told.y - self.y
        area = half * (self.y + told.y) + half * half * (1.0 / 3.0) * (self.v - told.v)
        known = told.acting * told.period - device.mass * dv - device.damping * dy
        return (dv, dy, area, -told.period), known
