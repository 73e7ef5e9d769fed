"""The driver of a wheel and its thread, against a wheel's end in this process and one in another.
No wheel of the kernel was there to be tried."""

import math
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

import touchback as tb
from far_wheels import FarWheel, report
from touchback.devices import GuardedOutput, WatchedInput
from touchback.devices.evdev import ForceWheel, PedalTravel, WheelScale
from touchback.devices.evdev.simulated_wheel import PEAK, RANGE, STIFFNESS
from touchback.errors import DeviceError, InputError
from touchback.native.live.mailbox import clock_now
from touchback.realtime.shared_memory import PUBLISHED
from waiting import until, until_it_stays

SPRING = 5.0  # [N m/rad]
PLAY = 3  # of records to a simulated device
SAFE = GuardedOutput(safe=0.0, low=-9.0, high=9.0, at_limit="clip")
PEDALS = {"throttle": PedalTravel("ABS_Z", 255, 0), "brake": PedalTravel("ABS_RZ", 255, 0)}
SCALE = WheelScale(range=math.tau, peak=2.0, pedals=PEDALS)  # a turn over 65535 counts


@pytest.fixture
def far(tmp_path):
    wheel = FarWheel(tmp_path / "wheel")
    yield wheel
    wheel.unplug()


@pytest.fixture(scope="module")
def springs():
    """A torque against the wheel's angle, and both pedals."""
    m = tb.Model("spring")
    angle = m.input("device wheel", unit="rad")
    m.sensor("steering torque", tb.Signal(-SPRING * angle, "N m"))
    m.sensor("seen", tb.Signal(angle, "rad"))
    for pedal in ("throttle", "brake"):
        m.sensor(f"{pedal} seen", tb.Signal(m.input(pedal)))
    return m.compile()


def held(system, device, *ports, speed=1.0):
    live = tb.live(
        system, rate=1000, speed=speed, inputs={"device wheel": WatchedInput(max_age=0.1)},
        outputs={"steering torque": SAFE}, record=True,
    )  # fmt: skip
    live.start()
    for port in ("device wheel", "steering torque", *ports):
        live.connect(port, device)
    return live


def noted(live) -> str:
    """All faults of a run in words."""
    return " ".join(fault["text"] for fault in live.report().faults)


def sees(live, pressed: dict[str, float]) -> bool:
    return all(abs(live[f"{pedal} seen"] - way) < 1e-9 for pedal, way in pressed.items())


def counts(angle: float) -> int:
    """What the wheel reports at an angle to the left [rad]."""
    return round(65535 * (0.5 - angle / math.tau))


def test_a_wheel_says_who_it_is(far) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        assert (wheel.name, wheel.simulated, wheel.pushes) == ("far wheel", True, True)
        axis = wheel.axes["ABS_X"]
        assert (axis.least, axis.most, sorted(wheel.axes)) == (
            0,
            65535,
            ["ABS_RZ", "ABS_X", "ABS_Z"],
        )
        assert wheel.latest() == {"ABS_X": 32768, "ABS_Z": 255, "ABS_RZ": 255}
        until(lambda: (4, 0x60, 0xFFFF) in far.asked and (4, 0x61, 0) in far.asked)
        # full gain, and no spring of its own


def test_a_live_run_feels_the_wheel_and_its_torque_arrives_on_the_same_side(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.2))
        until(lambda: abs(live["seen"] - 0.2) < 1e-4)  # a count is 1e-4 rad
        until(lambda: abs(far.level + SPRING * 0.2 / 2.0) < 1e-3)  # 1 N m of 2, to the right
        far.turn(ABS_X=counts(-0.1))
        until(lambda: abs(far.level - SPRING * 0.1 / 2.0) < 1e-3)
        assert live.faults == ()
        live.stop()
        until(lambda: far.level == 0.0)
    until(lambda: far.gone and not far.effects.held)  # erased before it was closed


