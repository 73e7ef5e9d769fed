"""Strings, struck and plucked, against published figures, closed forms and SciPy."""

import wave
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from touchback.errors import InputError
from touchback.instruments.sound import (
    Note,
    StringMotion,
    piano_hammer,
    piano_string,
    pluck,
    render,
    strike,
    struck_strings,
    write_wav,
)
from touchback.instruments.sound.vibrating_strings import HAMMER_HEAD, along

C2, C4, C7 = 36, 60, 96


def test_c4_has_the_published_mass_and_a_usual_inharmonicity():
    string = piano_string(C4)
    # Chaigne & Askenfelt 1994: 3.93 g on 0.62 m at 670 N
    assert string.density * string.length == pytest.approx(3.93e-3, rel=0.01)
    assert 2e-4 < string.inharmonicity < 6e-4  # about 4e-4 in the middle of a grand


@pytest.mark.parametrize(
    ("note", "shortest", "longest"), [(C2, 3e-3, 5e-3), (C4, 1.8e-3, 2.4e-3), (C7, 0.5e-3, 1e-3)]
)
def test_contact_times_are_those_of_real_hammers(note, shortest, longest):
    # Askenfelt & Jansson 1990: about 4 ms in the bass, 2 ms in the middle, under 1 ms at the top
    contact = strike(piano_string(note), piano_hammer(note), 1.5).duration
    assert shortest < contact < longest


def test_contact_time_varies_by_a_fifth_from_piano_to_fortissimo():
    # Askenfelt & Jansson 1990, C4: ± 20 % about mezzo forte
    soft, middle, loud = (
        strike(piano_string(C4), piano_hammer(C4), speed).duration for speed in (0.5, 1.5, 4.0)
    )
    assert 1.0 < soft / middle < 1.25
    assert 0.8 < loud / middle < 1.0


def test_force_and_vibration_agree_with_scipy():
    string, hammer = piano_string(84), piano_hammer(84)
    shape = string.shape(string.strike_point * string.length)
    mass, count = string.density * string.length / 2, len(string.modes)

    def motion(_, x):
        q, v, (position, speed) = x[:count], x[count : 2 * count], x[-2:]
        squeezed, rate = max(position - shape @ q, 0.0), speed - shape @ v
        delayed = squeezed + hammer.delay * hammer.exponent * rate
        force = hammer.stiffness * squeezed ** (hammer.exponent - 1.0) * max(delayed, 0.0)
        bend = -2 * string.decay * v - string.pulsation**2 * q + shape * force / mass
        return np.concatenate((v, bend, (speed, -force / hammer.mass)))

    ours = strike(string, hammer, 2.0)
    start = np.zeros(2 * count + 2)
    start[-1] = 2.0
    end = ours.step * (len(ours.force) - 1)
    theirs = solve_ivp(motion, (0, end), start, rtol=1e-9, atol=1e-13, max_step=1e-5).y[:, -1]
    assert -ours.rebound == pytest.approx(theirs[-1], rel=1e-3)  # second order of 2.8 µs
    amplitude = np.hypot(theirs[:count], theirs[count : 2 * count] / string.pulsation)
    found = np.hypot(ours.vibration.position, ours.vibration.velocity / string.pulsation)
    np.testing.assert_allclose(found, amplitude, atol=2e-3 * amplitude.max())


@pytest.mark.parametrize("note", [21, C2, C4, C7, 108])
@pytest.mark.parametrize("speed", [0.2, 6.8])
def test_a_strike_with_elastic_felt_loses_only_what_the_string_damps(note, speed):
    hammer = replace(piano_hammer(note), delay=0.0)
    result = strike(piano_string(note), hammer, speed)
    before = hammer.mass * speed**2 / 2
    after = hammer.mass * result.rebound**2 / 2 + result.vibration.energy
    assert 0.97 * before < after < 1.001 * before


@pytest.mark.parametrize("note", [21, C2, C4, C7, 108])
@pytest.mark.parametrize("speed", [0.2, 6.8])
def test_felt_takes_energy_and_leaves_the_hammer_what_its_push_gave(note, speed):
    hammer = piano_hammer(note)
    result = strike(piano_string(note), hammer, speed)
    after = hammer.mass * result.rebound**2 / 2 + result.vibration.energy
    assert 0.0 < after < 0.97 * hammer.mass * speed**2 / 2
    assert np.all(result.force >= 0.0)  # felt doesn't pull
    pushed = result.step * np.sum(result.force)
    assert pushed == pytest.approx(hammer.mass * (speed + result.rebound), rel=1e-9)


