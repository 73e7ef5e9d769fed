"""The test bench against Newton's and Euler's equations of its bodies, written out in numbers:
their twists are linear in the wheel's rates, the point of contact is found by a search, and what
changes with the pose is differenced. Nothing here knows of the model, its recursions or its
trackers."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.transform import Rotation

from touchback.gallery import omni_wheel
from touchback.gallery.omni_wheel import DENSITY, WheelShape

UP = np.array([0.0, 0.0, 1.0])
FRICTION, SLIP_SPEED = 0.3, 0.02
SHAPES = [
    WheelShape(0.05, 6, 0.04),
    WheelShape(0.05, 6, 0.04, 0.3),
    WheelShape(0.05, 5, 0.03, math.pi / 6),
    WheelShape(0.07, 9, 0.05, math.pi / 4),
    WheelShape.pointed(0.05, 4, -0.4),
    WheelShape(0.2, 12, 0.15, -math.pi / 4),
    WheelShape(0.05, 3, 0.02, 0.3),
]


@dataclass
class Part:
    """A body: its place, moments along world axes, mass, and its twist as a matrix of rates."""

    p: np.ndarray
    moments: np.ndarray
    mass: float
    twist: np.ndarray


def disc_of(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q[[4, 5, 6, 3]])


def seats(shape: WheelShape, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Centre and axes of each roller that does not spin."""
    found = []
    for i in range(shape.rollers):
        around = Rotation.from_rotvec([0, 2 * math.pi * i / shape.rollers, 0])
        axes = disc_of(q) * around * Rotation.from_rotvec([0, 0, shape.inclination])
        found.append((q[:3] - shape.off * (disc_of(q) * around).apply(UP), axes.as_matrix()))
    return found


def parts(shape: WheelShape, q: np.ndarray) -> list[Part]:
    mass, along, across = shape.roller_inertia(DENSITY)
    R = disc_of(q).as_matrix()
    n, zero = 6 + shape.rollers, np.zeros((3, 3))
    base = np.block([[R, zero], [zero, R]])
    whole = np.zeros((6, n))
    whole[:, :6] = base
    found = [Part(q[:3], R @ np.diag(omni_wheel.MOMENTS) @ R.T, omni_wheel.MASS, whole)]
    for i, (centre, axes) in enumerate(seats(shape, q)):
        twist = whole.copy()
        twist[:3, 3:6] -= np.cross(centre - q[:3], R, axisb=0, axisc=0)  # ω × lever
        twist[3:, 6 + i] = axes[:, 0]
        found.append(Part(centre, axes @ np.diag([along, across, across]) @ axes.T, mass, twist))
    return found


def lowest(shape: WheelShape, q: np.ndarray) -> tuple[int, np.ndarray]:
    """The roller and its point that are lowest, by a search along the rollers' axes."""

    def radius(x: float) -> float:
        angle = brentq(lambda q: float(shape.profile(q)[0]) - x, -1.4, 1.4)
        return float(shape.profile(angle)[1])

    found = []
    for i, (centre, axes) in enumerate(seats(shape, q)):
        if centre[2] > shape.radius - 0.4 * shape.off:
            continue
        axis = axes[:, 0]
        down = -UP + (UP @ axis) * axis
        down /= np.linalg.norm(down)

        def point(x, centre=centre, axis=axis, down=down):
            return centre + x * axis + radius(x) * down

        bound = 0.9999999 * shape.length / 2
        search = minimize_scalar(
            lambda x, point=point: point(x)[2], bounds=(-bound, bound), method="bounded",
            options={"xatol": 1e-10},
        )  # fmt: skip
        found.append((search.fun, i, point(search.x)))
    _, number, place = min(found, key=lambda each: each[0])
    return number, place


def ties(shape: WheelShape, q: np.ndarray) -> np.ndarray:
    """Rates of k·n and of the height of the roller's point on the floor, as rows of the rates."""
    disc, *rollers = parts(shape, q)
    number, place = lowest(shape, q)
    roller = rollers[number]
    upright = np.cross(disc_of(q).as_matrix()[:, 1], UP) @ disc.twist[3:]
    return np.stack([upright, UP @ slip_of(roller, place)])


