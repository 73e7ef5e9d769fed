"""What acts on a whole MJCF model: its fluid, lifted weights, and springs that are given by their
time constants."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from touchback.dynamics.floats import float_instant
from touchback.dynamics.forward import entries
from touchback.interop.mjcf.robot import Robot
from touchback.interop.pose import Pose
from touchback.model import Body, Frame
from touchback.model.forces import BoxDrag, Wrench
from touchback.model.value import number

_LEAST = 1e-15  # kg m²: MuJoCo's mjMINVAL


def add_fluid(robot: Robot) -> None:
    """Drag on every body as on the box of its inertia."""
    settings = robot.settings
    if not settings.density and not settings.viscosity:
        return
    for name, body in robot.model.bodies.items():
        if number("Mass", body.mass) < _LEAST or name in robot.ellipsoids:
            continue
        place, sizes = _box(body)
        drag = BoxDrag(
            place.frame(name), sizes, settings.density, settings.viscosity, settings.wind
        )
        robot.model.force(robot.force_name(f"{name} drag"), drag)


def _box(body: Body) -> tuple[Pose, tuple[float, float, float]]:
    """A box of a body's mass and moments: b² = 6 (J_j + J_k − J_i)/m."""
    J = np.array(body.tensor(), dtype=float)
    moments, axes = np.linalg.eigh(J)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    squares = 6.0 * np.maximum(moments.sum() - 2.0 * moments, _LEAST) / number("Mass", body.mass)
    x, y, z = map(float, np.sqrt(squares))
    return Pose(np.array(body.com, dtype=float), axes), (x, y, z)


def lift(robot: Robot) -> None:
    """Forces against the weight of bodies that say so: gravcomp times their weight."""
    for name, share in robot.lifted.items():
        body = robot.model.bodies[name]
        x, y, z = (-share * body.mass * g for g in robot.model.gravity)
        if share:
            wrench = Wrench(Frame(name, body.com), (x, y, z))
            robot.model.force(robot.force_name(f"{name} lift"), wrench)


def tune(robot: Robot) -> None:
    """Springs and dampers of the joints that say a time constant t and a damping ratio r: as stiff
    as I/(t r)² and 2 I/t, I the inertia that the coordinate moves with all others free where the
    file draws them."""
    if not robot.tuned:
        return
    instant = float_instant(robot.model)
    n = instant.tree.nv
    M = np.zeros((n, n))
    for (i, j), entry in entries(instant).items():
        M[i, j] = entry
    freed = 1.0 / np.diag(np.linalg.inv(M))
    for name, node in robot.tuned.items():
        time, ratio = node.numbers("springdamper", (0.0, 0.0))
        if time > 0.0 and ratio > 0.0:
            inertia = float(freed[instant.freedom(name, 0)])
            robot.model.joints[name] = replace(
                robot.model.joints[name],
                spring=(inertia / (time * ratio) ** 2,),
                damping=(2.0 * inertia / time,),
            )
