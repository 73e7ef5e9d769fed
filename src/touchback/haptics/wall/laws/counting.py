"""Counts taken for what they are: intervals of position, and instants at which one is left.

Within a count a handle may be anywhere, sample after sample: its errors are no noise that is new at
each, which a Kalman filter takes them for. Here what is believed is cut to the interval that the
count tells, and the normal distribution of the same mean and spread goes on (the Gaussian fit
of Curry 1970, "Estimation and Control with Quantized Measurements").
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from touchback.errors import InputError
from touchback.haptics.wall.laws.told import Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import exp, maximum, minimum, select, sqrt

_PLACES = tuple((i, j) for i in range(4) for j in range(i, 4))
_SHARP = 0.01  # counts: the place of a change, and the least spread that is believed in
_SURPRISE = 2.0  # deviations: what lies farther off was believed in too firmly
_KEPT = 0.7  # of the spread's square, at least, whatever an interval cuts off
_FAR = 1e100  # whose squares are finite
_TAIL = 3.0  # deviations: an interval's far edge is nearer than that


@dataclass(frozen=True)
class Counting:
    """Position, velocity, the hand's force and its rate from counts of `resolution` [m], under a
    hand whose force changes smoothly: its rate wanders by `wander` [N/(s √s)]. A stamp of the last
    change, where there is one, is a place that is known. The law is told the hand's force too.

    With noise of a standard deviation [m] a count is no interval; it is read as a Kalman filter
    does."""

    resolution: float
    noise: float = 0.0
    wander: float = 100.0

    def __post_init__(self) -> None:
        positive = 0.0 < self.resolution < _FAR and 0.0 < self.wander < _FAR
        if not (positive and 0.0 <= self.noise < _FAR):
            raise InputError(
                f"Counting: counts of {self.resolution} m and a hand that wanders by {self.wander} "
                f"N/(s √s) must be positive, the noise ({self.noise} m) zero or more."
            )

    @property
    def start(self) -> tuple[float, ...]:
        """Of y, v, the hand's force and its rate, the spread of them, whether there was a
        sample."""
        return (0.0, 0.0, 0.0, 0.0, self.resolution**2 / 12.0, *(0.0,) * 9, 0.0)

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
        """The memory after a sample whose position is a count, and what the law is told."""
        begun = memory[14]
        y = select(begun, memory[0], told.y)  # wherever it rests when the display begins
        before = _Belief((y, *memory[1:4]), memory[4:14])
        belief = self._later(before, told, told.period)
        if told.stamp is not None:
            changed, edge, ago = told.stamp
            there = self._later(before, told, told.period - ago).placed(edge, self._sharp)
            belief = belief.instead(changed, self._later(there, told, ago))
        half = 0.5 * self.resolution
        if self.noise:
            belief = belief.placed(told.y, self.resolution**2 / 12.0 + self.noise**2)
            y = belief.mean[0]
        else:
            belief = belief.cut(told.y - half, told.y + half, self._sharp)
            y = minimum(maximum(belief.mean[0], told.y - half), told.y + half)
        mean = belief.mean
        known = replace(told, y=y, v=mean[1], bias=told.bias + mean[2])
        return (*mean, *belief.spread, 1.0), known

    @property
    def _sharp(self) -> float:
        return float((_SHARP * self.resolution) ** 2)

    def _later(self, belief: "_Belief", told: Told, duration: Scalar) -> "_Belief":
        """What is believed a duration [s] later, under the force that acts. A force that grows
        evenly moves as its third does, and hurries as its half (to the first order)."""
        y, v, hand, rate = belief.mean
        flow = told.plant.over(duration)
        third, half = duration * (1.0 / 3.0), duration * 0.5
        force = told.acting + told.bias + hand
        mean = (
            flow(y, v, force + rate * third).y, flow(y, v, force + rate * half).v,
            hand + rate * duration, rate,
        )  # fmt: skip
        P = dict(zip(_PLACES, belief.spread, strict=True))
        P |= {(j, i): each for (i, j), each in P.items()}
        rows: tuple[dict[int, Scalar], ...] = (
            {0: flow.yy, 1: flow.yv, 2: flow.yf, 3: flow.yf * third},
            {0: flow.vy, 1: flow.vv, 2: flow.vf, 3: flow.vf * half},
            {2: 1.0, 3: duration},
            {3: 1.0},
        )
        part = [[sum(a * P[k, j] for k, a in row.items()) for j in range(4)] for row in rows]
        wide = {(i, j): sum(a * part[i][k] for k, a in rows[j].items()) for i, j in _PLACES}
        wide[3, 3] = wide[3, 3] + self.wander**2 * duration
        return _Belief(mean, [wide[place] for place in _PLACES])


class _Belief(NamedTuple):
    """Of y, v, the hand's force and its rate, and the spread of them."""

    mean: Sequence[Scalar]
    spread: Sequence[Scalar]

    def placed(self, position: Scalar, variance: float) -> "_Belief":
        """After a position [m] that is true within a variance [m²]. If it is a surprise, the belief
        was too firm, and is widened first."""
        surprise = position - self.mean[0]
        wide = self._wide_enough(surprise, variance)
        return wide._shifted(surprise / (wide.spread[0] + variance), wide.spread[0] + variance)

    def cut(self, low: Scalar, high: Scalar, least: float) -> "_Belief":
        """After an interval [m] that is sure: mean and spread of the normal distribution's part in
        it. An interval takes no more than a share of the spread, since samples between two
        changes tell little that is new."""
        y = self.mean[0]
        wide = self._wide_enough(maximum(maximum(low - y, y - high), 0.0), least)
        square = maximum(wide.spread[0], least)
        deviation = sqrt(square)
        a = minimum(maximum((low - y) / deviation, -2.0 * _TAIL), _TAIL)
        b = maximum(minimum((high - y) / deviation, 2.0 * _TAIL), -_TAIL)
        share = maximum(_below(b) - _below(a), 1e-4)
        shift = (_density(a) - _density(b)) / share
        kept = 1.0 - (b * _density(b) - a * _density(a)) / share - shift * shift
        cut = 1.0 - minimum(maximum(kept, _KEPT), 1.0)
        return wide._shifted(shift / deviation, square / maximum(cut, 1e-12))

    def _wide_enough(self, surprise: Scalar, variance: float) -> "_Belief":
        firm = maximum(self.spread[0], 0.0) + variance
        factor = maximum(1.0, surprise * surprise / (firm * _SURPRISE**2))
        return _Belief(self.mean, [factor * each for each in self.spread])

    def _shifted(self, by: Scalar, over: Scalar) -> "_Belief":
        """The mean moved by the spread of y times `by`, the spread less its square over `over`."""
        P = dict(zip(_PLACES, self.spread, strict=True))
        mean = [each + P[0, i] * by for i, each in enumerate(self.mean)]
        return _Belief(mean, [P[i, j] - P[0, i] * P[0, j] / over for i, j in _PLACES])

    def instead(self, condition: Scalar, other: "_Belief") -> "_Belief":
        """Another one, where a condition holds."""
        pairs = (zip(a, b, strict=True) for a, b in zip(other, self, strict=True))
        mean, spread = ([select(condition, a, b) for a, b in pair] for pair in pairs)
        return _Belief(mean, spread)


def _below(x: Scalar) -> Scalar:
    """The normal distribution, within 2e-4 (its logit is nearly a cubic)."""
    return 1.0 / (1.0 + exp(-x * (1.5976 + 0.07056 * x * x)))


def _density(x: Scalar) -> Scalar:
    return 0.3989422804014327 * exp(-0.5 * x * x)
