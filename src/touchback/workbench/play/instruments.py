"""What the keys of the piano page can be, and what can be turned on them."""

from collections.abc import Mapping

from touchback.errors import InputError
from touchback.model.names import suggestion
from touchback.model.signals import Parameter

#: What the keys can be, and the kind of string that sounds.
INSTRUMENTS = {
    "piano": "struck", "harpsichord": "plucked", "organ": "blown", "ball": "struck",
    "wall": "struck",
}  # fmt: skip


def voice_number(instrument: str) -> int:
    """The value of the keys' parameter "voice" for an instrument."""
    if instrument not in INSTRUMENTS:
        raise InputError(
            f"There is no instrument '{instrument}'; {suggestion(instrument, INSTRUMENTS)}"
        )
    return list(INSTRUMENTS).index(instrument)


def screws(parameters: Mapping[str, Parameter]) -> dict[str, dict[str, object]]:
    """The live parameters of the action in a key, with unit, range and how they were made."""
    return {
        name.removeprefix("action/"): {
            "unit": each.unit, "usual": each.default, "min": each.min, "max": each.max,
        }
        for name, each in parameters.items()
        if name.startswith("action/")
    }  # fmt: skip
