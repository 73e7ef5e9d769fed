"""A line that stood still: forces of before are not sent, nor positions of before used."""

import numpy as np
import pytest

import touchback as tb
from touchback.devices import GuardedOutput, SerialDevice
from touchback.native.live.mailbox import clock_now
from touchback.realtime.shared_memory import PUBLISHED
from waiting import PATIENCE, until


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
        box = live._ports.mailboxes[PUBLISHED]
        message, place = box.read().values, list(live.published()[0]).index("torque")
        begin, unsent = len(far.log), device.counts["unsent"]
        message[place] = 0.2
        box.write(message, clock_now() - 30_000_000)
        until(lambda: device.counts["unsent"] > unsent)
        message[place] = 0.1

        def forces() -> set[float]:
            """All that acted since; what is fresh acts for some ticks, and is written again where a
            busy machine had no driver for it in time."""
            box.write(message)
            return set(np.round([force for _, force in far.log[begin:]], 3))

        until(lambda: 0.1 in forces())
        assert forces() == {0.0, 0.1}


def test_what_was_held_up_is_no_newer_by_a_clock_that_runs_fifty_times_too_fast(far) -> None:
    """Samples come 35 ms late; by exchanges they may be 17 ms old, and by that clock ever less."""
    far.clock_rate, far.held_up = 50.0, 0.035
    with SerialDevice(far.path, patience=PATIENCE) as device:
        until(lambda: device.clock.round_trip > 0.03 and device.counts["samples"] > 200)
        far.silent = True
        until(lambda: not device.connected)  # so that counts stay as they are
        assert device.counts["late"] == device.counts["samples"]


def test_what_was_held_up_on_its_way_here_is_never_taken_for_new(far) -> None:
    """Commands go there at once, samples come 0.15 s late: exchanges tell half of that, which alone
    would be within the 0.1 s of `oldest`."""
    far.held_up = 0.15
    with SerialDevice(far.path, oldest=0.1, patience=PATIENCE) as device:
        until(lambda: device.latest().doubt >= 0.075 and device.counts["samples"] > 50)
        far.silent = True
        until(lambda: not device.connected)  # so that counts stay as they are
        assert device.counts["late"] == device.counts["samples"]  # none was handed over
        far.silent, far.held_up = False, 0.0
        reading = until(lambda: 0.0 < (found := device.latest()).doubt < 0.05 and found)
        off = reading.time - far.start - reading.device_time
        assert abs(off) <= reading.doubt + 1e-6  # whole µs
