"""SciPy's methods on a closed loop: what a step ends at is where the next one starts.

The engine of docs/quality.md (Wang 2011) conserves its energy: whatever the formulation and the
method, the energy drifts with the tolerance, not with how the outputs were mended.
"""

import numpy as np
import pytest

import touchback as tb
from touchback.simulate.solvers.scipy_solvers import NAMES

HELD = ("partitioning", "projection")
LOOSE = ("multipliers", "baumgarte")


@pytest.fixture(scope="module")
def engine() -> tb.System:
    m = tb.Model("engine")
    crank = m.body("crank", mass=2.0, inertia=(2e-3, 2e-3, 2e-3))
    rod = m.body("rod", mass=0.5, com=(0.05, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    piston = m.body("piston", mass=0.4)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(0.04, 0, 0), rod)
    m.joint("pin", tb.Fixed(), rod.at(0.14, 0, 0), piston)
    m.close("cylinder", tb.PointOnPlane("z"), m.ground, piston)
    m.sensor("slider", tb.Position(piston))
    m.sensor("energy", tb.Energy())
    return m.compile()


def run_of(
    engine: tb.System, method: str, constraints: str, rtol: float, duration: float = 0.2
) -> tb.Run:
    start = engine.assemble(crank=0.5, rates={"crank": 100.0})
    return tb.simulate(
        engine, start, duration, method=method, constraints=constraints, rtol=rtol,
        atol=0.01 * rtol, progress=False,
    )  # fmt: skip


def drift(run: tb.Run) -> float:
    return float(np.abs(run["energy"] / run["energy"][0] - 1.0).max())


@pytest.mark.filterwarnings("ignore:.*left the constraints")
@pytest.mark.parametrize("constraints", [*HELD, *LOOSE])
@pytest.mark.parametrize("method", ["dopri5", "radau5", *NAMES])
def test_the_energy_of_a_loop_is_kept_as_well_as_its_closure(
    engine: tb.System, method: str, constraints: str
) -> None:
    run = run_of(engine, method, constraints, 1e-6)
    assert drift(run) < 1e-4
    assert np.abs(run["slider.z"]).max() < (1e-12 if constraints in HELD else 1e-3)


@pytest.mark.parametrize("method", ["BDF", "LSODA"])
def test_a_history_that_is_projected_still_converges(engine: tb.System, method: str) -> None:
    """Rough steps drift, and finer ones less: the order isn't lost at each projection."""
    rough, fine = (drift(run_of(engine, method, "projection", rtol)) for rtol in (1e-4, 1e-7))
    assert fine < 0.02 * rough


@pytest.mark.parametrize("method", NAMES)
def test_rough_steps_that_are_projected_drift_no_more_than_partitioned_ones(
    engine: tb.System, method: str
) -> None:
    """Over 16 turns of the crank. Where only outputs are projected, BDF is off by half, and
    LSODA ends at infinity."""
    projected, partitioned = (drift(run_of(engine, method, way, 1e-4, 1.0)) for way in HELD[::-1])
    assert projected < 3.0 * partitioned
