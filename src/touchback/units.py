"""Units of numbers: what a text such as "N/mm" means in SI, and which dimension it has.

A text is a product of units with blanks, dots or `*` between them; a stroke divides by the unit (or
the parentheses) that follows: "N s/m", "kg m^2", "kg·m²", "V/(rad s)", "N/m^1.5". SI prefixes go
before the units that take them. An angle has no dimension: "rad", "deg" and "1" go together, and so
do "N m" and "N m/rad"; that a unit is one of angles alone, as "deg", is known besides.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

Dimension = tuple[float, ...]  # exponents of kg, m, s, A, K, mol and cd
BASES = ("kg", "m", "s", "A", "K", "mol", "cd")
NONE: Dimension = (0.0,) * len(BASES)
_LONGEST = 60  # characters of a text that can be a unit
_LARGEST = 60.0  # powers of ten between a unit and that of SI


@dataclass(frozen=True)
class Unit:
    """A number of this unit is `factor` times as many of the SI unit `si`, and `zero` more;
    `exponents` are those of kg, m, s, A, K, mol, cd and rad."""

    si: str = "1"
    exponents: dict[str, float] = field(default_factory=dict)
    factor: float = 1.0
    zero: float = 0.0

    @property
    def dimension(self) -> Dimension:
        """Exponents of the base units; an angle has none."""
        return tuple(float(self.exponents.get(base, 0)) for base in BASES)

    @property
    def is_angle(self) -> bool:
        """Whether it is a unit of angles."""
        return self.exponents == {"rad": 1}

    @property
    def quantity(self) -> str:
        """What is measured in it, in words."""
        return "an angle" if self.is_angle else f"a quantity in {text_of(self.dimension)}"

    def in_si(self, number: float) -> float:
        """A number of this unit in SI."""
        return number if self.is_si else number * self.factor + self.zero

    @property
    def is_si(self) -> bool:
        """Whether numbers of this unit are numbers of SI."""
        return self.factor == 1.0 and self.zero == 0.0


class _Atom(NamedTuple):
    """A word for a unit: the SI unit that it is `factor` of, with an offset."""

    si: str
    factor: float = 1.0
    zero: float = 0.0


_TURN = 2.0 * math.pi
_SI: dict[str, dict[str, float]] = {
    **{name: {name: 1} for name in (*BASES, "rad")},
    "1": {},
    "Hz": {"s": -1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "C": {"A": 1, "s": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Ω": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
    "Wb": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "T": {"kg": 1, "s": -2, "A": -1},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "S": {"kg": -1, "m": -2, "s": 3, "A": 2},
}
#: The international yard and pound (1959), the standard acceleration of gravity (3rd CGPM, 1901),
#: the standard atmosphere (10th CGPM, 1954) and the conventional density of mercury.
_POUND, _INCH, _GRAVITY, _ATMOSPHERE, _MERCURY = 0.45359237, 0.0254, 9.80665, 101325.0, 13595.1
_OTHERS: dict[str, _Atom] = {
    "%": _Atom("1", 0.01), "rev": _Atom("rad", _TURN), "turn": _Atom("rad", _TURN),
    "sec": _Atom("s"), "min": _Atom("s", 60.0), "h": _Atom("s", 3600.0),
    "d": _Atom("s", 86400.0), "day": _Atom("s", 86400.0),
    "ft": _Atom("m", 0.3048), "inch": _Atom("m", _INCH), "in": _Atom("m", _INCH),
    "yd": _Atom("m", 0.9144), "mi": _Atom("m", 1609.344),
    "deg": _Atom("rad", _TURN / 360), "degree": _Atom("rad", _TURN / 360),
    "degrees": _Atom("rad", _TURN / 360), "dps": _Atom("rad/s", _TURN / 360),
    "arcmin": _Atom("rad", _TURN / 21600), "arcsec": _Atom("rad", _TURN / 1296000),
    "gon": _Atom("rad", _TURN / 400), "rpm": _Atom("rad/s", _TURN / 60),
    "mph": _Atom("m/s", 0.44704),
    "kmh": _Atom("m/s", 1 / 3.6), "kph": _Atom("m/s", 1 / 3.6),
    "g": _Atom("kg", 1e-3), "t": _Atom("kg", 1e3), "tonne": _Atom("kg", 1e3),
    "lb": _Atom("kg", _POUND), "lbm": _Atom("kg", _POUND), "oz": _Atom("kg", _POUND / 16),
    "lbf": _Atom("N", _POUND * _GRAVITY), "kgf": _Atom("N", _GRAVITY), "kp": _Atom("N", _GRAVITY),
    "dyn": _Atom("N", 1e-5),
    "psi": _Atom("Pa", _POUND * _GRAVITY / _INCH**2), "bar": _Atom("Pa", 1e5),
    "atm": _Atom("Pa", _ATMOSPHERE), "torr": _Atom("Pa", _ATMOSPHERE / 760),
    "Torr": _Atom("Pa", _ATMOSPHERE / 760), "mmHg": _Atom("Pa", _MERCURY * _GRAVITY * 1e-3),
    "degC": _Atom("K", 1.0, 273.15),
    "Nm": _Atom("N m"), "Nmm": _Atom("N m", 1e-3), "Ncm": _Atom("N m", 1e-2),
    "Wh": _Atom("J", 3600.0),
    "hp": _Atom("W", 550 * 0.3048 * _POUND * _GRAVITY), "PS": _Atom("W", 75 * _GRAVITY),
    "Ohm": _Atom("Ω"), "ohm": _Atom("Ω"), "l": _Atom("m³", 1e-3), "L": _Atom("m³", 1e-3),
}  # fmt: skip
#: Words that say what is counted, and nothing about SI: such numbers are taken as they are.
LABELS = frozenset({"", "dB", "count", "counts", "note", "px"})
_PREFIXES = {
    "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "da": 10.0, "d": 0.1, "c": 1e-2, "m": 1e-3, "µ": 1e-6,
    "u": 1e-6, "n": 1e-9, "p": 1e-12,
}  # fmt: skip
_PREFIXED = (
    "m", "s", "g", "rad", "gon", "Hz", "N", "Nm", "Pa", "bar", "J", "W", "Wh", "V", "A", "C", "F",
    "H", "T", "Wb", "S", "Ω", "Ohm", "ohm", "K", "mol", "cd", "l", "L",
)  # fmt: skip
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_SPELLING = {"μ": "µ", "º": "°", "°C": "degC", "°": "deg"}
_ALIASES = {"r/min": "rpm", "U/min": "rpm", "-": "1"}
_QUANTITY = re.compile(
    r"\s*(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*"
    r"(?P<unit>[A-Za-zµμΩ%°º].*|(?<=\s)1/.*)"
)
_PART = re.compile(
    r"(?P<sign>[/()])|(?P<name>[A-Za-zµΩ%]+|1)(?:\^?(?P<power>-?\d+(?:\.\d+)?))?|[·*. ]"
)


@lru_cache(maxsize=1024)
def unit_of(text: str) -> Unit | None:
    """The unit that a text means; None when it isn't known, or when there is none."""
    plain = text.strip()
    for spelling, usual in _SPELLING.items():
        plain = plain.replace(spelling, usual)
    plain = re.sub(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"^{found[0].translate(_POWERS)}", plain)
    if not plain or len(plain) > _LONGEST:
        return None
    return _product(_ALIASES.get(plain, plain))


