"""Tyres, one file each: forces of slips, over any number."""

from pathlib import Path

from touchback.vehicle.tyres.base import Contact, ContactPatchWrench, Tyre
from touchback.vehicle.tyres.magic_formula import Answer, MagicFormula
from touchback.vehicle.tyres.magic_formula_equations import Carcass, Forces, Lateral, Moments
from touchback.vehicle.tyres.simple_tyres import BrushTyre, LinearTyre
from touchback.vehicle.tyres.tir_file import TirFile, parse_tir, read_tir

#: A small car's tyre that the package brings along: made up, of the usual size.
BUGGY_TYRE = Path(__file__).with_name("buggy_155_80_r13.tir")

#: A tyre of any kind that files and cars know.
AnyTyre = MagicFormula | BrushTyre | LinearTyre

__all__ = [
    "BUGGY_TYRE",
    "Answer",
    "BrushTyre",
    "Carcass",
    "Contact",
    "ContactPatchWrench",
    "Forces",
    "Lateral",
    "LinearTyre",
    "MagicFormula",
    "Moments",
    "TirFile",
    "Tyre",
    "parse_tir",
    "read_tir",
]
