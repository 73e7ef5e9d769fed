"""Kinematics of platforms on omni and Mecanum wheels: speeds of wheels that roll without slip.

The roller in contact lets its point slide across its axis and holds it along: the velocity of the
platform over the wheel and that of the rim have no difference along i = cos ψ f + sin ψ a, with f
the wheel's forward direction and a its axle. Hence R ω = v·f + tan ψ v·a where v is the velocity of
the platform at the wheel, v_x − y Ω and v_y + x Ω. This takes the roller in the middle of its
sector: turned by q, its axis leans, and tan ψ becomes tan ψ/cos q.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.errors import ModelError


@dataclass(frozen=True)
class Mount:
    """A wheel of a platform: where it stands [m], the heading of its forward direction [rad] from
    the platform's x axis, and the inclination ψ of its rollers [rad]."""

    x: float
    y: float
    heading: float
    inclination: float = 0.0

    def row(self) -> tuple[float, float, float]:
        """R ω for unit v_x, v_y and Ω."""
        c, s, t = math.cos(self.heading), math.sin(self.heading), math.tan(self.inclination)
        forward, aside = (c - t * s), (s + t * c)  # components of f + tan ψ a
        return forward, aside, self.x * aside - self.y * forward


def three_mounts(distance: float) -> list[Mount]:
    """Three omni wheels at 60°, 180° and 300°, each rolling around the centre."""
    angles = [math.radians(60 + 120 * i) for i in range(3)]
    return [Mount(distance * math.cos(a), distance * math.sin(a), a + math.pi / 2) for a in angles]


def mecanum_mounts(length: float, width: float, inclination: float = math.pi / 4) -> list[Mount]:
    """Four wheels, all forwards: front left, front right, rear left, rear right; their rollers'
    axes on the floor point to the middle."""
    x, y = length / 2, width / 2
    return [
        Mount(x, y, 0.0, -inclination),
        Mount(x, -y, 0.0, inclination),
        Mount(-x, y, 0.0, inclination),
        Mount(-x, -y, 0.0, -inclination),
    ]


def wheel_speeds(mounts: Sequence[Mount], radius: float, vx: Any, vy: Any, turn: Any) -> list[Any]:
    """ω of each wheel [rad/s] for a velocity [m/s] along the platform's axes and a turn rate
    [rad/s]; numbers, arrays or expressions."""
    rows = [mount.row() for mount in mounts]
    return [(a * vx + b * vy + c * turn) / radius for a, b, c in rows]


def platform_velocity(mounts: Sequence[Mount], radius: float, speeds: np.ndarray) -> np.ndarray:
    """(v_x, v_y, Ω) from wheel speeds (…, n) [rad/s]: with more than three wheels, the fit that
    leaves least slip."""
    rows = np.array([mount.row() for mount in mounts])
    if np.linalg.matrix_rank(rows) < 3:
        raise ModelError(
            f"Platform: its {len(mounts)} wheels don't determine its motion; their rollers leave "
            "a direction in which all of them roll freely."
        )
    return radius * np.asarray(speeds) @ np.linalg.pinv(rows).T


def odometry(
    mounts: Sequence[Mount], radius: float, angles: np.ndarray, start: Sequence[float] = (0, 0, 0)
) -> np.ndarray:
    """Poses (x, y, θ) from wheel angles (T, n) [rad]: each interval is an arc."""
    steps = platform_velocity(mounts, radius, np.diff(angles, axis=0))
    theta = start[2] + np.concatenate([[0.0], np.cumsum(steps[:, 2])])
    half = steps[:, 2] / 2
    chord = np.sinc(half / np.pi)  # of an arc, over its length
    c, s = np.cos(theta[:-1] + half) * chord, np.sin(theta[:-1] + half) * chord
    x = np.cumsum(c * steps[:, 0] - s * steps[:, 1])
    y = np.cumsum(s * steps[:, 0] + c * steps[:, 1])
    place = np.concatenate([[[0.0, 0.0]], np.stack([x, y], axis=1)]) + np.array(start[:2])
    return np.column_stack([place, theta])
