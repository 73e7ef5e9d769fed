"""MIDI bytes, checked against mido, an independent implementation."""

import mido
import pytest
from hypothesis import given, strategies as st

from touchback.devices.midi import Control, NoteOff, NoteOn, Parser, encode
from touchback.errors import InputError

sevens = st.integers(0, 127)
channels = st.integers(0, 15)
messages = st.one_of(
    st.builds(NoteOn, sevens, st.integers(1, 127), channels),
    st.builds(NoteOff, sevens, sevens, channels),
    st.builds(Control, sevens, sevens, channels),
)


def peer_of(message):
    match message:
        case NoteOn(note, velocity, channel):
            return mido.Message("note_on", note=note, velocity=velocity, channel=channel)
        case NoteOff(note, velocity, channel):
            return mido.Message("note_off", note=note, velocity=velocity, channel=channel)
        case Control(number, value, channel):
            return mido.Message("control_change", control=number, value=value, channel=channel)


@given(messages)
def test_bytes_are_those_that_mido_writes(message):
    assert encode(message) == bytes(peer_of(message).bytes())


@given(st.lists(messages, max_size=20), st.data())
def test_a_stream_cut_anywhere_gives_the_messages_back(sent, data):
    stream = b"".join(map(encode, sent))
    cut = data.draw(st.integers(0, len(stream)))
    parser = Parser()
    assert parser.feed(stream[:cut]) + parser.feed(stream[cut:]) == sent
    assert parser.lost == 0


def test_running_status_and_bytes_of_the_clock_in_between_are_understood():
    stream = bytes((0x90, 60, 0xF8, 100, 64, 0xFE, 90))
    assert Parser().feed(stream) == [NoteOn(60, 100), NoteOn(64, 90)]


def test_a_note_on_without_velocity_lets_the_key_go():
    assert Parser().feed(bytes((0x93, 60, 0))) == [NoteOff(60, 64, 3)]


def test_messages_of_other_instruments_are_skipped():
    exclusive = bytes((0xF0, 1, 2, 3, 0xF7))
    program, pressure, bend = bytes((0xC0, 5)), bytes((0xD0, 9)), bytes((0xE0, 0, 64))
    parser = Parser()
    stream = exclusive + program + pressure + bend + encode(NoteOn(60, 1))
    assert parser.feed(stream) == [NoteOn(60, 1)]
    assert parser.lost == 0


def test_data_without_a_status_is_counted_as_lost():
    parser = Parser()
    assert parser.feed(bytes((1, 2, 3, 0x90, 60, 1))) == [NoteOn(60, 1)]
    assert parser.lost == 3


@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser_and_it_hears_what_mido_hears(stream):
    # The two undefined system bytes end a message here, as other system bytes do; mido skips them.
    stream = stream.translate(None, b"\xf4\xf5")
    peer = mido.Parser()
    peer.feed(stream)
    heard = []
    for other in peer:
        if other.type == "note_on" and other.velocity > 0:
            heard.append(NoteOn(other.note, other.velocity, other.channel))
        elif other.type == "note_on":
            heard.append(NoteOff(other.note, 64, other.channel))
        elif other.type == "note_off":
            heard.append(NoteOff(other.note, other.velocity, other.channel))
        elif other.type == "control_change":
            heard.append(Control(other.control, other.value, other.channel))
    ours = Parser().feed(stream)
    # mido knows no running status, so it hears some of our messages, in the same order
    remaining = iter(ours)
    assert all(any(message == mine for mine in remaining) for message in heard)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (NoteOn(60, 0), "send NoteOff"),
        (NoteOn(128, 1), "between 0 and 127"),
        (NoteOff(60, -1), "between 0 and 127"),
        (Control(1, 2, 16), "from 0 to 15"),
    ],
)
def test_values_that_have_no_bytes_are_refused_in_words(message, words):
    with pytest.raises(InputError, match=words):
        encode(message)


@pytest.mark.parametrize("message", [None, NoteOn(60.5, 1), NoteOn(60, 64.0), Control(1, 2, 1.5)])
def test_what_is_no_message_is_refused_in_words(message):
    with pytest.raises(InputError, match=r"expected|whole numbers|channel"):
        encode(message)
