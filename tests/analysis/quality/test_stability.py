"""The stability limit is found where theory has it."""

import pytest

import touchback as tb
from quality_models import OMEGA, oscillator


@pytest.mark.parametrize(("method", "limit"), [("euler", 2.0), ("rk4", 8**0.5)])
def test_limits_on_a_linear_oscillator(
    oscillator_quality: tb.Quality, method: str, limit: float
) -> None:
    """h ω < 2 and h ω < 2 √2; found from below, to the resolution of the bisection and to the
    twentyfold amplitude that still counts as bounded."""
    found = oscillator_quality.limits[method]
    assert found.step * OMEGA == pytest.approx(limit, rel=4e-3)
    assert not found.open


def test_damping_shortens_the_longest_semi_implicit_step() -> None:
    """v₊ = v − h (ω² q + c v), q₊ = q + h v₊: −1 becomes an eigenvalue at h² ω² + 2 h c = 4."""
    damping = 15.0
    found = tb.quality(
        oscillator(damping), [1.0, 0.0], 5.0, steps=(0.02, 0.01), formulations=("euler",),
        progress=False,
    )  # fmt: skip
    step = (-damping + (damping**2 + 4 * OMEGA**2) ** 0.5) / OMEGA**2
    assert found.limits["euler"].step == pytest.approx(step, rel=5e-3)


def test_steps_beyond_the_limit_are_marked() -> None:
    found = tb.quality(oscillator(), [1.0, 0.0], 20.0, steps=(0.5, 0.1), progress=False)
    too_long, fine = found.of("rk4")
    assert too_long.status in ("unbounded", "failed")
    assert "after" in too_long.note
    assert too_long.error is None
    assert fine.status == "fine"


def test_an_implicit_formulation_goes_further(engine_quality: tb.Quality) -> None:
    limits = engine_quality.limits
    assert limits["linear-implicit"].open
    assert limits["multipliers rk4"].step < limits["linear-implicit"].step
