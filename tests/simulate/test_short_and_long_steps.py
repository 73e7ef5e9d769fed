"""Steps that are longer than the run, and numbers of NumPy's short kinds."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make


@pytest.fixture(scope="module")
def pendulum() -> tb.System:
    return make("pendulum").compile()


@pytest.mark.parametrize("method", ["rk4", "euler", "implicit-euler", "trapezoidal"])
def test_a_step_longer_than_the_run_is_cut_to_it(pendulum: tb.System, method: str) -> None:
    """However much longer: what is left of a run without a whole step is no rounding."""
    run = tb.simulate(pendulum, duration=0.05, method=method, step=0.05, progress=False)
    for step in (1.0, 1e8, 1e300):
        cut = tb.simulate(pendulum, duration=0.05, method=method, step=step, progress=False)
        np.testing.assert_array_equal(cut.time, [0.0, 0.05])
        assert cut["pivot"].tolist() == run["pivot"].tolist()


@pytest.mark.parametrize("constraints", ["linear-implicit", "augmented-lagrangian"])
def test_the_steps_of_formulations_are_too(constraints: str) -> None:
    bars = make("slider-crank").compile()
    run = tb.simulate(bars, duration=1e-3, constraints=constraints, step=1e7, progress=False)
    np.testing.assert_array_equal(run.time, [0.0, 1e-3])


def test_a_very_short_run_ends_where_it_should(pendulum: tb.System) -> None:
    for method in ("rk4", "dopri5"):
        run = tb.simulate(pendulum, duration=1e-12, method=method, progress=False)
        assert run.time[-1] == 1e-12


def test_a_run_that_ends_where_it_starts_is_refused(pendulum: tb.System) -> None:
    for start, duration in ((1e6, 1e-12), (1e308, 1e308)):
        with pytest.raises(tb.InputError, match="no number tells the end of the run from its"):
            tb.simulate(pendulum, start=start, duration=duration, progress=False)


SHORT: list[dict[str, Any]] = [
    {"duration": 1.0, "method": "rk4", "step": np.float32(1e-3)},
    {"duration": np.float16(0.1), "start": np.float32(0.1), "method": "rk4", "step": 0.01},
    {"duration": 1.0, "method": "rk4", "step": np.float16(0.001), "output_step": None},
    {"duration": 0.1, "rtol": np.float16(1e-3), "atol": np.float32(1e-6)},
    {"duration": np.float32(0.1), "output_step": np.float32(0.01), "step_limit": np.int16(999)},
]


@pytest.mark.parametrize("given", SHORT, ids=str)
def test_short_numbers_are_taken_as_they_are_and_repeated_to_the_bit(
    pendulum: tb.System, given: dict[str, Any]
) -> None:
    run = tb.simulate(pendulum, progress=False, **given)
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in given.items()
    }
    same = tb.simulate(pendulum, progress=False, **plain)
    again = eval(run.metadata["repro_call"], {"tb": tb, "system": pendulum})
    for other in (same, again):
        np.testing.assert_array_equal(run.time, other.time)
        np.testing.assert_array_equal(run["pivot"], other["pivot"])
    end = plain.get("start", 0.0) + plain["duration"]
    assert run.time[-1] == pytest.approx(end, rel=1e-14)


def test_what_reads_a_number_keeps_it_as_pythons() -> None:
    kept = [
        (tb.RK4(step=np.float32(0.1), output_step=np.float16(0.2)), ("step", "output_step")),
        (tb.Dopri5(rtol=np.float32(1e-3), atol=np.float16(1e-3)), ("rtol", "atol")),
        (tb.MoreauJean(step=np.float32(0.1), theta=np.float16(0.5)), ("step", "theta")),
        (tb.EventDriven(rest=np.float32(1e-6)), ("rest",)),
        (tb.Event("now", lambda t, x: t, locking=np.float32(1e-3)), ("locking",)),
        (tb.Switch(np.float32(0.1), deactivate=["pin"]), ("at",)),
        (tb.Baumgarte(alpha=np.float16(3), beta=np.float32(4)), ("alpha", "beta")),
        (tb.AugmentedLagrangian(penalty=np.float32(1e5)), ("penalty",)),
    ]
    for owner, names in kept:
        assert [type(getattr(owner, name)) for name in names] == [float] * len(names)
    assert type(tb.Dopri5(step_limit=np.int16(9)).step_limit) is int
