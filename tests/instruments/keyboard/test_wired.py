"""Keys on wires: a voice begins where the real key is, and pedals do what they do elsewhere."""

import contextlib
import os
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from command import touchback
from far_ends import AXIS, FarDevice
from touchback.devices import SerialDevice
from touchback.devices.serial_line.axis_identification import identify
from touchback.instruments.keyboard import wired_keys
from touchback.instruments.keyboard.key_device import FRONT, SOFTEST
from touchback.instruments.keyboard.keyboard_pedals import SUSTAIN, UNA_CORDA, Foot
from touchback.instruments.keyboard.keyboard_player import (
    KEYBOARD_METHOD,
    SETTLING_TIME,
    NoteCallbacks,
    steps_at,
)
from touchback.instruments.keyboard.keyboard_regulation import Regulation
from touchback.instruments.keyboard.wired_keys import (
    ANGLE,
    FOLLOW,
    FOLLOWED,
    KeyFollower,
    WiredKey,
    play_wired,
    wired_key,
)
from waiting import PATIENCE, until

DOWN = 9e-3 / FRONT  # rad: in the middle of the bed's felt
RATIO = 5.5  # of hammer and key, at most: docs/piano.md


@pytest.fixture
def far():
    with contextlib.closing(FarDevice()) as device:
        yield device


@pytest.fixture
def pressed(monkeypatch):
    """Plays a key on a line while a test does things to it; gives what is heard."""
    heard, ends = [], []

    def start(path, voice, **options):
        done = threading.Event()

        def play():
            with SerialDevice(path, patience=PATIENCE) as device:
                feet = options.pop("feet", lambda now: ())

                def going(now):
                    if done.is_set():
                        raise StopIteration
                    return feet(now)

                ear = NoteCallbacks(heard.append)
                with pytest.raises(StopIteration):
                    play_wired([WiredKey(device)], voice, seconds=1e9, ear=ear, feet=going)

        thread = threading.Thread(target=play)
        thread.start()
        ends.append((done, thread))
        return heard

    yield start
    for done, thread in ends:
        done.set()
        thread.join()


def followed(monkeypatch):
    """Whether voice and key are together, as the last look had it."""
    last, look = [], wired_keys.KeyFollower.look
    monkeypatch.setattr(
        wired_keys.KeyFollower, "look", lambda self: last.append(look(self)) or last[-1]
    )
    return lambda: bool(last) and last[-1]


@pytest.mark.parametrize("voice", ["piano", "harpsichord", "organ", "synthesizer"])
def test_no_note_sounds_that_nobody_played_wherever_the_key_is_at_first(
    far, pressed, monkeypatch, voice
) -> None:
    """A key that was left half-way down, or deeper: from 0 to there within a tick were 9 m/s."""
    far.positions[0] = DOWN
    together = followed(monkeypatch)
    heard = pressed(far.path, voice)
    until(together)
    assert heard == []


def test_nor_does_one_when_a_line_was_lost_and_the_key_moved_meanwhile(
    far, pressed, monkeypatch
) -> None:
    """An organ speaks at any speed: only a voice that isn't heard is silent while it comes."""
    far.positions[0] = 0.0
    together = followed(monkeypatch)
    heard = pressed(far.path, "organ")
    until(together)
    far.silent = True
    until(lambda: not together())
    far.positions[0] = DOWN
    far.silent = False
    until(together)
    assert heard == []
    far.positions[0] = 0.0
    until(lambda: far.forces[0] == 0.0)  # a key at rest isn't pushed
    until(together)
    far.positions[0] = DOWN
    until(lambda: heard)  # and what is played then is


def test_voices_have_come_to_their_keys_when_two_looks_in_a_row_say_so() -> None:
    """Of two keys: both must have told where they are, and go on to. A key that was silent between
    two looks comes anew."""

    class Run:
        counts, messages, followed = {"stale": 0}, [0, 0], 0.0

        def __init__(self) -> None:
            self.follows: list[float] = []

        def report(self) -> SimpleNamespace:
            ports = {f"{k}/{ANGLE}": {"messages": n} for k, n in enumerate(self.messages)}
            return SimpleNamespace(counts=dict(self.counts), ports=ports)

        def __setitem__(self, name: str, value: float) -> None:
            assert name == FOLLOW
            self.follows.append(value)

        def read(self, name: str) -> float:
            assert name == f"0/{FOLLOWED}"
            return self.followed

    run: Any = Run()
    follower = KeyFollower(run, ["0/", "1/"])
    run.messages = [5, 0]
    assert not follower.look() and run.follows == []  # one hasn't told yet
    run.messages = [6, 1]
    assert not follower.look() and run.follows == [1.0]
    run.followed = 0.9
    assert not follower.look() and not follower.look()  # on its way
    run.followed = 1.0
    assert [follower.look() for _ in range(3)] == [False, True, True]
    run.counts = {"stale": 2}
    assert not follower.look() and run.follows == [1.0, 0.0]
    assert [follower.look() for _ in range(2)] == [False, True]  # none was silent since
    assert run.follows == [1.0, 0.0, 1.0]
    at_once: Any = Run()
    at_once.messages, at_once.followed = [1, 1], 1.0
    anew = KeyFollower(at_once, ["0/", "1/"])
    assert [anew.look() for _ in range(2)] == [False, True]


