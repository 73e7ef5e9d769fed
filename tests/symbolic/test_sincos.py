"""Sine and cosine are as near as they are said to be."""

import math

import mpmath
import numpy as np

from touchback.symbolic.sincos import sincos

EXACT = mpmath.mp.clone()
EXACT.prec = 200
STATED = 1.6  # units in the last place: symbolic/sincos.py, docs/formulation.md
WORST = (48084.4637778912, 35329.55130931915, 127279.24760129358, 1324.9668449962903)


def error(angle: float) -> float:
    """The larger error of the two, in units in the last place of the exact value."""
    exact = EXACT.sin(angle), EXACT.cos(angle)
    return max(
        float(abs(EXACT.mpf(got) - true)) / math.ulp(float(abs(true)))
        for got, true in zip(sincos(angle), exact, strict=True)
    )


def test_errors_stay_below_what_is_stated_and_come_near_it() -> None:
    random = np.random.default_rng(1)
    whole = random.integers(-(10**5), 10**5, 1000)
    edge = whole * (math.pi / 2.0) + random.uniform(0.7, 0.7854, 1000)
    everywhere = random.uniform(-(2.0**30), 2.0**30, 1000)
    errors = [error(float(angle)) for angle in (*WORST, *edge, *everywhere)]
    assert 1.55 < max(errors) < STATED
