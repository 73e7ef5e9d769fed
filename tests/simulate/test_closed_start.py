"""A run without a state starts where the constraints allow it."""

import warnings
from typing import Any

import numpy as np
import pytest

import touchback as tb
from closed_examples import open_slider_crank


@pytest.mark.parametrize("method", ["dopri5", "event-driven", "moreau-jean"])
@pytest.mark.parametrize("radius", [0.1, 0.13])
def test_a_loop_that_is_described_open_starts_closed(method: str, radius: float) -> None:
    """Under the parameters of the run, at rest where the described joints put the crank."""
    m = open_slider_crank()
    system = m.compile()
    far = {
        "far": tb.contact.SpherePlaneContact(m.bodies["crank"].at(0.1, 0, 0), m.ground.at(0, 0, -9))
    }
    contacts: Any = {} if method == "dopri5" else {"contacts": far}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {"radius": radius}
        found = tb.simulate(system, duration=0.01, method=method, parameters=given, **contacts)
    system["radius"] = radius
    expected = system.assemble().x
    np.testing.assert_allclose(
        [found[name][0] for name in system.state_names], expected, atol=1e-12
    )


def test_a_loop_that_cannot_close_is_refused_by_name() -> None:
    m = tb.Model("too short")
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("arm", tb.Revolute("y"), m.ground, arm)
    length = m.parameter("length", 1.0)
    m.close("rod", tb.Rod(length), m.ground.at(2, 0, 0), arm.at(1, 0, 0))
    system = m.compile()
    with pytest.raises(tb.SolveError, match="'rod'"):
        tb.simulate(system, duration=0.1, parameters={"length": 0.5})
    assert system.parameters["length"] == 1.0


@pytest.mark.parametrize("wrong", ["lenght", "length"])
def test_a_wrong_parameter_of_a_run_that_starts_closed_is_refused_by_name(wrong: str) -> None:
    m = tb.Model("arm")
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("arm", tb.Revolute("y"), m.ground, arm)
    m.parameter("mass", 1.0)
    m.close(
        "rod", tb.Rod(m.parameter("length", 1.0, max=2.0)), m.ground.at(2, 0, 0), arm.at(1, 0, 0)
    )
    system = m.compile()
    with pytest.raises(tb.InputError, match="'length'"):
        tb.simulate(system, duration=0.1, parameters={"mass": 2.0, wrong: 3.0})
    assert system.parameters == {"mass": 1.0, "length": 1.0}
