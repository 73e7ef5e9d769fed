"""Kinematics of platforms on omni and Mecanum wheels: speeds of wheels that roll without slip.

The roller in contact lets its point slide across its axis and holds it along: the velocity of the
platform over the wheel and that of the rim have no difference along i = cos ψ f + sin ψ a, with f
the wheel's forward direction and a its axle. Hence R ω = v·f + tan ψ v·a where v is the velocity of
the platform at the wheel, v_x − y Ω and v_y + x Ω: the textbooks' `wheel_speeds`.

This takes the roller in the middle of its sector. A roller on which the wheel has turned by q
leans, so that it holds along cos q cos ψ f + sin ψ a: R ω = v·f + (tan ψ/cos q) v·a, which is
`rolling_speeds`. It touches τ = R₁ tan q tan ψ along the axle, which on a platform that turns would
take τ Ω off v·f. This is left out: its mean over a sector is nothing, and it jumps at hand-overs,
so that a servo that obeyed it might hang between two rollers, each of which sends it to the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback import cos
from touchback.errors import InputError, ModelError
from touchback.gallery.omni.shape import WheelShape
from touchback.model.value import Triple, Value, check_positive


@dataclass(frozen=True)
class Mount:
    """A wheel of a platform: where it stands [m], the heading of its forward direction [rad] from
    the platform's x axis, and the inclination ψ of its rollers [rad]."""

    x: float
    y: float
    heading: float
    inclination: float = 0.0

    def over(self, vx: Value, vy: Value, turn: Value) -> tuple[Value, Value]:
        """Velocity of the platform over the wheel [m/s], ahead and along its axle."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        along_x, along_y = vx - self.y * turn, vy + self.x * turn
        return c * along_x + s * along_y, c * along_y - s * along_x

    def rim(self, vx: Value, vy: Value, turn: Value) -> Value:
        """R ω [m/s] with the roller in the middle of its sector."""
        ahead, aside = self.over(vx, vy, turn)
        return ahead + math.tan(self.inclination) * aside

    def row(self) -> Triple:
        """R ω for unit v_x, v_y and Ω."""
        return self.rim(1.0, 0.0, 0.0), self.rim(0.0, 1.0, 0.0), self.rim(0.0, 0.0, 1.0)


def three_mounts(distance: float) -> list[Mount]:
    """Three omni wheels at 60°, 180° and 300°, each rolling around the centre."""
    check_positive("Platform", distance=distance)
    angles = [math.radians(60 + 120 * i) for i in range(3)]
    return [Mount(distance * math.cos(a), distance * math.sin(a), a + math.pi / 2) for a in angles]


def mecanum_mounts(length: float, width: float, inclination: float = math.pi / 4) -> list[Mount]:
    """Four wheels, all forwards: front left, front right, rear left, rear right. One sees their
    upper rollers, whose axes point to the middle; those on the floor lie the other way."""
    check_positive("Platform", length=length, width=width)
    x, y = length / 2, width / 2
    return [
        Mount(x, y, 0.0, -inclination),
        Mount(x, -y, 0.0, inclination),
        Mount(-x, y, 0.0, inclination),
        Mount(-x, -y, 0.0, -inclination),
    ]


def wheel_speeds(
    mounts: Sequence[Mount], radius: float, vx: Value, vy: Value, turn: Value
) -> list[Value]:
    """ω of each wheel [rad/s] for a velocity [m/s] along the platform's axes and a turn rate
    [rad/s]; numbers, arrays or expressions."""
    check_positive("Platform", radius=radius)
    return [mount.rim(vx, vy, turn) / radius for mount in mounts]


def rolling_speeds(
    mounts: Sequence[Mount],
    shape: WheelShape,
    angles: Sequence[Value],
    vx: Value,
    vy: Value,
    turn: Value,
) -> list[Value]:
    """As `wheel_speeds`, for the rollers that carry the wheels where these have turned to `angles`
    [rad]: a platform that doesn't turn rolls without slip all the way, not only in the middle of
    the rollers' sectors."""
    speeds = []
    for mount, angle in zip(mounts, angles, strict=True):
        ahead, aside = mount.over(vx, vy, turn)
        held = math.tan(mount.inclination) / cos(shape.turned(angle))
        speeds.append((ahead + held * aside) / shape.radius)
    return speeds


def platform_velocity(mounts: Sequence[Mount], radius: float, speeds: np.ndarray) -> np.ndarray:
    """(v_x, v_y, Ω) from wheel speeds (…, n) [rad/s]: with more than three wheels, the fit that
    leaves least slip."""
    rows = check_driven(mounts)
    speeds = np.asarray(speeds)
    if speeds.ndim == 0 or speeds.shape[-1] != len(mounts):
        raise InputError(
            f"Platform: it has {len(mounts)} wheels, but speeds or angles of shape {speeds.shape} "
            "are given; their last axis is the wheels."
        )
    return radius * speeds @ np.linalg.pinv(rows).T


def check_driven(mounts: Sequence[Mount]) -> np.ndarray:
    """R ω of each wheel for unit v_x, v_y and Ω, (n, 3), of wheels that determine the motion."""
    rows = np.array([mount.row() for mount in mounts])
    if np.linalg.matrix_rank(rows, tol=1e-9 * max(1.0, float(np.abs(rows).max(initial=0.0)))) < 3:
        raise ModelError(
            f"Platform: its {len(mounts)} wheels don't determine its motion; their rollers leave "
            "a direction in which all of them roll freely."
        )
    return rows


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
