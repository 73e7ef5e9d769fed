"""Derivatives of runs by parameters that move the instants at which laws of time and drives switch:
by closed forms, and by differences of runs of `tb.simulate`."""

from collections.abc import Sequence

import numpy as np
import pytest

import touchback as tb
from driven_slides import AT, KICK, pendulum_on_slide, ramp_by_parameters
from touchback.analysis import ClosedVariations, Variations, plan_steps
from touchback.simulate import read_inputs

EXACT = {"rtol": 1e-11, "atol": 1e-13}


def by_differences(
    system: tb.System, name: str, outputs: Sequence[str], duration: float
) -> np.ndarray:
    """Central, of runs at tight tolerances: right to about 1e-7."""
    usual = system.parameters[name]
    step = 1e-4 * abs(usual)
    runs = [
        tb.simulate(system, duration=duration, parameters={name: value}, progress=False, **EXACT)
        for value in (usual + step, usual - step)
    ]
    ends = [np.array([run[output][-1] for output in outputs]) for run in runs]
    return (ends[0] - ends[1]) / (2.0 * step)


def pushed_cart(smooth: bool = False) -> tb.System:
    """A cart that a force F pushes from a time on; `smooth`: that rises from there on."""
    m = tb.Model("cart", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=2.0))
    at, force = m.parameter("at", 0.3), m.parameter("force", 5.0)
    law = force * tb.maximum(0.0, m.time - at) if smooth else tb.select(m.time < at, 0.0, force)
    m.force("push", tb.JointEffort("x", law))
    return m.compile()


def test_a_force_that_sets_in_later_does_less() -> None:
    """x = F (T − at)² / 2 m, with T = 1 s."""
    found = tb.sensitivity(pushed_cart(), parameters=["at", "force"], **EXACT)
    exact = {("x", "at"): -1.75, ("x rate", "at"): -2.5}
    exact |= {("x", "force"): 0.1225, ("x rate", "force"): 0.35}
    for pair, value in exact.items():
        assert found[pair][-1] == pytest.approx(value, rel=1e-9), pair
    before = found.time < 0.3
    assert not found["x rate", "at"][before].any()


def test_a_kink_of_a_force_adds_nothing() -> None:
    """ẋ = F (T − at)² / 2 m."""
    found = tb.sensitivity(pushed_cart(smooth=True), parameters=["at"], **EXACT)
    assert found["x rate", "at"][-1] == pytest.approx(-5.0 * 0.7 / 2.0, rel=1e-9)


@pytest.mark.parametrize("states", [1, 3])
def test_states_that_lag_behind_a_force_move_with_its_instant(states: int) -> None:
    """ż = (F − z)/τ from `at` on: z = F (1 − exp(−(T − at)/τ)), with fewer states than coordinates
    and with more; a state that knows no switch stays."""
    m = tb.Model("lags", gravity=(0, 0, 0))
    at, force = m.parameter("at", 0.3), m.parameter("force", 5.0)
    law = tb.select(m.time < at, 0.0, force)
    for name in ("x", "y"):
        m.joint(name, tb.Prismatic(name), m.ground, m.body(name, mass=2.0))
        m.force(f"push {name}", tb.JointEffort(name, law))
    times = [0.2 * (k + 1) for k in range(states)]
    for k, lag in enumerate(times):
        z = m.state(f"z{k}", 0.0)
        m.set_rate(f"z{k}", (law - z) / lag)
    m.state("alone", 1.0, rate=0.5)
    names = [f"z{k}" for k in range(states)]
    found = tb.sensitivity(
        m.compile(), duration=1.0, parameters=["at", "force"], outputs=["x", *names, "alone"],
        **EXACT,
    )  # fmt: skip
    assert found["x", "at"][-1] == pytest.approx(-1.75, rel=1e-9)
    for name, lag in zip(names, times, strict=True):
        left = np.exp(-0.7 / lag)
        assert found[name, "at"][-1] == pytest.approx(-5.0 * left / lag, rel=1e-8)
        assert found[name, "force"][-1] == pytest.approx(1.0 - left, rel=1e-8)
        assert not found[name, "at"][found.time < 0.3].any()
    assert not found["alone", "at"].any() and not found["alone", "force"].any()


def test_the_instant_and_the_speed_of_a_slide_that_starts_suddenly() -> None:
    """Without gravity θ = θ₀ + k cos θ₀ u (T − at)."""
    system = pendulum_on_slide(ramp_by_parameters, gravity=0.0).compile()
    found = tb.sensitivity(system, duration=0.1, parameters=["at", "speed"], **EXACT)
    gain = KICK * np.cos(0.4)
    exact = {("x", "at"): -1.0, ("x rate", "at"): 0.0, ("swing", "at"): -gain}
    exact |= {("swing rate", "at"): 0.0, ("swing", "speed"): gain * (0.1 - AT)}
    exact |= {("swing rate", "speed"): gain, ("x rate", "speed"): 1.0}
    for pair, value in exact.items():
        assert found[pair][-1] == pytest.approx(value, rel=1e-8, abs=1e-9), pair
    run = tb.simulate(system, duration=0.1, progress=False, **EXACT)
    for name in system.state_names:
        assert found.run[name][-1] == pytest.approx(run[name][-1], abs=1e-10)