def is_unknown(text: str) -> bool:
    """Whether a text seems to be a unit and isn't a known one."""
    return text.strip() not in LABELS and unit_of(text) is None


def read_quantity(text: str) -> tuple[float, Unit] | None:
    """The number and the unit of a text such as "35 mm" or "90 deg"; None for other texts."""
    found = _QUANTITY.fullmatch(text)
    unit = unit_of(found["unit"]) if found is not None else None
    return None if found is None or unit is None else (float(found["number"]), unit)


def unknown_unit(text: str) -> str:
    """What to say of a text such as "90 degs", a number in a unit that isn't known; nothing of
    other texts."""
    found = _QUANTITY.fullmatch(text)
    if found is None or unit_of(found["unit"]) is not None or not found["unit"].isalpha():
        return ""
    word = found["unit"]
    known = [*_SI, *_OTHERS, *(f"{p}{unit}" for p in _PREFIXES for unit in _PREFIXED)]
    near = get_close_matches(word, known, 1, 0.5)
    meant = f"; did you mean '{found['number']} {near[0]}'?" if near else "."
    return f"{text!r}: the unit '{word}' isn't known{meant}"


def misfit(text: str, unit: Unit, wanted: str) -> str:
    """What to say of a quantity such as "35 mm" where another is needed; nothing where it fits."""
    dimension = dimension_of(wanted)
    if dimension is None or (
        same_dimension(unit.dimension, dimension) and not (unit.is_angle and wanted == "1")
    ):
        return ""
    return (
        f"{text!r} is {unit.quantity}; {wanted} is needed there. Give it in a unit of that "
        f"dimension, or as a plain number in {wanted if wanted != '1' else 'SI'}."
    )


