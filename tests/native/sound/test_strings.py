"""Strings whose samples are computed while they are played: the same numbers as the renderer's."""

import numpy as np
import pytest

from touchback.instruments.sound import Note, piano_string, render
from touchback.instruments.sound.vibrating_strings import DAMPER_DECAY
from touchback.native.sound.string_synthesis import SoundingStrings

RATE = 44100


def sounding(notes):
    modes = [(string.pulsation, string.decay) for string in map(piano_string, notes)]
    return SoundingStrings(modes, RATE, 1.0 / 45.0, 1)


def played(score, seconds, block):
    """A score through strikes and dampers at frames, in blocks."""
    names = sorted({note.note for note in score})
    strings = sounding(names)
    events = []
    for note in score:
        first = round(note.time * RATE)
        events.append((first, note, True))
        if np.isfinite(note.end):
            events.append((first + int((note.end - note.time) * RATE), note, False))
    for frame, note, begins in sorted(events, key=lambda event: event[0]):
        at = names.index(note.note)
        if begins:
            assert strings.strike(at, *note.vibration().bridge_amplitudes(), frame=frame)
        else:
            assert strings.damp(at, DAMPER_DECAY, frame)
    return np.concatenate([strings.render(block) for _ in range(int(seconds * RATE) // block)])


SCORE = [
    Note(0.0, 60, speed=1.0, end=0.3),
    Note(0.1, 64, speed=2.3),
    Note(0.15003, 21, speed=3.1, end=0.4),
    Note(0.2, 96, force=1.5),
]


@pytest.mark.parametrize("block", [64, 128, 1000])
def test_samples_are_those_of_the_renderer_whatever_the_blocks(block):
    ours = played(SCORE, 0.5, block)
    wanted = render(SCORE, 0.5)[: len(ours)]
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_a_string_struck_while_it_rings_adds_up():
    twice = [Note(0.0, 60, speed=1.0), Note(0.1, 60, speed=2.0)]
    ours = played(twice, 0.3, 128)
    wanted = render(twice, 0.3)[: len(ours)]
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_a_damped_string_fades_with_its_damper_and_then_rests():
    strings = sounding([60])
    strings.strike(0, *Note(0.0, 60, speed=1.0).vibration().bridge_amplitudes())
    free = np.abs(strings.render(RATE // 10)).max()
    strings.damp(0, DAMPER_DECAY)
    strings.render(RATE // 10)
    later = np.abs(strings.render(RATE // 10)).max()
    # e^(−25 t) over the tenth of a second between, and a little of the string's own decay
    assert later / free < 1.1 * np.exp(-DAMPER_DECAY * 0.1)
    strings.render(RATE)
    assert not np.any(strings.render(1000))


def test_a_damper_changes_neither_position_nor_velocity_of_the_string():
    # Without that a step would be heard: the sample goes on as smoothly as it came.
    strings, free = sounding([36]), sounding([36])
    for each in (strings, free):
        each.strike(0, *Note(0.0, 36, speed=2.0).vibration().bridge_amplitudes())
        each.render(5000)
    strings.damp(0, DAMPER_DECAY)
    damped, ringing = strings.render(40), free.render(40)
    assert damped[0] == ringing[0]
    assert damped[1] == pytest.approx(ringing[1], abs=2e-3 * np.abs(ringing).max())
    assert not np.array_equal(damped, ringing)


def test_strikes_are_told_with_their_frames_and_a_full_ring_refuses_more():
    strings = sounding([60])
    amplitudes = Note(0.0, 60, speed=1.0).vibration().bridge_amplitudes()
    strings.strike(0, *amplitudes, number=7)
    strings.strike(0, *amplitudes, number=8, frame=300)
    strings.render(128)
    assert strings.begun()[:, [0, 3]].tolist() == [[7, 0]]
    strings.render(256)
    (row,) = strings.begun()
    assert row[[0, 3]].tolist() == [8, 300]
    assert row[2] == pytest.approx((300 - 128) / RATE)  # s after the block's begin
    asked = [strings.damp(0, 0.0, frame=10**9) for _ in range(300)]
    assert asked == [True] * 256 + [False] * 44