def driven_four_bar() -> tb.Model:
    """Its crank begins to turn at once; a wagon slides on its rocker."""
    m = tb.Model("four-bar")
    at, speed = m.parameter("at", 0.05), m.parameter("speed", 2.0)
    length = m.parameter("length", 0.4, min=0.1)
    crank = m.body("crank", mass=0.3, com=(0.05, 0, 0), inertia=(1e-3,) * 3)
    rod = m.body("rod", mass=0.6, com=(0.2, 0, 0), inertia=(8e-3,) * 3)
    rocker = m.body("rocker", mass=0.5, com=(0.1, 0, 0), inertia=(5e-3,) * 3)
    wagon = m.body("wagon", mass=0.7)
    m.joint("crank", tb.Revolute("y"), m.ground, crank, position=-1.2)
    m.joint("rod", tb.Revolute("y"), crank.at(0.1, 0, 0), rod, position=1.0)
    m.joint("rocker", tb.Revolute("y"), m.ground.at(0.4, 0, 0), rocker, position=-1.4)
    m.joint("wagon", tb.Prismatic("x"), rocker, wagon, position=0.1)
    m.close("loop", tb.PointInPlane("xz"), rod.at(length, 0, 0), rocker.at(0.25, 0, 0))
    m.drive("crank", -1.2 + speed * tb.maximum(0.0, m.time - at))
    return m


def hung_body() -> tb.Model:
    """A body that turns about a ball joint (quaternions) on a slide."""
    m = tb.Model("hung")
    slide = m.body("slide", mass=1.0)
    bob = m.body("bob", mass=0.8, com=(0.1, 0.2, -0.4), inertia=(0.02, 0.03, 0.05))
    m.joint("x", tb.Prismatic("x"), m.ground, slide)
    m.joint("ball", tb.Spherical(), slide, bob)
    m.drive("x", ramp_by_parameters(m))
    return m


def moving_guide() -> tb.Model:
    """A point held on a line that turns with time, and begins to do so at once: J depends on it."""
    m = tb.Model("guide")
    at, speed = m.parameter("at", 0.05), m.parameter("speed", 2.0)
    point = m.body("point", mass=1.5)
    slider = m.body("slider", mass=0.5)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.5)
    m.joint("point", tb.Prismatic("z"), slider, point)
    angle = speed * tb.maximum(0.0, m.time - at) + 0.5 * m.time
    x, z = m.coordinate("slider"), m.coordinate("point")
    m.constrain("guide", z * tb.cos(angle) - x * tb.sin(angle))
    return m


@pytest.mark.parametrize("make", [driven_four_bar, hung_body, moving_guide])
def test_jumps_of_rates_in_other_mechanisms_agree_with_differences(make) -> None:
    system = make().compile()
    names, outputs = list(system.parameter_names), list(system.state_names)
    found = tb.sensitivity(system, duration=0.2, parameters=names, outputs=outputs)
    for name in names:
        ends = [found[output, name][-1] for output in outputs]
        differences = by_differences(system, name, outputs, 0.2)
        np.testing.assert_allclose(ends, differences, rtol=2e-6, atol=2e-6)


def test_runs_of_fits_pass_switches_alike() -> None:
    cart = pushed_cart()
    slide = pendulum_on_slide(ramp_by_parameters).compile()
    made = [
        (cart, Variations(cart, ["at", "force"], []), ["at", "force"]),
        (slide, ClosedVariations(slide, ["at", "speed"], [], [], False), ["at", "speed"]),
    ]
    times = np.linspace(0.0, 0.5, 52)  # whose rows lie beside the switches
    for system, variations, names in made:
        given, x0 = read_inputs(system, None, 0.5), system.assemble().x
        found = variations.follow(x0, plan_steps(times, given, system, {}, 1e-3), given, {})
        other = tb.sensitivity(system, duration=0.5, parameters=names)
        for i, state in enumerate(system.state_names):
            assert found.values[-1, i] == pytest.approx(other.run[state][-1], abs=1e-8)
            for j, name in enumerate(names):
                expected = other[state, name][-1]
                assert found.derivatives[-1, i, j] == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_switches_that_part_as_a_parameter_varies_are_refused() -> None:
    m = tb.Model("cart", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=2.0))
    for name in ("first", "second"):
        law = tb.select(m.time < m.parameter(name, 0.3), 0.0, 5.0)
        m.force(name, tb.JointEffort("x", law))
    with pytest.raises(tb.SolveError, match=r"switch at t = 0\.3 s moves with 'first'"):
        tb.sensitivity(m.compile(), parameters=["first"])


def test_rollouts_warn_of_drives_whose_rates_jump() -> None:
    system = pendulum_on_slide(ramp_by_parameters).compile()
    with pytest.warns(RuntimeWarning, match=r"'x' by 1 m/s \(or rad/s\) at t = 0\.02 s.*rollouts"):
        tb.rollout(system, 30)


def test_a_drive_whose_position_jumps_has_no_derivatives() -> None:
    model = pendulum_on_slide(lambda m: tb.select(m.time < m.parameter("at", AT), 0.0, 0.05))
    with pytest.raises(tb.InputError, match=r"'x' prescribes jumps by 0\.05 m"):
        tb.sensitivity(model.compile(), duration=0.1, parameters=["at"])
