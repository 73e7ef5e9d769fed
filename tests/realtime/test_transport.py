"""A clocked run pauses, steps, slows down and jumps; nothing is late for it, and replays agree."""

import time
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from models_with_modes import bouncing_ball
from touchback.native.live.tick_layout import AT_REST, HELD, PLACED, SINGLE
from touchback.realtime import open_recording
from waiting import until


def test_the_model_rests_while_paused_and_goes_on_where_it_was(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, record=path) as live:
        live.run(0.05)
        live.pause()
        assert live.state == "paused"
        before = live.snapshot()
        time.sleep(0.1)
        assert live.snapshot() == before
        live.go()
        assert live.state == "running"
        live.run(0.05)
    recording = open_recording(path)
    flags = recording.column("flags").astype(int)
    # a hundred periods of rest leave a row or two, and the ticks count on without a gap
    assert 1 <= np.count_nonzero(flags & AT_REST) < 20
    assert np.array_equal(recording.column("tick"), np.arange(1, len(flags) + 1))
    resting, times = flags & AT_REST != 0, recording.column("time")
    assert np.diff(times)[~resting[1:]] == pytest.approx(1e-3)
    assert np.all(np.diff(times)[resting[1:]] == 0.0)
    assert tb.replay(path).same


def test_a_rest_ends_by_itself_and_leaves_pauses_as_they_were_asked_for(cart: tb.System) -> None:
    with tb.live(cart, rate=1000) as live:
        with live.resting():
            before = live.read("time")
            with live.resting():  # another's, over a part of it
                pass
            time.sleep(0.02)
            assert live.state == "paused" and live.read("time") == before
        assert live.state == "running"
        with live.resting():
            live.pause()  # somebody's, meanwhile
        assert live.state == "paused"
        with live.resting():
            pass
        assert live.state == "paused"
        with live.resting():
            live.go()
            assert live.state == "paused"
        assert live.state == "running"


def test_a_pause_makes_no_tick_late_and_slips_nothing(cart: tb.System) -> None:
    """Of some pause, for a machine that stands still around it makes ticks late of its own."""

    def none_was_late() -> bool:
        with tb.live(cart, rate=100) as live:
            live.run(0.05)
            live.pause()
            time.sleep(0.5)  # fifty periods
            live.go()
            live.run(0.05)
            slipped, largest = _punctual(live)
        return slipped == 0 and largest < 0.25

    until(none_was_late)


def test_outputs_are_safe_while_paused_and_come_back_softly(cart: tb.System) -> None:
    guards = {"echo": tb.devices.GuardedOutput(safe=0.0, ramp=0.01, soft_start=0.01)}
    with tb.live(cart, rate=1000, outputs=guards, record=True) as live:
        live["force"] = 3.0
        live.run(0.05)
        assert live.read("echo") == 3.0
        live.pause()
        until(lambda: live.read("echo") == 0.0)
        live.step(5)
        assert live.read("echo") == 0.0  # in single steps too
        live.go()
        live.run(0.05)
        assert live.read("echo") == 3.0
    run = live.recorded()
    there = np.flatnonzero(run["force"] == 3.0)[0]  # mostly at the first tick, else at the next
    assert np.abs(np.diff(run["echo"][there:])).max() <= 0.3 + 1e-12  # both ramps take ten ticks


def test_single_steps_move_the_model_tick_by_tick(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, record=path) as live:
        live.run(0.01)
        live.pause()
        start = live.read("time")
        live.step()
        assert live.read("time") == pytest.approx(start + 0.001)
        live.step(20)
        assert live.read("time") == pytest.approx(start + 0.021)
        time.sleep(0.02)
        assert live.read("time") == pytest.approx(start + 0.021)
    recording = open_recording(path)
    flags = recording.column("flags").astype(int)
    assert np.count_nonzero(flags & SINGLE) == 21
    assert not np.any(flags & SINGLE & (flags & HELD))
    # stepped or not, x = 0.1 cos(2 t) of the cart (m = 2, k = 8), whatever rested between
    times, x = recording.column("time"), recording.column("slide")
    assert x == pytest.approx(0.1 * np.cos(2.0 * times), abs=1e-9)
    assert tb.replay(path).same


