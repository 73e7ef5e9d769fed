"""A run that can't keep up, and a device that doesn't come back, are faults while they last."""

import math
import threading
import time
from collections.abc import Callable

import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from waiting import PATIENCE, until

SAFE = {"echo": tb.devices.GuardedOutput(safe=-0.5)}


def late(live: tb.Live, *delays: float) -> None:
    """Ticks, the first after so many seconds in which none could be, again and again."""
    for seconds in delays:
        live._loop.struct.epoch = clock_now() - int(1e9 * seconds)
        live._loop.struct.due = 0
        live._loop.advance(2)
    live._drain()


@pytest.mark.parametrize("max_slip", [0.1, 1.0, 5.0])
def test_periods_left_out_beyond_the_limit_take_outputs_safe_and_are_told(
    cart: tb.System, max_slip: float
) -> None:
    live = tb.live(cart, rate=1000, outputs=SAFE, max_slip=max_slip)
    live["force"] = 2.0
    late(live, 0.45 * max_slip, 0.45 * max_slip)
    assert live.read("echo") == 2.0 and live.faults == ()
    late(live, 0.45 * max_slip)
    assert live.read("echo") == -0.5 and live.faults == ("overloaded",)
    assert f"max_slip={max_slip:g} s" in live.latest_fault
    assert "lower the rate (1000 a second) or the substeps (1)" in live.latest_fault
    late(live, 0.0)
    assert live.faults == ("overloaded",)  # until somebody resumes
    live.resume()
    late(live, 0.5 * max_slip)
    assert live.read("echo") == 2.0 and live.faults == ()


def test_the_usual_limit_is_a_second(cart: tb.System) -> None:
    live = tb.live(cart, rate=1000, outputs=SAFE)
    late(live, 0.9)
    assert live.faults == ()
    late(live, 0.9)
    assert live.faults == ("overloaded",)


def test_a_tenth_of_the_time_that_passes_is_forgiven(cart: tb.System) -> None:
    """Ten times as long as the limit after each delay: a machine that is late now and then."""
    live = tb.live(cart, rate=1000, outputs=SAFE, max_slip=0.1)
    for _ in range(5):
        late(live, 0.09)
        live._loop.commands.slip_time -= int(1e9)  # as if a second had passed
    assert live.faults == ()


def test_a_run_without_a_limit_or_with_nothing_to_guard_goes_on(cart: tb.System) -> None:
    free = tb.live(cart, rate=1000, outputs=SAFE, max_slip=math.inf)
    late(free, 5.0, 5.0)
    assert free.faults == () and free.latest_fault == ""
    alone = tb.live(cart, rate=1000)
    late(alone, 5.0, 0.0)
    assert alone.faults == () and alone.latest_fault.startswith("overloaded")


def test_too_many_substeps_for_the_clock_are_a_fault(cart: tb.System) -> None:
    """10 kHz with 100 substeps ran at 23 % of real time, and nothing was said."""
    with tb.live(cart, rate=10_000, substeps=100_000, outputs=SAFE, max_slip=0.05) as live:
        until(lambda: live.faults == ("overloaded",))
        until(lambda: "overloaded" in live.latest_fault)
        assert live.read("echo") == -0.5


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, "soon"])
def test_limits_that_are_none_are_refused(cart: tb.System, wrong: float) -> None:
    with pytest.raises(tb.InputError, match="max_slip is a positive number of seconds"):
        tb.live(cart, rate=100, max_slip=wrong)
    with (
        tb.live(cart, rate=100, speed=None, outputs=SAFE) as live,
        pytest.raises(tb.InputError, match="patience is a positive number of seconds"),
    ):
        live.connect("echo", Hanging(lambda: None), patience=wrong)


class Hanging:
    """A device whose write does something first."""

    def __init__(self, first: Callable[[], object]) -> None:
        self.first, self.taken = first, list[float]()

    def write(self, value: float) -> None:
        self.first()
        self.taken.append(value)


@pytest.mark.parametrize("speed", [None, 1.0])
def test_a_write_that_hangs_is_a_fault_within_its_patience(
    cart: tb.System, speed: float | None
) -> None:
    """It was one at the end of the run only."""
    back = threading.Event()
    with tb.live(cart, rate=500, speed=speed, outputs=SAFE) as live:
        live["force"] = 2.0
        live.run(0.01)
        began = time.monotonic()
        device = Hanging(lambda: back.wait(PATIENCE))
        live.connect("echo", device, patience=0.2)
        until(lambda: "'echo': its device's write hasn't returned for 0.2 s" in live.latest_fault)
        assert time.monotonic() - began >= 0.2
        live.run(0.01)
        assert live.faults == ("device failed",) and live.read("echo") == -0.5
        back.set()
        live.resume()
        live.run(0.01)
        until(lambda: device.taken[-1:] == [2.0])
        assert live.faults == ()


def test_a_device_that_only_takes_its_time_is_no_fault(cart: tb.System) -> None:
    with tb.live(cart, rate=500, outputs=SAFE) as live:
        device = Hanging(lambda: time.sleep(0.01))
        live.connect("echo", device, patience=PATIENCE)
        until(lambda: len(device.taken) > 10)
        assert live.faults == ()


def test_a_device_that_waits_for_what_it_reads_is_no_fault(cart: tb.System) -> None:
    back = threading.Event()

    class Waiting:
        def read(self) -> float:
            back.wait(PATIENCE)
            return 3.0

    with tb.live(cart, rate=500, outputs=SAFE) as live:
        live.connect("force", Waiting(), patience=0.05)
        time.sleep(0.15)
        assert live.faults == ()
        back.set()
        until(lambda: live.read("echo") == 3.0)
