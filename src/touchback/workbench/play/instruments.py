"""What the keys of the piano page can be, and the live parameters that make them so."""

from collections.abc import Mapping

from touchback.errors import InputError
from touchback.gallery.keyboard.walls import WALL_VOICES
from touchback.model.names import suggestion
from touchback.realtime.live import choices
from touchback.system import System

#: What the keys can be, and the kind of string that sounds.
INSTRUMENTS = {
    "piano": "struck", "harpsichord": "plucked", "organ": "blown", "ball": "struck",
    "wall": "struck", "measured": "struck", "synthesizer": "struck",
}  # fmt: skip
ALL_WALLS = "walls"  # the voice that has every wall
#: What they can be instead: every wall takes as long as many pianos, so they are there when asked.
WALLS = {"piano": "struck"} | {name: "struck" for name in WALL_VOICES if name != ALL_WALLS}


def company_of(instrument: str) -> dict[str, str]:
    """All instruments of a page that begins with one, and their strings."""
    for each in (INSTRUMENTS, WALLS):
        if instrument in each:
            return each
    known = [*INSTRUMENTS, *WALLS]
    raise InputError(f"There is no instrument '{instrument}'; {suggestion(instrument, known)}")


def voices_of(company: Mapping[str, str]) -> list[str]:
    """The voices that a key needs for all of them."""
    return list(dict.fromkeys(ALL_WALLS if name in WALL_VOICES else name for name in company))


def settings(instrument: str, company: Mapping[str, str], key: System) -> dict[str, float]:
    """The parameters of a key for an instrument of a company: its voice and, of a wall, which one
    and what it is told, as the voice of that name is."""
    if instrument not in company:
        raise InputError(
            f"There is no instrument '{instrument}'; {suggestion(instrument, company)}"
        )
    voices = voices_of(company)
    if instrument in voices:
        return {"voice": float(voices.index(instrument))}
    law = instrument.removeprefix("wall-")
    laws, senses = (choices(key)[name] for name in ("wall", "wall sense"))
    return {
        "voice": float(voices.index(ALL_WALLS)),
        "wall choice": float(laws.index("wall" if law == "standard" else law)),
        "wall sense choice": float(senses.index("counting" if law == "balanced" else "observer")),
    }
