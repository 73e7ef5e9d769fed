"""Faults are injected, and what a device would get is measured at the mailbox, tick by tick."""

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.realtime import open_recording

RATE = 1000.0
TICK = 1.0 / RATE


def ticks(
    live: tb.Live, count: int, output: str = "echo", before: Callable[[], None] | None = None
) -> list[float]:
    """What the output's mailbox holds after each of the next ticks."""
    seen = []
    for _ in range(count):
        if before:
            before()
        live.run(TICK)
        seen.append(live.read(output))
    return seen


def guarded(
    cart: tb.System, output: tb.devices.GuardedOutput, max_age: float | None = None, **more: object
) -> tb.Live:
    return tb.live(
        cart, rate=RATE, speed=None, outputs={"echo": output},
        inputs={"force": tb.devices.WatchedInput(max_age=max_age)}, **more,  # type: ignore[arg-type]
    )  # fmt: skip


# ---- watchdog -----------------------------------------------------------------------------------


def test_an_input_that_stays_away_takes_the_outputs_to_safe_within_one_tick(
    cart: tb.System,
) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe=-0.5), max_age=5 * TICK) as live:
        live["force"] = 3.0
        # the message is new in tick 1, five ticks old in tick 6, too old in tick 7
        assert ticks(live, 8) == [3.0] * 6 + [-0.5] * 2
        assert live.faults == ("stale input",)
        live["force"] = 4.0
        assert ticks(live, 1) == [4.0]
        assert live.faults == ()
    assert live.report().counts["stale"] == 2


def test_an_input_that_never_came_is_stale_too(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe=-0.5), max_age=3 * TICK) as live:
        assert ticks(live, 5) == [0.0] * 3 + [-0.5] * 2


def test_the_model_goes_on_with_the_safe_value_of_an_input_that_stays_away(
    cart: tb.System,
) -> None:
    watched = {"force": tb.devices.WatchedInput(max_age=3 * TICK, safe=-2.0)}
    with tb.live(cart, rate=RATE, speed=None, inputs=watched, record=True) as live:
        assert ticks(live, 5) == [0.0] * 5  # there is nothing to fall back from before it spoke
        live["force"] = 3.0
        assert ticks(live, 6) == [3.0] * 4 + [-2.0] * 2
        live["force"] = 4.0
        assert ticks(live, 1) == [4.0]
    assert list(live.recorded()["force"]) == [0.0] * 5 + [3.0] * 4 + [-2.0] * 2 + [4.0]


def test_an_input_can_be_watched_from_any_tick_on(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe=-0.5)) as live:
        live["force"] = 3.0
        assert ticks(live, 8) == [3.0] * 8
        live.watch("force", 3 * TICK, 0.25)
        assert ticks(live, 1) == [-0.5]  # its message is of long ago
        live["force"] = 4.0
        assert ticks(live, 5) == [4.0] * 4 + [-0.5]
        assert live.taken()[0][0] == 0.25
        with pytest.raises(tb.InputError, match="There is no input 'forse'"):
            live.watch("forse", 1.0)
        with pytest.raises(tb.InputError, match="max_age must be a positive"):
            live.watch("force", 0.0)


def test_the_way_to_safe_may_be_a_ramp_and_the_way_back_a_soft_start(cart: tb.System) -> None:
    output = tb.devices.GuardedOutput(safe=0.0, ramp=4 * TICK, soft_start=5 * TICK)
    with guarded(cart, output, max_age=2 * TICK) as live:
        assert ticks(live, 6, before=lambda: live.__setitem__("force", 10.0)) == pytest.approx(
            [2.0, 4.0, 6.0, 8.0, 10.0, 10.0], rel=1e-15
        )
        assert ticks(live, 7) == pytest.approx([10.0, 10.0, 7.5, 5.0, 2.5, 0.0, 0.0])
        live["force"] = 10.0
        assert ticks(live, 2) == pytest.approx([2.0, 4.0])


def test_hold_keeps_what_was_delivered_last(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe="hold"), max_age=2 * TICK) as live:
        live["force"] = 3.0
        ticks(live, 3)
        live.emergency_stop()
        assert ticks(live, 3) == [3.0] * 3
        live["force"] = 5.0
        assert ticks(live, 2) == [3.0] * 2


def test_without_a_fault_outputs_are_the_models(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput()) as live:
        live["force"] = 0.1 + 0.2
        assert ticks(live, 2) == [0.1 + 0.2] * 2
        assert ticks(live, 1, "second echo") == [2.0 * (0.1 + 0.2)]


# ---- limits -------------------------------------------------------------------------------------


