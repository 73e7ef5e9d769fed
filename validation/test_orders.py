"""Order of convergence of every formulation, on a slider-crank whose exact motion is known.

Source: the slider-crank has one freedom; its exact motion follows from T(θ, θ̇) and V(θ) written by
hand: with I(θ) the sum of m (dp/dθ)² + J (dφ/dθ)², I θ̈ + I′ θ̇²/2 + V′ = 0, integrated to 1e-13 by
SciPy. Classical Runge–Kutta gives order 4 with any formulation that solves for accelerations;
Wang's linear-implicit Euler gives 1, the augmented Lagrangian on the trapezoidal rule 2.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb

R, L, G = 0.1, 0.35, 9.81
MASSES = (1.0, 0.5, 0.8)
MOMENTS = (1e-3, 6e-3)  # of crank and rod about their centres
STEPS = {"linear-implicit": (1e-4, 5e-5), "augmented-lagrangian": (5e-4, 2.5e-4)}
ORDERS = {"linear-implicit": 1, "augmented-lagrangian": 2}
FORMULATIONS = (
    "partitioning", "multipliers", "baumgarte", "projection", "linear-implicit",
    "augmented-lagrangian",
)  # fmt: skip


def slider_crank() -> tb.Model:
    m = tb.Model("slider-crank", gravity=(0, 0, -G))
    crank = m.body("crank", MASSES[0], (R / 2, 0, 0), (MOMENTS[0],) * 3)
    rod = m.body("rod", MASSES[1], (L / 2, 0, 0), (MOMENTS[1],) * 3)
    slider = m.body("slider", MASSES[2])
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(R, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("pin", tb.PointInPlane("xz"), rod.at(L, 0, 0), slider)
    return m


def places(angle: complex) -> tuple[np.ndarray, complex, np.ndarray]:
    """x and z of the three centres, the rod's own angle, heights (turns about y: z = −r sin θ)."""
    z_pin = -R * np.sin(angle)
    lean = np.arcsin(z_pin / L)
    pin = R * np.cos(angle)
    x = np.array([pin / 2, pin + L / 2 * np.cos(lean), pin + L * np.cos(lean)])
    z = np.array([z_pin / 2, z_pin / 2, 0.0])
    return np.concatenate([x, z]), lean, z


def inertia(angle: float) -> tuple[float, float]:
    """I(θ) and V′(θ); first derivatives by the complex step, exact to rounding."""
    step = 1e-30
    moved, lean, height = places(complex(angle, step))
    slopes, spin, rise = moved.imag / step, lean.imag / step, height.imag / step
    m = np.array(MASSES)
    total = m @ (slopes[:3] ** 2 + slopes[3:] ** 2) + MOMENTS[0] + MOMENTS[1] * spin**2
    return float(total), float(G * m @ rise)


def exact_rate(_t: float, y: np.ndarray) -> list[float]:
    width = 1e-5
    mass, pull = inertia(y[0])
    near = {k: inertia(y[0] + k * width)[0] for k in (-2, -1, 1, 2)}
    slope = (8 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12 * width)
    return [y[1], -(slope * y[1] ** 2 / 2 + pull) / mass]


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    return solve_ivp(exact_rate, (0, 0.5), [0.3, 10.0], method="DOP853", rtol=1e-13, atol=1e-13).y[
        :, -1
    ]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_order_of(formulation: str, agreement, exact: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    system = slider_crank().compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 10.0}, guess={"slider": 0.4})
    own = formulation in ORDERS
    errors = []
    for step in STEPS.get(formulation, (2e-3, 1e-3)):
        run = tb.simulate(
            system, x0, 0.5, method=None if own else "rk4", constraints=formulation, step=step,
            output_step=0.5, progress=False,
        )  # fmt: skip
        errors.append(max(abs(run["crank"][-1] - exact[0]), abs(run["crank rate"][-1] - exact[1])))
    found = np.log2(errors[0] / errors[1])
    agreement.compare("order", found, ORDERS.get(formulation, 4), within=0.35)
    agreement.compare("error at the shorter step", errors[1], 0.0, within=2e-2 if own else 1e-6)
