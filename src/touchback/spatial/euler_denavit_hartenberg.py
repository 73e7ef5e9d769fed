"""Placements of a frame by Euler angles or by Denavit–Hartenberg parameters, and back.

Euler angles are turns about the frame's own moving axes, in order: R = R_i(first) R_j(second)
R_k(third) for the sequence "ijk", twelve in all. Denavit–Hartenberg parameters are those of the
distal convention (Denavit and Hartenberg 1955): turn θ about z, shift d along z, shift a along the
new x, turn α about it. They place a line, the joint's z axis; where the frame sits on it is two
more numbers.
"""

from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError

Floats = np.ndarray

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
_LOCKED = 1e-9  # sine (or cosine) of the second angle below which only a sum of two is determined
_PARALLEL = 1e-8  # sine between axes that count as parallel


def turn_matrix(axis: int, angle: float) -> Floats:
    """The rotation matrix of a turn [rad] about a coordinate axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[j, j] = R[k, k] = np.cos(angle)
    R[k, j] = np.sin(angle)
    R[j, k] = -R[k, j]
    return R


def euler_matrix(sequence: str, angles: Floats | tuple[float, float, float]) -> Floats:
    """The rotation matrix of three turns [rad] about moving axes."""
    first, second, third = (
        turn_matrix(axis, float(angle)) for axis, angle in zip(_axes(sequence), angles, strict=True)
    )
    R: Floats = first @ second @ third
    return R


def euler_angles(sequence: str, R: Floats) -> tuple[float, float, float]:
    """Three angles [rad] that give a rotation matrix: the second from −π/2 to π/2 where three axes
    differ, from 0 to π where the first is the third; the third is 0 where only a sum of two is
    determined."""
    i, j, k = _axes(sequence)
    m = 3 - i - j
    e = 1.0 if (i + 1) % 3 == j else -1.0
    # R e_k = R_i(a) R_j(b) e_k, of which two components tell a
    up, aside = (-e * R[m, i], R[j, i]) if i == k else (R[m, m], -e * R[j, m])
    locked = np.hypot(up, aside) < _LOCKED
    first = np.arctan2(e * R[m, j], R[j, j]) if locked else np.arctan2(aside, up)
    S = turn_matrix(i, first).T @ R
    second = np.arctan2(-e * S[m, i], S[i, i]) if i == k else np.arctan2(e * S[i, m], S[m, m])
    S = turn_matrix(j, second).T @ S
    third = np.arctan2(e * S[m, j], S[j, j]) if i == k else np.arctan2(e * S[j, i], S[i, i])
    return float(first), float(second), 0.0 if locked else float(third)


@dataclass(frozen=True)
class DenavitHartenberg:
    """a, d and `slide` [m], alpha, theta and `spin` [rad]: R_z(θ), d along z, a along x, R_x(α);
    then the frame's own place on its axis, `slide` along and `spin` about z."""

    a: float
    alpha: float
    d: float
    theta: float
    slide: float = 0.0
    spin: float = 0.0

    def pose(self) -> tuple[Floats, Floats]:
        """Rotation matrix and position of the frame."""
        turned = turn_matrix(2, self.theta)
        R = turned @ turn_matrix(0, self.alpha)
        p = turned @ np.array([self.a, 0.0, self.d]) + self.slide * R[:, 2]
        return R @ turn_matrix(2, self.spin), p


def denavit_hartenberg(R: Floats, p: Floats) -> DenavitHartenberg:
    """The parameters of a pose, with alpha from 0 to π. Of parallel axes the common normal through
    the frame's origin is taken (slide 0); of axes on one line theta is the whole turn (spin 0)."""
    x, y, z = R[:, 2]
    sine = np.hypot(x, y)
    if sine >= _PARALLEL:
        theta = np.arctan2(x, -y)
    elif np.hypot(p[0], p[1]) > 0.0:
        theta = np.arctan2(p[1], p[0])
    else:
        theta = np.arctan2(R[1, 0], R[0, 0])
    alpha = np.arctan2(sine, z)
    q = turn_matrix(2, theta).T @ p
    slide = -q[1] / sine if sine >= _PARALLEL else 0.0
    rest = turn_matrix(0, alpha).T @ turn_matrix(2, theta).T @ R
    spin = np.arctan2(rest[1, 0], rest[0, 0])
    found = (q[0], alpha, q[2] - slide * z, theta, slide, spin)
    return DenavitHartenberg(*map(float, found))


def check_sequence(sequence: str) -> None:
    """Refuse what is no sequence of three turns."""
    if sequence not in SEQUENCES:
        raise InputError(
            f"There is no sequence of turns {sequence!r}; there are {', '.join(SEQUENCES)}."
        )


def _axes(sequence: str) -> tuple[int, int, int]:
    check_sequence(sequence)
    first, second, third = ("xyz".index(letter) for letter in sequence)
    return first, second, third
