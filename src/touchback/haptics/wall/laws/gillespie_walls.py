"""Gillespie's walls (1996, chapter 5): standard, half-sample prediction, z-plane design, deadbeat
compensation, and any of them adapted to the grip that was identified."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import cast

from touchback import maximum, minimum, select
from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import Flow, Oscillator, State
from touchback.haptics.wall.laws.base import HEAVIEST, Law, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import (
    Motion,
    advance_period,
    is_known_false,
    is_zero,
)
from touchback.haptics.wall.wall_plant import SOFTEST, Device, Finger, continuous_samples
from touchback.numbers import LEAST, Scalar, number_within


def wall_force(stiffness: Scalar, damping: Scalar, y: Scalar, v: Scalar) -> Scalar:
    """−K y − B v (Gillespie 1996, table 5.1 and eq. 5.1, his sign turned)."""
    return -stiffness * y - damping * v


def characteristic(flow: Flow) -> tuple[Scalar, Scalar]:
    """(c₁, c₀) of z² + c₁ z + c₀: the sampled poles of an oscillator.

    For the undamped target z² − 2 cos(ω₀T) z + 1, the denominator of eq. 5.12 (whose numerator must
    have 1/ω₀² in front, not 1/ω₀).
    """
    return -(flow.yy + flow.vv), flow.yy * flow.vv - flow.yv * flow.vy


def controllability(flow: Flow) -> tuple[Scalar, tuple[Scalar, Scalar]]:
    """The determinant of [Γ, ΦΓ] (eq. 5.22, which prints b for Γ), and ΦΓ."""
    py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
    return flow.yf * pv - flow.vf * py, (py, pv)


def pole_gains(flow: Flow, due: Flow) -> tuple[Scalar, Scalar]:
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


def place_poles(plant: Oscillator, target: Oscillator, period: float) -> tuple[float, float]:
    """Gains k of f = −k₁ y − k₂ v that give Φ − Γk the poles of the target, sampled.

    Raises InputError if the target swings more than half a turn a sample: its poles would be
    aliases."""
    squared = target.square - target.decay**2
    if squared > 0.0 and math.sqrt(squared) * period >= math.pi:
        largest = target.mass * (math.pi / period) ** 2
        raise InputError(
            f"A contact of stiffness {target.stiffness:.6g} N/m swings more than half a turn in a "
            f"sample of {period:.6g} s; ask for less than {largest:.6g} N/m or sample faster."
        )
    return pole_gains(plant.flow(period), target.flow(period))


_placed_poles = lru_cache(maxsize=64)(place_poles)


def feedback_force(
    gains: tuple[Scalar, Scalar], rest: Scalar, rest_force: Scalar, y: Scalar, v: Scalar
) -> Scalar:
    """f₀ − k₁ (y − y₀) − k₂ v (section 5.4.2), with the bias fed forward: at y₀ the force is f₀."""
    return rest_force - gains[0] * (y - rest) - gains[1] * v


def reaching_forces(flow: Flow, dy: Scalar, dv: Scalar) -> tuple[Scalar, Scalar]:
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
    """−K y − B v at the sample (Gillespie 1996, table 5.1 and eq. 5.1)."""

    compensates = False

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        force = wall_force(sample.stiffness, sample.damping, sample.y, sample.v)
        return (), select(sample.y < 0.0, force, 0.0)


@dataclass(frozen=True)
class HalfSample(Memoryless):
    """The same at the state half a sample ahead in contact (section 5.4.1).

    Table 5.4 prints cos(t + T/2); the prediction from the present state is cos(ω₀ T/2), which the
    solution of the contact holds for damped walls and plants with fingers too."""

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        ahead = sample.in_contact.flow(0.5 * sample.period)
        y, v = ahead(State(sample.y, sample.v), sample.bias)
        force = wall_force(sample.stiffness, sample.damping, y, v)
        return (), select(sample.y < 0.0, force, 0.0)


@dataclass(frozen=True)
class PolePlacement(Memoryless):
    """Gains that put the sampled poles where the continuous contact has them (section 5.4.2), by
    Ackermann's formula. Gillespie leaves the bias out; it is fed forward here, so that the handle
    comes to rest where the continuous wall holds it, one of `SOFTEST` at least."""

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        stiffness = maximum(sample.stiffness, SOFTEST)
        in_contact = sample.in_contact_with(stiffness)
        rest = sample.bias / in_contact.stiffness
        gains = _placed_gains(sample.plant, in_contact, sample.period)
        force = feedback_force(gains, rest, -stiffness * rest, sample.y, sample.v)
        return (), select(sample.y < 0.0, force, 0.0)


def _placed_gains(
    plant: Motion | Oscillator, in_contact: Motion | Oscillator, period: Scalar
) -> tuple[Scalar, Scalar]:
    if isinstance(plant, Oscillator) and isinstance(in_contact, Oscillator):
        return _placed_poles(plant, in_contact, period)
    return pole_gains(plant.flow(period), in_contact.flow(period))


def _follow_contact(sample: WallSample, state: State, force: Scalar, periods: int) -> list[State]:
    """The continuous motion at the samples after a state (Gillespie 1996, 5.7, 5.11, 5.16)."""
    free, in_contact, period = sample.plant, sample.in_contact, sample.period
    if isinstance(free, Oscillator) and isinstance(in_contact, Oscillator):
        return continuous_samples(free, in_contact, state, force, period, periods)
    motions = cast("tuple[Motion, Motion]", (free, in_contact))
    states = [state]
    for _ in range(periods):
        states.append(advance_period(*motions, states[-1], force, period))
    return states[1:]


@dataclass(frozen=True)
class Deadbeat:
    """An inner wall without memory (the z-plane design), and two last forces that leave the handle
    where the continuous wall would (section 5.4.3). With `throughout`, every pair of forces reaches
    the continuous contact: the error of the entry goes at once, and the inner wall rests."""

    throughout: bool = False
    inner: Law = PolePlacement()
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
        inner = self.inner.step((), sample)[1]
        # A contact is compensated if it is followed, or was entered since the last sample.
        entered = select(sample.y < 0.0, select(y_before >= 0.0, begun, 0.0), 0.0)
        active = maximum(followed, entered)
        if is_known_false(active):
            return self.idle(memory, sample), inner
        flow = sample.plant.flow(sample.period)
        expected = flow(State(y_before, v_before), sample.acting)
        hand = (sample.v - expected.v) / flow.vf  # what the last period must have seen beside ours
        came = State(select(followed, y_due, y_before), select(followed, v_due, v_before))
        (now,) = _follow_contact(sample, came, hand, 1)
        following, desired = _follow_contact(sample, now, hand, 2)
        gone = following.y >= 0.0
        leaving = maximum(now.y >= 0.0, maximum(gone, desired.y >= 0.0))
        ahead = flow(flow(State(sample.y, sample.v), hand), hand)
        one, two = reaching_forces(flow, desired.y - ahead.y, desired.v - ahead.v)
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


_GRIP = 21  # numbers that are remembered of a grip, before the law's own


@dataclass(frozen=True)
class Adaptive:
    """A law that is told the finger on a known device as it was found while it played. Velocity
    must be sensed; what the display believes of the hand is only the first guess."""

    law: Law
    device: Device
    guess: Finger = field(default_factory=Finger)
    forgetting: float = 0.9
    compensates = True

    def __post_init__(self) -> None:
        sentence = "Forgetting must be a number above 0 and at most 1"
        number_within(sentence, self.forgetting, LEAST, 1.0)

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y, v before, whether there was a sample; the estimate; its spread; the design; the
        law's own)."""
        own = (self.guess.mass, self.guess.damping, self.guess.stiffness, 0.0)
        theta = tuple(a / b for a, b in zip(own, _SCALE, strict=True))
        spread = tuple(_UNSURE if i == j else 0.0 for i, j in _PLACES)
        return (0.0, 0.0, 0.0, *theta, *spread, *theta, *self.law.start)

    def grip(self, memory: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Mass [kg], damping [N s/m] and stiffness [N/m] of the finger as they are found, none
        below zero since a finger is passive, and the constant force of the hand [N]."""
        mass, damping, stiffness, force = (
            size * each for size, each in zip(_SCALE, memory[3:7], strict=True)
        )
        return maximum(mass, 0.0), maximum(damping, 0.0), maximum(stiffness, 0.0), force

    def forget_motion(self, memory: Sequence[Scalar]) -> Sequence[Scalar]:
        """The memory before another motion begins elsewhere: the grip is kept, the last sample and
        what the law remembers of it aren't."""
        return (0.0, 0.0, 0.0, *memory[3:_GRIP], *self.law.start)

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
        theta, spread, design = memory[3:7], memory[7:17], memory[17:_GRIP]
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
        plant = type(sample.plant)(
            whole, self.device.damping + minimum(damping, heaviest), stiffness
        )
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