def test_a_wheel_that_is_not_moved_is_not_stale(far, springs) -> None:
    """The kernel tells changes only; the watchdog has 0.1 s."""
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.2))
        until(lambda: far.level < -0.4)
        began, reports, start = live.ticks, wheel.counts["reports"], time.monotonic()
        until(lambda: live.ticks > began + 500 and time.monotonic() > start + 0.5)
        until(lambda: far.level < -0.4)
        until(lambda: sum(kind == PLAY for kind, *_ in far.asked) > 3)  # its end is put off
        assert wheel.counts["reports"] == reports
        live.stop()


def test_pedals_go_from_0_to_1_between_dead_bands(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel, "throttle", "brake")
        dead = PEDALS["throttle"].dead
        for raw, pressed in ((255, 0.0), (249, 0.0), (128, None), (5, 1.0), (0, 1.0)):
            far.turn(ABS_Z=raw, ABS_RZ=255 - raw)
            share = ((255 - raw) / 255 - dead) / (1 - 2 * dead)
            expected = share if pressed is None else pressed
            until(partial(sees, live, {"throttle": expected, "brake": 1.0 - expected}))
        live.stop()


def test_torque_beyond_the_peak_is_the_peak_and_counted(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.3))
        until(lambda: abs(far.level + 0.75) < 1e-3)
        assert wheel.counts["saturated"] == 0
        far.turn(ABS_X=counts(-1.5))  # 7.5 N m
        until(lambda: far.level == 1.0)
        until(lambda: wheel.counts["saturated"] > 10)
        assert 0.0 < wheel.saturated < 1.0
        live.stop()


def test_a_run_that_rests_gives_no_force(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.2))
        until(lambda: far.level < -0.4)
        live.pause()
        until(lambda: far.level == 0.0)
        live.stop()


def test_a_torque_that_nobody_renews_is_none_and_the_log_says_so(far, springs) -> None:
    """Two words into the mailbox in place of a run that rests: one is 30 ms old when it comes, the
    other is never followed by a third."""
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        live.pause()
        until(lambda: live.faults == () and wheel.counts["taken"] > 0)
        box = live._ports.mailboxes[PUBLISHED]
        message, place = box.read().values, list(live.published()[0]).index("steering torque")
        message[place] = 1.0
        box.write(message, clock_now() - 30_000_000)
        until(lambda: wheel.counts["late"] == 1)
        levels = wheel.counts["levels"]
        box.write(message)
        until(lambda: wheel.counts["levels"] >= levels + 2)  # there, and gone
        until(lambda: far.level == 0.0)
        until(lambda: "so that there is no force" in noted(live))
        live.stop()


def test_no_effect_lasts_longer_than_a_fifth_of_a_second_by_itself(far, springs) -> None:
    """So that a driver who is stopped without being closed lets go, too."""
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.2))
        until(lambda: far.level < -0.4)
        ((_, length),) = far.effects.held.values()
        assert length == pytest.approx(0.2)
        live.stop()


def test_a_wheel_that_is_unplugged_makes_the_run_safe_and_comes_back(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.2))
        until(lambda: far.level < -0.4)
        far.unplug()
        until(lambda: not wheel.connected)
        until(lambda: live.report().counts["stale"] > 0)
        until(lambda: live["steering torque"] == 0.0)
        until(lambda: "is gone (No such device)" in noted(live))
        far.plug()
        until(lambda: wheel.connected)
        far.turn(ABS_X=counts(-0.1))
        until(lambda: far.level > 0.2)
        until(lambda: "is there again" in noted(live))
        live.stop()


