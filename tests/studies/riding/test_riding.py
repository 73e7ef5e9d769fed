"""Gallo's tests of his interface, shortened: transfers between two processes, and speeds."""

import numpy as np
import pytest

from studies.riding import differentiators as study
from studies.riding.report import transfer_row
from studies.riding.transfers import Manoeuvre, manoeuvres, transfer
from touchback.devices.daq import strategy
from touchback.devices.daq.block_layout import GALLO


@pytest.mark.parametrize(
    "manoeuvre", [Manoeuvre("with stalls", [(0.1, 0.05), (0.3, 0.02)], jitter=2e-3, load=1)],
    ids=lambda each: each.name,
)  # fmt: skip
def test_every_block_of_a_manoeuvre_comes_once_whole_and_in_order(manoeuvre: Manoeuvre) -> None:
    found = transfer(manoeuvre, 0.5)
    assert abs(found.received - found.expected) <= 1 and found.expected == 500
    assert (found.torn, found.reordered, found.lost) == (0, 0, 0)
    assert sum(found.per_call) == len(found.blocks) == len(found.busy)
    assert found.blocks.sum() == found.received
    assert found.per_call[3] > 0  # after a stall
    assert len(found.age) == len(found.blocks) - found.per_call[0]
    assert len(transfer_row(found)) == 8


def test_there_are_five_manoeuvres_some_with_stalls_and_some_under_load() -> None:
    five = manoeuvres(50.0, 3)
    assert len(five) == 5
    assert [bool(each.stalls) for each in five] == [False, False, True, False, True]
    assert [each.load for each in five] == [0, 0, 0, 3, 3]
    assert strategy("all blocks", GALLO).want.most == 8 * 50_000


def test_every_smooth_differentiator_errs_five_times_less_than_four_points_backward() -> None:
    four_points, backward, *smooth = study.compare(study.STEP, 20.0)
    assert [each.name for each in smooth] == [f"smooth, N = {n}" for n in range(2, 11)]
    for each in smooth:
        assert each.error < four_points.error / 5.0
        assert each.error < backward.error / 2.0 * 1.02  # N = 2 is the mean of two of them
    # On white noise of a count's staircase, uniform: gains of the filters' coefficients.
    step = study.ENCODER.resolution / np.sqrt(12.0) / study.STEP
    for each in smooth:
        gain = np.linalg.norm(
            study.SmoothDifferentiator(1.0, int(each.name.split()[-1])).coefficients
        )
        assert each.noise == pytest.approx(gain * step, rel=0.05)
    weights = np.array([25 / 12, -4.0, 3.0, -4 / 3, 1 / 4])
    assert four_points.noise == pytest.approx(np.linalg.norm(weights) * step, rel=0.05)


def test_at_the_board_s_rate_five_times_less_than_plain_differences_from_n_5_on() -> None:
    _, backward, *smooth = study.compare(study.BLOCK, 5.0)
    assert [each.error < backward.error / 5.0 for each in smooth] == [False] * 3 + [True] * 6


def test_smoother_speeds_save_newton_iterations_at_5_ms() -> None:
    found = study.newton_iterations(("four points backward", "backward", "smooth, N = 4"), 4.0)
    four_points, backward, smooth = (each.iterations for each in found.values())
    assert smooth < 0.95 * backward < 0.9 * four_points
    assert found["smooth, N = 4"].jumps < 0.5 * found["backward"].jumps


def test_four_points_backward_are_exact_for_polynomials_of_degree_four() -> None:
    t = 0.1 * np.arange(30)
    speed = study.run(study.FourPointBackward(0.1), t**4 - 2 * t**3 + t)
    np.testing.assert_allclose(speed[4:], (4 * t**3 - 6 * t**2 + 1)[4:], atol=1e-9)
