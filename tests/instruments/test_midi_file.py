"""Standard MIDI Files: mido reads ours and we read mido's."""

import mido
import pytest
from hypothesis import given, strategies as st

from touchback.devices.midi import Control, NoteOff, NoteOn
from touchback.errors import InputError
from touchback.instruments.midi_file import Timed, read_midi, write_midi

PASSAGE = [
    Timed(0.0, Control(64, 127)),
    Timed(0.25, NoteOn(60, 64)),
    Timed(0.7512, NoteOff(60)),
    Timed(0.7512, NoteOn(67, 100, 3)),
    Timed(400.0, NoteOff(67, 12, 3)),
]


def test_mido_reads_the_messages_and_times_that_we_write(tmp_path):
    write_midi(tmp_path / "passage.mid", PASSAGE)
    now, heard = 0.0, []
    for message in mido.MidiFile(tmp_path / "passage.mid"):
        now += message.time
        if not message.is_meta:
            heard.append((now, message.type))
    assert [kind for _, kind in heard] == [
        "control_change", "note_on", "note_off", "note_on", "note_off",
    ]  # fmt: skip
    assert [time for time, _ in heard] == pytest.approx([t.time for t in PASSAGE], abs=5.1e-5)


def test_we_read_mido_s_tracks_with_their_tempo_changes(tmp_path):
    file = mido.MidiFile(type=1, ticks_per_beat=480)
    tempo = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=500_000, time=0),
                            mido.MetaMessage("set_tempo", tempo=250_000, time=480)])  # fmt: skip
    notes = mido.MidiTrack([mido.Message("note_on", note=60, velocity=50, time=0),
                            mido.Message("note_on", note=62, velocity=50, time=480),
                            mido.Message("program_change", program=3, time=0),
                            mido.Message("sysex", data=(1, 2, 3), time=0),
                            mido.Message("note_on", note=60, velocity=0, time=480)])  # fmt: skip
    file.tracks += [tempo, notes]
    file.save(tmp_path / "two.mid")
    assert read_midi(tmp_path / "two.mid") == [
        Timed(0.0, NoteOn(60, 50)),
        Timed(0.5, NoteOn(62, 50)),
        Timed(0.75, NoteOff(60)),
    ]


def test_what_was_written_comes_back(tmp_path):
    write_midi(tmp_path / "passage.mid", reversed(PASSAGE))
    back = read_midi(tmp_path / "passage.mid")
    assert [timed.time for timed in back] == pytest.approx([t.time for t in PASSAGE], abs=5.1e-5)
    assert {timed.message for timed in back} == {timed.message for timed in PASSAGE}


@given(st.binary(max_size=120), st.booleans())
def test_no_bytes_break_the_reader(tmp_path_factory, rest, with_header):
    path = tmp_path_factory.getbasetemp() / "fuzz.mid"
    header = b"MThd\0\0\0\6\0\0\0\1\1\0MTrk" + len(rest).to_bytes(4, "big")
    path.write_bytes(header + rest if with_header else rest)
    try:
        assert all(timed.time >= 0.0 for timed in read_midi(path))
    except InputError as fault:
        assert "fuzz.mid" in str(fault)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"RIFF", "starts with"),
        (b"MThd\0\0\0\6\0\2\0\1\1\0", "format is 2"),
        (b"MThd\0\0\0\6\0\0\0\1\xe7\x28", "SMPTE"),
        (b"MThd\0\0\0\6\0\0\0\1\0\0", "0 ticks per quarter note.*480"),
        (b"MThd\0\0\0\6\0\0\0\1\1\0MTrk\0\0\0\x09\0\x90", "has only 2"),
    ],
)
def test_what_we_cannot_read_is_said(tmp_path, content, words):
    (tmp_path / "odd.mid").write_bytes(content)
    with pytest.raises(InputError, match=rf"odd\.mid.*{words}"):
        read_midi(tmp_path / "odd.mid")


def test_a_message_before_the_start_is_refused(tmp_path):
    with pytest.raises(InputError, match="times start at 0"):
        write_midi(tmp_path / "early.mid", [Timed(-0.1, NoteOn(60, 1))])


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -1.0, 1e6])
def test_times_that_no_file_holds_are_refused(tmp_path, time):
    with pytest.raises(InputError, match=r"times start at 0|waits for 26844 s"):
        write_midi(tmp_path / "never.mid", [Timed(time, NoteOn(60, 1))])
    with pytest.raises(InputError, match="There is no file"):
        read_midi(tmp_path / "never.mid")
