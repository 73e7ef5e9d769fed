"""Psychometric functions: how often a person is right, over how much there is to be felt.

ψ(x) = γ + (1 − γ − λ) F(x): γ is the share of guesses that are right (1/2 or 1/3 of intervals), λ
that of lapses, and F grows from 0 to 1 with the logarithm of the level x."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.model.names import suggestion
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
