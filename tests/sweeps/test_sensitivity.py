"""Sensitivity indices against closed forms, and against those that SciPy computes."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import sobol_indices

import touchback as tb
from touchback.sweeps import MonteCarlo, Saltelli, Sweep

CIRCLE = (-np.pi, np.pi)
ISHIGAMI = Saltelli({"x1": CIRCLE, "x2": CIRCLE, "x3": CIRCLE}, runs=4096)
WEIGHTS = np.array([0.0, 1.0, 4.5, 9.0])  # of Sobol's g function, as in Saltelli et al. 2010
G = Saltelli({f"x{k}": (0.0, 1.0) for k in range(4)}, runs=4096)


def ishigami(x: np.ndarray) -> np.ndarray:
    """sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁ (Ishigami, Homma 1990)."""
    return np.sin(x[:, 0]) * (1 + 0.1 * x[:, 2] ** 4) + 7 * np.sin(x[:, 1]) ** 2


def ishigami_indices() -> tuple[np.ndarray, np.ndarray]:
    own = np.array([(1 + 0.1 * np.pi**4 / 5) ** 2 / 2, 7**2 / 8, 0.0])
    shared = 8 * 0.1**2 * np.pi**8 / 225  # of x₁ and x₃
    variance = own.sum() + shared
    return own / variance, (own + [shared, 0.0, shared]) / variance


def g_function(x: np.ndarray) -> np.ndarray:
    """Π (|4 x_k − 2| + a_k)/(1 + a_k) (Sobol 1993)."""
    return np.prod((np.abs(4 * x - 2) + WEIGHTS) / (1 + WEIGHTS), axis=1)


def g_indices() -> tuple[np.ndarray, np.ndarray]:
    own = 1 / (3 * (1 + WEIGHTS) ** 2)
    variance = np.prod(1 + own) - 1
    return own / variance, own * np.prod(1 + own) / (1 + own) / variance


def swept(design, values: np.ndarray) -> Sweep:
    columns = dict(zip(design.names, design.points().T))
    failure = np.where(np.isfinite(values), "", "failed").astype(object)
    return Sweep(design, {**columns, "y": values, "failure": failure}, Path())


@pytest.mark.parametrize(
    ("design", "function", "indices"),
    [(ISHIGAMI, ishigami, ishigami_indices()), (G, g_function, g_indices())],
)
def test_indices_are_those_of_the_closed_form_within_their_intervals(
    design, function, indices
) -> None:
    found = swept(design, function(design.points())).sensitivity("y", confidence=0.999)
    for values, interval, exact in zip(
        (found.first, found.total), (found.first_interval, found.total_interval), indices
    ):
        assert np.abs(values - exact).max() < 0.01  # 4096 rows of an even sequence
        assert (interval[:, 0] <= exact + 1e-12).all() and (exact <= interval[:, 1] + 1e-12).all()
        assert np.ptp(interval, axis=1).max() < 0.2


def test_indices_are_those_of_scipy() -> None:
    values = ishigami(ISHIGAMI.points())
    a, b, *mixed = values.reshape(5, -1)
    peer = sobol_indices(func={"f_A": a[None], "f_B": b[None], "f_AB": np.array(mixed)[:, None]},
                         n=4096)  # fmt: skip
    found = swept(ISHIGAMI, values).sensitivity("y")
    assert np.allclose(found.first, peer.first_order, rtol=0, atol=1e-10)
    assert np.allclose(found.total, peer.total_order, rtol=0, atol=1e-10)


def test_intervals_hold_so_much_of_what_a_bootstrap_draws() -> None:
    """As wide as the normal law says of the rows' own spread, to what 1000 draws leave open."""
    values = ishigami(ISHIGAMI.points())
    a, b, *mixed = (values.reshape(5, -1) - values[: 2 * 4096].mean()) / values.std()
    for confidence, sigmas in ((0.6827, 1.0), (0.9545, 2.0)):
        found = swept(ISHIGAMI, values).sensitivity("y", confidence)
        for k, each in enumerate(mixed):
            spread = np.std((a - each) ** 2 / 2 - found.total[k] * (a * a + b * b) / 2) / 64
            low, high = found.total_interval[k]
            # the quantiles of 1000 draws are off by some percent
            assert high - low == pytest.approx(2 * sigmas * spread, rel=0.15)
            assert low < found.total[k] < high
        assert found.confidence == confidence


