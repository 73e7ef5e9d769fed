"""Motions of fingers: touches of one key, and passages on many.

A touch says how a finger moves the key front, as a depth [m] over time with live parameters. It is
called with the model that it drives and gives the depth; `grand_piano_action("motion",
touch=…)` prescribes it. All of them end on the front-rail punching, which they press in by
`SQUEEZE`.

`StruckTouch` and `PressedTouch` take up their speed v with a lag τ = lag + give/v: a time that
muscles need, and the time in which the finger's own give, a length, is used up. So a soft touch
gathers its speed more slowly than a hard one. A finger that rests on the key has little give left;
one that arrives has that of its pulp. Lags and gives were chosen once, for the travel times that
Goebl, Bresin and Galembo (2005) measured of pianists.

A passage is one of repeated notes, trills, runs and chords. A finger goes down and up by half
cosines. It aims below the key bed, which its own give allows (`FINGER_STIFFNESS`): what it then
presses is what a loud player does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback import Expr, Model, cos, exp, maximum, minimum, select
from touchback.model import Value

# ---- touches -------------------------------------------------------------------------------------

SQUEEZE = 0.4e-3  # what a holding finger presses the punching in [m]: some 10 N
ROUNDING = 0.2e-3  # depth over which the key comes to its stop [m]
SLOWEST = 1e-3  # below this speed a touch gathers it no more slowly [m/s]


def stop_at_bed(m: Model, depth: Value) -> Value:
    """The depth, but coming to a stop just below where the punching begins to carry."""
    bottom = m.signal("key dip") + SQUEEZE
    over = maximum(depth - (bottom - ROUNDING), 0.0)
    return minimum(depth, bottom) - select(
        over < 2 * ROUNDING, over * over / (4 * ROUNDING) - maximum(over - ROUNDING, 0.0), 0.0
    )


def _since_start(m: Model) -> Value:
    """Touches begin at time 0; before, the finger waits on the resting key."""
    return maximum(m.time, 0.0)


def _speed_and_lag(m: Model, speed: float, lag: float, give: float) -> tuple[Expr, Expr]:
    """The speed that a finger takes up, and the lag τ with which it does."""
    v = m.parameter("touch speed", speed, unit="m/s", min=0.0, max=20.0)
    muscles = m.parameter("lag", lag, unit="s", min=1e-4, max=1.0)
    pulp = m.parameter("give", give, unit="m", min=0.0, max=0.02)
    return v, muscles + pulp / maximum(v, SLOWEST)


@dataclass(frozen=True)
class StruckTouch:
    """The finger arrives with a speed [m/s] that the key takes up with one lag τ: v (1 − e^(−x)),
    x = t/τ. Parameters "touch speed", "lag" [s] and "give" [m]."""

    speed: float = 0.2
    lag: float = 0.0141
    give: float = 4.7e-3

    def __call__(self, m: Model) -> Value:
        v, lag = _speed_and_lag(m, self.speed, self.lag, self.give)
        x = _since_start(m) / lag
        return stop_at_bed(m, v * lag * (x - 1.0 + exp(-x)))


@dataclass(frozen=True)
class PressedTouch:
    """The finger rests on the key and gathers a speed [m/s] through three equal lags τ, as of
    will, muscle and fingertip: v (1 − (1 + x + x²/2) e^(−x)), x = t/τ. Parameters "touch speed",
    "lag" [s] and "give" [m]."""

    speed: float = 0.2
    lag: float = 0.0241
    give: float = 0.158e-3

    def __call__(self, m: Model) -> Value:
        v, lag = _speed_and_lag(m, self.speed, self.lag, self.give)
        x = _since_start(m) / lag
        return stop_at_bed(m, v * lag * (x - 3.0 + (3.0 + 2.0 * x + x * x / 2) * exp(-x)))


@dataclass(frozen=True)
class ConstantSpeedTouch:
    """Down at a constant speed [m/s], held for a time [s], and up again. Parameters "touch speed"
    and "hold"."""

    speed: float = 0.01
    hold: float = 0.3

    def __call__(self, m: Model) -> Value:
        v = m.parameter("touch speed", self.speed, unit="m/s", min=1e-4, max=5.0)
        hold = m.parameter("hold", self.hold, unit="s", min=0.0, max=100.0)
        t, bottom = _since_start(m), m.signal("key dip") + SQUEEZE
        back = bottom - v * (t - bottom / v - hold)
        return maximum(minimum(minimum(v * t, bottom), back), 0.0)


@dataclass(frozen=True)
class RepeatedTouch:
    """A stroke within 60 ms, then up to a release depth [m] and down again, `rate` times a second.
    Parameters "rate" and "release depth"."""

    rate: float = 15.0
    release: float = 2e-3
    first: float = 0.06

    def __call__(self, m: Model) -> Value:
        rate = m.parameter("rate", self.rate, unit="Hz", min=0.1, max=50.0)
        release = m.parameter("release depth", self.release, unit="m", min=0.0, max=9e-3)
        t, bottom = _since_start(m), m.signal("key dip") + SQUEEZE
        down = bottom * (1.0 - cos(math.pi * minimum(t / self.first, 1.0))) / 2
        swing = (bottom - release) * (1.0 + cos(2 * math.pi * rate * (t - self.first))) / 2
        return select(t < self.first, down, release + swing)


@dataclass(frozen=True)
class MinimumJerkTouch:
    """To a depth [m] in some seconds along a minimum-jerk path, and there it stays. Parameters
    "press depth" and "press time"."""

    depth: float = 9.7e-3
    seconds: float = 0.13

    def __call__(self, m: Model) -> Value:
        depth = m.parameter("press depth", self.depth, unit="m", min=0.0, max=0.012)
        seconds = m.parameter("press time", self.seconds, unit="s", min=1e-3, max=10.0)
        x = minimum(_since_start(m) / seconds, 1.0)
        return depth * (x * x * x * (10.0 - 15.0 * x + 6.0 * x * x))


def minimum_jerk(share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far (0 to 1) and how fast (per unit of share) a smooth reach is, at shares of its time:
    10 x³ − 15 x⁴ + 6 x⁵ (Flash and Hogan 1985)."""
    x = np.clip(share, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2), 30.0 * (x * (1.0 - x)) ** 2


