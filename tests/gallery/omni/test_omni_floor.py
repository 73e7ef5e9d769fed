"""The omni bench's floor only pushes: it lets go of a wheel that is lifted, and the wheel lands."""

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import omni_wheel
from touchback.gallery.omni_wheel import total_mass

M = total_mass(omni_wheel.MASS, omni_wheel.SHAPE)
WEIGHT, R = M * omni_wheel.G, omni_wheel.SHAPE.radius


@pytest.fixture
def system() -> tb.System:
    return omni_wheel.make().compile()


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
@pytest.mark.parametrize("tracker", ["explicit", "section", "implicit"])
def test_a_wheel_that_is_lifted_leaves_the_floor_in_free_flight(method: str, tracker: str) -> None:
    """z = R + (F − W)/M t²/2, and the lift does F z; no force of the floor, no friction."""
    system = omni_wheel.make(tracker=tracker).compile()
    system["pressing"] = -20.0
    start = system.assemble(rates={"wheel.vx": 0.3, "wheel.wy": 3.0})
    run = tb.simulate(system, start, 0.5, method=method, energy_balance=True, progress=False)
    rise = 0.5 * (20.0 - WEIGHT) / M * run.time**2
    np.testing.assert_allclose(run["centre.z"], R + rise, atol=1e-9)
    np.testing.assert_allclose(run["load"][1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(run["centre.x"], 0.3 * run.time, atol=1e-9)
    assert [each.cause for each in run.transitions] == ["lets go"]
    gained = float(np.ptp(run["energy"]))
    assert gained == pytest.approx(20.0 * rise[-1], rel=1e-9)
    assert run.energy_balance.work["weight of the vehicle"] == pytest.approx(gained, rel=1e-9)
    assert abs(run.energy_balance.residual) < 1e-9 * gained


@pytest.mark.parametrize("pressing", [0.0, 3.0, -3.0])
def test_a_wheel_that_falls_lands_and_stays(system: tb.System, pressing: float) -> None:
    """After √(2 h/a) with a = (W + F)/M; the impact takes (W + F) h, and friction begins."""
    height, force = 0.1, WEIGHT + pressing
    system["pressing"] = pressing
    system.enter("off the floor")
    start = system.assemble(**{"wheel.z": R + height}, rates={"wheel.vx": 0.3, "wheel.wy": 3.0})
    run = tb.simulate(system, start, 0.5, rtol=1e-10, energy_balance=True, progress=False)
    (lands,) = run.transitions
    assert lands.cause == "lands"
    assert lands.time == pytest.approx(np.sqrt(2 * height * M / force), rel=1e-8)
    flying = run.time < lands.time
    np.testing.assert_allclose(run["centre.x"][flying], 0.3 * run.time[flying], atol=1e-12)
    np.testing.assert_allclose(run["load"][~flying][1:], force, rtol=1e-9)
    np.testing.assert_allclose(run["centre.z"][~flying][1:], R, atol=1e-9)
    books = run.energy_balance
    assert books.impacts["lands"] == pytest.approx(force * height, rel=1e-8)
    assert books.dissipated["friction"] > 1e-3 and abs(books.residual) < 1e-8


def test_a_wheel_held_by_less_than_its_weight_stays_on_the_floor(system: tb.System) -> None:
    system["pressing"] = -0.99 * WEIGHT
    run = tb.simulate(system, system.assemble(rates={"wheel.vx": 0.3}), 0.2, progress=False)
    np.testing.assert_allclose(run["load"], 0.01 * WEIGHT, rtol=1e-6)
    assert not run.transitions


def test_a_live_wheel_is_lifted_and_lands_again(system: tb.System) -> None:
    """Lifted by 20 N for 0.1 s, then left: up, over, and down, as in the schoolbook."""
    lift = (20.0 - WEIGHT) / M
    with tb.live(system, system.assemble(), speed=None, record=True) as live:
        live["pressing"] = -20.0
        live.run(0.1)
        live["pressing"] = 0.0
        live.run(1.2)
    run = live.recorded()
    begun = np.flatnonzero(run["centre.z"] > R + 1e-9)
    top = 0.5 * lift * 0.1**2 * (1 + lift / omni_wheel.G)
    assert run["centre.z"].max() == pytest.approx(R + top, rel=0.03)  # a tick late or two
    assert run["centre.z"][-1] == pytest.approx(R, abs=1e-6) and run["load"][-1] > 0.0
    assert len(begun) < len(run) - 50
    assert run["load"].min() >= -1e-9 or np.flatnonzero(run["load"] < -1e-9).max() < 3
