"""Live parameters: a change equals a new compilation with the number."""

import numpy as np
import pytest

import touchback as tb

LIVE = {"size": 0.4, "mass": 1.3, "angle": 0.3, "pitch": 0.02, "stiffness": 30.0, "gravity": 9.81}
CHANGED = {"size": 0.9, "mass": 0.2, "angle": -1.2, "pitch": -0.1, "stiffness": 5.0, "gravity": 1.6}


def mechanism(numbers: dict[str, float], live: bool) -> tb.Model:
    """Every place where a parameter may stand, with arithmetic on the way."""
    m = tb.Model("everything", gravity=(0, 0, -9.81))
    p = {name: m.parameter(name, x) if live else x for name, x in numbers.items()}
    m.gravity = (0.0, 0.0, -p["gravity"])
    size, mass = p["size"], p["mass"]
    sin = tb.sin if live else np.sin
    one = m.body("one", mass, (size / 2, 0.1, 0), (mass * size**2 / 12, 0.05, 0.05 + 0.01 * mass))
    two = m.body("two", 2 * mass + 0.1, (0, size - 0.1, 0), (0.05, 0.06, 0.07))
    three = m.body("three", 0.5, (0.1, 0.2, 0.3), (0.01, 0.01, 0.01))
    m.joint("turn", tb.Revolute("y"), m.ground.at(0, size, 0, turn=("x", p["angle"])), one,
            damping=mass / 10, spring=p["stiffness"], armature=0.01 * mass)  # fmt: skip
    m.joint("screw", tb.Screw("x", p["pitch"]), one.at(size, 0, 0, turn=("z", p["angle"] * 2)), two)
    m.joint("ball", tb.Spherical(), two.at(0, 0, sin(p["angle"])), three.at(0, size, 0))
    m.force(
        "spring",
        tb.SpringDamper(m.ground.at(1, 0, 0), three, stiffness=p["stiffness"], length=size / 3),
    )
    return m


def state() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    return rng.standard_normal(6), rng.standard_normal(5)


def close(found: np.ndarray, expected: np.ndarray) -> None:
    assert np.abs(found - expected).max() <= 1e-13 * max(1.0, np.abs(expected).max())


def test_changing_parameters_equals_compiling_the_numbers() -> None:
    live, number = mechanism(LIVE, True).compile(), mechanism(CHANGED, False).compile()
    q, v = state()
    live.mass_matrix(q)  # compiled with the old numbers
    for name, x in CHANGED.items():
        live[name] = x
    assert live.parameters == CHANGED
    a = number.forward_dynamics(q, v)
    close(live.mass_matrix(q), number.mass_matrix(q))
    close(live.bias(q, v), number.bias(q, v))
    close(live.joint_efforts(q, v), number.joint_efforts(q, v))
    close(np.array(live.energy(q, v)), np.array(number.energy(q, v)))
    close(live.reaction("screw", q, v, a), number.reaction("screw", q, v, a))
    close(live.pose("three", q)[1], number.pose("three", q)[1])
    tau = np.ones(5)
    residual = (
        number.mass_matrix(q) @ live.forward_dynamics(q, v, tau=tau) + number.bias(q, v) - tau
    )
    assert np.abs(residual).max() <= 1e-12 * np.abs(number.bias(q, v)).max()


def test_frames_of_different_expressions_are_different_frames() -> None:
    m = tb.Model("ruler")
    size = m.parameter("size", 0.4)
    body = m.body("body", 1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body)
    system = m.compile()
    for factor in (1.0, 2.0, 3.0):
        place = system.pose(body.at(factor * size, 0, 0), [0.1])[1]
        assert place[0] == pytest.approx(0.1 + 0.4 * factor, rel=1e-15)


def test_a_run_may_have_parameters_of_its_own() -> None:
    m = tb.Model("pendulum", gravity=(0, 0, -9.81))
    length = m.parameter("length", 1.0)
    bob = m.body("bob", 1.0)
    m.joint("swing", tb.Revolute("y"), m.ground, bob.at(0, 0, length), position=(0.5,))
    system = m.compile()
    run = tb.simulate(system, duration=1.0, parameters={"length": 0.5}, progress=False)
    assert system["length"] == 1.0
    system["length"] = 0.5
    again = tb.simulate(system, duration=1.0, progress=False)
    np.testing.assert_array_equal(run["swing"], again["swing"])


def test_values_out_of_range_and_unknown_names_are_refused() -> None:
    m = tb.Model("pendulum")
    m.parameter("length", 1.0, unit="m", min=0.5, max=2.0)
    bob = m.body("bob", 1.0)
    m.joint("swing", tb.Revolute("y"), m.ground, bob.at(0, 0, 1))
    system = m.compile()
    with pytest.raises(tb.InputError, match=r"'length': 3.0 lies outside its range \[0.5, 2.0\] m"):
        system["length"] = 3.0
    with pytest.raises(tb.TouchbackError, match="did you mean 'length'"):
        system["lenght"] = 1.0
    assert system["length"] == 1.0