def test_a_voice_that_has_come_to_its_key_feels_where_it_is_and_how_fast(tmp_path) -> None:
    """A key that moves at 30 mm/s all the while, under a wall's spring: position and speed."""
    m = wired_key("wall", 1000.0)
    t = np.linspace(0.0, 1.0, 1001)
    angle = (2e-3 + 8e-3 * t) / FRONT
    run = tb.simulate(
        m.compile(), duration=1.0, rate=1000.0, step=1e-3, output_step=1e-3, progress=False,
        inputs={ANGLE: (t, angle), FOLLOW: 1.0},
    )  # fmt: skip
    late = run.time > SETTLING_TIME + 0.01
    np.testing.assert_allclose(run["depth held"][late], FRONT * angle[late], atol=2e-5)
    np.testing.assert_allclose(run["speed held"][late], 8e-3, rtol=1e-6)
    assert np.diff(run["depth held"]).max() < 3e-5  # m in a tick: it never jumped


@pytest.fixture(scope="module")
def piano():
    return wired_key("piano", 1000.0).compile()


def rung(piano, **inputs):
    """A press of the least jerk in 0.15 s, let go 0.3 s after it began: loudness, and whether the
    string rings at the end."""
    t = np.arange(0.0, SETTLING_TIME + 0.9, 1e-3)
    down, up = (np.clip((t - SETTLING_TIME - at) / 0.15, 0.0, 1.0) for at in (0.1, 0.4))
    share = [s**3 * (10.0 - 15.0 * s + 6.0 * s * s) for s in (down, up)]
    run = tb.simulate(
        piano, duration=float(t[-1]), rate=1000.0, step=1e-3 / steps_at(1000.0),
        method=KEYBOARD_METHOD,
        output_step=1e-3, progress=False,
        inputs={ANGLE: (t, DOWN * (share[0] - share[1])), FOLLOW: 1.0, **inputs},
    )  # fmt: skip
    sounded = run.time[run["notes"] > 0.0]
    assert 0.0 < sounded[0] - SETTLING_TIME - 0.1 < 0.15
    return run["loudness"][-1], run["ringing"][-1], run["una corda"][-1]


def test_pedals_lift_the_damper_of_a_key_on_a_wire_and_shift_its_hammer(piano) -> None:
    """A hammer's loudness is its speed: heard, and below the key's highest times their ratio."""
    loudness, ringing, shifted = rung(piano)
    assert SOFTEST < loudness < RATIO * 1.875 * 9e-3 / 0.15
    assert ringing == 0.0 and shifted == 0.0
    held = rung(piano, **{SUSTAIN: 1.0, UNA_CORDA: 1.0})
    assert held[1:] == (1.0, 1.0)


def test_feet_reach_a_live_key(far, pressed, monkeypatch) -> None:
    far.positions[0] = 0.0
    together, asked = followed(monkeypatch), [Foot(0.0, UNA_CORDA, 0.75)]
    heard = pressed(far.path, "organ", feet=lambda now: [asked.pop()] if asked else ())
    until(together)
    far.positions[0] = DOWN
    until(lambda: heard)
    assert heard[0].una_corda == 0.75


def test_an_axis_that_is_not_there_or_no_lever_is_no_key() -> None:
    device = FarDevice(axes=(AXIS, replace(AXIS, name="slide", linear=True)))
    try:
        with SerialDevice(device.path, patience=PATIENCE) as found:
            for axis in (2, -1, 0.5, float("nan")):
                for act in (WiredKey, identify, SerialDevice.samples, SerialDevice.axis):
                    with pytest.raises(tb.InputError, match=f"has 2 axes, .* no axis {axis}"):
                        act(found, axis)
            with pytest.raises(tb.InputError, match="axis 'slide': it is linear"):
                WiredKey(found, 1)
            assert WiredKey(found).limit == AXIS.force
    finally:
        device.close()


def test_screws_are_turned_behind_keys_on_wires(far, monkeypatch) -> None:
    built = []

    def started(system, **options):
        built.append(system["C4/action/hammer mass"])
        raise StopIteration

    monkeypatch.setattr(wired_keys, "live", started)
    with SerialDevice(far.path, patience=PATIENCE) as device, pytest.raises(StopIteration):
        play_wired(
            [WiredKey(device)], seconds=1.0, ear=NoteCallbacks(print),
            regulation=Regulation({}, {60: {"hammer mass": 0.0085}}),
        )  # fmt: skip
    assert built == [0.0085]


def test_the_command_takes_pedals_from_a_midi_port_and_refuses_a_line_given_twice(
    far, tmp_path
) -> None:
    source, sink = tmp_path / "from", tmp_path / "to"
    for pipe in (source, sink):
        os.mkfifo(pipe)
    ends = [os.open(pipe, os.O_RDWR | os.O_NONBLOCK) for pipe in (source, sink)]
    try:
        os.write(ends[0], bytes([0xB0, 64, 127, 0x90, 60, 100]))  # a pedal, and a note
        line = ["--device", f"serial:{far.path}"]
        told = touchback(
            "play", "organ", *line, "--no-identify", "--seconds", "0.1", "--port", str(source),
            "--to", str(sink),
        )  # fmt: skip
        assert told.returncode == 0, told.stderr
        assert os.read(ends[1], 100) == bytes([0xB0, 64, 127])
    finally:
        for end in ends:
            os.close(end)
    told = touchback("play", "organ", *line, *line, "--no-identify")
    assert told.returncode == 1
    assert "is in use, by another program or here already" in told.stderr.replace("\n", " ")