def _known(text: str) -> Unit:
    """A unit of our own tables."""
    if (found := unit_of(text)) is None:
        raise LookupError(f"{text!r} is in no table of units")
    return found


def dimension_of(text: str) -> Dimension | None:
    """The dimension of a unit's text; None when it isn't known, or when there is none."""
    known = unit_of(text)
    return None if known is None else known.dimension


def is_angle(text: str) -> bool:
    """Whether a text is a unit of angles."""
    known = unit_of(text)
    return known is not None and known.is_angle


def same_dimension(one: Dimension, other: Dimension) -> bool:
    """Whether two dimensions are equal, but for rounding of fractional powers."""
    return all(abs(a - b) < 1e-9 for a, b in zip(one, other, strict=True))


def text_of(dimension: Dimension) -> str:
    """The usual SI unit of a dimension."""
    for usual in _USUAL:
        if same_dimension(dimension, _known(usual).dimension):
            return usual
    over = [_power(base, x) for base, x in zip(BASES, dimension, strict=True) if x > 0]
    under = [_power(base, -x) for base, x in zip(BASES, dimension, strict=True) if x < 0]
    below = f"({' '.join(under)})" if len(under) > 1 else "".join(under)
    return f"{' '.join(over) or '1'}{f'/{below}' if below else ''}"


_USUAL = (
    "1", "m", "kg", "s", "m/s", "m/s²", "1/s", "1/s²", "N", "N m", "N/m", "N s/m", "N m s",
    "kg m²", "kg m", "m²", "m³", "kg/m³", "W", "Pa", "Pa s", "V", "A", "Ω", "C", "K",
)  # fmt: skip


def _power(base: str, exponent: float) -> str:
    return base if exponent == 1.0 else f"{base}^{exponent:g}"


def _product(plain: str) -> Unit | None:
    """The product of a text's units; each stroke divides by what follows it at once."""
    total: dict[str, float] = {}
    factor, zero, size, si, at, count = 1.0, 0.0, 0.0, "", 0, 0
    signs, sign = [1], 1  # of the parentheses that are open, and of what comes next
    while at < len(plain):
        part = _PART.match(plain, at)
        if part is None:
            return None
        at = part.end()
        if part["sign"] == "/":
            if sign < 0:
                return None
            sign = -1
        elif part["sign"] == "(":
            signs.append(signs[-1] * sign)
            sign = 1
        elif part["sign"] == ")":
            if len(signs) == 1:
                return None
            signs.pop()
        elif part["name"]:
            atom = _atom(part["name"])
            if atom is None:
                return None
            power = float(part["power"] or 1) * sign * signs[-1]
            if atom.zero and power != 1:
                return None
            own = _SI.get(atom.si)
            for base, exponent in (_known(atom.si).exponents if own is None else own).items():
                total[base] = total.get(base, 0) + _whole(power * exponent)
            size += abs(power * math.log10(atom.factor))
            if size > _LARGEST:
                return None
            factor, zero = factor * atom.factor**power, zero or atom.zero
            si += _spelled(atom.si, float(part["power"] or 1), sign)
            sign, count = 1, count + 1
            continue
        si += part[0]
    if not count or sign < 0 or len(signs) > 1 or (zero and count > 1):
        return None
    return Unit(si, {base: x for base, x in total.items() if x}, factor, zero)


def _spelled(si: str, power: float, sign: int) -> str:
    """A power of a unit of SI; in parentheses where it is a product that a stroke divides by."""

    def raised(part: re.Match[str]) -> str:
        if not part["name"]:
            return part[0]
        total = _whole(float(part["power"] or 1) * power)
        return part["name"] + {"1": "", "2": "²", "3": "³"}.get(f"{total}", f"^{total}")

    shown = _PART.sub(raised, si.replace("²", "^2").replace("³", "^3"))
    return f"({shown})" if sign < 0 and (" " in si or "/" in si) else shown


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


def _atom(name: str) -> _Atom | None:
    if name in _SI:
        return _Atom(name)
    if name in _OTHERS:
        return _OTHERS[name]
    for prefix, factor in _PREFIXES.items():
        base = name.removeprefix(prefix)
        if base != name and base in _PREFIXED:
            own = _atom(base)
            return None if own is None else _Atom(own.si, own.factor * factor)
    return None
