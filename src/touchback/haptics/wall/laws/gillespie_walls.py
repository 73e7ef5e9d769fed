"""Gillespie's walls (1996, chapter 5): standard, half-sample prediction, z-plane design, deadbeat
compensation, and any of them adapted to the grip that was identified."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from touchback import maximum, minimum, select
from touchback.haptics.wall.closed_form_oscillator import Flow
from touchback.haptics.wall.laws.base import HEAVIEST, Law, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import (
    Motion,
    Pair,
    StateTransition,
    advance_period,
    is_zero,
)
from touchback.haptics.wall.wall_plant import SOFTEST, Device, Finger
from touchback.numbers import Scalar


def wall_force(stiffness: Scalar, damping: Scalar, y: Scalar, v: Scalar) -> Scalar:
    """−K y − B v (Gillespie 1996, table 5.1 and eq. 5.1, his sign turned)."""
    return -stiffness * y - damping * v


def characteristic(flow: Flow | StateTransition) -> tuple[Scalar, Scalar]:
    """(c₁, c₀) of z² + c₁ z + c₀: the sampled poles of an oscillator.

    For the undamped target z² − 2 cos(ω₀T) z + 1, the denominator of eq. 5.12 (whose numerator must
    have 1/ω₀² in front, not 1/ω₀).
    """
    return -(flow.yy + flow.vv), flow.yy * flow.vv - flow.yv * flow.vy


def controllability(flow: Flow | StateTransition) -> tuple[Scalar, tuple[Scalar, Scalar]]:
    """The determinant of [Γ, ΦΓ] (eq. 5.22, which prints b for Γ), and ΦΓ."""
    py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
    return flow.yf * pv - flow.vf * py, (py, pv)


def pole_gains(flow: Flow | StateTransition, due: Flow | StateTransition) -> tuple[Scalar, Scalar]:
    """Gains k of f = −k₁ y − k₂ v that give Φ − Γk of a sampled plant, `flow`, the poles of another
    sampled motion, `due`: Ackermann's formula k = [0 1] [Γ, ΦΓ]⁻¹ (Φ² + c₁ Φ + c₀ I)."""
    c1, c0 = characteristic(due)
    determinant, _ = controllability(flow)
    # [0 1] [Γ, ΦΓ]⁻¹ = (−Γ₂, Γ₁)/det.
    left, right = -flow.vf / determinant, flow.yf / determinant
    trace = flow.yy + flow.vv + c1
    yy = flow.yy * flow.yy + flow.yv * flow.vy + c1 * flow.yy + c0
    vv = flow.vv * flow.vv + flow.yv * flow.vy + c1 * flow.vv + c0
    k1 = left * yy + right * flow.vy * trace
    k2 = left * flow.yv * trace + right * vv
    return k1, k2


def feedback_force(
    gains: tuple[Scalar, Scalar], rest: Scalar, rest_force: Scalar, y: Scalar, v: Scalar
) -> Scalar:
    """f₀ − k₁ (y − y₀) − k₂ v (section 5.4.2), with the bias fed forward: at y₀ the force is f₀."""
    return rest_force - gains[0] * (y - rest) - gains[1] * v


def reaching_forces(flow: Flow | StateTransition, dy: Scalar, dv: Scalar) -> tuple[Scalar, Scalar]:
    """Two forces, a sample each, that move the state by (dy, dv) beyond where it would be after
    both: C⁻¹ (x_d − Φ² x) (5.21–5.24).

    Eq. 5.24 prints the earlier force first; C = [Γ, ΦΓ] gives the later one first.
    """
    determinant, (py, pv) = controllability(flow)
    return (flow.yf * dv - flow.vf * dy) / determinant, (pv * dy - py * dv) / determinant


class Memoryless:
    """What laws without memory have in common."""

    start: tuple[float, ...] = ()
    compensates = True

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        return ()


@dataclass(frozen=True)
class Standard(Memoryless):
    """−K y − B v at the sample (Gillespie 1996, table 5.1)."""

    compensates = False

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        force = wall_force(sample.stiffness, sample.damping, sample.y, sample.v)
        return (), select(sample.y < 0.0, force, 0.0)


@dataclass(frozen=True)
class HalfSample(Memoryless):
    """The same at the state half a sample ahead in contact (section 5.4.1)."""

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        y, v = sample.in_contact.transition_over(0.5 * sample.period)(
            sample.y, sample.v, sample.bias
        )
        force = wall_force(sample.stiffness, sample.damping, y, v)
        return (), select(sample.y < 0.0, force, 0.0)


