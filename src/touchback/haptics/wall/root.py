"""The root of a function between two places of opposite sign."""

from collections.abc import Callable
from typing import Any


def root(function: Callable[[float], float], low: float, high: float, **precision: Any) -> float:
    """By Brent's method; `precision` holds SciPy's `xtol` and `rtol`."""
    from scipy.optimize import brentq  # half a second, not for the command's start

    return float(brentq(function, low, high, **precision))
