"""`touchback play`: instruments without a display, a sound card or a person."""

import os
import pty
import re
import select
import subprocess
import sys
import time
import tty
import wave
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

import touchback as tb
from command import touchback
from sound_card import SoundCard, why_not
from touchback.cli import play_command
from touchback.cli.keyboard_performance import WireOptions
from touchback.devices.midi import NoteOff, NoteOn, Parser, encode
from touchback.instruments.keyboard.keyboard_regulation import Regulation
from touchback.instruments.midi_file import Timed, read_midi, write_midi
from touchback.instruments.sound import Note, render
from touchback.instruments.sound.sound_stream import LOUD
from waiting import PATIENCE, until

SCORE = [
    Timed(0.0, NoteOn(60, 60)), Timed(0.3, NoteOff(60)),
    Timed(0.4, NoteOn(67, 90)), Timed(0.7, NoteOff(67)),
]  # fmt: skip


@pytest.mark.parametrize("voice", ["piano", "wall"])
def test_a_score_is_played_offline_and_kept_as_sound_and_notes(voice: str, tmp_path: Path) -> None:
    write_midi(tmp_path / "score.mid", SCORE)
    done = touchback(
        "play", voice, "--fast", "--score", "score.mid", "--wav", "a.wav", "--midi", "b.mid",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 notes were heard" in done.stdout
    with wave.open(str(tmp_path / "a.wav")) as sound:
        assert sound.getnframes() > 44100
    notes = [t.message for t in read_midi(tmp_path / "b.mid") if isinstance(t.message, NoteOn)]
    assert [note.note for note in notes] == [60, 67]
    assert notes[0].velocity < notes[1].velocity


def test_notes_of_a_score_that_nothing_ends_are_played_and_told(tmp_path: Path) -> None:
    score = [*SCORE[:3], Timed(0.9, NoteOn(60, 70)), Timed(1.3, NoteOn(60, 80))]
    write_midi(tmp_path / "score.mid", score)
    done = touchback(
        "play", "organ", "--fast", "--score", "score.mid", "--midi", "b.mid", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "score.mid: 2 of 4 notes have no note off (G4 at 0.400 s, C4 at 1.300 s)" in said
    assert "4 notes were heard" in said
    back = read_midi(tmp_path / "b.mid")
    shown = [float(time) for time in re.findall(r"^ +(\S+) s  [A-G]", done.stdout, re.MULTILINE)]
    kept = [t.time for t in back if isinstance(t.message, NoteOn)]
    assert shown == pytest.approx(kept, abs=6e-4)  # one clock: a line has milliseconds
    (held,) = [t.time for t in back if t.message == NoteOff(67)]
    last = [t.time for t in back if isinstance(t.message, NoteOn)][-1]
    assert held == pytest.approx(last, abs=0.1)  # let go as the last note begins, by a finger


def test_fingers_answer_a_midi_port_while_the_clock_runs() -> None:
    here, there = pty.openpty()
    tty.setraw(here)
    tty.setraw(there)
    out_here, out_there = pty.openpty()
    tty.setraw(out_here)
    tty.setraw(out_there)
    command = [sys.executable, "-m", "touchback.cli", "play", "harpsichord", "--port",
               os.ttyname(there), "--to", os.ttyname(out_there), "--seconds", "3"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()  # the keyboard is built
        time.sleep(1.0)
        os.write(here, encode(NoteOn(60, 70)) + encode(NoteOn(100, 70)))
        assert select.select([out_here], [], [], PATIENCE)[0]
        begun = os.read(out_here, 4096)  # it sounds
        os.write(here, encode(NoteOff(60)))
        rest = process.communicate(timeout=60)[0]
        sent = Parser().feed(begun + os.read(out_here, 4096))
    finally:
        process.kill()
        for end in (here, there, out_here, out_there):
            os.close(end)
    assert "7 simulated keys, harpsichord" in first
    assert "C4" in rest and "1 notes were heard" in rest
    assert "1 notes came for keys that aren't there" in rest
    assert sent == [NoteOn(60, 64), NoteOff(60)]  # a harpsichord knows no loud and soft


def test_what_cannot_be_played_is_said(tmp_path: Path) -> None:
    assert touchback("play", "flute").returncode == 2
    write_midi(tmp_path / "empty.mid", [])
    done = touchback("play", "organ", "--score", str(tmp_path / "empty.mid"))
    assert done.returncode != 0 and "empty.mid has no notes" in done.stderr
    write_midi(tmp_path / "score.mid", SCORE)
    for keys in ("0", "89"):  # though the score says which keys there are
        done = touchback(
            "play", "organ", "--fast", "--score", "score.mid", "--keys", keys, cwd=tmp_path
        )
        assert done.returncode == 2 and keys in done.stderr and "88" in done.stderr


def test_the_page_ends_with_the_report_when_the_passage_is_played_and_nobody_looks_on() -> None:
    done = touchback("play", "piano", "--patience", "0")
    assert done.returncode == 0, done.stderr
    assert "page: http://127.0.0.1:" in done.stdout and "?token=" in done.stdout
    assert "Live run of '13 ×" in done.stdout
    heard = int(re.findall(r"(\d+) notes were heard", done.stdout)[0])
    # the fingers keep time by the clock: a machine that stands still for a while loses some
    assert 12 <= heard <= 24 and heard == len(re.findall(r"\d s +[A-G]\d ", done.stdout))


def test_a_page_that_looks_on_keeps_it_alive() -> None:
    """With a client that stays for 1.5 s beyond all patience, the run ends only after it left; one
    that a busy machine lets come after all patience comes again."""
    connect = pytest.importorskip("websockets.sync.client").connect
    command = [sys.executable, "-m", "touchback.cli", "play", "wall", "--patience", "1"]

    def stays() -> str:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().removeprefix("page: ").strip()
            wire = address.replace("http", "ws", 1).replace("/?", "/wire?")
            try:
                looking = connect(wire, open_timeout=PATIENCE)
            except OSError:
                return ""
            with looking:
                time.sleep(2.5)
                assert process.poll() is None
            rest = process.communicate(timeout=PATIENCE)[0]
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 0
        return rest

    assert "Live run of 'virtual wall'" in until(stays)


@pytest.mark.parametrize("what", ["piano", "piano-modes", "organ", "wall"])
def test_keys_with_modes_are_simulated_one_by_one_and_others_together(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what was asked for."""
    made: list[tuple[object, ...]] = []

    def stand_in(way: str) -> Callable[..., NoReturn]:
        def make(notes: object, voice: str, *, rate: float, regulation: Regulation) -> NoReturn:
            made.append((way, notes, voice, rate, regulation.every))
            raise tb.InputError("enough")

        return make

    for name in ("make_separate_keys", "make_keyboard"):
        monkeypatch.setattr(play_command, name, stand_in(name))
    words = ("--keys", "3", "--rate", "500", "--no-page", "--set", "mass=2")
    done = touchback("play", what, *words)
    assert done.returncode == 2 and "enough" in done.stderr
    way = "make_separate_keys" if what == "piano-modes" else "make_keyboard"
    assert made == [(way, 3, what, 500.0, {"mass": 2.0})]


@pytest.mark.parametrize(("word", "identifies"), [(None, True), ("--no-identify", False)])
def test_keys_on_wires_find_their_constants_unless_told_not_to(
    word: str | None, identifies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[WireOptions] = []
    monkeypatch.setattr(play_command, "play_on_devices", lambda wanted, _: asked.append(wanted))
    lines = ("--device", "serial:/dev/ttyACM0", "--device", "serial:/dev/ttyACM1")
    done = touchback("play", "organ", *lines, *([word] if word else []))
    assert done.returncode == 0, done.stderr
    (wanted,) = asked
    assert wanted.identified is identifies
    assert wanted.places == ["serial:/dev/ttyACM0", "serial:/dev/ttyACM1"]
    assert wanted.seconds == play_command.PATIENCE and wanted.regulation.every == {}


def test_what_is_only_a_page_says_so_in_the_terminal() -> None:
    done = touchback("play", "zoo", "--no-page")
    assert done.returncode != 0 and "'zoo' is a page" in done.stderr


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_notes_sound_on_an_output_while_they_are_played_and_their_way_is_told(
    tmp_path: Path,
) -> None:
    words = ["play", "organ", "--keys", "1", "--seconds", "1", "--audio", "default"]
    with SoundCard(tmp_path) as card:
        done = subprocess.run(
            [sys.executable, "-m", "touchback.cli", *words], env=card.environment, timeout=60,
            capture_output=True, text=True,
        )  # fmt: skip
    said = " ".join(done.stdout.split())
    assert done.returncode == 0 and "strikes lost 0" in said
    notes = re.search(r"strike to sample, (\d+) notes", said)
    heard = re.search(r"(\d+) notes were heard", said)
    assert notes and heard and 3 <= int(notes[1]) <= int(heard[1])
    loudest = np.tanh(LOUD * np.abs(render([Note(0.0, 60, speed=1.0)], 0.1)).max())
    assert np.abs(card.samples).max() >= 0.99 * loudest


def test_sound_while_playing_and_playing_faster_than_the_clock_exclude_each_other() -> None:
    done = touchback("play", "organ", "--fast", "--audio", "default")
    assert done.returncode == 2 and "take --wav with it" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["piano", "--score", "a.mid"], "--score is of simulated keys and fingers"),
        (["piano", "--fast"], "--fast is of simulated keys and fingers"),
        (["piano", "--set", "hammer mas=0.008"], "a key has no screw 'hammer mas'; did you mean"),
        (["organ", "--set", "hammer mass=0.008"], "a key has no screw 'hammer mass'"),
        (["piano-modes"], "'piano-modes' has modes"),
        (["zoo"], "There is no voice 'zoo'"),
    ],
)
def test_what_keys_on_wires_cannot_play_is_refused_before_a_line_is_opened(
    words: list[str], told: str
) -> None:
    done = touchback("play", *words, "--device", "serial:none")
    assert done.returncode == 2 and told in " ".join(done.stderr.split())
    assert done.stdout == ""  # nothing was begun
