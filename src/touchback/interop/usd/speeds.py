"""How fast the bodies of USD are at the start: free ones by themselves, others along what their
joints let them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from touchback.errors import ModelError
from touchback.interop.pose import Floats, Pose
from touchback.interop.usd.bodies import Scene
from touchback.interop.usd.stage import values_of
from touchback.model.closures import ClosureKind
from touchback.model.joints import Cylindrical, JointKind, Prismatic, Revolute

_LOST = 1e-5  # of the speed: what single precision leaves of one that a joint lets through


def free_rates(scene: Scene, prim: Any) -> list[float]:
    """Of a free body, in its own axes: linear, then angular."""
    R = scene.stage.placed(prim)[0].R
    return [float(part) for each in _speeds(scene, prim) for part in R.T @ each]


def joint_rates(
    scene: Scene,
    kind: JointKind | ClosureKind,
    bodies: tuple[Any | None, Any | None],
    place: Pose,
    where: str,
) -> list[float] | None:
    """Of frame 1 against frame 0, whose place in the world is given, along the joint's axis; None
    where both stand alike. What the joint doesn't let through is said."""
    (v0, w0), (v1, w1) = (_moving(scene, body, place.p) for body in bodies)
    v, w = place.R.T @ (v1 - v0), place.R.T @ (w1 - w0)
    if not (v.any() or w.any()):
        return None
    rates: list[float] | None = None
    if isinstance(kind, Revolute | Prismatic | Cylindrical):
        i = "xyz".index(str(kind.axis))
        slide, turn = float(v[i]), float(w[i])
        rates = {Revolute: [turn], Prismatic: [slide], Cylindrical: [slide, turn]}[type(kind)]
        if not isinstance(kind, Revolute):
            v[i] = 0.0
        if not isinstance(kind, Prismatic):
            w[i] = 0.0
    size = max(float(np.abs(each).max()) for each in (v0, v1, w0, w1))
    lost = float(max(np.abs(v).max(), np.abs(w).max()))
    if lost > _LOST * size:
        scene.notes.notice(
            f"{where}: its bodies' velocities differ by {lost:.3g} (m/s, rad/s) in what it doesn't "
            f"let through{'' if rates else ' or has several coordinates for'}; that is left out."
        )
    return rates


def _moving(scene: Scene, body: Any | None, point: Floats) -> tuple[Floats, Floats]:
    """The velocity of a body's point [m], and its angular velocity, in the upright world."""
    if body is None or str(body.GetPath()) in scene.still:
        return np.zeros(3), np.zeros(3)
    linear, angular = _speeds(scene, body)
    arm = point - scene.stage.placed(body)[0].p
    return linear + np.cross(angular, arm), angular


def _speeds(scene: Scene, prim: Any) -> tuple[Floats, Floats]:
    """Of a body's origin, in the upright world: the file tells them in the axes of what the prim
    lies in."""
    from pxr import UsdPhysics

    stage, body = scene.stage, UsdPhysics.RigidBodyAPI(prim)
    parent = prim.GetParent()
    R = (stage.upright if parent.IsPseudoRoot() else stage.placed(parent)[0]).R
    linear = stage.metre * values_of(stage, body.GetVelocityAttr(), 3)
    angular = math.pi / 180.0 * values_of(stage, body.GetAngularVelocityAttr(), 3)
    if not np.isfinite([linear, angular]).all():
        raise ModelError(f"{stage.where(prim)}: its velocity is no finite number.")
    return R @ linear, R @ angular
