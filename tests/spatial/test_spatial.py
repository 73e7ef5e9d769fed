"""Vectors, rotations, quaternions and inertias against NumPy and SciPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Reference

from touchback.spatial import (
    Inertia,
    MatrixPart,
    Rotation,
    Turn,
    Vectors,
    quaternion_matrix,
    quaternion_rate,
    skew,
    transpose,
)
from touchback.spatial.articulated_inertia import Articulated
from touchback.symbolic.scalars import Operators

K = Operators()
V = Vectors(K)
RNG = np.random.default_rng(3)
a, b = RNG.standard_normal((2, 3))
A, B = RNG.standard_normal((2, 3, 3))
SYMMETRIC = A + A.T


def turn(axis: int, angle: float) -> Turn:
    return Turn(axis, np.sin(angle), np.cos(angle))


ROTATIONS = {
    "turn about x": (Rotation([turn(0, 0.7)]), Reference.from_euler("X", 0.7)),
    "turn about y": (Rotation([turn(1, -1.2)]), Reference.from_euler("Y", -1.2)),
    "turn about z": (Rotation([turn(2, 2.1)]), Reference.from_euler("Z", 2.1)),
    "nothing": (Rotation(), Reference.identity()),
    "turns and a matrix": (
        Rotation([turn(2, 0.3), MatrixPart(Reference.from_rotvec([0.1, 0.2, 0.3]).as_matrix()),
                  turn(0, 0.5)]),
        Reference.from_euler("Z", 0.3) * Reference.from_rotvec([0.1, 0.2, 0.3])
        * Reference.from_euler("X", 0.5),
    ),
}  # fmt: skip


def test_vector_algebra_is_numpys() -> None:
    np.testing.assert_allclose(V.cross(a, b), np.cross(a, b), rtol=1e-14)
    np.testing.assert_allclose(V.dot(a, b), a @ b, rtol=1e-14)
    np.testing.assert_allclose(V.norm(a), np.linalg.norm(a), rtol=1e-14)
    np.testing.assert_allclose(V.apply(A, b), A @ b, rtol=1e-13)
    np.testing.assert_allclose(V.apply_transposed(A, b), A.T @ b, rtol=1e-13)
    np.testing.assert_allclose(V.product(A, B), A @ B, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(V.matrix_add(A, B), A + B)
    np.testing.assert_allclose(V.congruence(A, SYMMETRIC), A @ SYMMETRIC @ A.T, rtol=1e-12)
    np.testing.assert_allclose(V.apply(skew(a), b), np.cross(a, b), rtol=1e-14)
    np.testing.assert_array_equal(transpose(A), A.T)


@pytest.mark.parametrize("name", ROTATIONS)
def test_a_rotation_takes_vectors_and_matrices_up_and_down(name: str) -> None:
    rotation, reference = ROTATIONS[name]
    R = reference.as_matrix()
    np.testing.assert_allclose(rotation.up(K, a), R @ a, atol=1e-14)
    np.testing.assert_allclose(rotation.down(K, a), R.T @ a, atol=1e-14)
    np.testing.assert_allclose(rotation.up_symmetric(K, SYMMETRIC), R @ SYMMETRIC @ R.T, atol=1e-13)
    np.testing.assert_allclose(rotation.up_general(K, A), R @ A @ R.T, atol=1e-13)
    np.testing.assert_allclose(rotation.times(K, A), A @ R, atol=1e-13)


@pytest.mark.parametrize("length", [1.0, 0.01, 300.0])
def test_a_quaternion_of_any_length_gives_its_rotation(length: float) -> None:
    reference = Reference.from_rotvec([0.3, -1.1, 0.8])
    x, y, z, w = reference.as_quat() * length
    np.testing.assert_allclose(
        quaternion_matrix(K, [w, x, y, z]), reference.as_matrix(), atol=1e-14
    )


def test_the_rate_of_a_quaternion_turns_the_body_by_its_own_angular_velocity() -> None:
    """R(q + q̇ dt) = R(q) exp(ω̃ dt), ω in the body; and q̇ is square to q: the length stays."""
    x, y, z, w = Reference.from_rotvec([0.3, -1.1, 0.8]).as_quat()
    q, omega, dt = np.array([w, x, y, z]), np.array([0.5, -0.2, 0.9]), 1e-5
    rate = np.array(quaternion_rate(K, q, omega))
    assert abs(rate @ q) < 1e-16
    turned = np.array(quaternion_matrix(K, q + rate * dt))
    back = np.array(quaternion_matrix(K, q - rate * dt))
    R = np.array(quaternion_matrix(K, q))
    np.testing.assert_allclose(R.T @ (turned - back) / (2 * dt), skew(omega), atol=1e-9)


def points() -> tuple[np.ndarray, np.ndarray]:
    return RNG.uniform(0.1, 1.0, 6), RNG.standard_normal((6, 3))


def tensor(masses: np.ndarray, places: np.ndarray) -> np.ndarray:
    parts = [m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places)]
    return np.asarray(sum(parts))


def test_an_inertia_is_that_of_its_points_wherever_it_is_moved() -> None:
    masses, places = points()
    centre = masses @ places / masses.sum()
    body = Inertia.of_body(K, masses.sum(), centre, tensor(masses, places - centre))
    np.testing.assert_allclose(body.h, masses @ places, rtol=1e-13)
    np.testing.assert_allclose(body.E, (masses * places.T) @ places, rtol=1e-12)
    np.testing.assert_allclose(body.tensor(K), tensor(masses, places), rtol=1e-12)
    rotation, reference = ROTATIONS["turns and a matrix"]
    shift = np.array([0.4, -0.2, 0.9])
    moved = body.turned_up(K, rotation).shifted(K, shift)
    there = reference.apply(places) + shift
    np.testing.assert_allclose(moved.h, masses @ there, rtol=1e-12)
    np.testing.assert_allclose(moved.tensor(K), tensor(masses, there), rtol=1e-12)


def test_inertias_add() -> None:
    (m1, r1), (m2, r2) = points(), points()
    one = Inertia.of_body(K, m1.sum(), m1 @ r1 / m1.sum(), tensor(m1, r1 - m1 @ r1 / m1.sum()))
    two = Inertia.of_body(K, m2.sum(), m2 @ r2 / m2.sum(), tensor(m2, r2 - m2 @ r2 / m2.sum()))
    both = one.plus(K, two)
    np.testing.assert_allclose(both.m, m1.sum() + m2.sum(), rtol=1e-14)
    np.testing.assert_allclose(both.tensor(K), tensor(m1, r1) + tensor(m2, r2), rtol=1e-12)
    np.testing.assert_allclose(Inertia.zero().plus(K, one).E, one.E)


def test_zeros_stay_structural_so_that_sparse_mechanics_is_cheap() -> None:
    assert V.cross((0, 0, 1), (1.5, 0, 0)) == [0, 1.5, 0]
    assert V.dot((0, 0, 0), (np.nan, np.inf, 1.0)) == 0
    assert turn(2, 0.3).up(K, (0, 0, 2.5)) == [0, 0, 2.5]


def test_an_articulated_inertia_needs_the_wrench_of_its_matrix() -> None:
    """[N, F] = [[J, H], [Hᵀ, M]] [α, a] (Featherstone 2008, eq. 2.62)."""
    random = np.random.default_rng(3)
    J, H, M = random.normal(size=(3, 3, 3))
    J, M = J + J.T, M + M.T
    angular, linear = random.normal(size=(2, 3))
    articulated = Articulated(J.tolist(), H.tolist(), M.tolist())
    F, N = articulated.wrench(Operators(), list(angular), list(linear))
    expected = np.block([[J, H], [H.T, M]]) @ np.concatenate([angular, linear])
    np.testing.assert_allclose([*N, *F], expected, rtol=1e-13)
