"""Keys that are felt and heard: force over depth, and what a passage sounds like."""

from touchback.instruments.feel.harpsichord import HARPSICHORD
from touchback.instruments.feel.instrument import Instrument, KeyCurve, Played
from touchback.instruments.feel.piano import PIANO

#: What can be felt and heard, by name.
INSTRUMENTS = {"piano": PIANO, "harpsichord": HARPSICHORD}

__all__ = ["INSTRUMENTS", "Instrument", "KeyCurve", "Played"]
