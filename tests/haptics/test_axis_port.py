"""Ports of devices with several axes: displays and hands along any frame, turning ones too."""

import numpy as np
import pytest

import touchback as tb
from touchback.haptics.axis_port import AxisPort
from touchback.haptics.displays import ImpedanceControl
from touchback.haptics.human_operator import Operator
from touchback.haptics.wall.wall_plant import Finger

SIX = (*((axis, False) for axis in "xyz"), *((axis, True) for axis in "xyz"))
TURNED = [("z", 0.8), ("x", -0.5), ("y", 1.9)]
PUSHES = (2.0, -1.0, 3.0, 0.05, -0.03, 0.04)


def six_axes(turn: list[tuple[str, float]]) -> tb.System:
    """A free handle in a base that stands turned, held by a display along and about each of the
    base's axes, and pushed by inputs at the same ports."""
    m = tb.Model("handle", gravity=(0, 0, 0))
    base = m.ground.at(0.3, -0.2, 0.5, turn=turn)
    handle = m.body("handle", mass=0.2, inertia=(2e-4, 3e-4, 2.5e-4))
    m.joint("handle", tb.Free(), base, handle)
    for axis, turning in SIX:
        name = f"{'r' if turning else ''}{axis}"
        port = AxisPort.add(m, name, handle, axis, reference=base, turning=turning)
        display = ImpedanceControl(*((0.5, 0.004) if turning else (400.0, 5.0)))
        command = display.add(m, f"{name} display", port.position, port.velocity)
        port.push(f"{name} motor", command)
        port.push(f"{name} hand", m.input(f"{name} push"))
        m.sensor(f"{name} command", tb.Signal(command))
    return m.compile()


NAMES = ("x", "y", "z", "rx", "ry", "rz")


def pushed(turn: list[tuple[str, float]]) -> np.ndarray:
    inputs = {f"{name} push": push for name, push in zip(NAMES, PUSHES)}
    run = tb.simulate(six_axes(turn), duration=0.15, rate=1000, step=5e-4, inputs=inputs)
    return np.column_stack([run[f"{name}.position"] for name in NAMES])


def test_a_device_of_six_axes_feels_the_same_however_its_base_stands() -> None:
    straight, turned = pushed([]), pushed(TURNED)
    np.testing.assert_allclose(turned, straight, rtol=1e-7, atol=1e-10)
    assert np.all(np.abs(straight).max(axis=0) > 1e-3)  # it moved along and about each


def test_springs_along_and_about_six_axes_carry_a_hand_where_hooke_says() -> None:
    """Forces at rest balance: along the axes exactly x = F/K, and each angle's torque K φ is the
    one that pushes that angle."""
    inputs = {f"{name} push": push for name, push in zip(NAMES, PUSHES)}
    run = tb.simulate(six_axes(TURNED), duration=1.5, rate=1000, step=5e-4, inputs=inputs)
    found = [run[f"{name}.position"][-1] for name in NAMES]
    stiffness = (400.0,) * 3 + (0.5,) * 3
    np.testing.assert_allclose(found, np.divide(PUSHES, stiffness), rtol=1e-3)


def twisted(turning: bool) -> np.ndarray:
    """A plate that slides, or turns, under a finger with the same numbers."""
    m = tb.Model("knob", gravity=(0, 0, 0))
    body = m.body("knob", **({"inertia": (0.3, 0.3, 0.3)} if turning else {"mass": 0.3}))
    joint = tb.Revolute if turning else tb.Prismatic
    m.joint("knob", joint((0.0, 0.6, 0.8)), m.ground, body, spring=1000.0, damping=20.0)
    Operator().add(m, "hand", body, 1e-3, along=(0.0, 0.6, 0.8), turning=turning)
    run = tb.simulate(m.compile(), duration=0.5, inputs={"hand intention": 0.02}, output_step=0.01)
    return np.column_stack([run["knob"], run["hand force"]])


def test_a_hand_that_twists_obeys_the_law_of_one_that_pushes() -> None:
    push, twist = twisted(False), twisted(True)
    np.testing.assert_allclose(twist, push, rtol=1e-6, atol=1e-9)
    springs = 1 / (1 / 257.0 + 1 / 4000.0 + 1 / 1000.0)  # muscle, pad and spring in a row
    assert twist[-1, 1] == pytest.approx(springs * 0.019, rel=1e-3)


def carried(speed: float) -> np.ndarray:
    """A finger and the plate that it presses on a carriage that moves and, once, turns."""
    m = tb.Model("carriage", gravity=(0, 0, 0))
    carriage = m.body("carriage", mass=1e6, inertia=(1e6, 1e6, 1e6))
    m.joint("carriage", tb.Prismatic((1.0, 1.0, 0.0)), m.ground, carriage, velocity=speed)
    seat = carriage.at(0.1, 0.2, 0.3, turn=TURNED)
    plate = m.body("plate", mass=0.1)
    m.joint("plate", tb.Prismatic("z"), seat, plate, spring=300.0, damping=5.0)
    Operator().add(m, "finger", plate, 0.0, along=(0, 0, 1), reference=seat)
    run = tb.simulate(m.compile(), duration=0.2, inputs={"finger bias": 2.0}, output_step=0.01)
    return np.column_stack([run["plate"], run["finger force"]])


def test_a_hand_on_a_carriage_feels_nothing_of_its_speed() -> None:
    """Galilei: at rest or at 3 m/s the same, to what 2 N does to a carriage of 1000 t."""
    np.testing.assert_allclose(carried(3.0), carried(0.0), rtol=1e-5, atol=1e-9)
    assert carried(0.0)[-1, 1] > 0.5


def test_a_light_carriage_is_pushed_by_neither_the_finger_nor_what_it_presses() -> None:
    """Muscle, pad and plate are inside: the common centre of mass stays where it is."""
    m = tb.Model("inside", gravity=(0, 0, 0))
    carriage = m.body("carriage", mass=0.5, inertia=(1e-2, 1e-2, 1e-2))
    m.joint("carriage", tb.Free(), m.ground, carriage)
    plate = m.body("plate", mass=0.1, inertia=(1e-5, 1e-5, 1e-5))
    m.joint("plate", tb.Prismatic("z"), carriage.at(0.1, 0, 0), plate, spring=300.0)
    hand = Operator(Finger(mass=0.05))
    hand.add(m, "finger", plate.at(0.03, 0, 0), 0.0, along=(0, 0, 1), reference=carriage)
    system = m.compile()
    run = tb.simulate(
        system, duration=0.1, inputs={"finger bias": 2.0}, rtol=1e-10, atol=1e-12,
        parameters={"finger grip": 1.0},
    )  # fmt: skip
    last = np.array([run[name][-1] for name in system.state_names])
    nq = system.sizes[0]
    np.testing.assert_allclose(np.hstack(system.momentum(last[:nq], last[nq:])), 0.0, atol=1e-9)
    assert abs(run["carriage.z"][-1]) > 1e-4  # it is moved, the other way
