"""The recommendation follows its rules: on rows with given figures, and on measured ones."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import touchback as tb
from touchback.analysis.quality import Limit, Quality, Row, quality_sweep
from touchback.analysis.quality.quality_result import SAME_COST, Candidate
from touchback.analysis.quality.quality_sweep import load_per_second

EXACT = Row(Candidate("partitioning", "rk4", True), 1e-3, error=1e-9, drift=1e-13, load=0.010)
CHEAP = Row(Candidate("baumgarte", "rk4", True), 1e-3, error=1e-5, drift=1e-8, load=0.004)
SLOPPY = Row(Candidate("linear-implicit", "linear-implicit", True), 1e-3, error=0.1, drift=1e-5,
             load=0.003)  # fmt: skip
ADAPTIVE = Row(Candidate("partitioning", "dopri5", False), rtol=1e-7, error=1e-7, drift=1e-13,
               load=0.002)  # fmt: skip


def quality_of(*rows: Row, limits: dict[str, Limit] | None = None, **facts: float) -> Quality:
    known = {"uncertainty": 1e-12, "conserved": True, "losses": (), "time_limit": 30.0}
    return Quality("made up", 1.0, True, rows, limits or {}, **{**known, **facts})  # type: ignore[arg-type]


ALL = quality_of(EXACT, CHEAP, SLOPPY, ADAPTIVE)


def test_the_cheapest_that_meets_the_demand_is_chosen() -> None:
    assert ALL.recommend().at_rate == EXACT
    assert ALL.recommend(tb.Demand(error=1e-4, drift=1e-7)).at_rate == CHEAP
    assert ALL.recommend(tb.Demand(error=1.0, drift=1e-3, rate=1000)).offline == ADAPTIVE


def test_among_equally_cheap_ones_the_more_accurate_is_chosen() -> None:
    better = replace(
        EXACT, candidate=Candidate("projection", "rk4", True), drift=1e-14, error=1e-10
    )
    close = quality_of(EXACT, replace(better, load=0.014))
    dear = quality_of(EXACT, replace(better, load=0.016))
    assert close.recommend().at_rate.candidate.formulation == "projection"
    assert dear.recommend().at_rate.candidate.formulation == "partitioning"


def test_a_clock_wants_fixed_steps_that_divide_its_period() -> None:
    assert ALL.recommend(tb.Demand(rate=500)).at_rate == EXACT  # two steps a period
    unfit = ALL.recommend(tb.Demand(rate=1500))
    assert unfit.at_rate is None
    assert "measure the step 0.000666667 s" in unfit.text


def test_too_slow_is_not_chosen() -> None:
    slow = quality_of(replace(EXACT, load=0.8), CHEAP)
    assert slow.recommend().at_rate == CHEAP
    nothing = quality_of(replace(EXACT, load=0.8)).recommend()
    assert nothing.at_rate is None
    assert "nothing is fit" in nothing.text


def test_a_margin_is_kept_to_the_stability_limit() -> None:
    near = quality_of(EXACT, CHEAP, limits={"partitioning rk4": Limit(1.1e-3)})
    assert near.recommend().at_rate == CHEAP
    far = quality_of(EXACT, CHEAP, limits={"partitioning rk4": Limit(1.3e-3)})
    assert far.recommend().at_rate == EXACT


def test_what_is_missed_is_said() -> None:
    strict = ALL.recommend(tb.Demand(error=1e-11))
    assert strict.at_rate == EXACT
    assert "misses in error 1.0e-09" in strict.text


def test_cheaper_ones_are_named_where_they_are_of_use() -> None:
    assert "baumgarte rk4 at 0.001 s" in ALL.recommend(tb.Demand(drift=1e-10)).text
    assert "linear-implicit" not in ALL.recommend().text


def test_longer_steps_are_the_reason_for_an_implicit_formulation() -> None:
    limits = {"partitioning rk4": Limit(4e-3), "linear-implicit": Limit(0.1, open=True)}
    text = quality_of(EXACT, SLOPPY, limits=limits).recommendation
    assert "linear-implicit only if steps beyond 0.004 s are needed" in text


def test_drift_that_grows_is_warned_of() -> None:
    drifting = replace(CHEAP, growth=1.9)
    assert (
        "baumgarte rk4 drifts: |h| grows like t^1.9" in quality_of(EXACT, drifting).recommendation
    )


def test_an_error_that_the_reference_cannot_tell_is_left_out() -> None:
    blind = quality_of(replace(EXACT, error=3.0), uncertainty=0.1).recommend()
    assert blind.at_rate is not None
    assert "misses" not in blind.text
    assert "left out of account" in blind.text


def test_the_choice_for_an_engine_changes_with_the_demand(engine_quality: tb.Quality) -> None:
    usual = engine_quality.recommend(tb.Demand(error=1e-3, energy=1e-4))
    assert usual.at_rate.step == 1e-3
    assert usual.at_rate.candidate.formulation in ("partitioning", "projection")
    finer = engine_quality.recommend(tb.Demand(rate=5000, error=1e-6))
    assert finer.at_rate.step == 2e-4
    loose = engine_quality.recommend(tb.Demand(error=1e-3, drift=1e-4, energy=1e-3))
    # of those that cost the same, within what times differ, it takes the most exact
    assert loose.at_rate.load <= SAME_COST * usual.at_rate.load


@pytest.mark.parametrize("load", [None, 0.0])
def test_a_cost_that_is_not_measurable_never_wins_as_the_cheapest(load: float | None) -> None:
    """Neither at a rate nor offline, whatever else it measures; the table and the text say so."""
    best = replace(EXACT, candidate=Candidate("projection", "rk4", True), error=0.0, load=load)
    free = replace(ADAPTIVE, candidate=Candidate("projection", "dopri5", False), load=load)
    found = quality_of(best, free, EXACT, ADAPTIVE).recommend(tb.Demand(error=1e-4))
    assert found.at_rate == EXACT and found.offline == ADAPTIVE
    assert "The cost of 2 settings is not measurable" in found.text
    alone = quality_of(best, free)
    assert alone.recommend().at_rate == best  # it meets every demand, and nothing else is there
    assert "cost not measurable" in alone.recommendation
    assert "0 %" not in alone.recommendation
    assert list(alone.table().columns[-2].cells) == ["not measurable"] * 2
    assert "not drawn on the left: 2 settings" in alone.plot().get_suptitle()
    assert "not drawn" not in quality_of(EXACT).plot().get_suptitle()


@pytest.mark.parametrize("noise", [0.0, 1e-5])
def test_a_cost_within_the_noise_of_the_clock_is_none(
    noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, now = np.random.default_rng(1), [0.0]

    def run(cost: float) -> Callable[[float], None]:
        def taken(duration: float) -> None:
            now[0] += 1e-4 + cost * duration + noise * abs(rng.standard_normal())

        return taken

    clocks = SimpleNamespace(thread_time=lambda: now[0])
    monkeypatch.setattr(quality_sweep, "time", clocks)
    for cost in (0.0, -1e-5, 1e-10):
        assert load_per_second(run(cost), 1.0, 1e-3) is None
    for cost in (1e-4, 1e-2):
        assert load_per_second(run(cost), 1.0, 1e-3) == pytest.approx(cost, rel=0.1)


@pytest.mark.parametrize("name", ["pendulum", "double-pendulum", "crank-rocker"])
def test_nothing_is_recommended_where_nothing_moves(name: str) -> None:
    model = tb.gallery.make(name)
    model.gravity = (0.0, 0.0, 0.0)
    system = model.compile()
    found = tb.quality(system, system.assemble(), 0.1, steps=[1e-2], time_limit=10.0)
    assert not found.moved
    assert found.recommend().at_rate is None and found.recommend().offline is None
    assert found.recommendation.startswith("Nothing moves within 0.1 s: ")
