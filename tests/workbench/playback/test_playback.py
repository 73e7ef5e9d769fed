"""A recording on the page: every instant of it is as it was."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback import gallery, workbench
from touchback.errors import InputError
from touchback.realtime import Recording, open_recording
from touchback.realtime.control import CommandServer
from touchback.realtime.control.permissions import NOTHING, Exposed
from touchback.workbench.live_source import LiveSource
from touchback.workbench.playback import Playback, RecordedTrack, track_of
from touchback.workbench.playback.playback import LIVE_ONLY


def arm(kind: tb.Cylindrical | tb.Revolute) -> tb.Model:
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.3, unit="m", min=0.1, max=1.0)
    body = m.body("arm", mass=1.0, com=(0, 0, -length), inertia=(0.01, 0.01, 0.01))
    m.joint("hinge", kind, m.ground, body, position=(0.0, 0.5) if kind.nv == 2 else 0.5)
    torque = m.input("torque", unit="N m")
    m.force("motor", tb.JointEffort("hinge", torque, kind.nv - 1))
    return m


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    """Half a second: another length from 0.1 s on, a stop from 0.2 s to 0.25 s, another structure
    from 0.3 s on."""
    path = tmp_path_factory.mktemp("play") / "arm.mcap"
    with tb.live(arm(tb.Cylindrical("y")).compile(), rate=1000, speed=None, record=path) as live:
        live.run(0.1)
        live["length"] = 0.4
        live["torque"] = 0.2
        live.run(0.1)
        live.emergency_stop()
        live.run(0.05)
        live.resume()
        live.run(0.1)
        live.swap(arm(tb.Revolute("y")))
        live.run(0.2)
    yield open_recording(path)


@pytest.fixture
def played(recording: Recording) -> Playback:
    return Playback(RecordedTrack(recording), "arm.mcap")


def test_an_instant_has_the_state_parameters_and_inputs_that_were(
    recording: Recording, played: Playback
) -> None:
    first = recording.parts[0]
    for at, length, torque in ((0.05, 0.3, 0.0), (0.15, 0.4, 0.2)):
        played.seek(at)
        instant = played.instant
        row = round(1000 * at) - 1
        np.testing.assert_array_equal(instant.state, first.states[row])
        assert instant.parameters["length"] == length and instant.inputs.tolist() == [torque]
        assert played.values()["length"] == length and played.values()["torque"] == torque


def test_poses_are_those_of_the_instant(played: Playback) -> None:
    """The arm is turned by its angle about y, wherever it is scrubbed to."""
    for at in (0.02, 0.13, 0.45):
        played.seek(at)
        if played.stale():
            played.prepare()
        frame = played.frame()
        assert frame is not None and frame.time == pytest.approx(at)
        turn = frame.numbers[7 + 3 : 7 + 7]  # of the first body after the ground
        angle = 2 * np.arctan2(turn[1], turn[3])
        state = dict(zip(played.track.system(played.instant.structure).state_names,
                         played.instant.state))  # fmt: skip
        expected = state["hinge"] if "hinge" in state else state["hinge.turn"]
        assert angle == pytest.approx(expected, abs=1e-6)


def test_another_structure_is_another_scene(played: Playback) -> None:
    played.seek(0.1)
    before = played.scene()
    played.seek(0.45)
    assert played.stale() and played.frame() is None
    played.prepare()
    after = played.scene()
    assert (before.joints[0].kind, after.joints[0].kind) == ("Cylindrical", "Revolute")
    assert after.structure == before.structure + 1 and played.frame() is not None


def test_it_plays_in_real_time_at_a_speed_and_stands_at_the_end(played: Playback) -> None:
    played.set_speed(0.5)
    played.seek(0.1)
    began = time.monotonic()
    played.go()
    time.sleep(0.05)
    shown, took = played.at, time.monotonic() - began
    assert 0.1 + 0.5 * 0.05 <= shown <= 0.1 + 0.5 * took
    played.pause()
    assert played.at == played.at and played.paused
    played.set_speed(100.0)
    played.go()
    time.sleep(0.02)
    assert played.paused and played.at == played.end
    played.go()  # from the start again
    assert not played.paused


def test_a_step_is_one_tick(played: Playback, recording: Recording) -> None:
    times = recording.parts[0].column("time")
    played.seek(float(times[41]))
    played.step()
    assert played.at == times[42]
    played.step(10)
    assert played.at == times[52]


def test_what_happened_can_be_jumped_to(played: Playback) -> None:
    found = {(each["kind"], each["name"]): each["time"] for each in played.events()}
    assert found["change", "parameters changed"] == pytest.approx(0.101)
    assert found["fault", "stopped"] == pytest.approx(0.2, abs=0.0011)
    assert found["structure", "new structure"] == pytest.approx(0.301, abs=0.0011)
    times = [each["time"] for each in played.events()]
    assert times == sorted(times)  # type: ignore[type-var]


def test_scopes_show_its_whole_length_with_a_gap_where_a_signal_was_not(played: Playback) -> None:
    found = played.recorded.past(["hinge.turn", "hinge"], 0.0, 1.0, 2000)
    assert np.isfinite(found.low[100, 0]) and np.isnan(found.low[100, 1])
    assert np.isnan(found.low[-1, 0]) and np.isfinite(found.low[-1, 1])


def test_a_simulated_run_plays_with_its_events_and_modes() -> None:
    model = gallery.make("bouncing-hammer")
    run = tb.simulate(model.compile(), duration=0.3)
    played = Playback(track_of(run))
    assert played.title == model.name
    played.seek(0.2)
    row = int(np.searchsorted(run.time, 0.2, "right")) - 1
    names = played.track.system(0).state_names
    np.testing.assert_array_equal(played.instant.state, [run[name][row] for name in names])
    assert [e.time for e in played.track.events if e.kind == "mode"] == [
        each.time for each in run.transitions
    ]
    assert played.status()["mode"]


def test_a_run_without_its_mechanism_is_refused_with_the_mend() -> None:
    run = tb.simulate(gallery.make("pendulum").compile(), duration=0.1)
    bare = type(run)(run.time, run.signals, run.units, run.metadata)
    with pytest.raises(InputError, match=r"workbench\.open\(run, model=…\)"):
        track_of(bare)
    assert track_of(bare, gallery.make("pendulum")).at(0.05).row > 0


def test_what_cant_be_played_is_refused(played: Playback) -> None:
    with pytest.raises(InputError, match=r"0\.0001 to 100 times as fast, got 0"):
        played.set_speed(0.0)
    with pytest.raises(InputError, match="a time of the recording, got nan"):
        played.seek(float("nan"))
    played.seek(99.0)
    assert played.at == played.end


def test_a_desk_answers_for_it_in_our_words(played: Playback) -> None:
    answer = played.handle(b'{"do": "seek", "time": 0.123, "id": 7}', "page").as_dict()
    assert answer["ok"] and answer["id"] == 7 and answer["time"] == pytest.approx(0.123)
    refused = played.handle(b'{"do": "set", "name": "length", "value": 1}', "page").as_dict()
    assert not refused["ok"]


@pytest.mark.parametrize("word", ["pause", "go", "step", "speed", "reset", "seek"])
def test_who_may_not_touch_the_transport_moves_nobodys_recording(
    played: Playback, word: str
) -> None:
    message = {"do": word, **{"speed": {"value": 2.0}, "seek": {"time": 0.2}}.get(word, {})}
    played.commands.exposed = NOTHING
    before = played.at, played.paused, played.speed
    answer = played.handle(json.dumps(message).encode(), "page")
    assert f"'{word}' isn't among the transport" in answer.error
    assert (played.at, played.paused, played.speed) == before
    played.commands.exposed = Exposed(transport=[word])
    assert played.handle(json.dumps(message).encode(), "page").ok


def test_the_recording_of_a_killed_run_plays_up_to_its_last_chunk(
    recording: Recording, tmp_path: Path
) -> None:
    """Cut off in the middle, as a process that was killed leaves it."""
    path = tmp_path / "whole.mcap"
    with tb.live(arm(tb.Revolute("y")).compile(), rate=1000, speed=None, record=path) as live:
        for _ in range(5):
            live.run(0.1)
    data = path.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(data[: int(0.6 * len(data))])
    played = Playback(RecordedTrack(open_recording(tmp_path / "cut.mcap")))
    assert 0.05 < played.end < 0.5


def test_the_constraint_error_of_a_drive_that_follows_a_state_is_that_of_its_state(
    tmp_path: Path,
) -> None:
    """The wheel turns with its state by 50 mrad and more, live and played, and stays on it."""
    m = tb.Model("steered")
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("steering", tb.Revolute("z"), m.ground, "wheel")
    rate = m.state("rate", 1.0, rate=0.0)
    m.drive("steering", m.state("angle", 0.05, rate=rate), rate, 0.0)
    path = tmp_path / "steered.mcap"
    with tb.live(m.compile(), rate=1000, speed=None, record=path) as live:
        live.run(0.05)
        told = LiveSource(live, CommandServer(live)).status()["constraint error"]
    assert isinstance(told, float) and told < 1e-12
    played = Playback(RecordedTrack(open_recording(path)), "steered.mcap")
    played.seek(0.03)
    assert played.instant.state[0] == pytest.approx(0.08, abs=1e-9)
    told = played.status()["constraint error"]
    assert isinstance(told, float) and told < 1e-12


def test_messages_for_runs_alone_are_told_from_unknown_ones(
    recording: Recording, tmp_path: Path
) -> None:
    """Everything that the page of a run answers and that of a recording doesn't is refused with
    the way to do it; anything else is unknown, and what is known is listed."""
    with (
        workbench.open(gallery.make("pendulum"), recordings=tmp_path) as ran,
        workbench.open(recording, recordings=tmp_path) as played,
    ):
        assert ran.commands is not None
        live, shown = (
            {str(kind.__struct_config__.tag) for kind in each._known}
            for each in (ran.commands, played.playback.commands)
        )
        assert live - shown == {str(kind.__struct_config__.tag) for kind in LIVE_ONLY}
        for word in live - shown:
            told = played.playback.handle(json.dumps({"do": word}).encode(), "me").error
            assert told.startswith(f"'{word}' isn't for a recording") and "fork" in told
        for source, known in ((ran.source, live), (played.source, shown)):
            told = source.handle(b'{"do": "fly"}', "me").error
            assert told == f"There is no message 'fly'; known: {', '.join(sorted(known))}."
            told = source.handle(b'{"do": "what", "more": 1}', "me").error
            assert "can't be read" in told


@pytest.mark.parametrize("speed", [4.0, None], ids=["by a clock", "without a clock"])
def test_deadlines_of_a_recording_are_those_that_its_run_reported(
    tmp_path: Path, speed: float | None
) -> None:
    path = tmp_path / "arm.mcap"
    with tb.live(arm(tb.Revolute("y")).compile(), rate=250, speed=speed, record=path) as live:
        live.run(0.2)
    report = live.report()
    told = Playback(RecordedTrack(open_recording(path))).status()
    assert told["ticks"] == report.counts["ticks"] >= 50
    assert told["rate"] == pytest.approx(250.0, rel=1e-12)
    assert ("late" in told) == ("lateness" in told) == (speed is not None)
    if speed is not None:
        assert told["late"] == report.counts["late"]
    for name, word in (("step_time", "step time"), ("lateness", "lateness")):
        measured, summary = told.get(word), report.histograms[name].summary()
        if isinstance(measured, dict):
            for key, value in summary.items():  # a histogram of sixteenths of octaves
                assert measured[key] == pytest.approx(value, rel=1 / 16, abs=2e-9)


def test_a_simulated_run_has_no_deadlines() -> None:
    told = Playback(
        track_of(tb.simulate(gallery.make("pendulum").compile(), duration=0.1))
    ).status()
    assert not {"late", "lateness", "step time"} & set(told)
