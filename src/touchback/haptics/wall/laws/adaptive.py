"""Any law, designed anew outside the wall for the grip that was identified (Gillespie 1996, 5.8).

`identification.py` says how: recursive least squares on the balance of momentum over each sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from touchback.haptics.wall.laws.motion import Motion, is_zero
from touchback.haptics.wall.laws.told import HEAVIEST, Law, Told
from touchback.haptics.wall.plant import Device, Finger
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select

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

    def idle(self, memory: Sequence[Scalar], told: Told) -> Sequence[Scalar]:
        """Another law acts: the grip is learnt nevertheless."""
        grip, known = self._grip(memory, told)
        return (*grip, *self.law.idle(memory[len(grip) :], known))

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        grip, known = self._grip(memory, told)
        inner, force = self.law.step(memory[len(grip) :], known)
        return (*grip, *inner), force

    def _grip(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
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
    told: Told

    def balance(self, device: Device) -> tuple[tuple[Scalar, ...], Scalar]:
        """φ and y of φ·θ = y: momentum over the sample, with ∫y dt by Hermite's rule."""
        told, half = self.told, 0.5 * self.told.period
        dv, dy = told.v - self.v, told.y - self.y
        area = half * (self.y + told.y) + half * half * (1.0 / 3.0) * (self.v - told.v)
        known = told.acting * told.period - device.mass * dv - device.damping * dy
        return (dv, dy, area, -told.period), known