@dataclass(frozen=True)
class PolePlacement(Memoryless):
    """Gains that put the sampled poles where the continuous contact has them (section 5.4.2), by
    Ackermann's formula; the bias is fed forward, to a wall of `SOFTEST` at least."""

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        sample = replace(sample, stiffness=maximum(sample.stiffness, SOFTEST))
        flow, due = (
            sample.plant.transition_over(sample.period),
            sample.in_contact.transition_over(sample.period),
        )
        rest = sample.bias / (sample.plant.stiffness + sample.stiffness)
        gains = pole_gains(flow, due)
        force = feedback_force(gains, rest, -sample.stiffness * rest, sample.y, sample.v)
        return (), select(sample.y < 0.0, force, 0.0)


_INNER = PolePlacement()


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

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        return (sample.y, sample.v, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        y_before, v_before, begun, followed, y_due, v_due, pending, second = memory
        free, in_contact, period = sample.plant, sample.in_contact, sample.period
        flow = free.transition_over(period)
        expected = flow(y_before, v_before, sample.acting)
        hand = (sample.v - expected.v) / flow.vf  # what the last period must have seen beside ours
        came = Pair(select(followed, y_due, y_before), select(followed, v_due, v_before))
        now = advance_period(free, in_contact, came, hand, period)
        following = advance_period(free, in_contact, now, hand, period)
        desired = advance_period(free, in_contact, following, hand, period)
        # A contact is compensated if it is followed, or was entered since the last sample.
        entered = select(sample.y < 0.0, select(y_before >= 0.0, begun, 0.0), 0.0)
        active = maximum(followed, entered)
        gone = following.y >= 0.0
        leaving = maximum(now.y >= 0.0, maximum(gone, desired.y >= 0.0))
        ahead = flow(*flow(sample.y, sample.v, hand), hand)
        one, two = reaching_forces(flow, desired.y - ahead.y, desired.v - ahead.v)
        inner = _INNER.step((), sample)[1]
        ending = 1.0 if self.throughout else leaving
        plain = select(ending, one, inner)
        force = select(active, select(pending, second, plain), inner)
        reaching = select(active, select(pending, 0.0, ending), 0.0)
        still = select(active, select(pending, select(gone, 0.0, 1.0), 1.0), 0.0)
        after = (sample.y, sample.v, 1.0, still, now.y, now.v, reaching, two)
        return after, force


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

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        """Another law acts: the grip is learnt nevertheless."""
        grip, known = self._grip(memory, sample)
        return (*grip, *self.law.idle(memory[len(grip) :], known))

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        grip, known = self._grip(memory, sample)
        inner, force = self.law.step(memory[len(grip) :], known)
        return (*grip, *inner), force

    def _grip(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        """What is known of the finger after a sample, and what the law is told of it."""
        y, v, begun = memory[:3]
        theta, spread, design = memory[3:7], memory[7:17], memory[17:21]
        learnt, narrowed = self._learn(theta, spread, _Sample(y, v, sample))
        moved = self.device.mass * (sample.v - v)
        taught = select(maximum(moved, -moved) >= _LEAST_MOTION, begun, 0.0)
        theta = [select(taught, new, old) for new, old in zip(learnt, theta, strict=True)]
        spread = [select(taught, new, old) for new, old in zip(narrowed, spread, strict=True)]
        outside = select(sample.y >= 0.0, is_zero(sample.acting), 0.0)
        design = [select(outside, new, old) for new, old in zip(theta, design, strict=True)]
        known = [size * each for size, each in zip(_SCALE, design, strict=True)]
        mass, damping, stiffness = (maximum(each, 0.0) for each in known[:3])
        whole = self.device.mass + mass
        # A grip found to stop within a sample isn't told by held forces, nor by a law's series.
        heaviest = maximum(whole * HEAVIEST / sample.period - self.device.damping, 0.0)
        plant = Motion(whole, self.device.damping + minimum(damping, heaviest), stiffness)
        known_sample = replace(sample, plant=plant, bias=known[3]).expressible()
        return (sample.y, sample.v, 1.0, *theta, *spread, *design), known_sample

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
    sample: WallSample

    def balance(self, device: Device) -> tuple[tuple[Scalar, ...], Scalar]:
        """φ and y of φ·θ = y: momentum over the sample, with ∫y dt by Hermite's rule."""
        sample, half = self.sample, 0.5 * self.sample.period
        dv, dy = sample.v - self.v, sample.y - self.y
        area = half * (self.y + sample.y) + half * half * (1.0 / 3.0) * (self.v - sample.v)
        known = sample.acting * sample.period - device.mass * dv - device.damping * dy
        return (dv, dy, area, -sample.period), known
