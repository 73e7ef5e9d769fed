"""Units as FMI has them: exponents of base units, a factor and an offset."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from touchback.recording.measured.units import unit_of

Exponents = dict[str, int]  # of kg, m, s, A, K, mol, cd and rad

_KNOWN: dict[str, Exponents] = {
    **{name: {name: 1} for name in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")},
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
}
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_PART = re.compile(r"\s*(?:(?P<divide>/)|(?P<name>[A-Za-zΩ]+|1)\^?(?P<power>-?\d+)?|[·*])\s*")


@dataclass(frozen=True)
class BaseUnit:
    """What a unit is made of: a number of it is `factor` times as many of the product, and
    `offset` more."""

    exponents: Exponents = field(default_factory=dict)
    factor: float = 1.0
    offset: float = 0.0


def base_unit(text: str) -> BaseUnit | None:
    """The unit that a text means, as "N s/m" or "mm"; None when it isn't known."""
    exponents = _product(text)
    if exponents is not None:
        return BaseUnit(exponents)
    found = unit_of(text)
    exponents = None if found is None else _product(found.si)
    if found is None or exponents is None:
        return None
    return BaseUnit(exponents, found.factor, found.zero)


def known_units(texts: Iterable[str]) -> dict[str, BaseUnit | None]:
    """What each unit is, every one once."""
    return {text: base_unit(text) for text in dict.fromkeys(texts) if text}


def _product(text: str) -> Exponents | None:
    """The exponents of a product of SI units; a stroke divides by the one that follows."""
    plain, total, at, sign = text.translate(_POWERS).strip(), dict[str, int](), 0, 1
    while at < len(plain):
        part = _PART.match(plain, at)
        if part is None:
            return None
        at = part.end()
        if part["divide"]:
            sign = -1
        elif name := part["name"]:
            if name not in _KNOWN:
                return None
            power = sign * int(part["power"] or 1)
            for base, exponent in _KNOWN[name].items():
                total[base] = total.get(base, 0) + power * exponent
            sign = 1
    return {base: exponent for base, exponent in total.items() if exponent} if plain else None
