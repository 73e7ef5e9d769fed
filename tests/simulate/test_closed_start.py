"""A run without a state starts where the constraints allow it."""

import warnings
from typing import Any

import numpy as np
import pytest

import touchback as tb


@pytest.mark.parametrize("method", ["dopri5", "event-driven", "moreau-jean"])
@pytest.mark.parametrize("radius", [0.1, 0.13])
def test_a_loop_that_is_described_open_starts_closed(method: str, radius: float) -> None:
    """Under the parameters of the run, at rest where the described joints put the crank."""
    m = tb.Model("slider-crank")
    r = m.parameter("radius", 0.1)
    crank = m.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01))
    rod = m.body("rod", mass=0.5, inertia=(0.01, 0.01, 0.01))
    slider = m.body("slider", mass=0.5)
    m.joint("crank", tb.Revolute("y"), m.ground, crank, position=0.5)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.4)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    system = m.compile()
    far = {"far": tb.SpherePlaneContact(crank.at(0.1, 0, 0), m.ground.at(0, 0, -9))}
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