def test_intervals_of_few_rows_are_those_of_a_bootstrap_by_the_definitions() -> None:
    """Sums of squares over the variance of what was drawn, which 32 rows leave as doubtful as the
    sums."""
    design = Saltelli(dict.fromkeys(("x1", "x2"), (0.0, 1.0)), runs=32)
    values = design.points() @ [2.0, 1.0]
    found = swept(design, values).sensitivity("y", 0.8)
    a, b, *mixed = values.reshape(4, 32)
    rows = np.random.default_rng(5).integers(32, size=(4000, 32))
    spread = np.var(np.hstack([a[rows], b[rows]]), axis=1)
    for k, each in enumerate(mixed):
        drawn = ((a - each) ** 2)[rows].mean(axis=1) / 2.0 / spread
        low, high = np.quantile(drawn, [0.1, 0.9])
        # quantiles of 1000 draws are off by some percent of what lies between them
        assert found.total_interval[k] == pytest.approx([low, high], abs=0.15 * (high - low))


def test_outcomes_of_any_size_have_the_same_indices() -> None:
    values = ishigami(ISHIGAMI.points())
    usual = swept(ISHIGAMI, values).sensitivity("y")
    for size in (1e300, 1e-200):
        found = swept(ISHIGAMI, size * values).sensitivity("y")
        assert np.allclose(found.total, usual.total) and np.allclose(found.first, usual.first)


def test_rows_with_a_failed_run_do_not_count() -> None:
    values = ishigami(ISHIGAMI.points())
    values[[5, 4096 + 5, 4 * 4096 + 90]] = np.nan
    found = swept(ISHIGAMI, values).sensitivity("y")
    assert found.left_out == 2 and str(found).endswith("\n  2 rows with a failed run don't count")
    assert np.abs(found.total - ishigami_indices()[1]).max() < 0.02


def test_what_has_no_indices_is_refused() -> None:
    with pytest.raises(tb.InputError, match=r"need runs of tb.sweeps.Saltelli, .* of MonteCarlo"):
        swept(MonteCarlo({"x": (0, 1)}, 8), np.ones(8)).sensitivity("y")
    small = Saltelli({"x": (0, 1)}, 32)
    with pytest.raises(tb.InputError, match=r"'y' is 1\.0 in all runs"):
        swept(small, np.ones(96)).sensitivity("y")
    with pytest.raises(tb.InputError, match="0 of 32 rows have no failed run"):
        swept(small, np.full(96, np.nan)).sensitivity("y")
    values = np.random.default_rng(1).random(96)
    values[:16] = np.nan
    assert swept(small, values).sensitivity("y").left_out == 16  # sixteen rows are enough
    values[16] = np.nan
    with pytest.raises(tb.InputError, match="15 of 32 rows have no failed run; at least 16"):
        swept(small, values).sensitivity("y")
    for confidence in (0.0, 1.0):
        with pytest.raises(tb.InputError, match="confidence must be between 0 and 1"):
            swept(small, values).sensitivity("y", confidence)


def test_bars_of_both_indices_are_drawn(tmp_path) -> None:
    found = swept(ISHIGAMI, ishigami(ISHIGAMI.points())).sensitivity("y")
    figure = found.plot(tmp_path / "shares.png")
    assert [bar.get_height() for bar in figure.axes[0].patches] == [*found.first, *found.total]
    assert figure.get_size_inches().tolist() == [2.4 + 3.0, 3.2]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in figure.axes[0].patches]
    assert np.allclose(middles, [-0.2, 0.8, 1.8, 0.2, 1.2, 2.2])
    ticks = figure.axes[0].get_xaxis()
    assert ticks.get_ticklocs().tolist() == [0, 1, 2]
    assert [label.get_text() for label in ticks.get_ticklabels()] == ["x1", "x2", "x3"]
    ends = [container.lines[2][0].get_segments() for container in figure.axes[0].containers[1::2]]
    drawn = np.array([[bar[:, 1] for bar in bars] for bars in ends])
    assert np.allclose(drawn, [found.first_interval, found.total_interval])
    assert (tmp_path / "shares.png").exists()
    lines = str(found).splitlines()
    assert lines[0] == "y: shares of its variance, 95 % intervals" and len(lines) == 4
    low, high = found.total_interval[0]
    assert lines[1].endswith(f"with others {found.total[0]:6.3f} ({low:.3f} … {high:.3f})")
