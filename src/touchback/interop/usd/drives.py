"""The drives of USD's joints: springs and dampers towards targets, which are inputs."""

from __future__ import annotations

import math

from touchback.errors import ModelError
from touchback.interop.naming import unused
from touchback.interop.usd.bodies import Scene
from touchback.interop.usd.joints import Found
from touchback.interop.usd.stage import number_of, value_of
from touchback.model.forces import JointEffort
from touchback.model.joints import Prismatic, Revolute
from touchback.model.value import Value
from touchback.symbolic.functions import maximum, minimum

_LIMITLESS = 1e30  # what files write for no limit is larger


def add_drives(scene: Scene, found: Found, joint: str) -> None:
    """k (target − q) + d (target rate − q̇), no larger than the largest force. Stiffness of turning
    ones is told by the degree."""
    from pxr import UsdPhysics

    prim, stage = found.prim, scene.stage
    called = [
        word.split(":", 1)[1]
        for word in prim.GetAppliedSchemas()
        if word.startswith("PhysicsDriveAPI:")
    ]
    for which in called:
        drive = UsdPhysics.DriveAPI(prim, which)
        if not isinstance(found.kind, Revolute | Prismatic) or not _of(found.kind, which):
            scene.notes.notice(f"{stage.where(prim)}: its drive {which!r} is not read.")
            continue
        if str(drive.GetTypeAttr().Get()) == "acceleration":
            scene.notes.notice(
                f"{stage.where(prim)}: a drive of accelerations is not read; one of forces is."
            )
            continue
        turning = isinstance(found.kind, Revolute)
        unit = math.pi / 180.0 if turning else stage.metre
        force = stage.kilogram * stage.metre ** (2 if turning else 1)
        k, d = (
            number_of(stage, attribute, 0.0) * force / unit
            for attribute in (drive.GetStiffnessAttr(), drive.GetDampingAttr())
        )
        target, rate = (
            number_of(stage, attribute) * unit
            for attribute in (drive.GetTargetPositionAttr(), drive.GetTargetVelocityAttr())
        )
        most = value_of(stage, drive.GetMaxForceAttr())
        if not most >= 0.0:
            raise ModelError(
                f"{stage.where(prim)}: the largest force of its drive is {most}; give 0 or more."
            )
        _add(scene, joint, (k, d), (target, rate), None if most > _LIMITLESS else most * force)


def _of(kind: Revolute | Prismatic, which: str) -> bool:
    axis = str(kind.axis).upper()
    if isinstance(kind, Revolute):
        return which in ("angular", f"rot{axis}")
    return which in ("linear", f"trans{axis}")


def _add(
    scene: Scene,
    joint: str,
    gains: tuple[float, float],
    targets: tuple[float, float],
    most: float | None,
) -> None:
    model = scene.model
    k, d = gains
    q, v = model.coordinate(joint), model.rate(joint)
    effort: Value = 0.0
    if k:
        name = unused(f"{joint} target", model.inputs)
        effort = effort + k * (model.input(name, default=targets[0]) - q)
    if d:
        name = unused(f"{joint} target rate", model.inputs)
        effort = effort + d * (model.input(name, default=targets[1]) - v)
    if most is not None:
        effort = maximum(minimum(effort, most), -most)
    model.force(unused(f"{joint} drive", model.forces), JointEffort(joint, effort))