def test_a_faster_hammer_is_louder_on_every_one_of_88_keys():
    """The level of the force on the bridge, over the player's range: steps of 2.2 decibels in speed
    give one at least."""
    for note in range(21, 109):
        levels = []
        for speed in np.geomspace(0.5, 5.0, 10):
            amplitudes = struck_strings(note, float(speed)).bridge_amplitudes()
            levels.append(10.0 * np.log10(np.sum(np.square(amplitudes))))
        assert np.diff(levels).min() > 1.0, f"note {note}: {levels}"


@pytest.mark.parametrize("note", [36, 48, 60])
def test_peaks_go_with_the_hammer_s_speed_up_to_middle_c(note):
    """Palmer & Brown 1991: the greatest amplitude of a piano's tones is proportional to the
    hammer's speed, 20 dB for ten times as fast. Felt that stiffens gives more, the higher the
    more."""
    soft, loud = (
        np.abs(struck_strings(note, speed).bridge_force(44100, 4410, 0.0)).max()
        for speed in (0.5, 5.0)
    )
    assert 20.0 * np.log10(loud / soft) == pytest.approx(20.0, abs=3.0)


def test_modes_sound_at_the_stretched_frequencies_of_a_stiff_string():
    string, rate = piano_string(C4), 44100
    samples = pluck(string, 1.0).bridge_force(rate, 2 * rate) * np.hanning(2 * rate)
    spectrum = np.abs(np.fft.rfft(samples, 16 * rate))
    for k in (1, 2, 5, 10):
        expected = (
            string.frequency
            * k
            * np.sqrt((1 + string.inharmonicity * k**2) / (1 + string.inharmonicity))
        )
        near = np.arange(int(16 * (expected - 20)), int(16 * (expected + 20)))
        heard = near[np.argmax(spectrum[near])] / 16
        assert heard == pytest.approx(expected, abs=0.1)


def test_samples_follow_the_closed_form_of_the_decaying_modes():
    start = strike(piano_string(C7), piano_hammer(C7), 1.0).vibration
    sampled = start.bridge_force(44100, 1000, extra_decay=10.0)
    later = start.after(999 / 44100, extra_decay=10.0)
    assert sampled[999] == pytest.approx(later.bridge_force(44100, 1)[0], rel=1e-9)


def test_a_plucked_string_starts_as_the_triangle_that_the_force_draws():
    string = piano_string(C2)
    drawn = pluck(string, force=2.0, point=0.3)
    x = np.linspace(0.1, 0.9, 9) * string.length
    shape = np.array([string.shape(position) @ drawn.position for position in x])
    inner, outer = np.minimum(x, 0.3 * string.length), np.maximum(x, 0.3 * string.length)
    triangle = 2.0 * inner * (string.length - outer) / (string.tension * string.length)
    # stiffness and the modes that nobody hears round the corner
    np.testing.assert_allclose(shape, triangle, atol=0.02 * triangle.max())


def test_energy_of_a_damped_string_falls_as_its_slowest_mode():
    string = piano_string(C4)
    ring = StringMotion(string, np.eye(len(string.modes))[0] * 1e-3, np.zeros(len(string.modes)))
    ratio = ring.after(1.0).energy / ring.energy
    assert ratio == pytest.approx(np.exp(-2 * string.decay[0]), rel=1e-3)


def test_a_damped_note_is_silent_and_a_held_one_is_not():
    held = render([Note(0.0, C4, speed=1.0)], 2.0)
    damped = render([Note(0.0, C4, speed=1.0, end=0.5)], 2.0)
    np.testing.assert_array_equal(held[:20000], damped[:20000])
    assert np.abs(damped[-4410:]).max() < 1e-3 * np.abs(held[-4410:]).max()


def test_a_wav_file_holds_the_samples(tmp_path):
    samples = render([Note(0.1, 69, speed=1.0), Note(0.2, 57, force=3.0)], 0.5)
    write_wav(tmp_path / "a.wav", samples)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getnchannels(), file.getframerate(), file.getnframes()) == (1, 44100, 22050)
        back = np.frombuffer(file.readframes(22050), "<i2")
    np.testing.assert_allclose(
        back, samples * 0.9 * 32767 / np.abs(samples).max(), rtol=0, atol=0.51
    )


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: piano_string(20), "Note 20 has no string"),
        (lambda: piano_hammer(109), "Note 109 has no string"),
        (lambda: strike(piano_string(60), piano_hammer(60), 0.0), "towards the string"),
        (lambda: pluck(piano_string(60), 1.0, 1.0), "between 0 and 1"),
        (lambda: render([Note(0.0, 60)], 1.0), "speed or the plectrum's force"),
        (lambda: render([Note(2.0, 60, speed=1.0)], 1.0), "outside the 1.0 s"),
        (lambda: write_wav("never.wav", np.array([np.nan])), "Sample 0 is nan"),
        (lambda: write_wav("no folder/never.mp3", np.ones(2)), "a path that ends in .wav"),
    ],
)
def test_what_cannot_sound_is_said(act, words):
    with pytest.raises(InputError, match=words):
        act()


