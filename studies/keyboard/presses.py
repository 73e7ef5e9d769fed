"""Optimal key presses (Gillespie 1996, section 2.5): the loudest, the quietest that is sure to
sound though the finger scatters, and the most even repetition, on a piano's key and on that of a
synthesizer with two switches. A press is a wish: how long the finger takes, and how deep it wants.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_model import MIDDLE_C, note_name, touchback_key
from touchback.instruments.keyboard.keyboard_pedals import PEDALS
from touchback.instruments.keyboard.keyboard_player import SETTLING_TIME, Keyboard, steps_at
from touchback.system.compile_model import copies

RATE = 1000.0  # ticks a second
SCATTER = 0.08  # standard deviation of a finger's wish, of its time and of its depth: ours
SURE = 0.98  # share of presses that must sound
STRONGEST = 0.065  # m: the deepest wish, 17 N of muscle
TIMES = (0.03, 0.045, 0.06, 0.08, 0.11, 0.15, 0.2, 0.27)  # s
DEPTHS = tuple(float(x) for x in np.geomspace(0.009, STRONGEST, 14))  # m
_HALVINGS = 2  # of a step of the grid
_STAY, _LEAVE, _APART = 0.15, 0.06, 0.5  # s


@dataclass(frozen=True)
class Press:
    """What the finger wishes: a time [s] and a depth [m]."""

    time: float
    depth: float

    def scattered(self, count: int, seed: int = 1) -> list["Press"]:
        """The press as a finger makes it, time after time."""
        chance = np.random.default_rng(seed)
        shares = np.exp(SCATTER * chance.standard_normal((count, 2)))
        return [Press(self.time * a, self.depth * b) for a, b in shares]


def keys(voice: str, count: int = 24) -> Keyboard:
    """One and the same key side by side, for many presses in one run: not graded by their notes."""
    notes = tuple(range(MIDDLE_C - count // 2, MIDDLE_C + (count + 1) // 2))
    key = touchback_key(voice, rate=RATE).compile()
    system = copies(key, [note_name(note) for note in notes], shared=PEDALS)
    return Keyboard(notes, system, RATE, steps_at(RATE))


def loudness(board: Keyboard, presses: Sequence[Press]) -> np.ndarray:
    """How loud each press is [m/s of a hammer], 0 where nothing sounds."""
    found: list[float] = []
    for begin in range(0, len(presses), len(board.notes)):
        some = presses[begin : begin + len(board.notes)]
        strokes = [
            Stroke(SETTLING_TIME, note, one.time, one.depth, _STAY, _LEAVE)
            for note, one in zip(board.notes, some, strict=False)
        ]
        longest = max(one.time for one in some)
        heard = board.hear(strokes, SETTLING_TIME + longest + _STAY + _LEAVE)
        first: dict[int, float] = {}
        for one in heard:
            first.setdefault(one.note, one.loudness)
        found += [first.get(stroke.note, 0.0) for stroke in strokes]
    return np.array(found)


def everywhere(board: Keyboard) -> np.ndarray:
    """Loudness over times (rows) and depths (columns)."""
    presses = [Press(time, depth) for time in TIMES for depth in DEPTHS]
    return loudness(board, presses).reshape(len(TIMES), len(DEPTHS))


def loudest(grid: np.ndarray) -> tuple[Press, float]:
    """The press of a grid that is heard most."""
    i, j = np.unravel_index(int(grid.argmax()), grid.shape)
    return Press(TIMES[i], DEPTHS[j]), float(grid[i, j])


@dataclass(frozen=True)
class Robust:
    """A press that sounds in a share `sure` of all tries, as loudly as `mean` ± `spread`."""

    press: Press
    sure: float
    mean: float
    spread: float


def tried(board: Keyboard, press: Press, count: int) -> Robust:
    """What becomes of a press under scatter."""
    found = loudness(board, press.scattered(count))
    heard = found[found > 0.0]
    mean, spread = (float(heard.mean()), float(heard.std())) if len(heard) else (0.0, 0.0)
    return Robust(press, len(heard) / count, mean, spread)


def robust_pianissimo(board: Keyboard, grid: np.ndarray, count: int = 96) -> Robust:
    """The quietest press that is sure to sound though the finger scatters: at each time the
    shallowest wish that nearly always sounds, by halving, and of those the quietest."""
    found = [_shallowest(board, time, row, count) for time, row in zip(TIMES, grid, strict=True)]
    return min(found, key=lambda one: one.mean)


def _shallowest(board: Keyboard, time: float, row: np.ndarray, count: int) -> Robust:
    first = int(np.flatnonzero(row > 0.0)[0])
    unsure = DEPTHS[max(first - 1, 0)]
    for depth in DEPTHS[first:]:
        best = tried(board, Press(time, depth), count)
        if best.sure >= SURE:
            break
        unsure = depth
    for _ in range(_HALVINGS):
        middle = tried(board, Press(time, 0.5 * (unsure + best.press.depth)), count)
        if middle.sure >= SURE:
            best = middle
        else:
            unsure = middle.press.depth
    return best


def most_even(board: Keyboard, rate: float = 6.0, strokes: int = 8) -> Robust:
    """Of presses that fit a repetition of so many strokes a second on one key, the one whose
    loudness varies least, each stroke scattered; `sure` is the share of strokes that sound."""
    choices = [Press(t, d) for t in TIMES[1:4] for d in DEPTHS[4:12:2]][: len(board.notes)]
    times = SETTLING_TIME + np.arange(strokes) / rate
    played = []
    for note, press in zip(board.notes, choices, strict=False):
        for begin, one in zip(times, press.scattered(strokes, note), strict=True):
            stay = max(1.0 / rate - one.time - _LEAVE - 0.03, 0.01)
            played.append(Stroke(float(begin), note, one.time, one.depth, stay, _LEAVE))
    heard = board.hear(played, float(times[-1]) + _APART)
    found = []
    for note, press in zip(board.notes, choices, strict=False):
        loud = np.array([one.loudness for one in heard if one.note == note])
        if len(loud) == strokes:
            found.append(Robust(press, 1.0, float(loud.mean()), float(loud.std())))
    return min(found, key=lambda one: one.spread / one.mean) if found else _none(rate)


def _none(rate: float) -> Robust:
    return Robust(Press(1.0 / rate, 0.0), 0.0, 0.0, 0.0)
