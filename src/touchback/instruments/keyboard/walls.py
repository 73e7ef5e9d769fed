"""Walls that a key can be: the laboratory's, in the middle of the travel, from counts."""

from touchback import Model
from touchback.haptics.displays import WALLS, ChosenWall, WallDisplay
from touchback.haptics.displays.wall_displays import (
    LIVE_FASTEST,
    LIVE_HEAVIEST,
    LIVE_SLOWEST,
    LIVE_STIFFEST,
)
from touchback.haptics.wall.laws import Balanced, Counting, HalfSample, Observing
from touchback.instruments.keyboard.answer import LEVERAGE, Answer, Voice
from touchback.instruments.keyboard.device import FRONT, Sensed

MIDDLE = 4.75e-3  # m, half of a grand's dip
STIFFNESS = 2500.0  # N/m, until a player turns it


def walls(m: Model, key: Sensed) -> Answer:
    """Every wall in one key: `live.choose("wall", …)` takes another, live parameters tune it."""
    display = ChosenWall(
        STIFFNESS, device=key.device.at_front, resolution=_count(key), limit=key.device.limit
    )
    return _felt(m, key, display)


def wall_voice(law: str) -> Voice:
    """A key that is one wall of the laboratory, with an observer of its counts; "balanced" with
    counts as intervals, stamped. Live parameters: "wall stiffness" [N/m], "wall damping" [N s/m],
    "wall rate" [Hz]."""

    def voice(m: Model, key: Sensed) -> Answer:
        usual, count = min(max(key.rate, LIVE_SLOWEST), LIVE_FASTEST), _count(key)
        balanced = law == "balanced"
        display = WallDisplay(
            m.parameter("wall stiffness", STIFFNESS, unit="N/m", min=0.0, max=LIVE_STIFFEST),
            m.parameter("wall damping", 0.0, unit="N s/m", min=0.0, max=LIVE_HEAVIEST),
            Balanced(HalfSample(), count) if balanced else law,
            key.device.at_front,
            rate=m.parameter("wall rate", usual, unit="Hz", min=LIVE_SLOWEST, max=LIVE_FASTEST),
            sense=Counting(count) if balanced else Observing(count),
            limit=key.device.limit,
        )
        return _felt(m, key, display)

    return voice


def _count(key: Sensed) -> float:
    """Of the encoder, at the key's front [m]."""
    return key.device.encoder.resolution * FRONT


def _felt(m: Model, key: Sensed, display: ChosenWall | WallDisplay) -> Answer:
    """A wall in the middle, told when its counts change where the key has a timer. It sounds when
    it is met, as loudly as a hammer five times as fast as the key."""
    stamp = key.timer() if key.timer else None
    if stamp is not None:
        stamp = stamp._replace(edge=MIDDLE - stamp.edge)
    force = display.fresh(m, "wall", MIDDLE - key.depth, -key.speed, key.rate, stamp=stamp)
    met = key.depth > MIDDLE
    return Answer(force, met, LEVERAGE * key.speed, met)


#: Keys that are walls, by name: all of them in one, or one of them alone.
WALL_VOICES: dict[str, Voice] = {
    "walls": walls,
    **{f"wall-{law}": wall_voice(law) for law in (*WALLS, "balanced")},
}
