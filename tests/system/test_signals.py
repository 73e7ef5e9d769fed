"""Inputs, extra states, controllers and sensors of compiled systems, by name."""

import numpy as np
import pytest

import touchback as tb


def wheel(inertia: float = 0.02, **options: object) -> tb.Model:
    m = tb.Model("wheel", gravity=(0, 0, 0))
    rotor = m.body("rotor", 1.0, inertia=(0.01, 0.01, inertia))
    m.joint("axle", tb.Revolute("z"), m.ground, rotor, **options)
    return m


def test_inputs_are_given_by_name_or_in_order_and_have_defaults() -> None:
    m = wheel()
    left, right = m.input("left", default=0.1), m.input("right")
    m.force("motors", tb.JointEffort("axle", left + 2 * right))
    system = m.compile()
    assert system.input_names == ["left", "right"]
    assert system.forward_dynamics([0], [0])[0] == pytest.approx(0.1 / 0.02)
    assert system.forward_dynamics([0], [0], u={"right": 1.0})[0] == pytest.approx(2.1 / 0.02)
    assert system.forward_dynamics([0], [0], u=[1.0, 1.0])[0] == pytest.approx(3.0 / 0.02)
    with pytest.raises(tb.InputError, match="did you mean 'right'"):
        system.forward_dynamics([0], [0], u={"rihgt": 1.0})


def dc_motor() -> tb.Model:
    """L di/dt = U − R i − k ω,  τ = k i: an extra state, the current."""
    m = wheel(damping=0.004)
    voltage = m.input("voltage", unit="V", default=12.0)
    current = m.state(
        "current", rate=lambda i: (voltage - 0.5 * i - 0.1 * m.rate("axle")) / 0.01, unit="A"
    )
    m.force("motor", tb.JointEffort("axle", 0.1 * current))
    return m


def test_a_dc_motor_reaches_its_steady_speed() -> None:
    """ω∞ = k U / (R c + k²), i∞ = c ω∞ / k."""
    system = dc_motor().compile()
    run = tb.simulate(system, duration=60.0, rtol=1e-10, atol=1e-12, progress=False)
    speed = 0.1 * 12.0 / (0.5 * 0.004 + 0.1**2)
    assert run["axle rate"][-1] == pytest.approx(speed, rel=1e-8)
    assert run["current"][-1] == pytest.approx(0.004 * speed / 0.1, rel=1e-8)
    steady = system.assemble(rates={"axle": speed}, states={"current": 0.004 * speed / 0.1})
    np.testing.assert_allclose(system.state_rate(*_of(steady))[1:], 0.0, atol=1e-10)


def _of(state: tb.State) -> tuple[np.ndarray, np.ndarray, None, float, np.ndarray]:
    return state.q, state.v, None, 0.0, state.z


def test_extra_states_reach_every_function_that_forces_reach() -> None:
    m = tb.Model("sail", gravity=(0, 0, 0))
    body = m.body("body", 2.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body)
    wind = m.state("wind", 3.0, rate=0.0)
    m.force("wind", tb.Wrench(body, force=(wind, 0, 5.0)))
    system = m.compile()
    z = [7.0]
    assert system.bias([0], [0], z=z)[0] == pytest.approx(-7.0)
    assert system.bias([0], [0])[0] == pytest.approx(-3.0)
    assert system.inverse_dynamics([0], [0], [1.0], z=z)[0] == pytest.approx(2.0 - 7.0)
    assert system.forward_dynamics([0], [0], z=z)[0] == pytest.approx(3.5)
    reaction = system.reaction("slide", [0], [0], z=z)
    np.testing.assert_allclose(reaction, [0, 0, -5.0, 0, 0, 0], atol=1e-13)