# ---- passages ------------------------------------------------------------------------------------

ABOVE = -2e-3  # where a finger waits, over the resting key [m]
KEPT = 2.5e-3  # where it waits between repeated notes: the key never comes home
DEEP = 13e-3  # where it aims
LIFT = 0.03  # the time of its way up [s]
LOWEST, KEYS = 21, 88  # MIDI numbers of a piano's notes
FingerMotion = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class FingerStroke:
    """A finger starts down from a depth `high` [m] at `start` [s] with a greatest speed [m/s], and
    up again to `back` at `end`."""

    start: float
    end: float
    speed: float
    high: float = ABOVE
    back: float = ABOVE

    @property
    def fall(self) -> float:
        """How long it goes down [s]."""
        return float(np.pi / 2 * (DEEP - self.high) / self.speed)


Passage = dict[int, list[FingerStroke]]  # by MIDI note, in the order of time


def finger_motion(strokes: Sequence[FingerStroke], times: np.ndarray) -> FingerMotion:
    """Depth [m] and speed [m/s] of the finger of one key at some times [s]."""
    depth, speed = np.full(len(times), ABOVE), np.zeros(len(times))
    for stroke in strokes:
        for begin, length, low, high in (
            (stroke.start, stroke.fall, stroke.high, DEEP),
            (stroke.end, LIFT, DEEP, stroke.back),
        ):
            share = np.clip((times - begin) / length, 0.0, 1.0)
            moves = times >= begin
            depth[moves] = (low + (high - low) * (1 - np.cos(np.pi * share)) / 2)[moves]
            turning = np.pi / (2 * length) * (high - low) * np.sin(np.pi * share)
            speed[moves] = turning[moves]
    return depth, speed


def repeat_strokes(
    begin: float, end: float, rate: float, speed: float, between: float
) -> list[FingerStroke]:
    """Strokes of one key, `rate` a second, between which the finger waits at a depth [m]. It goes
    up as soon as it is down, or after two fifths of the time that a stroke has."""
    made: list[FingerStroke] = []
    count = int((end - begin) * rate)
    for k in range(count):
        start, high = begin + k / rate, between if k else ABOVE
        held = max(FingerStroke(0.0, 0.0, speed, high).fall + 5e-3, 0.4 / rate)
        back = between if k < count - 1 else ABOVE
        made.append(FingerStroke(start, start + held, speed, high, back))
    return made


def virtuoso_passage(duration: float = 4.0) -> Passage:
    """Ten fingers: repeated notes over chords, a trill over chords, a run, and loud chords."""
    quarter = duration / 4
    passage: Passage = {}

    def play(notes: Sequence[int], strokes: list[FingerStroke]) -> None:
        for note in notes:
            passage.setdefault(note, []).extend(strokes)

    play([76], repeat_strokes(0.0, quarter, 12.0, 0.6, KEPT))
    play([79], repeat_strokes(quarter, 2 * quarter, 7.0, 0.5, ABOVE))
    play([81], repeat_strokes(quarter + 1 / 14, 2 * quarter, 7.0, 0.5, ABOVE))
    play([45, 52, 57, 60, 64], repeat_strokes(0.0, 2 * quarter, 3.0, 0.35, ABOVE))
    for k in range(int(quarter * 16) - 1):
        begin = 2 * quarter + k / 16
        play([48 + k], [FingerStroke(begin, begin + 0.08, 0.45)])
    both_hands = [40, 47, 52, 56, 59, 64, 68, 71, 76, 80]
    play(both_hands, repeat_strokes(3 * quarter, duration, 5.0, 0.8, ABOVE))
    return passage


def passage_on_every_key(duration: float = 4.0) -> Passage:
    """Every key of a piano at once: a third repeats, a third trills, a third plays chords."""
    kinds = ((12.0, 0.6, KEPT), (7.0, 0.5, ABOVE), (5.0, 0.8, ABOVE))
    passage: Passage = {}
    for k in range(KEYS):
        rate, speed, between = kinds[k % 3]
        start = (k * 0.37 % 1.0) / rate  # none in step with its neighbour
        passage[LOWEST + k] = repeat_strokes(start, duration, rate, speed, between)
    return passage
