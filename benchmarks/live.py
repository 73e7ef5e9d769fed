"""A model with numbers, as one in which every number is a live parameter."""

from typing import Any

import msgspec

import touchback as tb
from touchback.model.frame import Frame


def with_live_parameters(model: tb.Model) -> tb.Model:
    """A copy whose gravity, masses, centres of mass, inertias and points are parameters.

    Zeros stay zeros, as in ROBOTRAN, whose generated functions skip them. Angles of placements
    stay numbers. The mechanism only: forces, sensors and signals are left behind.
    """
    made = tb.Model(model.name)

    def live(name: str, given: Any) -> Any:
        return made.parameter(name, given) if given != 0.0 else 0.0

    def point(name: str, frame: Frame) -> Frame:
        at = tuple(live(f"{name} {axis}", item) for axis, item in zip("xyz", frame.at, strict=True))
        return msgspec.structs.replace(frame, at=at)

    made.gravity = tuple(live(f"gravity {axis}", g) for axis, g in zip("xyz", model.gravity))
    for name, body in model.bodies.items():
        made.body(
            name,
            live(f"{name} mass", body.mass),
            [live(f"{name} com {axis}", x) for axis, x in zip("xyz", body.com, strict=True)],
            [live(f"{name} inertia {i}", x) for i, x in enumerate(body.inertia)],
        )
    for name, joint in model.joints.items():
        parent, child = point(f"{name} parent", joint.parent), point(f"{name} child", joint.child)
        made.joint(name, joint.kind, parent, child)
    return made
