"""Comparing two runs gives the size of their differences, signal by signal."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.recording import Run, compare


def test_runs_on_the_same_instants_are_subtracted() -> None:
    a = Run([0, 1, 2], {"s": [1.0, 2.0, 3.0], "only a": [0, 0, 0]}, {"s": "m"})
    b = Run([0, 1, 2], {"s": [1.0, 2.5, 3.0], "only b": [0, 0, 0]})
    result = compare(a, b)
    assert result["s"].max == 0.5
    assert result["s"].time_of_max == 1.0
    assert result["s"].rms == pytest.approx(0.5 / np.sqrt(3))
    assert (result.only_in_a, result.only_in_b) == (["only a"], ["only b"])
    assert not result.interpolated
    assert result.max == 0.5


def test_runs_on_different_instants_are_interpolated_over_their_common_time() -> None:
    a = Run([0.0, 0.5, 1.0, 5.0], {"s": [0.0, 0.5, 1.0, 9.0]})
    b = Run([0.25, 2.0], {"s": [0.25, 2.0]})
    result = compare(a, b)
    np.testing.assert_array_equal(result.time, [0.5, 1.0])
    assert result["s"].max == pytest.approx(0.0, abs=1e-15)
    assert result.interpolated


def test_runs_in_other_units_are_compared_in_those_of_the_first() -> None:
    a, turned = Run([0, 1], {"s": [0.0, np.pi]}, {"s": "rad"}), {"s": [1.8, 180.0]}
    difference = compare(a, Run([0, 1], turned, {"s": "deg"}))["s"]
    assert difference.max == pytest.approx(np.pi / 100, rel=1e-12) and difference.unit == "rad"
    with pytest.raises(InputError, match="'s' of b is in 'bar', which can't be turned into 'rad'"):
        compare(a, Run([0, 1], turned, {"s": "bar"}))


def test_a_nan_is_not_hidden_by_other_differences() -> None:
    a = Run([0, 1], {"s": [0.0, 0.0]})
    assert np.isnan(compare(a, Run([0, 1], {"s": [9.0, np.nan]}))["s"].max)


def test_runs_without_common_time_are_refused() -> None:
    with pytest.raises(InputError, match="share no time: a covers 0 to 1 s, b covers 2 to 3 s"):
        compare(Run([0, 1], {}), Run([2, 3], {}))


def test_a_comparison_prints_a_table_and_draws(tmp_path: Path) -> None:
    a = Run([0, 1], {"height": [1.0, 2.0]}, {"height": "m"})
    b = Run([0, 0.5, 1], {"height": [1.0, 1.5, 2.25], "extra": [0, 0, 0]})
    result = compare(a, b)
    text = str(result)
    assert "height" in text and "0.25" in text and "only in b: extra" in text
    assert "interpolated" in text
    figure = result.plot(path=tmp_path / "d.png")
    assert figure.axes[0].get_ylabel() == "Δ height [m]"
    with pytest.raises(InputError, match="no common signal 'hight'"):
        result.plot("hight")
