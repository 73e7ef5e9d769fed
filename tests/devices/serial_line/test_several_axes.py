"""Devices with several axes: simulated stages on a line, and fingers along any direction."""

import contextlib
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from touchback.devices.serial_line.simulated_serial_device import (
    STAGE_AXES,
    SimulatedDevice,
    simulated_stage,
    stage,
)
from touchback.haptics.human_operator import Operator
from waiting import PATIENCE, until

SAFE = GuardedOutput(low=-10.0, high=10.0, at_limit="clip")
STIFFNESS = 400.0
HAND = (2.0, -1.0, 3.0, 0.04, -0.03, 0.05)


def wall(axes: int) -> tb.System:
    """A spring along each axis, with damping."""
    m = tb.Model("wall")
    for name in "xyz"[:axes]:
        place, speed = m.input(name, unit="m"), m.input(f"{name} speed", unit="m/s")
        m.sensor(f"{name} force", tb.Signal(-STIFFNESS * place - 10.0 * speed, "N"))
    return m.compile()


@contextlib.contextmanager
def on_a_line(ends, axes: int) -> Iterator[tuple[SerialDevice, SimulatedDevice]]:
    """A stage under a hand, and its driver."""
    near, far = ends
    device, done = simulated_stage(far, axes), threading.Event()

    def serve() -> None:
        while not done.wait(1e-3):
            device.tick(*HAND[:axes])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with SerialDevice(near, patience=PATIENCE) as here:
            yield here, device
    finally:
        done.set()
        thread.join()
        device.close()


@pytest.mark.parametrize("axes", [2, 3])
def test_a_stage_on_a_line_is_held_along_each_of_its_axes(ends, axes: int) -> None:
    names = list("xyz"[:axes])
    inputs = {name: WatchedInput(max_age=1.0) for name in names}
    outputs = {f"{name} force": SAFE for name in names}
    with (
        on_a_line(ends, axes) as (here, device),
        tb.live(wall(axes), rate=500, inputs=inputs, outputs=outputs) as live,
    ):
        for k, name in enumerate(names):
            live.connect(name, here.channel("position", k))
            live.connect(f"{name} speed", here.channel("velocity", k))
            live.connect(f"{name} force", here.channel("force", k))
        wanted = np.array(HAND[:axes])

        def still() -> bool:
            places = [axis["position"] for axis in here.latest().axes]
            return bool(np.allclose(places, wanted / STIFFNESS, atol=2e-4))

        until(still)  # the spring along each axis carries the hand
        until(lambda: np.allclose(device.forces, -wanted, rtol=0.1))


def test_a_stage_with_a_wrist_is_read_along_and_about_six_axes(ends) -> None:
    """A hand pushes it to its stops: 0.1 m and 1 rad, and what the stops yield, F/k."""
    with on_a_line(ends, 6) as (here, _):
        assert [axis.name for axis in here.axes] == list(STAGE_AXES)
        assert [axis.linear for axis in here.axes] == [True] * 3 + [False] * 3
        stops, yields = np.array([0.1] * 3 + [1.0] * 3), np.array([2e4] * 3 + [20.0] * 3)
        ends_at = np.sign(HAND) * stops + np.array(HAND) / yields

        def there() -> bool:
            return bool(
                np.allclose([a["position"] for a in here.latest().axes], ends_at, atol=2e-4)
            )

        until(there)


def test_springs_hold_each_axis_of_a_stage_with_a_wrist() -> None:
    """The rings' springs carry the hand about each ring's own axis: φ = τ/K."""
    m = stage(6)
    for name, stiffness in zip(STAGE_AXES, (*[STIFFNESS] * 3, 0.2, 0.2, 0.2)):
        held = m.coordinate(name) * -stiffness - m.rate(name) * (0.02 * stiffness)
        m.force(f"{name} spring", tb.JointEffort(name, held))
    hands = {f"{name} hand": push for name, push in zip(STAGE_AXES, HAND)}
    run = tb.simulate(m.compile(), duration=2.0, inputs=hands)
    for name, push, stiffness in zip(STAGE_AXES, HAND, (*[STIFFNESS] * 3, 0.2, 0.2, 0.2)):
        assert run[name][-1] == pytest.approx(push / stiffness, rel=1e-3)


def test_a_stage_has_two_to_six_axes() -> None:
    with pytest.raises(tb.InputError, match="2 to 6 axes, got 7"):
        stage(7)


@pytest.mark.parametrize("along", [(1.0, 0.0, 0.0), (0.0, -2.0, 0.0), (3.0, 0.0, -4.0)])
def test_a_finger_pushes_along_any_direction_as_it_does_downwards(along) -> None:
    def pushed(way) -> np.ndarray:
        m = tb.Model("block", gravity=(0, 0, 0))
        block = m.body("block", mass=0.5)
        unit = np.asarray(way) / np.linalg.norm(way)
        m.joint("block", tb.Prismatic(tuple(unit)), m.ground, block, damping=5.0)
        Operator().add(m, "finger", block.at(0.0, 0.0, 0.0), 0.002, along=way)
        wish = {"finger intention": 0.02}
        run = tb.simulate(m.compile(), duration=0.3, step=1e-4, inputs=wish, progress=False)
        return np.column_stack([run["block"], run["finger force"]])

    down, other = pushed((0.0, 0.0, -1.0)), pushed(along)
    assert np.allclose(other, down, rtol=1e-6, atol=1e-9)
    assert down[-1, 0] > 1e-3  # it moved the block


def test_a_finger_without_a_direction_is_refused() -> None:
    m = tb.Model("block")
    block = m.body("block", mass=0.5)
    m.joint("block", tb.Prismatic("x"), m.ground, block)
    with pytest.raises(tb.InputError, match="it moves along"):
        Operator().add(m, "finger", block.at(0, 0, 0), 0.0, along=(0.0, 0.0, 0.0))