def slip_of(part: Part, place: np.ndarray) -> np.ndarray:
    """Velocity of a body's point as a matrix of rates."""
    return part.twist[:3] + np.cross(part.twist[3:], place - part.p, axisa=0, axisc=0)


def carried(q: np.ndarray, v: np.ndarray, time: float) -> np.ndarray:
    """Where steady rates lead."""
    disc = disc_of(q)
    x, y, z, w = (disc * Rotation.from_rotvec(time * v[3:6])).as_quat()
    return np.concatenate([q[:3] + time * disc.apply(v[:3]), [w, x, y, z], q[7:] + time * v[6:]])


def solved(shape: WheelShape, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations, and the servo's torque and the load."""
    step = 1e-4
    ahead, behind = carried(q, v, step), carried(q, v, -step)
    bodies, twins = parts(shape, q), zip(parts(shape, ahead), parts(shape, behind), strict=True)
    number, place = lowest(shape, q)
    M, f = np.zeros((len(v), len(v))), np.zeros(len(v))
    for body, (later, earlier) in zip(bodies, twins, strict=True):
        inertia = np.zeros((6, 6))
        inertia[:3, :3], inertia[3:, 3:] = body.mass * np.eye(3), body.moments
        omega = body.twist[3:] @ v
        wrench = np.concatenate(
            [-body.mass * omni_wheel.G * UP, -np.cross(omega, body.moments @ omega)]
        )
        wrench -= inertia @ (later.twist - earlier.twist) @ v / (2 * step)
        M += body.twist.T @ inertia @ body.twist
        f += body.twist.T @ wrench
    slip = slip_of(bodies[1 + number], place)
    u = (slip @ v)[:2]
    load = sum(body.mass for body in bodies) * omni_wheel.G
    f -= FRICTION * load * (u @ slip[:2]) / math.hypot(*u, SLIP_SPEED)
    J = ties(shape, q)
    bent = (ties(shape, ahead) - ties(shape, behind)) @ v / (2 * step)
    K = np.block([[M, J.T], [J, np.zeros((2, 2))]])
    x = np.linalg.solve(K, np.concatenate([f, -bent]))
    return x[: len(v)], -x[len(v) :]


def state(shape: WheelShape, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Upright on the floor, anywhere, heading anywhere, moving at random as the ties allow."""
    yaw, turn = rng.uniform(-3, 3, 2)
    disc = Rotation.from_euler("ZY", [yaw, turn])
    x, y, z, w = disc.as_quat()
    q = np.array([*rng.normal(size=2), shape.radius, w, x, y, z, *rng.normal(size=shape.rollers)])
    v = np.concatenate([rng.normal(size=6), 10 * rng.normal(size=shape.rollers)])
    across = disc.inv().apply(np.cross(disc.as_matrix()[:, 1], UP))
    v[:3] -= (v[:3] @ disc.inv().apply(UP)) * disc.inv().apply(UP)
    v[3:6] -= (v[3:6] @ across) * across
    return q, v


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: f"{each.rollers}-{each.inclination:.2g}")
def test_accelerations_servo_torque_and_load_are_newtons_and_eulers(shape: WheelShape) -> None:
    made = omni_wheel.make(shape, friction=FRICTION, slip_speed=SLIP_SPEED).compile()
    rng = np.random.default_rng(11)
    for _ in range(2):
        q, v = state(shape, rng)
        rates, (torque, load) = solved(shape, q, v)
        size = np.abs(rates[6:]).max()
        found, sensors = made.forward_dynamics(q, v), made.sensors(q, v)
        np.testing.assert_allclose(found[:6], rates[:6], atol=1e-5 * np.abs(rates[:6]).max())
        np.testing.assert_allclose(found[6:], rates[6:], atol=1e-5 * size)
        assert sensors["servo torque"] == pytest.approx(torque, abs=1e-6 * load)
        assert sensors["load"] == pytest.approx(load, rel=1e-5)
