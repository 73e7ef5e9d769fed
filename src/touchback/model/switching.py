"""Switching constraints on and off: the model with other ones active."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from touchback.model.model import Model

SECTIONS = ("closures", "couplings", "constraints", "drives")


def active_constraints(model: Model) -> tuple[str, ...]:
    """Names of the active constraints, in the order of their rows."""
    return tuple(
        name
        for section in SECTIONS
        for name, item in getattr(model, section).items()
        if item.active
    )


def switched(model: Model, names: Collection[str], active: bool) -> Model:
    """The same model with the named constraints active or not."""
    other = copy(model)
    for section in SECTIONS:
        items = {
            name: replace(item, active=active) if name in names else item
            for name, item in getattr(model, section).items()
        }
        setattr(other, section, items)
    return other
