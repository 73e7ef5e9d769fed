"""The kinds that model files know, by section and by the word that a file has for them.

The model's own are listed here. Another room registers its kinds when it is imported, a user does
it with `touchback.model.io.add_kind`."""

from typing import Any, get_args

from touchback.model.closures import AnyClosure
from touchback.model.constraint_kinds import AnyCoupling
from touchback.model.forces import AnyForce
from touchback.model.joints import AnyJoint
from touchback.model.sensors import AnySensor
from touchback.model.value_or_expression import Data


def kinds_in(kind: Any) -> dict[str, type[Data]]:
    """The kinds of data by tag that a field's type may hold, also in a list."""
    if hasattr(kind, "__struct_config__"):
        tag = kind.__struct_config__.tag
        return {} if tag is None else {tag: kind}
    return {tag: found for item in get_args(kind) for tag, found in kinds_in(item).items()}


KINDS: dict[str, dict[str, type[Data]]] = {
    "joints": kinds_in(AnyJoint),
    "forces": kinds_in(AnyForce),
    "contacts": {},
    "closures": kinds_in(AnyClosure),
    "couplings": kinds_in(AnyCoupling),
    "sensors": kinds_in(AnySensor),
}
"""The model's own data of each section whose items say their `kind`, by that word."""

REGISTERING_ROOMS = ("touchback.contact",)
"""Rooms that register kinds: files may use these before anybody has imported the room."""


def register_kinds(section: str, kinds: Any) -> None:
    """Let files know the kinds of a union, as those of `section` "forces"."""
    KINDS[section].update(kinds_in(kinds))
