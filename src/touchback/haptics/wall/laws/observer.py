"""The observer of the plant as it runs: position, velocity and the hand's force from counts.

`wall/observer.py` is the same with matrices; `tests/haptics/test_wall_laws.py` holds them equal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from touchback.errors import InputError
from touchback.haptics.wall.laws.told import Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select

_GAUSS = ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18))  # of Legendre
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Observing:
    """A Kalman filter of the plant under a hand whose force wanders by `hand_rate` [N/√s], fed with
    positions in counts of `resolution` [m] and noise of a standard deviation [m]. With `feeds` the
    law is told the hand's force as it is estimated, besides position and velocity. A stamp of the
    last change of the count, where there is one, takes the place of the count at the sample."""

    resolution: float
    noise: float = 0.0
    hand_rate: float = 25.0
    feeds: bool = False
    slack: float = 0.0
    """In counts: a belief no farther from the count's middle is left as it is."""

    def __post_init__(self) -> None:
        if not (self.resolution >= 0.0 and self.noise >= 0.0 and 0.0 < self.variance < math.inf):
            raise InputError(
                f"Observing: counts of {self.resolution} m and noise of {self.noise} m must be "
                "zero or more, and not both zero: a sensor without error needs no observer."
            )
        if not 0.0 <= self.slack <= 0.5:
            raise InputError(f"Observing: a slack of {self.slack} counts; give 0 to 0.5.")
        if not 0.0 < self.hand_rate < math.inf:
            raise InputError(f"Observing: a hand that wanders by {self.hand_rate} N/√s never acts.")

    @property
    def variance(self) -> float:
        """Of what is read around what is true [m²]."""
        return self.resolution**2 / 12.0 + self.noise**2

    @property
    def start(self) -> tuple[float, ...]:
        """Of y, v, the hand's force, the spread of them, and whether there was a sample."""
        return (0.0, 0.0, 0.0, self.variance, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
        """The memory after a sample whose position is a count, and what the law is told."""
        y, v, hand, begun = *memory[:3], memory[9]
        y = select(begun, y, told.y)  # wherever it rests when the display begins
        before = _Belief((y, v, hand), memory[3:9])
        belief = self._later(before, told, told.period)
        belief = belief.told(self._read(belief.mean[0], told.y), self.variance)
        if told.stamp is not None:
            changed, edge, ago = told.stamp
            there = self._later(before, told, told.period - ago).told(edge, self._sharp)
            belief = belief.instead(changed, self._later(there, told, ago))
        return self._known(belief, told)

    def _read(self, y: Scalar, count: Scalar) -> Scalar:
        """What a count says of a position that is believed in."""
        if not self.slack:
            return count
        room = self.slack * self.resolution
        return minimum(maximum(y, count - room), count + room)

    @property
    def _sharp(self) -> float:
        """Of the place of a change of the count [m²]: a hundredth of a count."""
        return float((1e-2 * self.resolution) ** 2)

    def _known(self, belief: "_Belief", told: Told) -> tuple[Sequence[Scalar], Told]:
        mean, after = belief
        y = mean[0]
        if self.resolution and not self.noise:  # the count is sure
            half = 0.5 * self.resolution
            y = minimum(maximum(y, told.y - half), told.y + half)
        known = replace(told, y=y, v=mean[1])
        if self.feeds:
            known = replace(known, bias=told.bias + mean[2])
        return (*mean, *after, 1.0), known

    def _later(self, belief: "_Belief", told: Told, duration: Scalar) -> "_Belief":
        """What is believed a duration [s] later, under the force that acts: Φ x, and Φ P Φᵀ with
        ∫ Γ Γᵀ of the hand that wanders meanwhile."""
        y, v, hand = belief.mean
        flow = told.plant.over(duration)
        mean = (*flow(y, v, told.acting + told.bias + hand), hand)
        P = dict(zip(_PLACES, belief.spread, strict=True))
        P |= {(j, i): each for (i, j), each in P.items()}
        step = ((flow.yy, flow.yv, flow.yf), (flow.vy, flow.vv, flow.vf), (0.0, 0.0, 1.0))
        half = [[_dot(row, [P[k, j] for k in range(3)]) for j in range(3)] for row in step]
        wide = {(i, j): _dot(step[j], half[i]) for i, j in _PLACES}
        for place, weight in _GAUSS:
            part = told.plant.over(place * duration)
            effect = (part.yf, part.vf, 1.0)
            size = weight * self.hand_rate**2 * duration
            for i, j in _PLACES:
                wide[i, j] = wide[i, j] + size * effect[i] * effect[j]
        return _Belief(mean, [wide[place] for place in _PLACES])


class _Belief(NamedTuple):
    """Of y, v and the hand's force, and the spread of them."""

    mean: Sequence[Scalar]
    spread: Sequence[Scalar]

    def told(self, position: Scalar, variance: float) -> "_Belief":
        """After a position [m] that is true within a variance [m²]."""
        spread = dict(zip(_PLACES, self.spread, strict=True))
        surprise = position - self.mean[0]
        gain = [spread[0, i] / (spread[0, 0] + variance) for i in range(3)]
        mean = [each + g * surprise for each, g in zip(self.mean, gain, strict=True)]
        return _Belief(mean, [spread[i, j] - gain[i] * spread[0, j] for i, j in _PLACES])

    def instead(self, condition: Scalar, other: "_Belief") -> "_Belief":
        """Another one, where a condition holds."""
        pairs = (zip(a, b, strict=True) for a, b in zip(other, self, strict=True))
        mean, spread = ([select(condition, a, b) for a, b in pair] for pair in pairs)
        return _Belief(mean, spread)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
