"""Strings felt in the key after a strike: their pitch, their size, and their end."""

import numpy as np
import pytest

from touchback.instruments.keyboard.key_device import FRONT, STRONGEST, strings_felt
from touchback.instruments.keyboard.key_strokes import Stroke, find_heard_notes
from touchback.instruments.keyboard.keyboard_model import note_name
from touchback.instruments.keyboard.keyboard_player import make_keyboard
from touchback.instruments.sound import piano_string
from touchback.instruments.sound.vibrating_strings import DAMPER_DECAY

RATE = 2000.0
UP = 1.0  # s at which the finger has left


@pytest.fixture(scope="module")
def keys():
    return make_keyboard([36, 48, 60, 84], "organ", rate=RATE)


def motion(keys, level, note):
    """Depth of a key front [m] that a stroke sounded, with a level of vibration."""
    name = note_name(note)
    for each in keys.notes:
        keys.system[f"{note_name(each)}/vibration"] = level
    run = keys.simulate([Stroke(0.1, note, 0.05, 0.02, UP - 0.15, 0.03)], 1.6)
    keys.system[f"{name}/vibration"] = 0.0
    return run, FRONT * run[f"{name}/key"]


@pytest.mark.parametrize("note", [36, 48, 60])
def test_a_held_key_shakes_at_the_frequency_of_its_string(keys, note):
    _, still = motion(keys, 0.0, note)
    run, shaken = motion(keys, 0.2, note)
    held = (run.time > 0.3) & (run.time < 0.9)
    shake = (shaken - still)[held] * np.hanning(np.count_nonzero(held))
    spectrum = np.abs(np.fft.rfft(shake, 2**15))
    loudest = np.fft.rfftfreq(2**15, 1.0 / RATE)[np.argmax(spectrum)]
    partials = piano_string(note).frequency * np.arange(1, 4)
    assert np.min(np.abs(partials - loudest)) < 1.0  # Hz
    # Flückiger et al. 2018: peaks up to 80 µm; a share of 0.2 shakes the bass as much as that
    assert 3e-6 < np.abs((shaken - still)[held]).max() < 3e-4


def test_what_lies_above_500_hz_is_not_shown(keys):
    assert piano_string(84).frequency > 500.0
    assert np.array_equal(motion(keys, 0.2, 84)[1], motion(keys, 0.0, 84)[1])


def test_the_force_starts_with_the_strike_fades_with_the_string_and_ends_with_the_damper(keys):
    run, _ = motion(keys, 0.2, 48)
    (note,) = find_heard_notes(run, keys.notes)
    even, odd = run["C3/felt even 1"], run["C3/felt odd 1"]
    size = np.hypot(even, odd)
    assert not np.any(size[run.time <= note.time])
    begun = np.flatnonzero(size)[0]
    assert run.time[begun] - note.time <= 2.0 / RATE + 1e-9
    pushed = strings_felt(48)["string push 1"] * note.loudness
    assert size[begun] == pytest.approx(pushed, rel=1e-9)
    held = (run.time > note.time + 2.0 / RATE) & (run.time < note.end)
    sigma = piano_string(60).decay[0]
    faded = size[begun] * np.exp(-sigma * (run.time[held] - run.time[begun]))
    np.testing.assert_allclose(size[held], faded, rtol=1e-9)
    later = np.searchsorted(run.time, [note.end + 0.1, note.end + 0.3])
    ratio = size[later[1]] / size[later[0]]
    assert ratio == pytest.approx(np.exp(-(sigma + DAMPER_DECAY) * 0.2), rel=1e-6)


def test_it_never_pushes_harder_than_its_limit_whatever_was_played():
    keys = make_keyboard([36], "organ", rate=RATE)
    keys.system["C2/vibration"] = 1.0
    keys.system["C2/string push 1"] = 100.0
    still = keys.simulate([Stroke(0.1, 36, 0.05, 0.02, 0.5, 0.03)], 0.5)
    force = still["C2/felt even 1"]
    assert np.abs(force).max() > 10.0 * STRONGEST
    # A free key of 0.022 kg under 3 N alone: at most 3/(m ω²), twice that when it sets in
    keys.system["C2/vibration"] = 0.0
    quiet = keys.simulate([Stroke(0.1, 36, 0.05, 0.02, 0.5, 0.03)], 0.5)
    shake = FRONT * (still["C2/key"] - quiet["C2/key"])
    free = STRONGEST / (0.022 * (2.0 * np.pi * piano_string(36).frequency) ** 2)
    assert np.abs(shake).max() < 4.0 * free


def test_what_a_shaken_finger_gets_is_little_beside_what_it_gave(keys):
    run, depth = motion(keys, 0.2, 48)
    force = run["C3/finger force"]
    work = np.concatenate(([0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(depth))))
    held = (run.time > 0.35) & (run.time < 0.95)
    stroke, given = work[held][0], work[held][0] - work[held]  # J by the finger, and to it
    assert given.max() < 0.1 * stroke
