"""Further states (slips of tyres, pads of brakes) in the augmented Lagrangian of index 3: they take
part in its Newton iterations, since iterated by themselves they diverge at steps of 5 ms."""

import numpy as np
import pytest

import touchback as tb
from touchback.vehicle import DiscBrake

STEP = 5e-3  # s, Gallo's


@pytest.mark.parametrize("pace", [50.0, 2000.0])  # 1/s; by themselves they diverge above 2/h = 400
def test_a_state_that_settles_within_a_step_goes_by_the_trapezoidal_rule(pace: float) -> None:
    """Two sliders, the second twice as fast, on a spring and on what lags behind it: a linear
    system, whose steps by the rule are a matrix, (1 − h A/2)⁻¹ (1 + h A/2)."""
    spring, pull, masses = 40.0, 15.0, (1.0, 0.5)
    m = tb.Model("lagging pull", gravity=(0, 0, 0))
    for name, mass in zip(("slow", "quick"), masses, strict=True):
        m.joint(name, tb.Prismatic("x"), m.ground, m.body(name, mass=mass))
    x = m.coordinate("slow")
    lag = m.state("lag", 0.0)
    m.set_rate("lag", pace * (x - lag))
    m.force("pull", tb.JointEffort("slow", -spring * x - pull * lag))
    m.couple("gear", tb.Gear("slow", "quick", ratio=2.0))
    system = m.compile()
    start = system.assemble(slow=0.3)
    run = tb.simulate(
        system, start, 1.0, constraints="augmented-lagrangian", step=STEP, progress=False
    )
    mass = masses[0] + 4.0 * masses[1]
    A = np.array([[0, 1, 0], [-spring / mass, 0, -pull / mass], [pace, 0, -pace]])
    half, one = 0.5 * STEP * A, np.eye(3)
    known = np.linalg.matrix_power(np.linalg.solve(one - half, one + half), 200) @ [0.3, 0, 0]
    found = [run[name][-1] for name in ("slow", "slow rate", "lag")]
    assert found == pytest.approx(known, abs=1e-11)
    counts = run.metadata["statistics"]
    assert counts["not_converged"] == 0
    # linear: one, one for the rest of the multipliers, and one that finds it so
    assert counts["iterations"] <= 3 * counts["steps"]


@pytest.mark.parametrize(
    ("inertia", "drive", "pressure"), [(0.2, 0.0, 60e5), (0.2, 1000.0, 60e5), (0.5, 200.0, 100e5)]
)
def test_a_brake_that_locks_a_wheel_converges_in_every_step(
    braked_wheel: tb.System, inertia: float, drive: float, pressure: float
) -> None:
    """Sliding and holding pads are kinks of the brake's torque, about which Newton's method goes to
    and fro for ever when all of an increment is taken. Against partitioning at a tenth of the
    lag of the pads, to a tenth of what the wheel turns in its first step."""
    given = {"inertia": inertia, "drive": drive, "pressure": pressure}
    start = braked_wheel.assemble(rates={"wheel": 60.0})
    run, known = (
        tb.simulate(braked_wheel, start, 0.4, parameters=given, step=step, progress=False, **how)
        for step, how in (
            (STEP, {"constraints": "augmented-lagrangian"}),
            (2e-4, {"constraints": "partitioning", "method": "rk4"}),
        )
    )
    assert run.metadata["statistics"]["not_converged"] == 0
    assert run["wheel"][-1] == pytest.approx(known["wheel"][-1], abs=0.03)


@pytest.fixture(scope="module")
def braked_wheel() -> tb.System:
    m = tb.Model("braked wheel", gravity=(0, 0, 0))
    inertia, drive = m.parameter("inertia", 0.5), m.parameter("drive", 200.0)
    for name in ("wheel", "shaft"):
        m.joint(name, tb.Revolute("y"), m.ground, m.body(name, inertia=(1.0, inertia, 1.0)))
    m.couple("gear", tb.Gear("wheel", "shaft", ratio=1.0))
    m.force("drive", tb.JointEffort("wheel", drive))
    m.force("brake", DiscBrake(joint="wheel", pressure=m.parameter("pressure", 60e5)))
    return m.compile()
