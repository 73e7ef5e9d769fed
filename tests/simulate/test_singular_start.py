"""A parallelogram that lies flat when it begins: its coupler has no direction there and then.
What is recorded of the way from there on is that of the closed form."""

import numpy as np
import pytest

import touchback as tb

TORQUE, ARM, INERTIA = 1.0, 1.0, 0.35  # N m, m, kg m² of a crank about its pivot


def parallelogram(modes: bool) -> tb.Model:
    m = tb.Model("parallelogram", gravity=(0, 0, 0))
    for name, x in (("driver", 0.0), ("follower", 2.0)):
        own = INERTIA - 0.25 * ARM**2
        crank = m.body(name, mass=1.0, com=(0.5 * ARM, 0, 0), inertia=(own, own, own))
        m.joint(name, tb.Revolute("y"), m.ground.at(x, 0, 0), crank, velocity=1.0)
    tips = [m.bodies[name].at(ARM, 0, 0) for name in ("driver", "follower")]
    m.close("coupler", tb.Rod(2.0), *tips)
    m.sensor("pull", tb.Multiplier("coupler"))
    m.force("torque", tb.JointEffort("driver", TORQUE))
    if modes:
        m.mode("early", active=["coupler"])
        m.mode("late", active=["coupler"])
        m.transition("on", "early", "late", when=0.25 - m.time)
    return m


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the singular position itself
@pytest.mark.parametrize("modes", [False, True], ids=["always", "in modes"])
@pytest.mark.parametrize(
    ("constraints", "near"),
    # those that meet positions have the closed form a step from there, the others, which carry a
    # gap of micrometres along, once the coupler stands clear
    [("partitioning", 1), ("projection", 1), ("multipliers", 40), ("baumgarte", 40)],
)
def test_forces_after_a_singular_start_are_recorded(
    constraints: str, near: int, modes: bool
) -> None:
    """Half of the torque turns the follower, through a pull F with F ARM sin φ = TORQUE / 2."""
    system = parallelogram(modes).compile()
    run = tb.simulate(system, None, 0.5, method="rk4", step=1e-2, constraints=constraints)
    angle = run["driver"][near:]
    within = 1e-6 if near == 1 else 1e-3
    assert np.allclose(run["pull"][near:], -0.5 * TORQUE / (ARM * np.sin(angle)), rtol=within)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("constraints", "near"),
    # linear-implicit Euler takes its first step by the terms of the start, without the coupler
    [("augmented-lagrangian", 1), ("linear-implicit", 2)],
)
def test_so_are_those_of_formulations_that_are_steps(constraints: str, near: int) -> None:
    system = parallelogram(modes=False).compile()
    run = tb.simulate(system, None, 0.5, step=1e-2, constraints=constraints)
    angle = run["driver"][near:]
    assert np.allclose(run["pull"][near:], -0.5 * TORQUE / (ARM * np.sin(angle)), rtol=1e-6)