@pytest.mark.parametrize("note", [60, 72, 84, 96])
def test_plain_wires_are_as_stiff_as_steel(note):
    """B = π³ E d⁴/(64 T L²), with the diameter of a wire of 7850 kg/m³; music wire has 195 to
    210 GPa."""
    string = piano_string(note)
    diameter = np.sqrt(4.0 * string.density / (np.pi * 7850.0))
    weight = 64.0 * string.tension * string.length**2 / np.pi**3
    assert 195e9 < string.inharmonicity * weight / diameter**4 < 210e9
    bass = piano_string(21)  # wound: stiff as its core, by far not as its weight
    assert bass.inharmonicity == pytest.approx(
        np.pi**3 * 2e11 * 1.5e-3**4 / (64.0 * bass.tension * bass.length**2)
    )


@pytest.mark.parametrize("note", [60, 72, 84, 96, 108])
def test_plain_wires_are_as_inharmonic_as_those_of_young_s_six_pianos(note):
    # Young 1952: the second mode of C4 is 1.2 cents sharp, doubled every eight semitones above;
    # cents of mode n are 1200/ln 2 · B n²/2
    due = 1.2 * 2 ** ((note - 60) / 8) / (1200 / np.log(2) * 2**2 / 2)
    assert piano_string(note).inharmonicity == pytest.approx(due, rel=0.35)


def test_strike_points_and_hammers_are_graded_as_published():
    # Conklin 1990: d/L a little less than 1/8 in the bass, 1/12 to 1/17 at C8
    assert 1 / 8.5 < piano_string(21).strike_point < 1 / 8
    assert 1 / 17 < piano_string(108).strike_point < 1 / 12
    points = [piano_string(note).strike_point for note in range(21, 109)]
    lengths = [piano_string(note).length for note in range(21, 109)]
    masses = [along(note, HAMMER_HEAD) for note in range(21, 109)]
    for falling in (points, lengths, masses):
        assert np.all(np.diff(falling) < 0.0)
    assert masses[0] == 11e-3 and masses[-1] == 3.5e-3


def test_half_a_damper_damps_at_half_its_rate():
    """The decay that is added, told from the energy of two tenths of a second."""
    rate, begin = 44100, 0.1

    def decay(note):
        sound = render([note], 0.5, rate)
        windows = [sound[round(t * rate) : round((t + 0.05) * rate)] for t in (0.15, 0.35)]
        return np.log(np.sqrt(np.sum(windows[0] ** 2) / np.sum(windows[1] ** 2))) / 0.2

    free, half, full = (
        decay(Note(0.0, C4, speed=1.5, damping=((begin, share),))) for share in (0.0, 0.5, 1.0)
    )
    assert half - free == pytest.approx(12.5, rel=0.05)
    assert full - free == pytest.approx(25.0, rel=0.05)


def test_a_pedal_that_catches_a_fading_note_lets_it_ring_on():
    rate = 44100
    caught = Note(0.0, C4, speed=1.5, damping=((0.1, 1.0), (0.15, 0.0)))
    lost = Note(0.0, C4, speed=1.5, end=0.1)
    one, other = (render([note], 0.6, rate) for note in (caught, lost))
    np.testing.assert_array_equal(one[: round(0.15 * rate)], other[: round(0.15 * rate)])
    later = slice(round(0.5 * rate), None)
    assert np.abs(one[later]).max() > 100.0 * np.abs(other[later]).max()


@pytest.mark.parametrize("note", [28, 40, 60])
def test_shifted_hammers_sound_softer_and_darker(note):
    """Fewer strings and softer felt: the level falls, that of high modes more than that of low; of
    single strings only that of high modes."""
    usual, shifted = (struck_strings(note, 2.0, una_corda) for una_corda in (False, True))
    high = usual.string.pulsation > 2.0 * np.pi * 8.0 * usual.string.frequency
    share = []
    for each in (usual, shifted):
        power = each.string.pulsation**2 * each.position**2 + each.velocity**2
        share.append(np.sum(power[high]) / np.sum(power))
    assert 0.2 < shifted.energy / usual.energy < (0.95 if note > 33 else 1.05)
    assert share[1] < 0.8 * share[0]
