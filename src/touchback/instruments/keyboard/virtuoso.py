"""A passage that asks a keyboard for all it has: scales, trills, repeated notes and chords, from
pianissimo to fortissimo."""

from collections.abc import Sequence

from touchback.errors import InputError
from touchback.instruments.keyboard.pedals import SOSTENUTO, SUSTAIN, UNA_CORDA, Foot
from touchback.instruments.keyboard.strokes import Stroke

VERSE = 4.0  # s: a second each of scale, trill over chords, repeated notes over chords, chords
SHORT, LONG = 0.03, 0.15  # s that a finger stays: in fast notes, in chords
LOUDEST = 0.9  # effort, a hammer at 3.9 m/s: harder ones, repeated, bounce and strike twice
PEDALLING = 16  # places of the sustain pedal on its way down
_LEAST_KEYS = 4


def virtuoso(notes: Sequence[int], start: float, end: float) -> list[Stroke]:
    """Strokes on the keys of some MIDI notes between two times [s], for ten fingers, verse after
    verse in other places of the keyboard."""
    if len(notes) < _LEAST_KEYS:
        raise InputError(
            f"virtuoso: {len(notes)} keys; give {_LEAST_KEYS} at least, for chord and trill."
        )
    strokes: list[Stroke] = []
    verse, begin = 0, start
    while begin < end:
        strokes += _verse(notes, begin, verse)
        verse, begin = verse + 1, begin + VERSE
    kept = [one for one in strokes if one.time + one.press + one.stay + one.leave < end]
    return sorted(kept, key=lambda stroke: stroke.time)


def pedalled(start: float, end: float) -> list[Foot]:
    """Feet for the passage: the sustain pedal goes down and up by degrees in every second, as a
    half-pedalling foot does; the sostenuto holds the first chord of the third, and every other
    verse is una corda."""
    feet: list[Foot] = []
    verse, begin = 0, start
    while begin < end:
        for second in range(int(VERSE)):
            for i in range(2 * PEDALLING):
                place = 1.0 - abs(i / PEDALLING - 1.0)
                feet.append(Foot(begin + second + 0.5 * i / PEDALLING, SUSTAIN, place))
        feet += [Foot(begin + 2.2, SOSTENUTO, 1.0), Foot(begin + 2.9, SOSTENUTO, 0.0)]
        feet.append(Foot(begin, UNA_CORDA, float(verse % 2)))
        verse, begin = verse + 1, begin + VERSE
    return [foot for foot in feet if foot.time < end]


def _verse(notes: Sequence[int], begin: float, verse: int) -> list[Stroke]:
    shift = (13 * verse) % len(notes)

    def key(i: int) -> int:
        return notes[(shift + i) % len(notes)]

    def chord(time: float, effort: float, keys: Sequence[int]) -> list[Stroke]:
        return [Stroke.of(time, key(i), effort, LONG) for i in keys]

    span = min(len(notes), 16)
    strokes = [  # a scale, up and down by turns, that grows from the softest to the loudest
        Stroke.of(
            begin + 0.9 * i / span, key(i if verse % 2 else span - 1 - i), LOUDEST * i / span, SHORT
        )
        for i in range(span)
    ]
    hand = range(2, min(len(notes), 7))  # beside the two keys of the trill
    for i in range(5):  # five strokes a second of each key, and louder
        effort = 0.5 + 0.06 * i
        strokes.append(Stroke.of(begin + 1.0 + i / 5, key(0), effort, SHORT))
        strokes.append(Stroke.of(begin + 1.0 + (i + 0.5) / 5, key(1), effort, SHORT))
    for i in range(6):  # six a second of one key
        strokes.append(Stroke.of(begin + 2.05 + i / 6, key(0), 0.65, SHORT))
    for beat in range(2):
        for second, effort in ((1.05, 0.2), (2.05, 0.5)):
            strokes += chord(begin + second + 0.5 * beat, effort, hand)
    both = range(min(len(notes), 10))
    for beat in range(3):  # up to ten keys at once, ever louder
        strokes += chord(begin + 3.05 + 0.33 * beat, LOUDEST - 0.15 * (2 - beat), both)
    return strokes
