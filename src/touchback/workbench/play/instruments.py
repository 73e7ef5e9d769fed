"""What the keys of the piano page can be, and what can be turned on them."""

from touchback.errors import InputError
from touchback.model.names import suggestion

#: What the keys can be, and the kind of string that sounds.
INSTRUMENTS = {
    "piano": "struck", "harpsichord": "plucked", "organ": "blown", "ball": "struck",
    "wall": "struck", "measured": "struck", "synthesizer": "struck",
}  # fmt: skip


def voice_number(instrument: str) -> int:
    """The value of the keys' parameter "voice" for an instrument."""
    if instrument not in INSTRUMENTS:
        raise InputError(
            f"There is no instrument '{instrument}'; {suggestion(instrument, INSTRUMENTS)}"
        )
    return list(INSTRUMENTS).index(instrument)