def test_a_pd_controller_gives_the_known_frequency_and_damping() -> None:
    """J θ̈ = −P θ − D θ̇: eigenvalues of s² + (D/J) s + P/J."""
    P, D, J = 8.0, 0.2, 0.02
    m = wheel(J)
    torque = m.input("torque")
    m.force("motor", tb.JointEffort("axle", torque))
    m.control("pd", lambda q, v: -P * q - D * v, of=["q:axle", "v:axle"], to="torque")
    system = m.compile()
    assert system.input_names == []  # the controller drives it
    columns = [system.state_rate([1.0], [0.0]), system.state_rate([0.0], [1.0])]
    found = np.sort_complex(np.linalg.eigvals(np.column_stack(columns)))
    expected = np.sort_complex(np.roots([1.0, D / J, P / J]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_controller_may_use_sensors_and_other_controllers_inputs() -> None:
    m = wheel()
    tip = m.sensor("tip", tb.Position(tb.Frame("rotor", (0.3, 0, 0))))
    first, second = m.input("first"), m.input("second")
    m.control("watch", lambda x, y: x + 2 * y, of=[tip[0], tip[1]], to="first")
    m.control("amplify", lambda signal: 3 * signal, of=[first], to="second")
    m.force("motor", tb.JointEffort("axle", second))
    found = m.compile().joint_efforts([0.4], [0.0])[0]
    assert found == pytest.approx(3 * 0.3 * (np.cos(0.4) + 2 * np.sin(0.4)), rel=1e-13)


def test_signals_that_chase_each_other_are_refused_by_name() -> None:
    m = wheel()
    first, second = m.input("first"), m.input("second")
    m.control("one", lambda s: s + 1, of=[second], to="first")
    m.control("two", lambda s: s + 1, of=[first], to="second")
    m.force("motor", tb.JointEffort("axle", first))
    with pytest.raises(tb.ModelError, match="circle: first → second → first"):
        m.compile().joint_efforts([0.0], [0.0])


def test_a_law_may_not_ask_for_what_it_causes() -> None:
    m = wheel()
    effort = m.sensor("effort", tb.Effort("axle"))
    m.force("motor", tb.JointEffort("axle", effort))
    with pytest.raises(tb.ModelError, match="Filter it through an extra state"):
        m.compile().joint_efforts([0.0], [0.0])


def test_sensors_show_by_name_what_functions_give() -> None:
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    arm = m.body("arm", 1.2, (0.2, 0, 0), (0.01, 0.02, 0.03))
    m.joint("turn", tb.Revolute("y"), m.ground.at(0, 0, 1), arm, damping=0.3)
    tip = arm.at(0.5, 0, 0)
    u = m.input("signal", default=0.25)
    m.sensor("place", tb.Position(tip))
    m.sensor("speed", tb.Velocity(tip))
    m.sensor("spin", tb.AngularVelocity(tip))
    m.sensor("jolt", tb.Acceleration(tip))
    m.sensor("pointer", tb.Direction(tip, "x"))
    m.sensor("gap", tb.Distance(m.ground, tip))
    m.sensor("torque", tb.Effort("turn"))
    m.sensor("twice", tb.Signal(2 * u + m.time))
    m.sensor("energy", tb.Energy())
    system = m.compile()
    q, v = [0.3], [1.4]
    shown = system.sensors(q, v, t=0.5)
    a = system.forward_dynamics(q, v)
    R, p = system.pose(tip, q)

    def of(name: str) -> list[float]:
        return [shown[f"{name}.{axis}"] for axis in "xyz"]

    np.testing.assert_allclose(of("place"), p, atol=1e-14)
    np.testing.assert_allclose(of("speed"), system.velocity(tip, q, v)[3:], atol=1e-14)
    np.testing.assert_allclose(of("spin"), system.velocity(tip, q, v)[:3], atol=1e-14)
    np.testing.assert_allclose(of("jolt"), system.acceleration(tip, q, v, a)[3:], atol=1e-13)
    np.testing.assert_allclose(of("pointer"), R[:, 0], atol=1e-14)
    assert shown["gap.length"] == pytest.approx(np.linalg.norm(p), rel=1e-14)
    rate = p @ system.velocity(tip, q, v)[3:] / np.linalg.norm(p)
    assert shown["gap.rate"] == pytest.approx(rate, rel=1e-13)
    assert shown["torque"] == pytest.approx(-0.3 * 1.4)
    assert shown["twice"] == pytest.approx(1.0)
    assert shown["energy"] == pytest.approx(sum(system.energy(q, v)))


def test_names_with_underscores_and_spaces_stay_apart() -> None:
    m = tb.Model("names", gravity=(0, 0, -9.81))
    for name, mass in (("fore_arm", 1.0), ("fore arm", 2.0)):
        m.joint(name, tb.Revolute("y"), m.ground, m.body(name, mass, (0.1 * mass, 0, 0)))
    system = m.compile()
    q, v = [0.1, 0.2], [0.0, 0.0]
    one, two = system.reaction("fore_arm", q, v), system.reaction("fore arm", q, v)
    assert not np.allclose(one, two)
    assert not np.allclose(system.pose("fore_arm", q)[0], system.pose("fore arm", q)[0])


def tied_wheels() -> tb.Model:
    """Constraint rows of every kind: closures, couplings, drives, one on velocities."""
    m = tb.Model("tied wheels", gravity=(0, 0, 0))
    for name in ("a", "b", "rack"):
        m.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("a", tb.Revolute("z"), m.ground, "a")
    m.joint("b", tb.Revolute("z"), m.ground.at(1, 0, 0), "b")
    m.joint("rack", tb.Prismatic("x"), m.ground.at(0, 1, 0), "rack")
    rod = m.body("rod", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("rod", tb.Free(), m.ground.at(0, 0, 1), rod)
    return m


def test_multipliers_have_the_unit_that_makes_their_power_watts() -> None:
    m = tied_wheels()
    m.couple("gear", tb.Gear("a", "b"))
    m.couple("teeth", tb.Rack("b", "rack", radius=0.1))
    m.close("hinge", tb.Revolute("z"), m.ground.at(0, 0, 1), "rod")
    m.drive("a", tb.Sine(1.0, 1.0), name="turn")
    m.sensor("effort", tb.Multiplier("turn"))
    m.sensor("pull", tb.Multiplier("teeth"))
    system = m.compile()
    units = system.multiplier_units
    assert (units["gear"], units["teeth"], units["turn"]) == ("N m", "N", "N m")
    assert [units[f"hinge.{i}"] for i in range(1, 6)] == ["N"] * 3 + ["N m"] * 2
    assert system.output_units == ["N m", "N"]
    run = tb.simulate(system, duration=0.01, progress=False)
    assert {name: run.units[name] for name in units} == units


def test_parameters_have_names_and_units_in_order() -> None:
    m = wheel()
    m.parameter("stiffness", 2.0, unit="N m/rad")
    m.parameter("gain", 3.0)
    system = m.compile()
    assert system.parameter_names == ["stiffness", "gain"] == list(system.parameters)
    assert system.parameter_units == ["N m/rad", ""]
