"""Devices with several axes: simulated stages on a line, and fingers along any direction."""

import threading
import time

import numpy as np
import pytest

import touchback as tb
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from touchback.devices.serial_line.simulated import STAGE_AXES, simulated_stage, stage
from touchback.haptics.operator import Operator
from waiting import until

SAFE = GuardedOutput(low=-10.0, high=10.0, at_limit="clip")
STIFFNESS = (400.0,) * 3 + (0.2,) * 3
DAMPING = (10.0,) * 3 + (0.0,) * 3
HAND = (2.0, -1.0, 3.0, 0.04, -0.03, 0.05)


def wall(axes: int) -> tb.System:
    """A spring along each axis, with damping."""
    m = tb.Model("wall")
    for name, stiffness, damping in zip(STAGE_AXES[:axes], STIFFNESS, DAMPING):
        place, speed = m.input(name), m.input(f"{name} speed")
        m.sensor(f"{name} force", tb.Signal(-stiffness * place - damping * speed))
    return m.compile()


@pytest.mark.parametrize("axes", [2, 3, 6])
def test_a_stage_on_a_line_is_held_along_each_of_its_axes(ends, axes: int) -> None:
    near, far = ends
    device, done = simulated_stage(far, axes), threading.Event()

    def serve() -> None:
        start = time.monotonic()
        while not done.wait(1e-3):
            device.tick(time.monotonic() - start, *HAND[:axes])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with SerialDevice(near, patience=30.0) as stage_here:
            names = list(STAGE_AXES[:axes])
            assert [axis.name for axis in stage_here.axes] == names
            assert [axis.linear for axis in stage_here.axes] == [len(name) == 1 for name in names]
            inputs = {name: WatchedInput(max_age=1.0) for name in names}
            outputs = {f"{name} force": SAFE for name in names}
            with tb.live(wall(axes), rate=500, inputs=inputs, outputs=outputs) as live:
                for k, name in enumerate(names):
                    live.connect(name, stage_here.channel("position", k))
                    live.connect(f"{name} speed", stage_here.channel("velocity", k))
                    live.connect(f"{name} force", stage_here.channel("force", k))
                wanted = np.array(HAND[:axes])

                def still() -> bool:
                    places = [axis["position"] for axis in stage_here.latest().axes]
                    return bool(np.allclose(places, wanted / STIFFNESS[:axes], atol=4e-4))

                until(still)  # the spring along each axis carries the hand
                until(lambda: np.allclose(device.forces, -wanted, rtol=0.1))
    finally:
        done.set()
        thread.join()
        device.close()


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
