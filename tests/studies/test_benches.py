"""Docquier's and Gillespie's benches do what their papers say of them."""

import numpy as np
import pytest

import touchback as tb
from studies.benches import double_keystrokes as keystrokes, key_sensors as sensors
from studies.benches.couplers import PRINTED, TORSIONAL, events
from studies.benches.his_own import other
from studies.benches.released_weight import filmed
from studies.benches.report import REPORTS
from touchback.gallery.bouncing_hammer import BEDDED, CARRIED, hammer_key_bed


@pytest.fixture(scope="module")
def lag() -> float:
    return sensors.lag_that_explains()


def test_the_hall_pair_is_ten_percent_off_at_five_hertz_and_close_below_one(lag: float) -> None:
    own = sensors.KeySensors(lag)
    assert 1e-3 < lag < 10e-3
    assert own.checked(sensors.to_and_fro(sensors.FAST)).off == pytest.approx(0.10, abs=1e-3)
    assert own.checked(sensors.to_and_fro(sensors.SLOW)).off < 0.04


def test_the_line_bends_at_the_ends_of_the_travel_most() -> None:
    height, error = sensors.KeySensors().deviation()
    inside = (height > sensors.ENDS) & (height < sensors.TRAVEL - sensors.ENDS)
    assert np.abs(error[~inside]).max() > 2 * np.abs(error[inside]).max()


def test_a_lag_is_that_of_a_step() -> None:
    step = np.r_[0.0, np.ones(100)]
    assert sensors.lagged(step, 0.02)[21] == pytest.approx(1 - np.exp(-21e-3 / 0.02))


def test_the_load_cell_reads_its_sensitivity_at_full_load_and_stops_there() -> None:
    cell = keystrokes.load_cell()
    assert cell.reading(50.0) == pytest.approx(0.765e-3 * keystrokes.EXCITATION)
    told = keystrokes.measured(np.array([3.0, 80.0, -1.0]))
    assert told == pytest.approx([3.0, 50.0, 0.0], abs=5e-3)


def test_about_three_newtons_are_held_after_slow_keystrokes_and_releases_peak() -> None:
    found = keystrokes.double_keystroke(keystrokes.SLOW)
    first, second = found.keystrokes
    for felt in (first, second):
        assert felt.held == pytest.approx(3.0, abs=0.3)
        assert felt.peak > felt.held and felt.release > felt.held
        assert felt.strikes == 1
    assert second.held == pytest.approx(first.held, abs=0.02)  # the action had come to rest


def test_fast_keystrokes_strike_once_are_caught_in_check_and_the_lever_raises_the_hammer() -> None:
    found = keystrokes.double_keystroke(keystrokes.FAST)
    below = found.run["string gap"][np.searchsorted(found.run.time, keystrokes.FAST[0].up)]
    assert 12e-3 < below < 16e-3  # where a backcheck holds the hammer
    for felt in found.keystrokes:
        assert felt.strikes == 1
        assert 2e-3 < felt.raised < 2e-2


def test_the_soft_coupler_keeps_his_order_and_the_torsional_one_throws_the_hammer_ahead() -> None:
    assert TORSIONAL["finger stiffness"] == pytest.approx(2970.0, rel=1e-3)
    assert pytest.approx(7.27e-3, rel=1e-2) == PRINTED
    assert np.isnan(events("soft, ramp as printed").times).all()  # it never gets there
    assert events("soft, scaled").in_order
    let_off, slipped, strike = events("torsional, scaled").times
    assert let_off < strike < slipped


def test_a_shorter_toe_leaves_his_hammer_short_of_the_string_and_every_length_has_a_row() -> None:
    found, highest = other({"toe": "L8"})
    assert np.isnan(found.times[2]) and -0.02 < highest < -0.01  # rad
    told = REPORTS["lengths"]()
    assert all(f"L{i} " in told or f"L{i}," in told for i in range(1, 27))


def test_the_weight_strikes_and_the_camera_tells_his_angles() -> None:
    found = filmed()
    assert len(found.time) == 700 and found.strikes[0] == pytest.approx(0.2, abs=5e-3)
    for name, seen in found.seen.items():
        assert np.std(seen - found.true[name]) < 3e-3, name
    rising = (found.time > 0.12) & (found.time < found.strikes[0] - 0.03)
    q1, q2 = (np.gradient(found.true[name])[rising].sum() for name in ("q1", "q2"))
    assert q2 > 5 * q1 * 0.2595 / 0.131 * 0.5  # the hammer's way is some five times the key's


def test_the_machine_of_four_states_goes_the_way_that_the_press_asks_for() -> None:
    system = hammer_key_bed().compile()
    blow = ([0.0, 0.002, 0.1, 0.104, 1.0], [0.0, 3.0, 3.0, 2.5, 2.5])
    run = tb.simulate(
        system, duration=1.0, inputs={"key force": blow}, rtol=1e-8, progress=False
    )  # fmt: skip
    assert [x.target for x in run.transitions[:2]] == [BEDDED, "hammer on key on bed"]
    push = ([0.0, 0.002, 0.03, 0.032, 1.0], [0.0, 2.0, 2.0, -1.0, -1.0])
    run = tb.simulate(system, duration=1.0, inputs={"key force": push}, rtol=1e-8, progress=False)
    assert abs(run["key rate"][-1]) < 1e-3  # the back rail has taken its energy
    assert run.transitions[0].source == CARRIED and run.transitions[0].target == "apart"
    assert run["carry gap"].min() > -1e-6
