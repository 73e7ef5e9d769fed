"""Psychometric functions, how often a person is right over how much there is to be felt, and the
maximum-likelihood fit of a threshold with its confidence.

ψ(x) = γ + (1 − γ − λ) F(x): γ is the share of guesses that are right (1/2 or 1/3 of intervals), λ
that of lapses, and F grows from 0 to 1 with the logarithm of the level x."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.names import suggestion
from touchback.numbers import check_fields

Numbers = np.ndarray


_LN10 = float(np.log(10.0))


_FAR = 300.0  # beyond this the exponent of a power overflows


def _weibull(u: Numbers, steepness: Numbers, share: float) -> Numbers:
    power = np.clip(steepness * u * _LN10, -_FAR, _FAR)
    return -np.expm1(np.log1p(-share) * np.exp(power))


def _logistic(u: Numbers, steepness: Numbers, share: float) -> Numbers:
    odds = np.log(share / (1.0 - share))
    return 1.0 / (1.0 + np.exp(-np.clip(odds + steepness * u * _LN10, -_FAR, _FAR)))


def _normal(u: Numbers, steepness: Numbers, share: float) -> Numbers:
    from scipy.special import ndtr, ndtri

    return np.asarray(ndtr(ndtri(share) + steepness * u))


#: F over u = log10(x/threshold), its steepness, and the share F(0) that the threshold stands for.
#: Steepness: of a Weibull its exponent β (x/α)^β, of a logistic the exponent of the odds, of a
#: normal one standard deviations a decade.
SHAPES: dict[str, Callable[[Numbers, Numbers, float], Numbers]] = {
    "weibull": _weibull,
    "logistic": _logistic,
    "normal": _normal,
}


@dataclass(frozen=True)
class Psychometric:
    """ψ of a person. `threshold` is the level at which F is `share` (1/2: half-way between guessing
    and certainty, were there no lapses)."""

    threshold: float
    steepness: float = 2.0
    guess: float = 0.5
    lapse: float = 0.0
    shape: str = "weibull"
    share: float = 0.5

    def __post_init__(self) -> None:
        check_fields(self)
        check_shape(self.shape)
        check_share(self.share)
        if not (0.0 < self.threshold < np.inf and 0.0 < self.steepness < np.inf):
            raise InputError(
                f"Psychometric: threshold {self.threshold} and steepness {self.steepness}; both "
                "are above zero."
            )
        if not (0.0 <= self.guess < 1.0 and 0.0 <= self.lapse < 1.0 - self.guess):
            raise InputError(
                f"Psychometric: guess {self.guess} and lapse {self.lapse}; give shares of all "
                "answers whose sum is below 1."
            )

    def right(self, levels: Numbers | float) -> Numbers:
        """The probability of a right answer at levels (0: nothing to be felt)."""
        x = np.asarray(levels, dtype=float)
        with np.errstate(divide="ignore"):
            u = np.log10(np.maximum(x, 0.0) / self.threshold)
        u = np.clip(u, -_FAR, _FAR)
        f = SHAPES[self.shape](u, np.asarray(self.steepness), self.share)
        return self.guess + (1.0 - self.guess - self.lapse) * f

    def level(self, right: float) -> float:
        """The level at which so large a share of answers is right, lapses included."""
        top = 1.0 - self.lapse
        if not self.guess < right < top:
            raise InputError(
                f"Psychometric: {right:g} of all answers are right at no level; between "
                f"{self.guess:g} and {top:g} there is one."
            )
        from scipy.optimize import brentq

        root = brentq(lambda u: float(self.right(self.threshold * 10.0**u)) - right, -20.0, 20.0)
        return float(self.threshold * 10.0**root)


def check_shape(shape: str) -> None:
    """Refuses what is no shape."""
    if shape not in SHAPES:
        raise InputError(f"There is no psychometric shape '{shape}'; {suggestion(shape, SHAPES)}")


def check_share(share: float) -> None:
    """Refuses a share that no threshold can stand for."""
    if not 0.0 < share < 1.0:
        raise InputError(
            f"Threshold: at a share of {share:g} between guessing and certainty; give one above 0 "
            "and below 1."
        )


MOST_LAPSES = 0.06


STEEPNESS = 0.3, 20.0  # the flattest and the steepest


USUAL = {"weibull": 2.0, "logistic": 3.0, "normal": 4.0}


BELIEF = 0.6  # standard deviation of the logarithm of steepness around the usual


_BEYOND = 1.0  # decades outside the levels, where thresholds are looked for


_EDGES = float(np.log(STEEPNESS[0])), float(np.log(STEEPNESS[1]))


_ACROSS, _THRESHOLDS = (25, 4), 61  # points of the grids


_ROUNDS = 16  # how often a grid shrinks


_TINY = 1e-12


LEAST = 10  # answers, below which nothing is told


@dataclass(frozen=True)
class Counts:
    """Answers by level: how many there were, and how many were right."""

    levels: np.ndarray
    asked: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, answers: Iterable[tuple[float, bool]]) -> "Counts":
        """The counts of single answers."""
        pairs = [(float(level), bool(right)) for level, right in answers]
        levels = sorted({level for level, _ in pairs})
        asked = [sum(one == level for one, _ in pairs) for level in levels]
        right = [sum(one == level and good for one, good in pairs) for level in levels]
        return cls(np.array(levels), np.array(asked, dtype=float), np.array(right, dtype=float))

    def __post_init__(self) -> None:
        every = (self.levels, self.asked, self.right)
        if not all(isinstance(each, np.ndarray) and each.dtype.kind in "iuf" for each in every):
            raise InputError("Counts: levels, asked and right must be arrays of numbers.")
        whole = self.levels.ndim == 1 and len({each.shape for each in every}) == 1
        if not whole or not ((self.right >= 0) & (self.right <= self.asked)).all():
            raise InputError("Counts: give as many right answers as asked, or fewer, a level.")
        if not ((self.asked > 0) & np.isfinite(self.asked)).all():
            raise InputError(f"Counts: {self.asked.tolist()} asked; leave levels without any out.")
        if len(self.levels) and not (np.isfinite(self.levels).all() and self.levels.min() > 0.0):
            raise InputError(f"Counts: levels {self.levels.tolist()}; all are above zero.")


@dataclass(frozen=True)
class Fit:
    """The most likely psychometric function, and the interval [low, high] that holds the threshold
    with some confidence: an end that the answers don't tell is 0 or infinite. `deviance` is that
    of the answers from the function, with `freedoms`."""

    best: Psychometric
    low: float
    high: float
    confidence: float
    deviance: float
    freedoms: int
    counts: Counts

    @property
    def threshold(self) -> float:
        return self.best.threshold

    @property
    def beyond(self) -> int:
        """−1 or 1 where answers only say that the threshold is below or above their levels: it was
        the likelier the further away it was looked for, and `threshold` is where that ended."""
        levels, furthest = self.counts.levels, 10.0 ** (_BEYOND - 1e-3)
        below, above = levels.min() / furthest, levels.max() * furthest
        return int(self.threshold > above) - int(self.threshold < below)

    def holds(self, threshold: float) -> bool:
        """Whether a threshold lies in the interval of confidence."""
        return self.low <= threshold <= self.high


def fit_threshold(
    counts: Counts,
    guess: float,
    shape: str = "weibull",
    share: float = 0.5,
    confidence: float = 0.95,
) -> Fit:
    """The threshold of a person who gave these answers."""
    check_shape(shape)
    check_share(share)
    if not 0.0 < confidence < 1.0:
        raise InputError(f"Fit: a confidence of {confidence:g}; give one above 0 and below 1.")
    if counts.asked.sum() < LEAST:
        raise InputError(
            f"Fit: {int(counts.asked.sum())} answers tell no threshold; give {LEAST} at least."
        )
    likelihood = _Likelihood(np.log10(counts.levels), guess, shape, share)
    profile = _Profile(counts, likelihood)
    best = profile.best()
    found = Psychometric(10.0 ** best[0], float(np.exp(best[1])), guess, best[2], shape, share)
    least = best[3] - _drop(len(counts.levels), confidence)
    low, high = (profile.end(best[0], least, side) for side in (-1, 1))
    deviance = 2.0 * (_saturated(counts) - _plain(counts, found))
    return Fit(found, low, high, confidence, deviance, len(counts.levels) - 3, counts)


def _saturated(counts: Counts) -> float:
    """The log-likelihood of a function that goes through every level's share."""
    return _log_likelihood(counts, counts.right / counts.asked)


