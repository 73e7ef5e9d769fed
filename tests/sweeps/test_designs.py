"""Designs spread their points as their names promise, and give the same ones each time."""

import re

import numpy as np
import pytest
from scipy.stats import kstest, qmc

import touchback as tb
from touchback.sweeps import Grid, LatinHypercube, LogUniform, MonteCarlo, Normal, Saltelli, Sobol

SQUARE = {"a": (0.0, 1.0), "b": (0.0, 1.0)}


def test_a_grid_has_every_combination_once() -> None:
    design = Grid({"mass": [1, 2], "length": [0.1, 0.2, 0.4]})
    assert design.names == ("mass", "length") and len(design) == 6
    assert design.points().tolist() == [[m, x] for m in (1.0, 2.0) for x in (0.1, 0.2, 0.4)]


def test_a_latin_hypercube_has_one_point_in_each_layer_of_each_axis() -> None:
    shares = LatinHypercube({**SQUARE, "c": (0.0, 1.0)}, runs=300, seed=5).points()
    for column in shares.T:
        assert np.floor(np.sort(column) * 300).tolist() == list(range(300))


def test_sobol_points_have_one_in_each_dyadic_box_of_the_square() -> None:
    """Of two dimensions the sequence is a (0, m, 2)-net (Sobol 1967, Niederreiter 1987)."""
    points = Sobol(SQUARE, runs=256, seed=3).points()
    for bits in range(9):
        boxes = np.floor(points * [2**bits, 2 ** (8 - bits)]).astype(int)
        assert len({tuple(box) for box in boxes}) == 256
    drawn = MonteCarlo(SQUARE, runs=256, seed=3).points()
    assert qmc.discrepancy(points) < qmc.discrepancy(drawn) / 5


@pytest.mark.parametrize("kind", [MonteCarlo, LatinHypercube, Sobol, Saltelli])
def test_a_design_gives_the_same_points_each_time_and_others_by_another_seed(kind) -> None:
    points = kind(SQUARE, 64).points()
    assert np.array_equal(points, kind(SQUARE, 64).points())
    assert not np.array_equal(points, kind(SQUARE, 64, seed=1).points())
    assert len(points) == len(kind(SQUARE, 64)) == (64 * 4 if kind is Saltelli else 64)


def test_values_follow_their_distributions() -> None:
    axes = {"x": Normal(3.0, 0.5), "k": LogUniform(1e2, 1e6), "m": (2, 4)}
    normal, log_uniform, uniform = LatinHypercube(axes, runs=2000).points().T
    # one point in each of 2000 layers lies nowhere further than 1/2000 from the distribution
    assert kstest(normal, "norm", args=(3.0, 0.5)).statistic <= 1 / 2000 + 1e-9
    assert kstest(log_uniform, "loguniform", args=(1e2, 1e6)).statistic <= 1 / 2000 + 1e-9
    assert kstest(uniform, "uniform", args=(2.0, 2.0)).statistic <= 1 / 2000 + 1e-9
    assert np.isfinite(Normal(0.0, 1.0).at(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Sobol(SQUARE, 1000), "power of two, .* got 1000; give 512 or 1024"),
        (lambda: Saltelli(SQUARE, 3), "Saltelli: runs must be a power of two"),
        (lambda: MonteCarlo(SQUARE, 0), "runs must be a whole number from 1 to 10000000, got 0"),
        (lambda: MonteCarlo(SQUARE, 5, seed=-1), "seed must be a whole number ≥ 0, got -1"),
        (lambda: MonteCarlo({}, 5), "must map names of parameters"),
        (lambda: MonteCarlo({"failure": (0, 1)}, 5), "other than 'failure'"),
        (
            lambda: MonteCarlo({"a": (1, 0)}, 5),
            "Axis 'a': .*low must be below high, got 1.0 and 0.0",
        ),
        (lambda: MonteCarlo({"a": 3}, 5), "Axis 'a': give a pair .*, got 3"),
        (lambda: LogUniform(0, 1), "LogUniform: low must be a positive number, got 0"),
        (lambda: Normal(0, np.inf), "deviation must be a positive number, got inf"),
        (lambda: Grid({"a": []}), re.escape("Axis 'a': give finite numbers in a row, got []")),
        (lambda: Grid({"a": [0, np.nan]}), "finite numbers in a row"),
        (lambda: Grid(dict.fromkeys("abcd", range(100))), "got 100000000"),
    ],
)
def test_a_design_that_can_not_be_is_refused(make, complaint) -> None:
    with pytest.raises(tb.InputError, match=complaint):
        make()
