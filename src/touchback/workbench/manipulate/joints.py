"""What an inspector shows of a joint or a loop: markers, axis, coordinates, other kinds."""

from __future__ import annotations

import numpy as np

from touchback.model.closures import Closure, ClosureKind
from touchback.model.frame import Frame
from touchback.model.joints import Joint, JointKind
from touchback.recording import unknown_name
from touchback.workbench.manipulate.here import Here
from touchback.workbench.manipulate.kinds import JOINTS, LOOPS, PLANE, ROD, axis_of, word_of


def joint_facts(now: Here, name: str) -> dict[str, object]:
    """A joint (or the joint that closes a loop) as plain data, where it is now."""
    model = now.system.model
    if name in model.joints:
        return {"joint": name, **_of_joint(now, name, model.joints[name])}
    if name in model.closures:
        return {"joint": name, **_of_loop(now, model.closures[name])}
    raise unknown_name("joint", name, [*model.joints, *model.closures])


def _of_joint(now: Here, name: str, joint: Joint) -> dict[str, object]:
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


def _of_loop(now: Here, closure: Closure) -> dict[str, object]:
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


def marker(now: Here, frame: Frame) -> dict[str, object]:
    """A frame in the world: its body, where its origin is [m], and its rotation matrix."""
    R, p = pose_of(now, frame)
    return {"body": frame.body, "at": p.tolist(), "rotation": R.tolist()}


def pose_of(now: Here, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF_W."""
    R, p = now.system.pose(frame, now.q, t=now.t, z=now.z, parameters=now.varied)
    return R, p


def _axis(now: Here, kind: JointKind | ClosureKind, frame: Frame) -> list[float] | None:
    """The axis of a kind in the world."""
    own = axis_of(kind)
    if own is None:
        return None
    found: list[float] = (pose_of(now, frame)[0] @ np.array(own)).tolist()
    return found
