"""Units as FMI has them: exponents of base units, a factor and an offset."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from touchback.units import unit_of

Exponents = dict[str, int]  # of kg, m, s, A, K, mol, cd and rad


@dataclass(frozen=True)
class BaseUnit:
    """What a unit is made of: a number of it is `factor` times as many of the product, and
    `offset` more."""

    exponents: Exponents = field(default_factory=dict)
    factor: float = 1.0
    offset: float = 0.0


def base_unit(text: str) -> BaseUnit | None:
    """The unit that a text means, as "N s/m" or "mm"; None when it isn't known, or when FMI has no
    word for it: its exponents are whole numbers."""
    found = unit_of(text)
    if found is None or any(x != int(x) for x in found.exponents.values()):
        return None
    exponents = {base: int(x) for base, x in found.exponents.items()}
    return BaseUnit(exponents, found.factor, found.zero)


def known_units(texts: Iterable[str]) -> dict[str, BaseUnit | None]:
    """What each unit is, every one once."""
    return {text: base_unit(text) for text in dict.fromkeys(texts) if text}
