"""A restart that breaks constraints is made consistent first, whatever formulation keeps them."""

import numpy as np
import pytest

import touchback as tb
from closed_suite import FORMULATIONS, slider_crank_model
from models_with_modes import pegged_pendulum
from touchback.native import formulation_of
from touchback.simulate import RunFailed

KEPT = 1e-8  # m, rad: far below what a restart breaks, above what drifts in so short a run


def pushed(t: float, x: np.ndarray) -> np.ndarray:
    """One coordinate and one velocity alone, which breaks the loop and its rate."""
    after = x.copy()
    after[0] += 0.1
    after[len(x) // 2] += 1.0
    return after


def after_of(run: tb.Run, system: tb.System) -> np.ndarray:
    after = run.events[0].after
    assert after is not None
    return np.array([after[name] for name in system.state_names])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_run_goes_on_from_a_consistent_state_that_the_event_tells(formulation: str) -> None:
    system = slider_crank_model().compile()
    push = tb.Event("push", system.model.time - 0.1, restart=pushed)
    method = None if formulation_of(formulation).step else "dopri5"
    run = tb.simulate(
        system, system.assemble(), 0.2, constraints=formulation, method=method, events=[push],
        energy_balance=True, progress=False,
    )  # fmt: skip
    after = after_of(run, system)
    np.testing.assert_allclose(system.consistent(after, 0.1)[0], after, atol=1e-12)
    k = int(np.searchsorted(run.time, run.events[0].time + 1e-12))
    there = np.array([run[name][k] for name in system.state_names])
    near = run.time[k] - run.events[0].time
    assert np.abs(there - after).max() < 200.0 * near + 1e-9
    assert run.metadata["statistics"]["largest_h"] < KEPT
    rough = 0.05 if formulation == "linear-implicit" else 1e-4
    assert abs(run.energy_balance.residual) < rough


@pytest.mark.parametrize("formulation", ["partitioning", "projection", "multipliers", "baumgarte"])
def test_so_does_a_run_with_modes(formulation: str) -> None:
    system = pegged_pendulum().compile()

    def pulled(t: float, x: np.ndarray) -> np.ndarray:
        return x + [0.05, 0.05, 0.0, 0.0, 0.3, 0.0, 0.0]

    events = [tb.Event(f"at {t}", system.model.time - t, restart=pulled) for t in (0.1, 0.5)]
    run = tb.simulate(
        system, system.assemble(), 1.0, constraints=formulation, events=events, energy_balance=True,
        progress=False,
    )  # fmt: skip
    assert [record.target for record in run.transitions] == ["short"]
    assert run.metadata["statistics"]["largest_h"] < KEPT
    assert abs(run.energy_balance.residual) < 1e-5
    z, x = (after_of(run, system)[i] for i in (0, 1))
    assert np.hypot(z, x) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("formulation", ["multipliers", "baumgarte"])
def test_a_restart_that_no_constraint_allows_fails_by_name(formulation: str) -> None:
    system = slider_crank_model().compile()
    torn = tb.Event("torn", system.model.time - 0.1, restart=lambda t, x: x + 1e6)
    with pytest.raises(RunFailed, match="restart of event 'torn' raised") as failed:
        tb.simulate(system, system.assemble(), constraints=formulation, events=[torn])
    assert failed.value.run.time[-1] == pytest.approx(0.1)
