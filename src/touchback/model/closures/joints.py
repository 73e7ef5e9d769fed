"""Closures that are joints: the equations that each kind of joint leaves between its two frames."""

import numpy as np

from touchback.errors import ModelError
from touchback.model.closures.base import TOGETHER, UNIT
from touchback.model.closures.equations import Along, Direction, Equation, Square
from touchback.model.frame import AXES
from touchback.model.joints import (
    Cylindrical,
    Fixed,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from touchback.model.joints.base import Axis, axis_vector, rotation_to

_SQUARE = 1e-12  # cosine of an angle that counts as a right one


def joint_equations(kind: JointKind) -> tuple[Equation, ...]:
    """The equations of a joint used as a closure."""
    if isinstance(kind, Spherical):
        return TOGETHER
    if isinstance(kind, Revolute):
        return (*TOGETHER, *_parallel(kind.axis))
    if isinstance(kind, Universal):
        first, second = _unit(kind.first), _unit(kind.second)
        if abs(np.dot(first, second)) > _SQUARE:
            raise ModelError(
                f"Universal: as a closure its axes must be square to each other, got "
                f"{kind.first!r} and {kind.second!r}."
            )
        return (*TOGETHER, Square(first, second))
    if isinstance(kind, Fixed):
        return (*TOGETHER, *_aligned())
    if isinstance(kind, Prismatic):
        return (*_on_axis(kind.axis), *_aligned())
    if isinstance(kind, Cylindrical):
        return (*_on_axis(kind.axis), *_parallel(kind.axis))
    if isinstance(kind, Planar):
        return (Along(UNIT[AXES[kind.normal]]), *_parallel(kind.normal))
    raise ModelError(
        f"{type(kind).__name__} can't close a loop. Closures are Spherical (ball), Revolute, "
        "Prismatic, Cylindrical, Universal, Planar, Fixed, Rod, PointInPlane, PointOnPlane, "
        "PointOnLine, Skate and Rolling."
    )


def _unit(axis: Axis) -> Direction:
    return _direction(axis_vector(axis))


def _direction(vector: np.ndarray) -> Direction:
    x, y, z = map(float, vector)
    return x, y, z


def _normals(axis: Axis) -> tuple[Direction, Direction]:
    """Two directions square to an axis and to each other, coordinate axes where they are ones."""
    vector = axis_vector(axis)
    if np.count_nonzero(vector) == 1:
        a = int(np.argmax(np.abs(vector)))
        return UNIT[(a + 1) % 3], UNIT[(a + 2) % 3]
    R = rotation_to(vector)
    return _direction(R[:, 0]), _direction(R[:, 1])


def _parallel(axis: Axis) -> tuple[Equation, ...]:
    u, v = _normals(axis)
    return Square(u, _unit(axis)), Square(v, _unit(axis))


def _on_axis(axis: Axis) -> tuple[Equation, ...]:
    u, v = _normals(axis)
    return Along(u), Along(v)


def _aligned() -> tuple[Equation, ...]:
    """The axes of A and B stay parallel (and not opposite: the branch is chosen at assembly)."""
    x, y, z = UNIT
    return Square(x, z), Square(y, z), Square(x, y)