def _plain(counts: Counts, best: Psychometric) -> float:
    """That of a psychometric function, whatever was believed before."""
    return _log_likelihood(counts, best.right(counts.levels))


def _log_likelihood(counts: Counts, share: np.ndarray) -> float:
    logs = counts.right * np.log(np.maximum(share, _TINY))
    logs += (counts.asked - counts.right) * np.log(np.maximum(1.0 - share, _TINY))
    return float(logs.sum())


@dataclass(frozen=True)
class _Likelihood:
    """The log-likelihood of answers at the levels 10^x, for one kind of psychometric function."""

    x: np.ndarray
    guess: float
    shape: str
    share: float

    def logs(
        self, t: np.ndarray, s: np.ndarray, lapse: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Logarithms of the probabilities of right and wrong answers, levels along the last axis,
        at thresholds 10^t and steepnesses e^s."""
        u = self.x - t[..., None]
        f = SHAPES[self.shape](u, np.exp(s)[..., None], self.share)
        p = self.guess + (1.0 - self.guess - lapse[..., None]) * f
        return np.log(np.maximum(p, _TINY)), np.log(np.maximum(1.0 - p, _TINY))


@dataclass(frozen=True)
class _Points:
    """Thresholds, and at each of them every steepness and share of lapses of a grid."""

    t: np.ndarray
    s: np.ndarray
    lapse: np.ndarray

    @classmethod
    def over(cls, t: np.ndarray) -> "_Points":
        grid = np.meshgrid(
            np.linspace(*_EDGES, _ACROSS[0]), np.linspace(0.0, MOST_LAPSES, _ACROSS[1])
        )
        return cls(t, *(each.ravel() for each in grid))

    def log_likelihood(
        self, likelihood: _Likelihood, right: np.ndarray, wrong: np.ndarray
    ) -> np.ndarray:
        """One row a threshold, one column a point of the grid."""
        each = np.broadcast_arrays(self.t[:, None], self.s[None], self.lapse[None])
        log_right, log_wrong = likelihood.logs(*each)
        return np.asarray(log_right @ right + log_wrong @ wrong) + _belief(self.s, likelihood.shape)


def _belief(s: np.ndarray, shape: str) -> np.ndarray:
    """The logarithm of how likely a steepness is before anything is answered."""
    return np.asarray(-0.5 * ((s - np.log(USUAL[shape])) / BELIEF) ** 2)


class _Profile:
    """The log-likelihood over log10 of the threshold, with the best steepness and lapses there."""

    def __init__(self, counts: Counts, likelihood: _Likelihood) -> None:
        self._likelihood = likelihood
        self._right, self._wrong = counts.right, counts.asked - counts.right
        x = likelihood.x
        points = _Points.over(np.linspace(x.min() - _BEYOND, x.max() + _BEYOND, _THRESHOLDS))
        found = points.log_likelihood(likelihood, self._right, self._wrong)
        pick = found.argmax(axis=1)
        self._t, self._s, self._lapse = points.t, points.s[pick], points.lapse[pick]
        # Thousands of answers tell between points of the coarse grid.
        self._s, self._lapse, self._found = self.at(points.t)

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Steepness, lapses and log-likelihood at thresholds: the best of small grids that shrink
        around that of the nearest threshold seen."""
        nearest = np.abs(self._t[:, None] - t).argmin(axis=0)
        s, lapse = self._s[nearest], self._lapse[nearest]
        half, side = 1.5 * float(np.ptp(_EDGES)) / _ACROSS[0], 0.5 * MOST_LAPSES
        for _ in range(_ROUNDS):
            ds, dl = np.meshgrid((-half, 0.0, half), (-side, 0.0, side))
            near_s = np.clip(s[:, None] + ds.ravel(), *_EDGES)
            near_lapse = np.clip(lapse[:, None] + dl.ravel(), 0.0, MOST_LAPSES)
            each = np.broadcast_to(t[:, None], near_s.shape)
            log_right, log_wrong = self._likelihood.logs(each, near_s, near_lapse)
            found = log_right @ self._right + log_wrong @ self._wrong
            found += _belief(near_s, self._likelihood.shape)
            pick = np.arange(len(t)), found.argmax(axis=1)
            s, lapse, found = near_s[pick], near_lapse[pick], found[pick]
            half, side = 0.7 * half, 0.7 * side
        return s, lapse, found

    def best(self) -> tuple[float, float, float, float]:
        """log10 of the threshold, log of the steepness, lapses, log-likelihood."""
        i = int(self._found.argmax())
        low, high = self._t[max(i - 1, 0)], self._t[min(i + 1, len(self._t) - 1)]
        for _ in range(5):
            t = np.linspace(low, high, 7)
            s, lapse, found = self.at(t)
            i = int(found.argmax())
            low, high = t[max(i - 1, 0)], t[min(i + 1, 6)]
        return float(t[i]), float(s[i]), float(lapse[i]), float(found[i])

    def end(self, top: float, least: float, side: int) -> float:
        """The last threshold, down (side −1) or up (1) from the best, whose log-likelihood is not
        below a value; 0 or infinite where all of them are likely enough."""
        outside = self._t[(side * (self._t - top) > 0.0) & (self._found < least)]
        if not len(outside):
            return 0.0 if side < 0 else np.inf
        out, inside = float(outside[-1] if side < 0 else outside[0]), top
        for _ in range(4):
            t = np.linspace(inside, out, 8)[1:]
            below = np.flatnonzero(self.at(t)[2] < least)
            first = int(below[0]) if len(below) else len(t) - 1
            inside, out = inside if first == 0 else float(t[first - 1]), float(t[first])
        return float(10.0**out)


def _drop(levels: int, confidence: float) -> float:
    """How far the log-likelihood of the true threshold may lie below the best one: half of F with
    one freedom and those that the levels leave beside threshold and steepness. With many levels it
    is χ²; with few, χ² would hold 91 to 93 % where it says 95."""
    from scipy.stats import f

    return 0.5 * float(f.ppf(confidence, 1, max(levels - 2, 2)))
