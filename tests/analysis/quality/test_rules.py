"""The laboratory's rules at their very limits, on rows and motions that are made up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.analysis.quality import Demand, Limit, Quality, Row, quality_sweep
from touchback.analysis.quality.quality_result import (
    Candidate,
    _at_rate,
    _cells,
    _points,
    plain_row,
)
from touchback.analysis.quality.quality_sweep import (
    Bounds,
    Clock,
    OutOfTime,
    Reference,
    Violation,
    drift_growth,
    energy_losses,
    fixed_grid,
    list_candidates,
    stability_limit,
)
from touchback.simulate import Trajectory

RK4 = Candidate("partitioning", "rk4", True)
OTHER = Candidate("baumgarte", "rk4", True)
FREE = Candidate(None, "dopri5", False)
GOOD = Row(RK4, 1e-3, error=1e-9, drift=1e-13, load=0.01)


def quality_of(*rows: Row, limits: dict[str, Limit] | None = None, **facts: Any) -> Quality:
    known = {"uncertainty": 1e-12, "conserved": True, "losses": (), "time_limit": 30.0}
    known |= {"constrained": True}
    return Quality("made up", 2.0, rows=rows, limits=limits or {}, **{**known, **facts})


# ---- words ---------------------------------------------------------------------------------------


def test_candidates_rows_and_limits_have_their_words() -> None:
    assert [each.label for each in (RK4, FREE)] == ["partitioning rk4", "dopri5"]
    assert Candidate("linear-implicit", "linear-implicit", True).label == "linear-implicit"
    assert Candidate("projection", "rk4", True, True).label == "natural projection rk4"
    assert Row(RK4, 0.002).setting == "0.002 s" and Row(FREE, rtol=1e-7).setting == "rtol 1e-07"
    assert Row(RK4, load=0.25).real_time_factor == 4.0 and Row(RK4).real_time_factor is None
    assert [str(limit) for limit in (Limit(None), Limit(0.1), Limit(0.1, True))] == [
        "none", "0.1 s", "≥ 0.1 s",
    ]  # fmt: skip
    assert str(quality_of(GOOD)).startswith("made up, 2 s\nFor 1000 Hz: partitioning rk4 at 0.001")


def test_a_table_says_what_the_reference_can_not_tell_apart() -> None:
    row = replace(GOOD, growth=1.04, energy=2e-7, error=1e-12)
    cells = ["1.0e-13", "t^1.0", "2.0e-07", "≤ 1.0e-12", "1 %"]
    assert _cells(quality_of(row), row) == cells
    above = replace(row, error=1.01e-12, load=None, growth=None)
    assert _cells(quality_of(above), above)[1:] == ["", "2.0e-07", "1.0e-12", "not measurable"]
    failed = replace(row, status="failed")
    assert _cells(quality_of(failed), failed) == ["", "", "", "failed", ""]
    plain = quality_of(failed, constrained=False, conserved=False)
    assert _cells(plain, failed) == ["failed", ""]
    table = quality_of(row, above, limits={"partitioning rk4": Limit(0.5)}).table()
    assert [column.header for column in table.columns] == [
        "candidate", "setting", "max |h|", "growth", "energy", "error", "real time", "limit",
    ]  # fmt: skip
    assert list(table.columns[0].cells) == ["partitioning rk4", ""]
    assert list(table.columns[-1].cells) == ["0.5 s", ""]


def test_files_have_every_row_flat(tmp_path: Path) -> None:
    rows = GOOD, Row(FREE, rtol=1e-7, status="refused", note="no")
    flat = plain_row(rows[0])
    assert (flat["formulation"], flat["method"], flat["coordinates"]) == (
        "partitioning", "rk4", "relative",
    )  # fmt: skip
    assert flat["real_time_factor"] == pytest.approx(100.0) and "candidate" not in flat
    assert (
        plain_row(replace(GOOD, candidate=replace(RK4, natural=True)))["coordinates"] == "natural"
    )
    quality_of(*rows, limits={"a": Limit(0.5, True)}, losses=("drag",)).save(tmp_path / "a.json")
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["limits"] == {"a": {"step": 0.5, "open": True}} and len(document["rows"]) == 2
    assert (document["duration"], document["losses"]) == (2.0, ["drag"])
    with pytest.raises(tb.InputError, match=r"'a.txt': .csv or .json is expected"):
        quality_of(*rows).save(tmp_path / "a.txt")


def test_pictures_draw_what_fits_on_logarithmic_axes() -> None:
    rows = [replace(GOOD, load=load, error=error) for load, error in (
        (0.2, 1e-3), (0.1, 0.0), (None, 1.0), (0.0, 1.0), (0.3, None),
    )]  # fmt: skip
    assert _points(rows, "load", "error") == ([0.1, 0.2], [1e-17, 1e-3])
    axes = quality_of(GOOD, Row(FREE, rtol=1e-7, error=1e-8, load=0.1)).plot().axes
    assert [axis.get_ylabel() for axis in axes] == [
        "error against the reference [m, rad]", "max |h| [m, rad]",
    ]  # fmt: skip
    styles = [line.get_linestyle() for line in axes[0].lines]
    assert styles == ["-", "--", ":"] and len(axes[1].lines) == 1
    assert axes[0].lines[-1].get_ydata()[0] == 1e-12
    for facts, label in (
        ({"constrained": False}, "relative energy error"),
        ({"constrained": False, "conserved": False}, "error against the reference [m, rad]"),
    ):
        assert quality_of(GOOD, **facts).plot().axes[1].get_ylabel() == label


# ---- recommendations -----------------------------------------------------------------------------


def test_the_longest_step_that_divides_the_period_counts() -> None:
    rows = [replace(GOOD, step=step) for step in (2e-3, 1e-3, 5e-4, 3e-4)]
    assert [row.step for row in _at_rate(rows, 1000.0)] == [1e-3]
    assert [row.step for row in _at_rate(rows, 2000.0)] == [5e-4]
    assert _at_rate(rows, 2001.0) == [] == _at_rate([Row(FREE, rtol=1e-7)], 1000.0)
    both = [*rows, replace(GOOD, candidate=OTHER, step=2.5e-4)]
    assert [row.step for row in _at_rate(both, 1000.0)] == [1e-3, 2.5e-4]


def at_rate(*rows: Row, limits: dict[str, Limit] | None = None, **demand: float) -> Row | None:
    return quality_of(*rows, limits=limits).recommend(Demand(**demand)).at_rate


def test_margins_and_loads_belong_to_what_is_allowed() -> None:
    assert at_rate(replace(GOOD, load=0.5)) is not None
    assert at_rate(replace(GOOD, load=0.5001)) is None
    for limit, fits in (
        (Limit(1.25e-3), True), (Limit(1.2499e-3), False), (Limit(1e-3, open=True), True),
        (Limit(None), False),
    ):  # fmt: skip
        assert (at_rate(GOOD, limits={"partitioning rk4": limit}) is not None) == fits
    assert at_rate(replace(GOOD, status="unbounded")) is None
    assert at_rate(replace(GOOD, candidate=replace(RK4, natural=True))) is None


def test_demands_are_met_where_they_are_reached() -> None:
    usual = Demand()
    exact = replace(GOOD, error=usual.error, drift=usual.drift, energy=usual.energy)
    assert "misses" not in quality_of(exact).recommendation
    for word, wrong in (
        ("error 1.1e-06", replace(exact, error=1.1e-6)),
        ("|h| 1.1e-10", replace(exact, drift=1.1e-10)),
        ("energy 1.1e-06", replace(exact, energy=1.1e-6)),
    ):
        assert f"misses in {word}." in quality_of(wrong).recommendation
    both = quality_of(replace(exact, drift=1e-9, energy=1e-5)).recommendation
    assert "misses in |h| 1.0e-09 and energy 1.0e-05" in both
    assert "at 0.001 s: error 1.0e-06, |h| 1.0e-10, energy 1.0e-06, 1 % of real time" in (
        quality_of(exact).recommendation
    )
    known = quality_of(replace(exact, error=1.0), uncertainty=usual.error)
    assert "misses in error" in known.recommendation  # the reference can just tell
    assert "misses" not in quality_of(replace(exact, error=1.0), uncertainty=1.01e-6).recommendation


def test_what_misses_by_least_is_taken_where_nothing_meets_all() -> None:
    less, more = replace(GOOD, drift=2e-10), replace(GOOD, candidate=OTHER, drift=3e-10)
    assert at_rate(more, less) == less
    assert at_rate(replace(more, load=0.001), less) == less


def test_cheaper_ones_are_named_up_to_a_thousand_times_the_demand() -> None:
    cheap = replace(GOOD, candidate=OTHER, drift=1e-7, load=0.002)
    text = quality_of(GOOD, cheap).recommendation
    assert (
        "baumgarte rk4 at 0.001 s: error 1.0e-09, |h| 1.0e-07, 0.2 % of real time: 5.0 times"
        in (text)
    )
    assert "cheaper" not in quality_of(GOOD, replace(cheap, drift=1.001e-7)).recommendation
    assert "cheaper" not in quality_of(GOOD, replace(cheap, load=0.00667)).recommendation
    assert "1.5 times cheaper" in quality_of(GOOD, replace(cheap, load=0.0066)).recommendation


def test_longer_steps_are_named_beyond_twice_the_limit() -> None:
    own = {"partitioning rk4": Limit(4e-3)}
    other = replace(GOOD, candidate=OTHER, drift=1e-9)
    for limit, named in ((Limit(8.1e-3), True), (Limit(8e-3), False), (Limit(None), False)):
        found = quality_of(GOOD, other, limits={**own, "baumgarte rk4": limit}).recommendation
        assert ("only if steps beyond 0.004 s are needed" in found) == named
    found = quality_of(GOOD, other, limits={"baumgarte rk4": Limit(1.0)}).recommendation
    assert "only if" not in found


def test_drift_is_told_from_almost_linear_growth_on_by_its_largest() -> None:
    small, large = (replace(GOOD, drift=drift, growth=0.81, step=step)
                    for drift, step in ((1e-9, 1e-3), (1e-8, 2e-3)))  # fmt: skip
    text = quality_of(large, small).recommendation
    assert "drifts: |h| grows like t^0.8, to 1.0e-08 at 0.002 s; not for long runs." in text
    assert text.count("drifts") == 1
    assert "drifts" not in quality_of(replace(small, growth=0.8)).recommendation


def test_reservations_count_what_is_missing() -> None:
    cut = [replace(GOOD, status="not measured", step=step) for step in (1e-4, 1e-5)]
    text = quality_of(GOOD, *cut, conserved=False, losses=tuple("abcde")).recommendation
    assert "Energy is no measure here: the model doesn't conserve it (a, b, c, d)." in text
    assert "Not measured within 30 s: settings 2, stability limits 1;" in text
    whole = quality_of(GOOD, limits={"partitioning rk4": Limit(1.0)}).recommendation
    assert "Not measured" not in whole and "Energy is no measure" not in whole
    blind = quality_of(GOOD, uncertainty=1.1e-6).recommendation
    assert "the reference itself is known to 1.1e-06 only" in blind
    assert "left out of account" not in quality_of(GOOD, uncertainty=1e-6).recommendation


# ---- measures ------------------------------------------------------------------------------------


def test_grids_hold_whole_steps_and_at_most_a_thousand_instants() -> None:
    assert fixed_grid(1.0, 1e-3) == (1000, 1) and fixed_grid(0.3, 0.1) == (3, 1)
    assert fixed_grid(1.0005, 1e-3) == (1000, 1) and fixed_grid(1.001, 1e-3) == (1000, 2)
    assert fixed_grid(2.5, 1e-3) == (2499, 3) and fixed_grid(0.01, 0.1) == (1, 1)


def test_growth_is_of_what_is_beyond_rounding_and_never_falls() -> None:
    times = np.linspace(0.0, 8.0, 81)
    assert drift_growth(times, 1e-6 * times) == pytest.approx(1.0)
    assert drift_growth(times, 0.99e-12 * np.ones(81)) is None
    assert drift_growth(times, 1e-12 * np.ones(81)) == pytest.approx(0.0, abs=1e-9)
    early = np.where(times < 1.0, 1e-3 * times**4, 1e-3 * times)  # the first eighth doesn't count
    assert drift_growth(times, early) == pytest.approx(1.0)
    falling = 1e-6 * (9.0 - times)
    assert drift_growth(times, falling) == pytest.approx(0.0, abs=1e-9)  # the largest so far
    assert drift_growth(np.array([0.0, 1.0]), np.array([0.0, 1e-6])) is None


def reference(times: np.ndarray, positions: np.ndarray) -> Reference:
    return Reference(times, positions, positions, 0.0, 1.0, True, 0.0, 0.1)


def test_errors_are_of_the_nearest_instant_of_the_reference() -> None:
    known = reference(np.array([0.0, 1.0, 2.0]), np.array([[0.0], [10.0], [20.0]]))
    assert known.error(np.array([0.0, 1.0, 2.0]), np.array([[0.0], [10.5], [20.0]])) == 0.5
    beside = np.array([1e-9, 1.0 - 1e-9, 1.0 + 1e-9, 2.0 + 1e-9])
    assert known.error(beside, np.array([[0.0], [10.0], [10.0], [20.25]])) == 0.25
    assert known.moved
    still = np.array([[1.0, 1e6], [1.0, 1e6 + 1e-7]])
    assert not reference(np.array([0.0, 1.0]), still).moved
    assert reference(np.array([0.0, 1.0]), still + [[0.0, 0.0], [1e-11, 0.0]]).moved


def test_a_clock_ends_what_its_time_is_over_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now, seen = [100.0], list[float]()
    monkeypatch.setattr(quality_sweep, "time", SimpleNamespace(monotonic=lambda: now[0]))
    clock = Clock(5.0, SimpleNamespace(update=seen.append))  # type: ignore[arg-type]
    now[0], clock.done = 102.0, 0.25
    assert clock.left == 3.0
    clock.check()
    now[0] = 105.0
    clock.check()
    now[0] = 105.1
    with pytest.raises(OutOfTime, match="5 s were over"):
        clock.check()
    assert seen == [0.25] * 3


class Scripted(Bounds):
    """Bounded up to a step, of a mechanism that is known for so long."""

    def __init__(self, stable: float, duration: float) -> None:
        self.stable, self.asked = stable, list[float]()
        self.bench = SimpleNamespace(duration=duration)  # type: ignore[assignment]

    def stays(self, candidate: Candidate, step: float) -> bool:
        self.asked.append(step)
        return step <= self.stable


def test_a_stability_limit_is_found_from_both_sides() -> None:
    for start in (1e-3, 0.03):
        bounds = Scripted(0.0123, 10.0)
        limit = stability_limit(bounds, RK4, start, 1e-4)
        assert not limit.open and limit.step is not None
        assert 0.0123 / 1.002 <= limit.step <= 0.0123  # to 2e-3 of it
        assert bounds.asked[0] == start and len(bounds.asked) < 22
    assert stability_limit(Scripted(5.0, 10.0), RK4, 0.01, 1e-4) == Limit(1.0, open=True)
    assert stability_limit(Scripted(5.0, 10.0), RK4, 3.0, 1e-4) == Limit(1.0, open=True)
    assert stability_limit(Scripted(1e-5, 10.0), RK4, 1e-3, 1e-4) == Limit(None)
    low = stability_limit(Scripted(1.01e-4, 10.0), RK4, 1e-3, 1e-4)
    assert low.step is None or low.step >= 1e-4


def test_runs_are_unbounded_from_twenty_times_the_true_speed_on() -> None:
    bounds: Any = object.__new__(Bounds)
    bounds._times, bounds._fastest = np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    bounds._excursion = 0.5
    off = [0.0, 0.5, 0.5]
    bounds.measures = SimpleNamespace(
        violation=lambda times, states, natural: Violation(np.array(off), np.zeros(3))
    )
    bounds.bench = SimpleNamespace(compared=lambda candidate, states: (states, states))
    assert bounds.horizon == 2.0

    def told(*speeds: float, failure: Any = None) -> str:
        states = np.array(speeds)[:, None]
        run = Trajectory(np.array([0.0, 1.0, 1.5]), states, failure=failure)
        return bounds.unbounded(RK4, run)

    # that of the next sample counts: 2 m/s after 0 s, 3 m/s after 1 s
    assert told(40.0, -60.0, 60.0) == ""
    assert told(40.1, 0.0, 0.0) == "20 times too fast after 0 s"
    assert told(0.0, 0.0, -60.1) == "20 times too fast after 1.5 s"
    off[1] = 0.51
    assert told(0.0, 0.0, 0.0) == "comes apart after 1 s"
    assert told(0.0, 0.0, 0.0, failure=SimpleNamespace(time=0.25)) == "not finite after 0.25 s"


def test_candidates_are_each_formulation_by_its_methods() -> None:
    labels = [each.label for each in list_candidates(True, ["projection", "linear-implicit"])]
    assert labels == ["projection rk4", "projection dopri5", "linear-implicit"]
    free = list_candidates(False, ["dopri5", "rk4"])
    assert [(each.label, each.fixed) for each in free] == [("rk4", True), ("dopri5", False)]
    both = list_candidates(True, ["projection"], natural=True)
    assert [each.natural for each in both] == [False, False, True, True]
    mixed = list_candidates(False, ["rk4", "projection"], natural=True)
    assert [each.label for each in mixed] == [
        "rk4", "natural projection rk4", "natural projection dopri5",
    ]  # fmt: skip
    every = {each.method for each in list_candidates(False, None)}
    assert {"rk4", "euler", "dopri5", "radau5"} <= every and not {"RK45", "LSODA"} & every
    with pytest.raises(tb.InputError, match="formulation"):
        list_candidates(True, ["rk4"])


def test_what_spoils_energy_is_named() -> None:
    m = tb.Model("lossy")
    a, b = m.body("a", mass=1.0), m.body("b", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, a, damping=0.5)
    m.joint("y", tb.Prismatic("y"), a, b, limits=(-1.0, 1.0))
    m.force("spring", tb.SpringDamper(m.ground, b, stiffness=1.0, length=0.5))
    assert energy_losses(m) == ["damping in joint 'x'", "the stop of joint 'y'"]
    m.force("damper", tb.SpringDamper(m.ground, b, stiffness=1.0, damping=0.1, length=0.5))
    m.force("push", tb.JointEffort("x", m.input("push")))
    assert energy_losses(m)[2:] == ["force 'damper'", "force 'push'"]
