"""Filters inside a model give what they give over recorded samples."""

import numpy as np
import pytest

import touchback as tb
from touchback.devices.sensors import Unwrap
from touchback.estimate import (
    AdaptiveWindow,
    BackwardDifference,
    SmoothDifferentiator,
    add_filter,
    kalman_differentiator,
    run,
)

T = 1e-3


@pytest.mark.parametrize(
    "filter",
    [
        BackwardDifference(T),
        SmoothDifferentiator(T, 5),
        AdaptiveWindow(T, noise=1e-4, longest=6),
        kalman_differentiator(T, 1e-4, 500.0),
        Unwrap(4),
    ],
    ids=lambda filter: type(filter).__name__,
)
def test_a_filter_in_a_model_is_the_filter_over_its_samples(filter):
    m = tb.Model("swinging", gravity=(0, 0, 0))
    m.joint(
        "slide", tb.Prismatic("x"), m.ground, m.body("mass", mass=1.0), position=0.02, spring=400.0
    )
    seen = tb.floor(m.coordinate("slide") * 1e4) * 1e-4
    add_filter(m, "speed", filter, seen, rest=0.02)
    history = tb.simulate(m.compile(), duration=0.3, rate=1 / T, step=T, method="rk4")
    samples = np.floor(history["slide"] * 1e4) * 1e-4
    expected = run(filter, np.concatenate([[0.02], samples]))[1:]
    found = history["speed"]  # at an instant: the estimate of the tick before it
    np.testing.assert_allclose(found[1:], expected[:-1], rtol=1e-9, atol=1e-9)
