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


@pytest.mark.parametrize("change", ["parameters of the run", "the system's own"])
@pytest.mark.parametrize("radius", [0.05, 0.13, 0.19])
def test_an_assembled_state_is_assembled_anew_under_other_lengths(
    radius: float, change: str
) -> None:
    """What was given when it was assembled is kept; positions by the law of cosines."""
    system = open_slider_crank().compile()
    start = system.assemble(crank=0.4, rates={"crank": 3.0})
    before = start.x.copy()
    given = {"radius": radius} if change == "parameters of the run" else {}
    if not given:
        system["radius"] = radius
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = tb.simulate(system, start, duration=1e-3, parameters=given, progress=False)
    system["radius"] = radius
    wanted = system.assemble(crank=0.4, rates={"crank": 3.0}).x
    found = [run[name][0] for name in system.state_names]
    assert (run["crank"][0], run["crank rate"][0]) == (0.4, 3.0)
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    np.testing.assert_array_equal(start.x, before)


def test_an_assembled_state_keeps_its_bits_where_its_loops_stay_closed() -> None:
    m = open_slider_crank()
    m.parameter("unused", 1.0)
    system = m.compile()
    start = system.assemble(crank=0.4, rates={"crank": 3.0})
    run = tb.simulate(system, start, duration=1e-3, parameters={"unused": 2.0}, progress=False)
    assert run.metadata["initial_state"] == start.x.tolist()


def test_a_state_that_is_given_by_its_numbers_still_warns() -> None:
    system = open_slider_crank().compile()
    numbers = system.assemble(crank=0.4).x
    with pytest.warns(RuntimeWarning, match="breaks the constraints"):
        tb.simulate(system, numbers, duration=1e-3, parameters={"radius": 0.13}, progress=False)
