"""Bodies from files, what of them is fixed together, and axes of joints. Public files hold data
that no body can have: it is taken as it stands, and noted."""

import math
from collections.abc import Sequence

from touchback import Body, Fixed, Model
from touchback.errors import ModelError
from touchback.interop.import_notes import Notes
from touchback.model import GROUND, Axis, BodyHandle, check_body


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


def welded_bodies(model: Model) -> dict[str, str]:
    """The body that each is fixed to, directly or not; itself where it moves."""
    fixed = {
        joint.child.body: joint.parent.body
        for joint in model.joints.values()
        if isinstance(joint.kind, Fixed)
    }
    found = {}
    for body in (GROUND, *model.bodies):
        found[body] = body
        while found[body] in fixed:
            found[body] = fixed[found[body]]
    return found


def drop_idle_closures(model: Model, notes: Notes) -> None:
    """Leave out what ties bodies that are fixed together already: files may, models may not."""
    welded = welded_bodies(model)
    for name, closure in list(model.closures.items()):
        if welded[closure.a.body] == welded[closure.b.body]:
            del model.closures[name]
            notes.say(
                f"{name!r} is left out: '{closure.a.body}' and '{closure.b.body}', which it ties, "
                "are fixed together already."
            )


def axis_or_letter(vector: tuple[float, float, float]) -> Axis:
    """A letter for a coordinate axis, which costs fewer operations; else the vector."""
    for index, letter in enumerate("xyz"):
        if all(vector[other] == 0.0 for other in range(3) if other != index):
            return letter if vector[index] > 0.0 else f"-{letter}"
    return vector


def colour_of(rgba: str) -> str:
    """Red, green, blue and opacity from 0 to 1 in a file's words, as "#3d405b"; none where they
    are no such numbers. Nothing depends on colours, so none is refused."""
    try:
        given = [float(word) for word in rgba.split()]
    except ValueError:
        return ""
    if len(given) < 3 or not all(math.isfinite(x) for x in given):
        return ""
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in given[:3])


def is_transparent(rgba: str) -> bool:
    """Whether nothing is to be seen of it."""
    words = rgba.split()
    return len(words) == 4 and words[3].strip("0.") == ""
