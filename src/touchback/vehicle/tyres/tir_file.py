"""Tyre property files (`.tir`): sections in brackets, `KEY = value $ comment`, tables in braces.

Names and sections are those of MF-Tyre's files (Besselink, Schmeitz, Pacejka 2010; Pacejka 2012,
app. 3). Pages of coefficients that a file leaves out count as zero, scale factors as one."""

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from touchback.errors import ModelError
from touchback.names import suggestion
from touchback.numbers import DECIMAL
from touchback.safe_files import read_regular

_SHAPES = """
PCX1 PDX1 PDX2 PDX3 PEX1 PEX2 PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2 PPX1 PPX2 PPX3 PPX4
RBX1 RBX2 RBX3 RCX1 REX1 REX2 RHX1 PTX1 PTX2 PTX3
QSX1 QSX2 QSX3 QSX4 QSX5 QSX6 QSX7 QSX8 QSX9 QSX10 QSX11 QSX12 QSX13 QSX14 PPMX1
PCY1 PDY1 PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PEY5 PKY1 PKY2 PKY3 PKY5 PKY6 PKY7 PHY1 PHY2 PHY3
PVY1 PVY2 PVY3 PVY4 PPY1 PPY2 PPY3 PPY4 PPY5 PTY1 PTY2
RBY1 RBY2 RBY3 RBY4 RCY1 REY1 REY2 RHY1 RHY2 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6
QSY1 QSY2 QSY3 QSY4 QSY5 QSY6 QSY7 QSY8
QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QBZ10 QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 QDZ6 QDZ7 QDZ8 QDZ9 QDZ10 QDZ11
QEZ1 QEZ2 QEZ3 QEZ4 QEZ5 QHZ1 QHZ2 QHZ3 QHZ4 PPZ1 PPZ2 SSZ1 SSZ2 SSZ3 SSZ4 QTZ1 MBELT
PDXP1 PDXP2 PDXP3 PKYP1 PDYP1 PDYP2 PDYP3 PDYP4 PHYP1 PHYP2 PHYP3 PHYP4 PECP1 PECP2
QDTP1 QCRP1 QCRP2 QBRP1 QDRP1
BREFF DREFF FREFF Q_V1 Q_V2 Q_FZ2 Q_FCX Q_FCY Q_FCY2 Q_CAM Q_CAM1 Q_CAM2 Q_CAM3
Q_FYS1 Q_FYS2 Q_FYS3 PFZ1 MC_CONTOUR_A MC_CONTOUR_B
PCFX1 PCFX2 PCFX3 PCFY1 PCFY2 PCFY3 PCMZ1 Q_BVX Q_BVT
Q_RA1 Q_RA2 Q_RB1 Q_RB2 Q_A1 Q_A2
LONGITUDINAL_STIFFNESS LATERAL_STIFFNESS YAW_STIFFNESS VERTICAL_DAMPING
FREQ_LONG FREQ_LAT FREQ_YAW FREQ_WINDUP DAMP_LONG DAMP_LAT DAMP_YAW DAMP_WINDUP
DAMP_RESIDUAL DAMP_VLOW BOTTOM_OFFST BOTTOM_STIFF
MASS IXX IYY IZZ BELT_MASS BELT_IXX BELT_IYY BELT_IZZ GRAVITY
ELLIPS_SHIFT ELLIPS_LENGTH ELLIPS_HEIGHT ELLIPS_ORDER ELLIPS_MAX_STEP ELLIPS_NWIDTH ELLIPS_NLENGTH
ELLIPS_INC ROAD_INCREMENT ROAD_DIRECTION
FILE_VERSION USER_SUB_ID N_TIRE_STATES USE_MODE HMAX_LOCAL TIME_SWITCH_INTEG SWITCH_INTEG FITTYP
"""
_SCALES = """
LFZO LCX LMUX LEX LKX LHX LVX LCY LMUY LEY LKY LHY LVY LTR LRES LXAL LYKA LVYKA LS LKYC LKZC LVMX
LMX LMY LMP LGAX LGAY LGAZ LSGKP LSGAL LGYR LCZ
"""
_OTHERS = {
    "PKY4": 2.0,  # as MF5.2 has it, which has no such key
    "Q_RE0": 1.0,
    "VXLOW": 1.0,
    "LONGVL": 16.7,
    "INFLPRES": 220000.0,
    "NOMPRES": 220000.0,
    "PRESMIN": 0.0,
    "PRESMAX": 1e6,
    "FZMIN": 0.0,
    "FZMAX": 1e6,
    "KPUMIN": -1.5,
    "KPUMAX": 1.5,
    "ALPMIN": -1.5,
    "ALPMAX": 1.5,
    "CAMMIN": -0.5,
    "CAMMAX": 0.5,
    "WIDTH": 0.2,
    "ASPECT_RATIO": 0.6,
    "RIM_RADIUS": 0.0,
    "RIM_WIDTH": 0.15,
    "UNLOADED_RADIUS": 0.0,
    "FNOMIN": 0.0,
    "VERTICAL_STIFFNESS": 0.0,
}
DEFAULTS: dict[str, float] = {
    **dict.fromkeys(_SHAPES.split(), 0.0),
    **dict.fromkeys(_SCALES.split(), 1.0),
    **_OTHERS,
}
"""Every number that is known, with what it is where a file doesn't say."""
REQUIRED = (
    "UNLOADED_RADIUS", "FNOMIN", "VERTICAL_STIFFNESS", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1",
    "PKY1", "PKY2",
)  # fmt: skip
"""Without these there is no tyre."""
POSITIVE = (
    "UNLOADED_RADIUS", "FNOMIN", "VERTICAL_STIFFNESS", "LFZO", "NOMPRES", "LONGVL", "VXLOW",
    "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY2", "WIDTH", "LMUX", "LMUY", "LCX", "LCY", "LKY",
)  # fmt: skip
"""What the equations divide by, or take the root of."""
RANGES = (
    ("PRESMIN", "PRESMAX"), ("FZMIN", "FZMAX"), ("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX"),
    ("CAMMIN", "CAMMAX"),
)  # fmt: skip
UNITS = {
    "LENGTH": ("meter", "metre", "m"),
    "FORCE": ("newton", "n"),
    "ANGLE": ("radian", "radians", "rad"),
    "MASS": ("kg", "kilogram"),
    "TIME": ("second", "sec", "s"),
    "PRESSURE": ("pascal", "pa"),
}
"""The units that are read: a file in others is refused."""
VERSIONS = {5: "5.2", 6: "5.2", 52: "5.2", 60: "6.1", 61: "6.1", 62: "6.2"}
"""The formula that FITTYP means; PAC2002 files, which have none, are of 5.2."""
LARGEST = 1 << 20  # bytes
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LARGEST_NUMBER = 1e12  # of anything in such a file: products of some stay finite
_OLD_FORMATS = ("PAC2002", "MF_05", "MF-TYRE", "PAC_2002")  # of Adams, all of version 5.2


