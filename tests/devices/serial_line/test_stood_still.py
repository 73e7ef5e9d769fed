"""A driver whose thread stood still: forces of before are not sent."""

import numpy as np
import pytest

import touchback as tb
from far_ends import FarDevice
from touchback.devices import GuardedOutput, SerialDevice
from touchback.native.live.mailbox import clock_now
from touchback.realtime.region import PUBLISHED
from waiting import until


@pytest.fixture
def far():
    device = FarDevice()
    yield device
    device.close()


def test_a_force_that_waited_for_its_driver_is_not_sent(far) -> None:
    """What is published here is 30 ms old when the driver finds it; a sample may have 20 ms."""
    m = tb.Model("pressing")
    m.sensor("torque", tb.Signal(0.3 + 0.0 * m.input("angle", unit="rad"), "N m"))
    guard = GuardedOutput(safe=0.0, low=-1.0, high=1.0)
    with (
        SerialDevice(far.path) as device,
        tb.live(m.compile(), rate=1000, outputs={"torque": guard}) as live,
    ):
        live.connect("torque", device)
        until(lambda: far.forces[0] == pytest.approx(0.3, abs=1e-3))
        live.pause()
        until(lambda: far.forces[0] == 0.0)
        box = live._region.mailboxes[PUBLISHED]
        message, place = box.read().values, list(live.published()[0]).index("torque")
        begin, unsent = len(far.log), device.counts["unsent"]
        message[place] = 0.2
        box.write(message, clock_now() - 30_000_000)
        until(lambda: device.counts["unsent"] > unsent)
        sent = device.counts["commands"]
        message[place] = 0.1
        box.write(message)
        until(lambda: device.counts["commands"] > sent)
        until(lambda: far.forces[0] == pytest.approx(0.1, abs=1e-3))
        forces = np.array([force for _, force in far.log[begin:]])
        assert set(np.round(forces, 3)) == {0.0, 0.1}
