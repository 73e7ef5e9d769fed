"""Bodies: mass, centre of mass and inertia, checked."""

from typing import ClassVar

import numpy as np

from touchback.errors import ModelError
from touchback.model.frame import Frame, Owner, Turns, frame_at, owned_frame
from touchback.model.value_or_expression import (
    Data,
    Triple,
    Value,
    is_number,
    is_zero,
    list_items,
    refuse_huge_numbers,
    triple,
    value,
)

Six = tuple[Value, Value, Value, Value, Value, Value]


class Body(Data, frozen=True):
    """mass [kg]; com: centre of mass in the body frame [m]; inertia about the centre of mass, along
    the body axes [kg m²]: xx, yy, zz, xy, xz, yz (off-diagonal entries as in the tensor)."""

    UNITS: ClassVar[dict[str, str]] = {"mass": "kg", "com": "m", "inertia": "kg m²"}
    mass: Value = 0.0
    com: Triple = (0.0, 0.0, 0.0)
    inertia: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def planar(self) -> str:
        """The axis of an inertia about one only, "" for others; no body has such a one, but for
        motion in the plane square to it the others don't matter."""
        given = [axis for axis, moment in zip("xyz", self.inertia) if not is_zero(moment)]
        return given[0] if len(given) == 1 and all(map(is_zero, self.inertia[3:])) else ""

    def tensor(self) -> list[list[Value]]:
        """The inertia tensor as rows."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


class DescribedBody(Body, frozen=True, dict=True):
    """A body under its name in a model, which gives frames as its handle does."""

    name: str = ""

    def at(self, x: Value, y: Value, z: Value, turn: Turns = None) -> Frame:
        """The frame at (x, y, z) of this body [m], with optional turns."""
        return owned_frame(frame_at(self.name, x, y, z, turn), self.__dict__.get("owner"))


class Bodies(dict[str, DescribedBody]):
    """The bodies of a model; each knows its name and the model."""

    owner: Owner | None = None  # while one is unpickled

    def __init__(self, owner: Owner) -> None:
        super().__init__()
        self.owner = owner

    def __setitem__(self, name: str, body: Body) -> None:
        described = DescribedBody(body.mass, body.com, body.inertia, name)
        described.__dict__["owner"] = self.owner
        super().__setitem__(name, described)


def make_body(name: str, mass: object, com: object, inertia: object) -> Body:
    """A checked body; inertia as 3 principal moments, 6 components or a 3×3 tensor."""
    label = f"Body '{name}'"
    body = Body(
        value(f"{label}: mass", mass),
        triple(f"{label}: com", com),
        _six(f"{label}: inertia", inertia),
    )
    for word, values in (("mass", [body.mass]), ("com", body.com), ("inertia", body.inertia)):
        refuse_huge_numbers(f"{label}: {word}", values)
    check_body(name, body)
    return body


def _six(label: str, given: object) -> Six:
    rows, flat = list_items(given) or [], list[object]()
    tensor = [list_items(row) for row in rows]
    if len(rows) == 3 and all(row is not None and len(row) == 3 for row in tensor):
        flat += _of_tensor(label, [[value(label, item) for item in row or []] for row in tensor])
    elif len(rows) == 3:
        flat += [*rows, 0.0, 0.0, 0.0]
    elif len(rows) == 6:
        flat += rows
    else:
        raise ModelError(
            f"{label}: 3 principal moments, 6 components (xx, yy, zz, xy, xz, yz) or a 3×3 tensor "
            f"are expected, got {given!r}."
        )
    xx, yy, zz, xy, xz, yz = (value(label, item) for item in flat)
    return xx, yy, zz, xy, xz, yz


def _of_tensor(label: str, rows: list[list[Value]]) -> list[Value]:
    # a turned tensor is asymmetric by the rounding of its largest entries
    largest = max((abs(item) for row in rows for item in row if is_number(item)), default=0.0)
    for i, j in ((1, 0), (2, 0), (2, 1)):
        below, above = rows[i][j], rows[j][i]
        if is_number(below) and is_number(above):
            same = abs(below - above) <= 1e-9 * largest
        else:
            same = below == above
        if not same:
            raise ModelError(
                f"{label}: the tensor is not symmetric: [{i}][{j}] is {below} but [{j}][{i}] is "
                f"{above}. Check the signs and the order of the entries."
            )
    return [rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2]]


def check_body(name: str, body: Body) -> None:
    """Refuse what no distribution of mass can have (numeric data only)."""
    if is_number(body.mass) and body.mass < 0.0:
        raise ModelError(f"Body '{name}': its mass is {body.mass} kg; it must not be negative.")
    if not all(is_number(item) for item in body.inertia):
        return
    moments = np.linalg.eigvalsh(np.array(body.tensor(), dtype=float))
    slack = 1e-9 * max(abs(moments).max(), 1e-300)
    if moments[0] < -slack:
        raise ModelError(
            f"Body '{name}': its inertia has a negative principal moment, {moments[0]:.6g} kg m². "
            "Check the signs; inertia is about the centre of mass."
        )
    if moments[1] <= slack:
        return  # about one axis only: for motion in a plane, as `show` says
    if moments[0] + moments[1] < moments[2] - slack:
        raise ModelError(
            f"Body '{name}': its principal moments {moments[0]:.6g}, {moments[1]:.6g} and "
            f"{moments[2]:.6g} kg m² break the triangle inequality; no distribution of mass has "
            "them. Check the units, and that inertia is about the centre of mass."
        )
