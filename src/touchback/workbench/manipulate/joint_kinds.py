"""Kinds of joints by the words that a page uses, and what its inspector shows of a joint or a
loop."""

from __future__ import annotations

import numpy as np
from msgspec.structs import fields

from touchback import Frame, JointKind
from touchback.errors import InputError
from touchback.files.schema import KINDS
from touchback.model.closures import Closure, ClosureKind
from touchback.model.frame import AXES
from touchback.model.joints import Joint
from touchback.model.joints.base import axis_vector, rotation_to
from touchback.recording import unknown_name
from touchback.workbench.manipulate.state_snapshot import StateSnapshot

Axis = tuple[float, float, float]


LOOPS = ("spherical", "revolute", "prismatic", "cylindrical", "universal", "planar", "fixed")


PLANE, ROD = "point-in-plane", "rod"


JOINTS = tuple(word for word in KINDS["joints"])


_OTHER_WORDS = {
    "weld": "fixed", "ball": "spherical", "pin": "revolute", "distance": ROD,
    "pointinplane": PLANE, "plane": PLANE,
}  # fmt: skip


_SQUARE = 1e-9  # of a unit vector: what counts as along a coordinate axis


def word_of(kind: JointKind | ClosureKind) -> str:
    """What files and pages call a kind."""
    return str(kind.__struct_config__.tag)


def axis_of(kind: JointKind | ClosureKind) -> Axis | None:
    """The (first) axis of a kind in its own frame; None where it has none."""
    for word in ("axis", "first", "normal"):
        if hasattr(kind, word):
            x, y, z = map(float, axis_vector(getattr(kind, word)))
            return x, y, z
    return None


def tag_of(word: str) -> str:
    """The word of files for what somebody calls a kind: "Revolute", "Weld", "Ball"."""
    plain = word.lower()
    return _OTHER_WORDS.get(plain, plain)


def direction(axis: str | Axis | None) -> Axis | None:
    """A direction by its name, "x" or "-z", or by its components."""
    if axis is None or not isinstance(axis, str):
        return None if axis is None else _checked(axis)
    if axis.removeprefix("-") not in AXES:
        raise InputError(f"An axis is 'x', 'y', 'z' or a direction, got {axis!r}.")
    x, y, z = map(float, axis_vector(axis))
    return x, y, z


def joint_kind(word: str, axis: Axis | None, pitch: float, like: JointKind) -> JointKind:
    """A kind of joint by its word; its axis is that of the kind before, unless another is given
    (one along the same line is the same)."""
    if word not in JOINTS:
        raise unknown_name("kind of joint", word, JOINTS)
    own = axis_of(like)
    same = axis is not None and own is not None and abs(np.dot(axis, own)) > 1.0 - _SQUARE
    given = own if axis is None or same else axis  # its own sense too, so that coordinates go on
    return _make_kind(word, _tidy(given or (0.0, 0.0, 1.0)), pitch)


def _make_kind(word: str, axis: str | Axis, pitch: float = 0.0) -> JointKind:
    kind = KINDS["joints"][word]
    has = {field.name for field in fields(kind)}
    given: dict[str, object] = {}
    if "axis" in has:
        given["axis"] = axis
    if "pitch" in has:
        given["pitch"] = pitch
    if "first" in has:
        given["first"], given["second"] = axis, _tidy(_aside(axis))
    if "normal" in has:
        if not isinstance(axis, str):
            raise InputError(
                f"A {word} joint lies square to one of its frame's axes x, y, z; the axis "
                f"{tuple(round(x, 3) for x in axis)} is none of them."
            )
        given["normal"] = axis.removeprefix("-")
    made: JointKind = kind(**given)  # type: ignore[assignment]  # one of the joints' table
    return made


def loop_kind(word: str, axis: Axis | None) -> JointKind:
    """A kind of joint that closes a loop, with its axis in the frame of a."""
    if word not in LOOPS:
        raise unknown_name("kind of loop", word, (*LOOPS, PLANE, ROD))
    return _make_kind(word, _tidy(axis or (0.0, 0.0, 1.0)))


