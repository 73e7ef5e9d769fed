"""Walls that a key can be: the laboratory's, in the middle of the travel, from counts."""

from touchback.gallery.keyboard.answer import LEVERAGE, Answer, Voice
from touchback.gallery.keyboard.device import FRONT, Sensed
from touchback.haptics.displays import WALLS, ChosenWall, WallDisplay
from touchback.haptics.displays.chosen_wall import FASTEST, HEAVIEST, SLOWEST, STIFFEST
from touchback.haptics.wall.laws import Observing
from touchback.model import Model
from touchback.model.value import Value

MIDDLE = 4.75e-3  # m, half of a grand's dip
STIFFNESS = 2500.0  # N/m, until a player turns it


def walls(m: Model, key: Sensed) -> Answer:
    """Every wall in one key: `live.choose("wall", …)` takes another, live parameters tune it."""
    device = key.device
    display = ChosenWall(
        STIFFNESS, device=device.at_front, resolution=device.encoder.resolution * FRONT,
        limit=device.limit,
    )  # fmt: skip
    return _sounding(key, display.fresh(m, "wall", MIDDLE - key.depth, -key.speed, key.rate))


def wall_voice(law: str) -> Voice:
    """A key that is one wall of the laboratory, with an observer of its counts. Live parameters:
    "wall stiffness" [N/m], "wall damping" [N s/m], "wall rate" [Hz]."""

    def voice(m: Model, key: Sensed) -> Answer:
        device = key.device
        usual = min(max(key.rate, SLOWEST), FASTEST)
        display = WallDisplay(
            m.parameter("wall stiffness", STIFFNESS, unit="N/m", min=0.0, max=STIFFEST),
            m.parameter("wall damping", 0.0, unit="N s/m", min=0.0, max=HEAVIEST),
            law,
            device.at_front,
            rate=m.parameter("wall rate", usual, unit="Hz", min=SLOWEST, max=FASTEST),
            sense=Observing(device.encoder.resolution * FRONT),
            limit=device.limit,
        )
        return _sounding(key, display.fresh(m, "wall", MIDDLE - key.depth, -key.speed, key.rate))

    return voice


def _sounding(key: Sensed, force: Value) -> Answer:
    """A wall sounds when it is met, as loudly as a hammer five times as fast as the key."""
    met = key.depth > MIDDLE
    return Answer(force, met, LEVERAGE * key.speed, met)


#: Keys that are walls, by name: all of them in one, or one of them alone.
WALL_VOICES: dict[str, Voice] = {
    "walls": walls,
    **{f"wall-{law}": wall_voice(law) for law in WALLS},
}