def test_outputs_may_be_clipped_at_their_limits(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(low=-1.0, high=2.0, at_limit="clip")) as live:
        live["force"] = 7.0
        assert ticks(live, 1) == [2.0]
        live["force"] = -7.0
        assert ticks(live, 1) == [-1.0]
    assert live.report().counts["limited"] == 2


def test_outputs_change_no_faster_than_their_slew(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(slew=500.0)) as live:  # 0.5 a tick
        live["force"] = 1.75
        assert ticks(live, 5) == [0.5, 1.0, 1.5, 1.75, 1.75]
        live["force"] = 0.0
        assert ticks(live, 2) == [1.25, 0.75]


def test_a_fault_goes_to_safe_at_once_whatever_the_slew(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(slew=500.0)) as live:
        live["force"] = 2.0
        ticks(live, 5)
        live.emergency_stop()
        assert ticks(live, 1) == [0.0]


def test_a_limit_takes_outputs_to_safe_and_lasts_until_resumed(cart: tb.System) -> None:
    output = tb.devices.GuardedOutput(safe=0.25, low=-1.0, high=2.0)
    with guarded(cart, output) as live:
        live["force"] = 1.0
        assert ticks(live, 1) == [1.0]
        live["force"] = 2.5
        assert ticks(live, 1) == [0.25]
        live["force"] = 1.0
        assert ticks(live, 3) == [0.25] * 3
        assert live.faults == ("beyond limit",)
        live.resume()
        assert ticks(live, 1) == [1.0]


def test_gains_scale_what_is_delivered_before_limits_apply(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(high=2.0, at_limit="clip")) as live:
        live["force"] = 3.0
        live.set_gain("echo", 0.5)
        assert ticks(live, 1) == [1.5]
        live.set_gain("echo", 4.0)
        assert ticks(live, 1) == [2.0]


# ---- not finite ---------------------------------------------------------------------------------


def test_a_nan_restores_the_last_good_state_and_waits_for_a_command(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe=-0.5)) as live:
        live["force"] = 1.0
        ticks(live, 10)
        good = live.snapshot()
        live["level"] = -1.0  # its root is NaN
        assert ticks(live, 1) == [-0.5]
        assert live.read("slide") == good["slide"]
        assert live.read("slide rate") == good["slide rate"]
        live["level"] = 1.0
        assert ticks(live, 5) == [-0.5] * 5
        assert live.read("time") == good["time"]
        assert live.faults == ("not finite",)
        live.resume()
        assert ticks(live, 3) == [1.0] * 3
        resumed = live.snapshot()
    with tb.live(cart, rate=RATE, speed=None) as straight:
        straight["force"] = 1.0
        straight.run(13 * TICK)
        assert resumed["slide"] == straight.read("slide")
    assert live.report().counts["not_finite"] == 1


def test_a_closed_loop_survives_a_nan(slider_crank: tb.System, turning: tb.State) -> None:
    paths = []
    for fault in (False, True):
        with tb.live(slider_crank, turning, rate=RATE, speed=None) as live:
            live["motor torque"] = 0.3
            live.run(0.1)
            if fault:
                live["motor torque"] = -1.0
                live.run(0.01)
                live["motor torque"] = 0.3
                assert live.faults == ("not finite",)
                live.resume()
            live.run(0.3)
            paths.append([live.read(name) for name in slider_crank.state_names])
            assert np.abs(slider_crank.constraint_error(paths[-1][:3])).max() <= 1e-12
    # settling the last good state again may change it by the tolerance of closure, 1e-13
    assert paths[0] == pytest.approx(paths[1], rel=1e-9)


@pytest.mark.parametrize("constraints", ["partitioning", "projection"])
def test_a_closed_loop_that_is_torn_open_is_held_at_its_last_good_state(
    slider_crank: tb.System, turning: tb.State, constraints: str
) -> None:
    with tb.live(
        slider_crank, turning, rate=RATE, speed=None, record=True, constraints=constraints
    ) as live:
        live["motor torque"] = 1e8  # 1e4 N m: soon whole turns within a step
        live.run(0.2)
        assert live.faults == ("loop open",)
        held = live.read("time")
        live.run(0.01)
        assert live.read("time") == held < 0.1
    for q in zip(*(live.recorded()[name] for name in slider_crank.coordinates)):
        assert np.abs(slider_crank.constraint_error(q)).max() <= 1e-10
    assert live.report().counts["open_loops"] == 1
    assert live.latest_fault.startswith("loop open: no state that meets the constraints")


# ---- emergency stop -----------------------------------------------------------------------------


