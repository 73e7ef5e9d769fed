"""Inertias made of numbers, as 4×4 matrices [[E, h], [hᵀ, m]]: a placement X acts as X P Xᵀ, before
any tape.

Numeric data is folded here rather than on the tape because NumPy does it in one call, and because
rounding noise around zero (a symmetric body turned about its axis) can be told from data: it would
cost operations in every evaluation."""

import numpy as np

from touchback.dynamics.constant_pose import Pose
from touchback.model import Body, is_number
from touchback.spatial import Inertia
from touchback.symbolic import Scalars

_NOISE = 1e-15  # relative to the largest entry of its kind


def is_numeric(body: Body) -> bool:
    """Whether no live parameter is in a body's data."""
    return all(is_number(x) for x in (body.mass, *body.com, *body.inertia))


def pseudo_inertia(body: Body) -> np.ndarray:
    """P of a body about and along its own frame."""
    mass, *com = np.array([body.mass, *body.com, 1.0], dtype=float)
    J = np.array(body.tensor(), dtype=float)
    P = mass * np.outer(com, com)
    P[:3, :3] += 0.5 * (J[0, 0] + J[1, 1] + J[2, 2]) * np.eye(3) - J
    return P


def placed(P: np.ndarray, pose: Pose) -> np.ndarray:
    """P about and along the frame in which the present one sits at `pose`."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.R, pose.p
    return X @ P @ X.T


def lifted(k: Scalars, P: np.ndarray) -> Inertia:
    """P as scalars, without rounding noise."""
    (a, b, c, x), (_, d, e, y), (_, _, f, z), (_, _, _, m) = P.tolist()
    xx, xy, xz, yy, yz, zz = [k.const(number) for number in _without_noise(a, b, c, d, e, f)]
    mass = k.const(m)
    h = [k.const(number) for number in _without_noise(x, y, z)]
    return Inertia(mass, h, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _without_noise(*numbers: float) -> list[float]:
    least = _NOISE * max(map(abs, numbers))
    return [number if abs(number) > least else 0.0 for number in numbers]