def plane_of(axis: Axis) -> str:
    """The plane square to a coordinate axis."""
    word = _tidy(axis)
    if not isinstance(word, str):
        raise InputError(
            "A point in a plane needs an axis along x, y or z, to which the plane is square; got "
            f"{tuple(round(x, 3) for x in axis)}."
        )
    return "xyz".replace(word.removeprefix("-"), "")


def _checked(axis: Axis) -> Axis:
    vector = np.array(axis, dtype=float)
    length = float(np.linalg.norm(vector))
    if not (np.isfinite(length) and 1e-9 < length < 1e9):
        raise InputError(f"An axis is a direction, three numbers that aren't all zero; got {axis}.")
    x, y, z = map(float, vector / length)
    return x, y, z


def _tidy(axis: Axis) -> str | Axis:
    """A coordinate axis by its name, another as it is."""
    for word, place in AXES.items():
        if abs(abs(axis[place]) - 1.0) < _SQUARE:
            return word if axis[place] > 0.0 else f"-{word}"
    return axis


def _aside(axis: str | Axis) -> Axis:
    """A direction square to an axis."""
    x, y, z = map(float, rotation_to(axis_vector(axis))[:, 0])
    return x, y, z


def joint_facts(now: StateSnapshot, name: str) -> dict[str, object]:
    """A joint (or the joint that closes a loop) as plain data, where it is now."""
    model = now.system.model
    if name in model.joints:
        return {"joint": name, **_of_joint(now, name, model.joints[name])}
    if name in model.closures:
        return {"joint": name, **_of_loop(now, model.closures[name])}
    raise unknown_name("joint", name, [*model.joints, *model.closures])


def _of_joint(now: StateSnapshot, name: str, joint: Joint) -> dict[str, object]:
    names, places = joint.position_names(name), list(now.system.layout.q)
    rates, of_v = joint.velocity_names(name), list(now.system.layout.v)
    return {
        "loop": False,
        "kind": word_of(joint.kind),
        "kinds": list(JOINTS),
        "markers": [marker(now, joint.parent), marker(now, joint.child)],
        "axis": _axis(now, joint.kind, joint.parent),
        "coordinates": [
            {"name": each, "unit": unit, "value": float(now.q[places.index(each)])}
            for each, unit in zip(names, joint.kind.position_units(), strict=True)
        ],
        "rates": [
            {"name": each, "unit": unit, "value": float(now.v[of_v.index(each)])}
            for each, unit in zip(rates, joint.kind.velocity_units(), strict=True)
        ],
        "limits": [[now.value(end) for end in pair] for pair in joint.limits],
        "friction": [now.value(each) for each in joint.friction],
        "damping": [now.value(each) for each in joint.damping],
    }


def _of_loop(now: StateSnapshot, closure: Closure) -> dict[str, object]:
    here = [marker(now, closure.a), marker(now, closure.b)]
    return {
        "loop": True,
        "active": closure.active,
        "kind": word_of(closure.kind),
        "kinds": [*LOOPS, PLANE, ROD],
        "markers": here,
        "axis": _axis(now, closure.kind, closure.a),
        "coordinates": [],
        "rates": [],
        "limits": [],
        "friction": [],
        "damping": [],
    }


def marker(now: StateSnapshot, frame: Frame) -> dict[str, object]:
    """A frame in the world: its body, where its origin is [m], and its rotation matrix."""
    R, p = pose_of(now, frame)
    return {"body": frame.body, "at": p.tolist(), "rotation": R.tolist()}


def pose_of(now: StateSnapshot, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF_W."""
    R, p = now.system.pose(frame, now.q, t=now.t, z=now.z, parameters=now.varied)
    return R, p


def _axis(now: StateSnapshot, kind: JointKind | ClosureKind, frame: Frame) -> list[float] | None:
    """The axis of a kind in the world."""
    own = axis_of(kind)
    if own is None:
        return None
    found: list[float] = (pose_of(now, frame)[0] @ np.array(own)).tolist()
    return found
