"""Tyre property files (`.tir`): sections in brackets, `KEY = value $ comment`, tables in braces."""

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from touchback.errors import ModelError
from touchback.model.names import suggestion
from touchback.numbers import DECIMAL
from touchback.regular_file import read_regular
from touchback.vehicle.tyres.tir_keys import (
    DEFAULTS,
    POSITIVE,
    RANGES,
    REQUIRED,
    UNITS,
    VERSIONS,
)

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