def test_another_device_in_its_place_is_not_used(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        far.unplug()
        until(lambda: not wheel.connected)
        far.axes["ABS_X"] = (0, 1023, 512)
        far.plug()
        until(lambda: any("another device" in text for text in (wheel.news(), wheel.events)[1]))
        assert not wheel.connected


def test_a_value_outside_of_the_axis_is_not_used_and_makes_the_run_safe(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        live = held(springs, wheel)
        far.turn(ABS_X=counts(0.2))
        until(lambda: far.level < -0.4)
        far.send(report({"ABS_X": 65536}))
        until(lambda: live["steering torque"] == 0.0)
        assert live["seen"] == pytest.approx(0.2, abs=1e-4)
        until(lambda: "65536 on ABS_X lies outside" in noted(live))
        far.turn(ABS_X=counts(0.1))
        until(lambda: abs(far.level + 0.25) < 1e-3)
        live.stop()


def test_after_lost_reports_the_axes_are_asked_anew(far, springs) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        far.axes["ABS_X"] = (0, 65535, 777)
        far.send(report({"ABS_X": 1})[:24] + bytes(16) + b"\0\0\3\0" + bytes(4) + report({}))
        until(lambda: wheel.latest()["ABS_X"] == 777)
        assert wheel.counts["lost"] == 1


def test_values_have_the_time_of_their_report_while_it_is_news(far) -> None:
    with ForceWheel(far.path, SCALE) as wheel:
        at = time.monotonic()
        far.send(report({"ABS_X": 100}, at))
        until(lambda: wheel.latest()["ABS_X"] == 100)
        assert wheel.counts["reports"] == 1


def test_a_wheel_in_another_process_settles_where_its_arms_and_the_run_agree(
    tmp_path, springs
) -> None:
    """40 N m/rad of arms that want 0.3 rad against 5 N m/rad of the run: 0.3 · 40/45 rad, for
    which the motor gives 4/3 N m; and the process is killed."""
    path = str(tmp_path / "wheel")
    command = [sys.executable, "-m", "touchback.devices.evdev", path, "60", "0.3", "0.5"]
    far = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert far.stdout is not None and far.stdout.readline() == f"evdev:{path}\n"
        scale = WheelScale(range=RANGE, peak=PEAK, pedals=PEDALS)
        with ForceWheel(path, scale) as wheel:
            assert "no such device" in wheel.name and wheel.simulated
            live = held(springs, wheel, "throttle")
            angle = 0.3 * STIFFNESS / (STIFFNESS + SPRING)
            until_it_stays(live, "seen", angle, 2e-3)
            until_it_stays(live, "steering torque", -SPRING * angle, 0.01)
            assert live["throttle seen"] == pytest.approx(0.5, abs=0.01)
            os.kill(far.pid, signal.SIGKILL)
            until(lambda: live["steering torque"] == 0.0)
            live.stop()
    finally:
        far.kill()
        far.wait()


def test_what_cannot_be_a_wheel_is_refused_with_the_mend(far, tmp_path) -> None:
    (tmp_path / "text").write_text("no device")
    with pytest.raises(DeviceError, match=r"is no event device; `touchback device list`"):
        ForceWheel(str(tmp_path / "text"))
    with pytest.raises(DeviceError, match=r"No such file.*plugged in.*group 'input'"):
        ForceWheel(str(tmp_path / "none"))
    with pytest.raises(DeviceError, match=r"'/dev/null' is no event device"):
        ForceWheel("/dev/null")
    with pytest.raises(InputError, match=r"axis of .* 'ABS_GAS'"):
        ForceWheel(far.path, WheelScale(pedals={"throttle": PedalTravel("ABS_GAS", 0, 255)}))


def test_what_the_kernel_does_not_tell_must_be_given(far) -> None:
    with ForceWheel(far.path) as wheel:
        with pytest.raises(InputError, match=r"don't tell their torque; give the peak"):
            wheel.channel("torque")
        with pytest.raises(InputError, match=r"don't tell angles; give the range"):
            wheel.channel("wheel")
        with pytest.raises(InputError, match=r"throttle"):
            wheel.channel("throttle")


def test_a_wheel_without_a_motor_is_said_to_have_none(tmp_path) -> None:
    far = FarWheel(tmp_path / "pedals", features=0)
    with (
        ForceWheel(far.path, SCALE) as wheel,
        pytest.raises(DeviceError, match="no constant force"),
    ):
        wheel.channel("torque")
    far.unplug()
