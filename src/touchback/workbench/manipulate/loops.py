"""Loops that are closed and opened while a mechanism runs: frames as they are at that moment."""

from __future__ import annotations

import numpy as np

from touchback.errors import InputError
from touchback.model import Frame, Model
from touchback.model.closures import Closure, PointInPlane, Rod
from touchback.model.frame import GROUND, turns_of
from touchback.recording import unknown_name
from touchback.workbench.manipulate.here import Here
from touchback.workbench.manipulate.joints import pose_of
from touchback.workbench.manipulate.kinds import (
    PLANE,
    ROD,
    Axis,
    direction,
    loop_kind,
    plane_of,
    tag_of,
)
from touchback.workbench.manipulate.messages import Edit

SECTIONS = ("closures", "couplings", "constraints", "drives")


def new_loop(now: Here, asked: Edit) -> Closure:
    """A loop between a point of body a and body b, which is closed as they are now."""
    if asked.a is None or asked.b is None:
        raise InputError(f"Loop '{asked.loop}': it ties two bodies; give `a` and `b`.")
    for place in (asked.a, asked.b):
        if place.body != GROUND and place.body not in now.system.model.bodies:
            raise unknown_name("body", place.body, [GROUND, *now.system.model.bodies])
    if asked.a.body == asked.b.body:
        raise InputError(
            f"Loop '{asked.loop}': it ties '{asked.a.body}' to itself; name two bodies."
        )
    a, b = (Frame(place.body, place.at) for place in (asked.a, asked.b))
    return tied(now, tag_of(asked.kind), a, b, direction(asked.axis))


def tied(now: Here, word: str, a: Frame, b: Frame, axis: Axis | None) -> Closure:
    """A closure of a kind from frame a to b's body, at a's origin (a rod: to b's origin); its
    axis is given along the world's axes."""
    R_Wa, p_Wa = pose_of(now, a)
    if word == ROD:
        length = float(np.linalg.norm(pose_of(now, b)[1] - p_Wa))
        return Closure(Rod(length), a, b)
    R_Wb, p_Wb = now.pose(b.body)
    x, y, z = map(float, R_Wb.T @ (p_Wa - p_Wb))
    if word == PLANE:  # along the axes of the closest common body, as a rule the ground
        across = _across(now, a.body, b.body) if axis is None else axis
        return Closure(PointInPlane(plane_of(across)), a, Frame(b.body, (x, y, z)))
    own = _turned(R_Wa.T, _usual_axis(now, a.body, b.body) if axis is None else axis)
    turn = tuple((about, now.value(angle)) for about, angle in turns_of((R_Wb.T @ R_Wa).tolist()))
    return Closure(loop_kind(word, own), a, Frame(b.body, (x, y, z), turn))


def _usual_axis(now: Here, *bodies: str) -> Axis:
    """The axis that a loop has when nobody says: square to the plane of a planar mechanism."""
    try:
        return _across(now, *bodies)
    except InputError:
        return 0.0, 0.0, 1.0


def _across(now: Here, *bodies: str) -> Axis:
    """The world's axis along which bodies can't move: that of a mechanism in a plane."""
    moves = np.zeros(3)
    for body in bodies:
        if body != GROUND:
            J = now.point_jacobian(body, np.zeros(3))
            moves = np.maximum(moves, np.abs(J).max(axis=1, initial=0.0))
    still = np.flatnonzero(moves < 1e-9)
    if not still.size:
        raise InputError(
            f"{' and '.join(repr(body) for body in bodies)} move in all directions; give the axis "
            "to which the plane is square, or another kind."
        )
    x, y, z = np.eye(3)[1 if 1 in still else still[0]].tolist()
    return x, y, z


def _turned(R: np.ndarray, axis: Axis) -> Axis:
    x, y, z = map(float, R @ np.array(axis))
    return x, y, z


def check_tie(model: Model, name: str) -> str:
    """The section of a constraint that may be taken away; refused where there is none."""
    for section in SECTIONS:
        if name in getattr(model, section):
            return section
    raise unknown_name(
        "loop", name, [key for section in SECTIONS for key in getattr(model, section)]
    )


def open_loop(model: Model, name: str) -> list[str]:
    """Takes a constraint away, and sensors of its forces; gives their names."""
    section = check_tie(model, name)
    rows = set(model.constraint_rows()[name])
    del getattr(model, section)[name]
    rests = [
        key
        for key, sensor in model.sensors.items()
        if getattr(sensor, "row", None) in rows or getattr(sensor, "joint", None) == name
    ]
    for key in rests:
        del model.sensors[key]
    if model.reported is not None:
        model.reported = tuple(key for key in model.reported if key not in rests)
    return rests