def test_parameters_and_structures_are_taken_while_paused(
    slider_crank: tb.System, turning: tb.State, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(slider_crank, turning, rate=1000, record=path) as live:
        live.run(0.01)
        live.pause()
        live["crank radius"] = 0.12
        until(lambda: live.report().counts["swaps"] > 0)
        now = live.snapshot()
        a, b = now["crank"], now["rod"]
        assert 0.12 * np.cos(a) + 0.4 * np.cos(a + b) == pytest.approx(now["slider"], abs=1e-12)
        # sensors tell of the new pose, though no step was made
        assert now["slider position.x"] == pytest.approx(now["slider"], abs=1e-12)
        assert live.swap(rate=500).state == "taken"
        assert live.state == "paused"
        live.step(3)
        live.go()
        live.run(0.01)
    assert tb.replay(path).same


def test_a_stop_reaches_a_paused_run_and_lasts(cart: tb.System) -> None:
    with tb.live(cart, rate=1000) as live:
        live.pause()
        time.sleep(0.02)
        live.emergency_stop()
        until(lambda: live.faults == ("stopped",))
        live.go()
        live.run(0.01)
        assert live.faults == ("stopped",)
        live.resume()
        live.run(0.01)
        assert live.faults == ()


@pytest.mark.parametrize("speed", [0.05, 4.0])
def test_slow_motion_and_fast_keep_to_the_clock(cart: tb.System, speed: float) -> None:
    def keeps_to_it() -> bool:
        """But for two ticks of the model's time, for the ends, and what a machine may be behind;
        one that stands still may be behind by more, and is looked at again."""
        began, start = time.monotonic(), live.read("time")
        time.sleep(0.4)
        passed, gone = time.monotonic() - began, live.read("time") - start
        return bool(abs(gone - speed * passed) < 2 / 200 + 0.25 * speed * passed)

    with tb.live(cart, rate=200, record=True) as live:
        live.run(0.05)
        live.set_speed(speed)
        live.run(2.0 / 200)
        until(keeps_to_it)
        live.set_speed(1.0)
        live.run(0.02)
    times = live.recorded().time
    assert np.diff(times) == pytest.approx(1 / 200)
    assert live.report().speed == 1.0


def test_a_change_of_speed_is_no_lateness(cart: tb.System) -> None:
    """Of some change, as of some pause."""

    def none_was_late() -> bool:
        with tb.live(cart, rate=1000) as live:
            live.run(0.01)
            live.set_speed(0.002)  # a tick takes half a second
            time.sleep(0.2)
            live.set_speed(1.0)  # it is heard within the wait, and the 200 periods since are none
            live.run(0.02)
            slipped, largest = _punctual(live)
        return slipped < 100 and largest < 0.15

    until(none_was_late)


def _punctual(live: tb.Live) -> tuple[int, float]:
    """Periods given up, and the largest lateness [s]."""
    report = live.report()
    return report.counts["slipped"], 1e-9 * report.histograms["lateness"].largest


def test_speed_is_told_in_the_recording(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, record=path) as live:
        live.run(0.01)
        live.set_speed(0.5)
        live.run(0.01)
    (told,) = open_recording(path).speeds
    assert told["speed"] == 0.5
    assert told["tick"] >= 10
    assert tb.replay(path).same


def test_another_structure_goes_at_the_speed_that_was_asked_for(cart: tb.System) -> None:
    with tb.live(cart, rate=1000) as live:
        live.set_speed(0.5)
        live.swap(rate=100)
        assert live.spec.speed == 0.5
        assert live._loop.struct.period == pytest.approx(1e9 / (100 * 0.5))


# ---- another state --------------------------------------------------------------------------


def test_a_reset_goes_back_to_the_start_and_is_replayed(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=100, speed=None, record=path) as live:
        live.run(0.5)
        live.reset()
        live.run(0.5)
    recording = open_recording(path)
    x, flags = recording.column("slide"), recording.column("flags").astype(int)
    assert list(np.flatnonzero(flags & PLACED)) == [50]
    assert np.array_equal(x[50:], x[:50])  # the same motion again, to the bit
    assert recording.column("time")[50:] == pytest.approx(np.arange(51, 101) / 100)
    assert recording.places == {51: [0.1, 0.0]}
    assert tb.replay(path).same


def test_the_energy_of_a_jump_is_booked(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None) as live:
        live.run(0.1)
        x, v = live.read("slide"), live.read("slide rate")
        live.set_state([0.3, 1.0])
        live.run(0.01)
    (told,) = live.report().places
    # ½ m v² of the cart of 2 kg; its spring is an effort, which stores nothing in the books
    assert told["energy"] == pytest.approx(0.5 * 2.0 * (1.0 - v**2), rel=1e-12)
    assert told["tick"] == 11
    assert x != 0.3
    assert "states: taken 1" in str(live.report())


def test_a_loop_is_closed_where_it_is_placed(
    slider_crank: tb.System, turning: tb.State, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(slider_crank, turning, rate=1000, record=path) as live:
        live.run(0.01)
        live.pause()
        for crank in (0.4, 0.5, 0.7):
            state = slider_crank.assemble(crank=crank, guess={"slider": 0.5})
            live.set_state(state)
            now = live.snapshot()
            assert now["crank"] == pytest.approx(crank, abs=1e-9)
            a, b = now["crank"], now["rod"]
            gap = 0.1 * np.sin(a) + 0.4 * np.sin(a + b)
            assert gap == pytest.approx(0.0, abs=1e-12)
            assert now["slider position.x"] == pytest.approx(now["slider"], abs=1e-12)
        live.go()
        live.run(0.02)
        live.reset()
        live.run(0.01)
    assert len(open_recording(path).places) == 4
    assert tb.replay(path).same


@pytest.mark.parametrize("constraints", ["baumgarte", "projection", "augmented-lagrangian"])
def test_places_replay_under_other_formulations(
    slider_crank: tb.System, turning: tb.State, constraints: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(
        slider_crank, turning, rate=1000, speed=None, constraints=constraints, record=path
    ) as live:
        live.run(0.01)
        live.set_state(
            slider_crank.assemble(crank=1.0, guess={"slider": 0.5}, rates={"crank": 3.0})
        )
        live.run(0.01)
    assert tb.replay(path).same
    crank = open_recording(path).column("crank")
    assert crank[10] == pytest.approx(1.0 + 0.003, abs=1e-3)


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        ([0.1], "2 elements"),
        ([0.1, float("nan")], "slide rate"),
        ([[0.1, 0.2]], "shape"),
        ("here", "array of 2 numbers"),
    ],
)
def test_a_state_that_can_not_be_is_refused(cart: tb.System, state: object, complaint: str) -> None:
    with tb.live(cart, rate=100, speed=None) as live:
        with pytest.raises(tb.InputError, match=complaint):
            live.set_state(state)  # type: ignore[arg-type]
        live.run(0.01)
        assert live.read("flags") == 0.0


def test_a_state_whose_loops_can_not_close_is_refused(
    slider_crank: tb.System, turning: tb.State
) -> None:
    with tb.live(slider_crank, turning, rate=1000, parameters={"crank radius": 0.1}) as live:
        bad = turning.x.copy()
        bad[:3] = 1.0, np.nan, 0.3
        with pytest.raises(tb.InputError, match="rod"):
            live.set_state(bad)
        assert live.state == "running"


def test_reset_of_another_structure_takes_what_the_start_had(tmp_path: Path) -> None:
    def bolt(kind: tb.JointKind) -> tb.Model:
        m = tb.Model("bolt", gravity=(0, 0, 0))
        body = m.body("bolt", mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.joint("hinge", kind, m.ground, body, velocity=(0.2, 1.0) if kind.nv == 2 else None)
        return m

    path = tmp_path / "run.mcap"
    with tb.live(bolt(tb.Cylindrical("x")).compile(), rate=1000, record=path) as live:
        live.run(0.05)
        live.swap(bolt(tb.Revolute("x")))
        live.pause()
        live.reset()
        assert live.read("hinge") == 0.0
        live.go()
        live.run(0.02)
    assert tb.replay(path).same


# ---- what can't be --------------------------------------------------------------------------


def test_transport_is_of_clocked_runs(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None) as live:
        for act in (live.pause, live.go, live.step, lambda: live.set_speed(0.5)):
            with pytest.raises(tb.InputError, match="speed=None"):
                act()


def test_steps_are_of_paused_runs_and_time_passes_only_in_others(cart: tb.System) -> None:
    with tb.live(cart, rate=1000) as live:
        with pytest.raises(tb.InputError, match="paused"):
            live.step()
        live.pause()
        with pytest.raises(tb.InputError, match="paused"):
            live.run(0.1)
        for ticks in (0, -1, 10**9, 1.5):
            with pytest.raises(tb.InputError, match="ticks"):
                live.step(ticks)  # type: ignore[arg-type]
        for speed in (0.0, -1.0, float("nan"), float("inf"), "fast"):
            with pytest.raises(tb.InputError, match="speed"):
                live.set_speed(speed)  # type: ignore[arg-type]


def test_a_paused_run_ends_as_any_other(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    guards = {"echo": tb.devices.GuardedOutput(safe=0.0, ramp=0.02)}
    with tb.live(cart, rate=1000, outputs=guards, record=path) as live:
        live["force"] = 3.0
        live.run(0.01)
        live.pause()
    assert live.state == "stopped"
    assert live.read("echo") == 0.0
    assert tb.replay(path).same


def test_a_run_with_modes_is_put_back_into_its_first_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(
        bouncing_ball(0.5, rest=True).compile(), rate=500, speed=None, record=path
    ) as live:
        live.run(3.0)
        assert live.read("mode") == 1.0
        live.reset()
        live.run(3.0)
        assert live.read("mode") == 1.0
    states = open_recording(path).states
    assert states[1500, -1] == 0.0
    # the model knows no time but by its guards: the same fall and bounces again, where rounding of
    # 3 + k h against k h shifts the instants of impacts by some 1e-16 s
    assert states[1500:] == pytest.approx(states[:1500], abs=1e-9)
    assert tb.replay(path).same
