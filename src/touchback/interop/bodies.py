"""Bodies from files. Public ones hold data that no body can have: taken as it stands, and said."""

import math
from collections.abc import Sequence

from touchback.errors import ModelError
from touchback.interop.notes import Notes
from touchback.model import Body, Model
from touchback.model.body import check_body
from touchback.model.frame import BodyHandle


def add_body(
    model: Model,
    name: str,
    mass: float,
    com: Sequence[float],
    inertia: Sequence[float],
    where: str,
    notes: Notes,
) -> BodyHandle:
    """A body with inertia xx, yy, zz, xy, xz, yz about its centre of mass [kg m²].

    A negative mass is refused; an inertia without a mass, or one that breaks the triangle
    inequality, is noted."""
    if mass < 0.0:
        raise ModelError(f"{where}: body '{name}': its mass is {mass} kg; it must not be negative.")
    if not all(map(math.isfinite, (mass, *com, *inertia))):
        raise ModelError(
            f"{where}: body '{name}': its mass {mass} kg, centre of mass {list(com)} m and inertia "
            f"{list(inertia)} kg m² must be finite; check its sizes, scale and density."
        )
    handle = model.body(name)
    (x, y, z), (xx, yy, zz, xy, xz, yz) = com, inertia
    body = Body(mass, (x, y, z), (xx, yy, zz, xy, xz, yz))
    try:
        check_body(name, body)
    except ModelError as oddity:
        notes.notice(f"{where}: {oddity} Taken as it stands.")
    if mass == 0.0 and any(inertia):
        notes.notice(f"{where}: body '{name}' has inertia but no mass. Taken as it stands.")
    model.bodies[name] = body
    return handle
