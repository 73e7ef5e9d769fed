"""Vehicles, as `tb.vehicle`: tyres.

Their laws are written with operators over any number: floats and arrays check them, expressions
take them into the tick."""

from touchback.vehicle.tyres import (
    BUGGY_TYRE,
    Answer,
    BrushTyre,
    Carcass,
    Contact,
    Grip,
    LinearTyre,
    MagicFormula,
    TirFile,
    Tyre,
    parse_tir,
    read_tir,
)

__all__ = [
    "BUGGY_TYRE",
    "Answer",
    "BrushTyre",
    "Carcass",
    "Contact",
    "Grip",
    "LinearTyre",
    "MagicFormula",
    "TirFile",
    "Tyre",
    "parse_tir",
    "read_tir",
]