@dataclass(frozen=True)
class TirFile:
    """What a tyre property file says: the version of its formula ("5.2", "6.1", "6.2"), its numbers
    by name, its words by name, and which names meant nothing to us."""

    name: str
    version: str
    numbers: dict[str, float]
    words: dict[str, str]
    unknown: tuple[str, ...]


def read_tir(path: str | os.PathLike[str]) -> TirFile:
    """The tyre property file at a path."""
    file = Path(path)
    content = read_regular(file, LARGEST, ModelError)
    return parse_tir(content.decode("utf-8-sig", errors="replace"), file.name)


def parse_tir(text: str, name: str = "tyre") -> TirFile:
    """The tyre that a text describes; what can't be is refused by line and key."""
    reader = _Reader(name)
    for number, line in enumerate(text.splitlines(), 1):
        reader.take(number, line)
    return reader.finished()


class _Reader:
    """Line after line of one file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.section = ""
        self.numbers: dict[str, float] = {}
        self.words: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.sections: dict[int, str] = {}  # of lines: some are only found wrong in the end
        self.in_table = False

    def take(self, number: int, line: str) -> None:
        """One line: a section, a key with its value, a row of a table, or nothing."""
        content = _without_comment(line).strip()
        if not content:
            return
        if content.startswith("["):
            if not content.endswith("]") or len(content) < 3:
                raise self.error(number, "", f"{_short(content)} is no section; write '[NAME]'.")
            self.section, self.in_table = content[1:-1].strip().upper(), False
        elif content.startswith("{"):
            self.in_table = True  # such as [SHAPE]'s, whose contour no formula here asks for
        elif "=" in content:
            self.in_table = False
            self._entry(number, content)
        elif not self.in_table:
            raise self.error(
                number, "", f"{_short(content)} is neither a section nor 'KEY = value'; begin a "
                "comment with '$' or '!'."
            )  # fmt: skip

    def _entry(self, number: int, content: str) -> None:
        key, _, value = (part.strip() for part in content.partition("="))
        key = key.upper()
        self.sections[number] = self.section
        if not _KEY.fullmatch(key):
            raise self.error(number, key, f"{_short(key)} is no key; use letters, digits and '_'.")
        if self.section == "UNITS":
            self._unit(number, key, value.strip("'\" ").lower())
            return
        if key in self.lines and key in DEFAULTS:
            raise self.error(
                number, key, f"it was set in line {self.lines[key]} already; leave one of them."
            )
        self.lines[key] = number
        if value[:1] in "'\"" and value:
            self._word(number, key, value)
        elif DECIMAL.fullmatch(as_c := value.replace("d", "e").replace("D", "e")):  # as Fortran's
            self._number(number, key, float(as_c))
        elif key in DEFAULTS:
            raise self.error(number, key, f"{_short(value)} is no number; write one such as 0.25.")
        else:
            self.words[key] = value

    def _word(self, number: int, key: str, value: str) -> None:
        if len(value) < 2 or value[-1] != value[0]:
            raise self.error(number, key, f"{_short(value)} lacks its closing quote.")
        word = value[1:-1].strip()
        if key in DEFAULTS:
            raise self.error(number, key, f"{_short(value)} is text; a number is expected.")
        self.words[key] = word

    def _unit(self, number: int, key: str, unit: str) -> None:
        if key in UNITS and unit not in UNITS[key]:
            raise self.error(
                number, key, f"the unit {_short(unit)} isn't read; convert the file to SI, "
                f"'{UNITS[key][0]}'."
            )  # fmt: skip

    def _number(self, number: int, key: str, value: float) -> None:
        if not math.isfinite(value) or abs(value) > _LARGEST_NUMBER:
            raise self.error(number, key, f"{value:g} is beyond ±{_LARGEST_NUMBER:g}; check it.")
        if key in POSITIVE and not value > 0.0:
            raise self.error(number, key, f"it is {value:g}; give a number above 0.")
        self.numbers[key] = value

    def finished(self) -> TirFile:
        """The whole, checked."""
        for key in REQUIRED:
            if key not in self.numbers:
                others = [k for k in self.numbers if k not in DEFAULTS]
                near = f" ({suggestion(key, others)})" if others else ""
                raise ModelError(
                    f"{self.name}: {key} is missing, without which there is no Magic Formula; add "
                    f"it{near or '.'}"
                )
        for low, high in RANGES:
            if self._value(low) > self._value(high):
                later = max((low, high), key=lambda key: self.lines.get(key, 0))
                raise self.error(
                    self.lines[later], later, f"{low} is {self._value(low):g}, above {high}, "
                    f"{self._value(high):g}; swap them."
                )  # fmt: skip
        unknown = tuple(key for key in self.numbers if key not in DEFAULTS)
        return TirFile(self.name, self._version(), dict(self.numbers), dict(self.words), unknown)

    def _value(self, key: str) -> float:
        return self.numbers.get(key, DEFAULTS[key])

    def _version(self) -> str:
        if "FITTYP" in self.numbers:
            given = self.numbers["FITTYP"]
            if given not in VERSIONS:
                raise self.error(
                    self.lines["FITTYP"], "FITTYP", f"{given:g} is no version that is known; "
                    f"known: {', '.join(map(str, VERSIONS))}."
                )  # fmt: skip
            return VERSIONS[int(given)]
        form = self.words.get("PROPERTY_FILE_FORMAT", "")
        if form.upper() in _OLD_FORMATS:
            return "5.2"
        raise ModelError(
            f"{self.name}: neither FITTYP nor a PROPERTY_FILE_FORMAT of version 5.2 says which "
            "Magic Formula this is; add 'FITTYP = 61' to [MODEL] for 6.1."
        )

    def error(self, line: int, key: str, message: str) -> ModelError:
        section = self.sections.get(line, self.section)
        where = f"[{section}] " if section else ""
        return ModelError(f"{self.name}, line {line}, {where}{key}: {message}".replace(" :", ":"))


def _without_comment(line: str) -> str:
    """The line up to '$' or '!', unless these stand between quotes."""
    quote = ""
    for i, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "$!":
            return line[:i]
    return line


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:39]}…")
