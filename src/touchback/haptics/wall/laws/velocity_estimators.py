"""What stands between a sensor and a law: nothing, differences of positions, a window, an observer
of the plant, or the intervals and instants of counts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import touchback as tb
from touchback import exp, maximum, minimum, select, sqrt
from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.laws.base import WallSample
from touchback.numbers import Scalar


class Sense(Protocol):
    """What a law is told, from what was measured."""

    @property
    def start(self) -> tuple[float, ...]:
        """The memory before the first sample."""

    def step(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        """The memory after a sample, and what is known at it."""


@dataclass(frozen=True)
class AsMeasured:
    """Position and velocity as the display was given them."""

    start: tuple[float, ...] = ()

    def step(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        return (), sample


@dataclass(frozen=True)
class Differences:
    """The velocity is the difference of the last two positions over the period."""

    start: tuple[float, ...] = (0.0, 0.0)

    def step(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        before, begun = memory
        slope = select(begun, (sample.y - before) / sample.period, 0.0)
        return (sample.y, 1.0), replace(sample, v=slope)


@dataclass(frozen=True)
class Window:
    """The velocity is the slope over the longest window that no count of `resolution` [m]
    contradicts (Janabi-Sharifi, Hayward & Chen 2000, the end-fit method)."""

    resolution: float
    longest: int = 16

    @property
    def start(self) -> tuple[float, ...]:
        """Of the last positions, and whether there was a sample."""
        return (0.0,) * (self.longest + 1)

    def step(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        kept, begun = memory[:-1], memory[-1]
        before = [select(begun, each, sample.y) for each in kept]
        # Lines through counts miss others by whole fractions of a count: one must not be undecided.
        window = tb.estimate.AdaptiveWindow(1.0, self.resolution * (1.0 + 1e-6), self.longest)
        after, rise = window.step(before, sample.y)
        return (*after, 1.0), replace(sample, v=rise / sample.period)


_PLACES = tuple((i, j) for i in range(4) for j in range(i, 4))


_SHARP = 0.01  # counts: the place of a change, and the least spread that is believed in


_SURPRISE = 2.0  # deviations: what lies farther off was believed in too firmly


_KEPT = 0.7  # of the spread's square, at least, whatever an interval cuts off


_FAR = 1e100  # whose squares are finite


_TAIL = 3.0  # deviations: an interval's far edge is nearer than that


@dataclass(frozen=True)
class CountIntervalEstimator:
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
                f"CountIntervalEstimator: counts of {self.resolution} m and a hand that wanders "
                f"by {self.wander} N/(s √s) must be positive, the noise ({self.noise} m) "
                "zero or more."
            )

    @property
    def start(self) -> tuple[float, ...]:
        """Of y, v, the hand's force and its rate, the spread of them, whether there was a
        sample."""
        return (0.0, 0.0, 0.0, 0.0, self.resolution**2 / 12.0, *(0.0,) * 9, 0.0)

    def step(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        """The memory after a sample whose position is a count, and what the law is told."""
        begun = memory[14]
        y = select(begun, memory[0], sample.y)  # wherever it rests when the display begins
        before = _Belief((y, *memory[1:4]), memory[4:14])
        belief = self._later(before, sample, sample.period)
        if sample.stamp is not None:
            changed, edge, ago = sample.stamp
            there = self._later(before, sample, sample.period - ago).with_position(
                edge, self._sharp
            )
            belief = belief.select_other(changed, self._later(there, sample, ago))
        half = 0.5 * self.resolution
        if self.noise:
            belief = belief.with_position(sample.y, self.resolution**2 / 12.0 + self.noise**2)
            y = belief.mean[0]
        else:
            belief = belief.cut(sample.y - half, sample.y + half, self._sharp)
            y = minimum(maximum(belief.mean[0], sample.y - half), sample.y + half)
        mean = belief.mean
        known = replace(sample, y=y, v=mean[1], bias=sample.bias + mean[2])
        return (*mean, *belief.spread, 1.0), known

    @property
    def _sharp(self) -> float:
        return float((_SHARP * self.resolution) ** 2)

    def _later(self, belief: "_Belief", sample: WallSample, duration: Scalar) -> "_Belief":
        """What is believed a duration [s] later, under the force that acts. A force that grows
        evenly moves as its third does, and hurries as its half (to the first order)."""
        y, v, hand, rate = belief.mean
        flow = sample.plant.flow(duration)
        third, half = duration * (1.0 / 3.0), duration * 0.5
        force = sample.acting + sample.bias + hand
        mean = (
            flow(State(y, v), force + rate * third).y, flow(State(y, v), force + rate * half).v,
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

    def with_position(self, position: Scalar, variance: float) -> "_Belief":
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

    def select_other(self, condition: Scalar, other: "_Belief") -> "_Belief":
        """Another one, where a condition holds."""
        pairs = (zip(a, b, strict=True) for a, b in zip(other, self, strict=True))
        mean, spread = ([select(condition, a, b) for a, b in pair] for pair in pairs)
        return _Belief(mean, spread)


def _below(x: Scalar) -> Scalar:
    """The normal distribution, within 2e-4 (its logit is nearly a cubic)."""
    return 1.0 / (1.0 + exp(-x * (1.5976 + 0.07056 * x * x)))


def _density(x: Scalar) -> Scalar:
    return 0.3989422804014327 * exp(-0.5 * x * x)


_GAUSS = ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18))  # of Legendre


_OBSERVED_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class KalmanEstimator:
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
                f"KalmanEstimator: counts of {self.resolution} m and noise of {self.noise} m must "
                "be zero or more, and not both zero: a sensor without error needs no observer."
            )
        if not 0.0 <= self.slack <= 0.5:
            raise InputError(f"KalmanEstimator: a slack of {self.slack} counts; give 0 to 0.5.")
        if not 0.0 < self.hand_rate < math.inf:
            raise InputError(
                f"KalmanEstimator: a hand that wanders by {self.hand_rate} N/√s never acts."
            )

    @property
    def variance(self) -> float:
        """Of what is read around what is true [m²]."""
        return self.resolution**2 / 12.0 + self.noise**2

    @property
    def start(self) -> tuple[float, ...]:
        """Of y, v, the hand's force, the spread of them, and whether there was a sample."""
        return (0.0, 0.0, 0.0, self.variance, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def step(
        self, memory: Sequence[Scalar], sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        """The memory after a sample whose position is a count, and what the law is told."""
        y, v, hand, begun = *memory[:3], memory[9]
        y = select(begun, y, sample.y)  # wherever it rests when the display begins
        before = _ObservedBelief((y, v, hand), memory[3:9])
        belief = self._later(before, sample, sample.period)
        belief = belief.with_position(self._read(belief.mean[0], sample.y), self.variance)
        if sample.stamp is not None:
            changed, edge, ago = sample.stamp
            there = self._later(before, sample, sample.period - ago).with_position(
                edge, self._sharp
            )
            belief = belief.select_other(changed, self._later(there, sample, ago))
        return self._known(belief, sample)

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

    def _known(
        self, belief: "_ObservedBelief", sample: WallSample
    ) -> tuple[Sequence[Scalar], WallSample]:
        mean, after = belief
        y = mean[0]
        if self.resolution and not self.noise:  # the count is sure
            half = 0.5 * self.resolution
            y = minimum(maximum(y, sample.y - half), sample.y + half)
        known = replace(sample, y=y, v=mean[1])
        if self.feeds:
            known = replace(known, bias=sample.bias + mean[2])
        return (*mean, *after, 1.0), known

    def _later(
        self, belief: "_ObservedBelief", sample: WallSample, duration: Scalar
    ) -> "_ObservedBelief":
        """What is believed a duration [s] later, under the force that acts: Φ x, and Φ P Φᵀ with
        ∫ Γ Γᵀ of the hand that wanders meanwhile."""
        y, v, hand = belief.mean
        flow = sample.plant.flow(duration)
        mean = (*flow(State(y, v), sample.acting + sample.bias + hand), hand)
        P = dict(zip(_OBSERVED_PLACES, belief.spread, strict=True))
        P |= {(j, i): each for (i, j), each in P.items()}
        step = ((flow.yy, flow.yv, flow.yf), (flow.vy, flow.vv, flow.vf), (0.0, 0.0, 1.0))
        half = [[_dot(row, [P[k, j] for k in range(3)]) for j in range(3)] for row in step]
        wide = {(i, j): _dot(step[j], half[i]) for i, j in _OBSERVED_PLACES}
        for place, weight in _GAUSS:
            part = sample.plant.flow(place * duration)
            effect = (part.yf, part.vf, 1.0)
            size = weight * self.hand_rate**2 * duration
            for i, j in _OBSERVED_PLACES:
                wide[i, j] = wide[i, j] + size * effect[i] * effect[j]
        return _ObservedBelief(mean, [wide[place] for place in _OBSERVED_PLACES])


class _ObservedBelief(NamedTuple):
    """Of y, v and the hand's force, and the spread of them."""

    mean: Sequence[Scalar]
    spread: Sequence[Scalar]

    def with_position(self, position: Scalar, variance: float) -> "_ObservedBelief":
        """After a position [m] that is true within a variance [m²]."""
        spread = dict(zip(_OBSERVED_PLACES, self.spread, strict=True))
        surprise = position - self.mean[0]
        gain = [spread[0, i] / (spread[0, 0] + variance) for i in range(3)]
        mean = [each + g * surprise for each, g in zip(self.mean, gain, strict=True)]
        return _ObservedBelief(
            mean, [spread[i, j] - gain[i] * spread[0, j] for i, j in _OBSERVED_PLACES]
        )

    def select_other(self, condition: Scalar, other: "_ObservedBelief") -> "_ObservedBelief":
        """Another one, where a condition holds."""
        pairs = (zip(a, b, strict=True) for a, b in zip(other, self, strict=True))
        mean, spread = ([select(condition, a, b) for a, b in pair] for pair in pairs)
        return _ObservedBelief(mean, spread)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
