"""The planned swing-up: what is kept is the plan, and only with its gains the pole stands."""

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import cart_pole


def test_the_pushes_that_are_kept_are_the_plan_of_least_effort() -> None:
    pytest.importorskip("casadi")
    np.testing.assert_allclose(cart_pole.plan().values[:, 0], cart_pole.PUSHES, atol=0.02)


def test_gains_raise_poles_that_hang_elsewhere_and_the_plan_alone_does_not() -> None:
    system = cart_pole.make_swing_up().compile()
    for angle in (2.5, 2.9, np.pi, 3.4):
        ends = {
            tracking: tb.simulate(
                system, system.assemble(pole=angle), 4.0, parameters={"tracking": tracking},
                progress=False,
            )["pole"]
            for tracking in (0.0, 1.0)
        }  # fmt: skip
        assert np.abs(ends[1.0][-1]) < 0.02
        assert np.abs(ends[0.0][-1]) > 0.5


def test_the_last_gains_are_those_of_a_pole_that_stands() -> None:
    """At the end the closed loop of the continuous cart-pole is stable, as SciPy's eigenvalues
    of its textbook equations tell: (M + m) ẍ + m l θ̈ = u, ẍ + 4/3 l θ̈ = g θ."""
    M, m, half, g = 1.0, 0.2, 0.5, 9.81
    mass = np.array([[M + m, m * half], [1.0, 4 / 3 * half]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1] = np.linalg.solve(mass, [0.0, g])
    B[2:, 0] = np.linalg.solve(mass, [1.0, 0.0])
    closed = A - B @ cart_pole.tracking_tables()[3][-1:]
    assert np.linalg.eigvals(closed).real.max() < -0.5


def test_it_swings_up_against_the_clock_and_bears_a_nudge() -> None:
    system = cart_pole.make_swing_up().compile()
    with tb.live(system, system.assemble(pole=2.9), rate=500, speed=None) as live:
        live.run(3.0)
        assert abs(live.read("pole")) < 0.05
        live["nudge"] = 8.0
        live.run(0.15)
        live["nudge"] = 0.0
        live.run(2.5)
        assert abs(live.read("pole")) < 0.05
        assert not live.faults
