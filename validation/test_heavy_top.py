"""The fast heavy top of Brüls and Cardona.

Source: O. Brüls, A. Cardona, On the use of Lie group time integrators in multibody dynamics,
J. Comput. Nonlinear Dynam. 5 (2010) 031002, §6: m = 15 kg, J = diag(0.234375, 0.46875, 0.234375)
kg m² about the centre, which is at (0, 1, 0) m from the fixed point, Ω(0) = (0, 150, −4.61538)
rad/s, g = 9.81 m/s². The comparison is Euler's equation about the fixed point with a rotation
matrix as state, by SciPy's DOP853 at 1e-13: no joint, no quaternion, none of our code.
"""

import numpy as np
from scipy.integrate import solve_ivp

import touchback as tb

MASS, J, ARM = 15.0, np.array([0.234375, 0.46875, 0.234375]), np.array([0.0, 1.0, 0.0])
SPIN, GRAVITY = (0.0, 150.0, -4.61538), np.array([0.0, 0.0, -9.81])
ABOUT_POINT = np.diag(J) + MASS * (ARM @ ARM * np.eye(3) - np.outer(ARM, ARM))


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def euler(_: float, state: np.ndarray) -> np.ndarray:
    R, w = state[:9].reshape(3, 3), state[9:]
    moment = np.cross(ARM, R.T @ (MASS * GRAVITY)) - np.cross(w, ABOUT_POINT @ w)
    return np.r_[(R @ skew(w)).ravel(), np.linalg.solve(ABOUT_POINT, moment)]


def test_heavy_top(agreement) -> None:  # type: ignore[no-untyped-def]
    times = np.linspace(0.0, 1.0, 101)
    start = np.r_[np.eye(3).ravel(), SPIN]
    published = solve_ivp(
        euler, (0, 1), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-13
    ).y
    m = tb.Model("heavy top", gravity=tuple(GRAVITY))
    top = m.body("top", MASS, tuple(ARM), tuple(J))
    m.joint("tip", tb.Spherical(), m.ground, top, velocity=SPIN)
    m.sensor("centre", tb.Position(top.at(*ARM)))
    m.sensor("energy", tb.Energy())
    system = m.compile()
    run = tb.simulate(system, duration=1, rtol=1e-13, atol=1e-13, output_step=0.01, progress=False)
    centre = np.array([run[f"centre.{axis}"] for axis in "xyz"])
    agreement.compare("centre of mass [m]", centre, published[[1, 4, 7]], within=1e-10)
    spin = np.array([run[f"tip.w{axis}"] for axis in "xyz"])
    agreement.compare("angular velocity [rad/s]", spin, published[9:], within=1e-9)
    size = np.abs(run["energy"]).max()
    agreement.compare("drift of energy, relative", np.ptp(run["energy"]) / size, 0.0, within=1e-11)
