"""Euler angles and Denavit–Hartenberg parameters against SciPy's rotations."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.spatial.euler_denavit_hartenberg import (
    SEQUENCES,
    DenavitHartenberg,
    denavit_hartenberg,
    euler_angles,
    euler_matrix,
)

SINGULAR = [n * np.pi / 2 for n in range(-4, 5)]
ANGLES = st.one_of(
    st.floats(-7.0, 7.0), st.sampled_from(SINGULAR),
    st.builds(lambda at, by: at + by, st.sampled_from(SINGULAR), st.floats(-1e-7, 1e-7)),
)  # fmt: skip
LENGTHS = st.one_of(st.floats(-3.0, 3.0), st.just(0.0))
TRIPLES = st.tuples(ANGLES, ANGLES, ANGLES)


@given(st.sampled_from(SEQUENCES), TRIPLES)
def test_three_turns_are_those_of_scipy(sequence: str, angles: tuple[float, float, float]) -> None:
    truth = Rotation.from_euler(sequence.upper(), angles).as_matrix()  # capitals: moving axes
    np.testing.assert_allclose(euler_matrix(sequence, angles), truth, atol=1e-14)


@given(st.sampled_from(SEQUENCES), TRIPLES)
def test_angles_of_any_rotation_give_it_back_gimbal_lock_included(
    sequence: str, angles: tuple[float, float, float]
) -> None:
    """SciPy makes both rotations. Within 1e-9 of a lock the third angle is taken as 0."""
    R = Rotation.from_euler("XYZ", angles).as_matrix()
    found = euler_angles(sequence, R)
    np.testing.assert_allclose(
        Rotation.from_euler(sequence.upper(), found).as_matrix(), R, atol=3e-9
    )
    proper = sequence[0] == sequence[2]
    assert (
        (0.0 if proper else -np.pi / 2) - 1e-12
        <= found[1]
        <= (np.pi if proper else np.pi / 2) + 1e-12
    )


@given(st.sampled_from(SEQUENCES), st.floats(-3.0, 3.0), st.floats(0.01, 1.5), st.floats(-3.0, 3.0))
def test_angles_away_from_locks_are_scipys(sequence: str, a: float, b: float, c: float) -> None:
    R = Rotation.from_euler(sequence.upper(), (a, b, c)).as_matrix()
    truth = Rotation.from_matrix(R).as_euler(sequence.upper())
    apart = np.array(euler_angles(sequence, R)) - truth
    np.testing.assert_allclose(np.remainder(apart + np.pi, 2 * np.pi) - np.pi, 0.0, atol=1e-11)


def test_in_a_lock_the_third_angle_is_zero() -> None:
    assert euler_angles("xyz", euler_matrix("xyz", (0.3, np.pi / 2, 0.2))) == pytest.approx(
        (0.5, np.pi / 2, 0.0), abs=1e-12
    )
    assert euler_angles("zxz", euler_matrix("zxz", (0.3, 0.0, 0.2))) == pytest.approx(
        (0.5, 0.0, 0.0), abs=1e-12
    )


@given(TRIPLES, st.tuples(LENGTHS, LENGTHS, LENGTHS))
def test_parameters_of_any_pose_give_it_back_parallel_axes_included(
    angles: tuple[float, float, float], at: tuple[float, float, float]
) -> None:
    """Axes within 1e-8 of parallel count as such; near that the common normal is 1e8 m away, so
    that rounding of 1e-16 shows as 1e-8 m a metre."""
    R, p = Rotation.from_euler("XYZ", angles).as_matrix(), np.array(at)
    found = denavit_hartenberg(R, p)
    R_again, p_again = found.pose()
    np.testing.assert_allclose(R_again, R, atol=3e-8)
    np.testing.assert_allclose(p_again, p, atol=1e-7)
    assert 0.0 <= found.alpha <= np.pi


@given(LENGTHS, st.floats(0.01, 3.1), LENGTHS, st.floats(-3.0, 3.0))
def test_parameters_are_the_product_of_four_elementary_motions(
    a: float, alpha: float, d: float, theta: float
) -> None:
    """Rz(θ) Tz(d) Tx(a) Rx(α), by SciPy and NumPy; and they are found again."""
    turned = Rotation.from_euler("Z", theta)
    R, p = DenavitHartenberg(a, alpha, d, theta).pose()
    truth = (turned * Rotation.from_euler("X", alpha)).as_matrix()
    np.testing.assert_allclose(R, truth, atol=1e-14)
    np.testing.assert_allclose(p, turned.apply([a, 0.0, d]), atol=1e-14)
    found = denavit_hartenberg(R, p)
    assert (found.a, found.alpha, found.d, found.theta) == pytest.approx(
        (a, alpha, d, theta), abs=1e-11
    )
    assert (found.slide, found.spin) == pytest.approx((0.0, 0.0), abs=1e-11)


@pytest.mark.parametrize("sequence", ["xxy", "abc", "", "XYZ"])
def test_a_wrong_sequence_is_refused_with_those_that_there_are(sequence: str) -> None:
    with pytest.raises(tb.InputError, match="there are xyz"):
        euler_angles(sequence, np.eye(3))