def test_an_emergency_stop_holds_the_model_and_makes_outputs_safe(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe=-0.5)) as live:
        live["force"] = 1.0
        ticks(live, 5)
        before = live.snapshot()
        live.emergency_stop()
        assert ticks(live, 4) == [-0.5] * 4
        assert live.read("slide") == before["slide"]
        assert live.faults == ("stopped",)
        live.resume()
        assert ticks(live, 1) == [1.0]
        assert live.read("time") == pytest.approx(before["time"] + TICK, rel=1e-12)
    assert live.report().counts["stops"] == 1


def test_any_thread_may_stop_a_clocked_run(cart: tb.System) -> None:
    with tb.live(
        cart, rate=500, outputs={"echo": tb.devices.GuardedOutput(safe=-0.5)}, record=True
    ) as live:
        live["force"] = 1.0
        live.run(0.05)
        thread = threading.Thread(target=live.emergency_stop)
        thread.start()
        thread.join()
        stopped_by = live.ticks + 1  # the tick under way may have looked already
        live.run(0.02)
        assert live.read("echo") == -0.5
    run = live.recorded()
    stopped = run["flags"].astype(int) & 4 != 0
    assert run["tick"][stopped][0] <= stopped_by + 1
    assert (run["echo"][stopped] == -0.5).all()
    assert (run["echo"][~stopped][1:] == 1.0).all()


def test_before_the_first_tick_outputs_are_safe(cart: tb.System) -> None:
    with guarded(cart, tb.devices.GuardedOutput(safe=-0.5)) as live:
        assert live.read("echo") == -0.5


class FeltDevice:
    """A device that remembers what it got."""

    def __init__(self) -> None:
        self.got: list[float] = []

    def write(self, value: float) -> None:
        self.got.append(value)


@pytest.mark.parametrize("speed", [None, 1.0])
def test_a_run_that_ends_follows_its_ramps_to_safe(
    cart: tb.System, speed: float | None, tmp_path: Path
) -> None:
    ramped = tb.devices.GuardedOutput(safe=-2.0, ramp=50 * TICK)
    sudden = tb.devices.GuardedOutput(safe=0.5)
    path = tmp_path / "run.mcap"
    with tb.live(
        cart, rate=RATE, speed=speed, record=path,
        outputs={"echo": ramped, "second echo": sudden},
    ) as live:  # fmt: skip
        live["force"] = 3.0
        device = FeltDevice()
        live.connect("echo", device, rate=2000)
        live.run(0.1)
        state = live.snapshot()["slide"]
    assert live.read("echo") == -2.0 and device.got[-1] == -2.0
    recording = open_recording(path)
    echo, second = recording.column("echo"), recording.column("second echo")
    assert echo[-51:] == pytest.approx(3.0 - 5.0 * np.arange(51) / 50)
    assert (second[-50:] == 0.5).all() and second[-51] == 6.0
    if speed is None:
        assert len(echo) == 150
        assert (recording.states[-50:, 0] == state).all()  # the model is held meanwhile
    else:  # the device felt the ramp, in steps as it was served
        assert len([value for value in device.got if -2.0 < value < 3.0]) > 5
    assert live.report().counts["stops"] == 0
    assert tb.replay(path, cart).same


# ---- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: tb.devices.GuardedOutput(safe=3.0, high=2.0), "safe value 3.0 must lie within"),
        (lambda: tb.devices.GuardedOutput(low=1.0, high=0.0), "must not lie above"),
        (lambda: tb.devices.GuardedOutput(slew=0.0), "slew must be positive"),
        (lambda: tb.devices.GuardedOutput(ramp=-1.0), "ramp must be seconds"),
        (lambda: tb.devices.GuardedOutput(at_limit="jump"), "'safe' or 'clip'"),
        (lambda: tb.devices.WatchedInput(max_age=0.0), "max_age must be"),
        (lambda: tb.devices.WatchedInput(max_age=float("inf")), "max_age must be"),
        (lambda: tb.devices.WatchedInput(max_age=1e300), "max_age must be"),
        (lambda: tb.devices.WatchedInput(low=1.0, high=0.0), "must not lie above"),
        (lambda: tb.devices.WatchedInput(safe=1.0), "safe value 1.0 needs a max_age"),
        (lambda: tb.devices.WatchedInput(1.0, high=1.0, safe=2.0), "must lie within"),
        (lambda: tb.devices.WatchedInput(1.0, safe=float("nan")), "must lie within"),
        (lambda: tb.devices.WatchedInput(1.0, safe="keep"), "a number or 'hold'"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(
    make: Callable[[], object], complaint: str
) -> None:
    with pytest.raises(tb.InputError, match=complaint):
        make()
