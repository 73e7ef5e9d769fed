"""Every formulation on the suite of redundant, driven, switched, quaternion and singular loops."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from closed_suite import (
    CASES,
    FORMULATIONS,
    Prepared,
    change_point,
    dead_centre,
    run_case,
    slider_crank_model,
)
from formulation_promises import TABLE, Promise, Refusal, promise, table
from touchback import gallery
from touchback.gallery import planar_linkages
from touchback.simulate.run_failure import RunFailed
from touchback.simulate.solvers import METHODS

SPEEDS = np.linspace(4.0, 14.0, 6)  # rad/s: each meets the singular position differently


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[str, Prepared]:
    return request.param, CASES[request.param]()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_each_formulation_keeps_its_promise(case: tuple[str, Prepared], formulation: str) -> None:
    name, prepared = case
    promised = promise(name, formulation)
    if isinstance(promised, Refusal):
        with pytest.raises(tb.InputError, match=promised.words):
            run_case(prepared, formulation)
    elif isinstance(promised, Promise):
        found = run_case(prepared, formulation)
        assert found.error <= promised.error
        assert found.closure <= promised.closure
        assert found.energy <= promised.energy
    else:
        _runs_safely_or_says_so(prepared, formulation)


def _runs_safely_or_says_so(prepared: Prepared, formulation: str) -> None:
    try:
        found = run_case(prepared, formulation)
    except RunFailed as failed:
        assert len(failed.run.time) > 1
        return
    told = found.statistics["largest_h"] > 1e-10
    assert found.energy <= 1e-4 or told


@pytest.mark.parametrize("word", ["linear-implicit", "augmented-lagrangian"])
def test_a_method_that_is_a_formulation_needs_no_other_word(word: str) -> None:
    system = slider_crank_model().compile()
    solver = METHODS[word]
    start = system.assemble()
    expected = tb.simulate(system, start, 0.05, constraints=word, progress=False)
    for method in (word, solver):
        run = tb.simulate(system, start, 0.05, method=method, progress=False)
        assert run.metadata["constraints"] == word and run.metadata["method"] == word
        for name in system.state_names:
            np.testing.assert_array_equal(run[name], expected[name])
    with pytest.raises(tb.InputError, match="leave method='dopri5' away"):
        tb.simulate(system, method="dopri5", constraints=word)
    for method, constraints in ((word, None), (None, word)):
        with tb.live(system, start, speed=None, method=method, constraints=constraints) as live:
            live.run(0.05)
            assert live.read(system.state_names[0]) == expected[system.state_names[0]][-1]


@pytest.mark.parametrize("word", ["linear-implicit", "augmented-lagrangian"])
def test_a_method_that_is_a_formulation_is_neither_taken_nor_proposed_without_constraints(
    word: str,
) -> None:
    system = gallery.make("pendulum").compile()
    for call in (tb.simulate, tb.live):
        with pytest.raises(
            tb.InputError, match=f"'{word}' enforces constraints.*none; use"
        ) as told:
            call(system, method=word)
        proposed = str(told.value).split("; use")[1]
        assert "'rk4'" in proposed and "implicit'" not in proposed and "moreau" not in proposed
    event = tb.Event("low", system.coordinates[0])
    with pytest.raises(tb.InputError, match="'BDF' looks for no events; use") as told:
        tb.simulate(system, method="BDF", events=[event])
    assert word not in str(told.value)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("make", "angle"), [(change_point, 1.0), (dead_centre, 0.6)])
def test_singular_positions_neither_crash_nor_lose_energy_silently(
    make, angle: float, formulation: str
) -> None:  # type: ignore[no-untyped-def]
    """Linear-implicit steps lose energy everywhere, by their order, so only survive here."""
    prepared = make()
    allowed = {"linear-implicit": 1.0, "augmented-lagrangian": 3e-3}.get(formulation, 1e-4)
    for speed in SPEEDS:
        prepared.x0 = prepared.system.assemble(crank=angle, rates={"crank": float(speed)})
        if formulation in ("multipliers", "baumgarte", "penalty"):
            _runs_safely_or_says_so(prepared, formulation)
        else:
            assert run_case(prepared, formulation).energy <= allowed


@pytest.mark.parametrize("formulation", ["partitioning", "projection"])
@pytest.mark.parametrize(
    ("step", "speeds"),
    [(1e-3, 11), (1e-4, 3), pytest.param(1e-4, 11, marks=pytest.mark.soak)],
)
def test_steps_that_end_next_to_a_fold_keep_energy_and_are_counted(
    formulation: str, step: float, speeds: int
) -> None:
    """At 9 rad/s and 0.1 ms a state lies 1.5e-6 rad from the fold, where a whole row of J vanishes:
    what the integrator leaves of J v, put on the dependents alone, is 0.7 % of the energy."""
    system = dead_centre().system
    for speed in np.linspace(4.0, 14.0, speeds):
        x0 = system.assemble(crank=0.6, rates={"crank": float(speed)})
        run = tb.simulate(
            system, x0, 2.0, method="rk4", constraints=formulation, step=step, progress=False
        )
        lost = np.abs(run["energy"] - run["energy"][0]).max() / np.max(run["kinetic"])
        assert lost <= 1e-5, speed
        assert run.metadata["statistics"]["singular"] > 0, speed


def test_many_loops_are_counted_as_singular_only_while_they_are_flat() -> None:
    """Cranks pass a quarter turn once at 6 rad/s or more: within 0.02 rad for 7 steps at most."""
    loops, angle = 20, 1.0
    system = planar_linkages.make_four_bars(loops).compile()
    guess = {f"crank {i}": angle for i in range(1, loops + 1)}
    guess |= {f"coupler {i}": -angle for i in range(loops)}
    x0 = system.assemble(rates={"crank 0": 6.0}, guess=guess, **{"crank 0": angle})
    run = tb.simulate(system, x0, 0.3, method="rk4", step=1e-3, progress=False)
    assert run["crank 0"][-1] > np.pi / 2 + 0.5
    assert 1 <= run.metadata["statistics"]["singular"] <= 8


def test_a_run_that_leaves_its_constraints_says_so_and_warns() -> None:
    """Multipliers at a fold; from what they have left nothing brings them back."""
    system = dead_centre().system
    x0 = system.assemble(crank=0.6, rates={"crank": 9.0})
    with pytest.warns(RuntimeWarning, match="slider-crank: 'multipliers' left the constraints by"):
        run = tb.simulate(
            system, x0, 2.0, method="rk4", constraints="multipliers", step=1e-3, progress=False
        )
    largest = run.metadata["statistics"]["largest_h"]
    assert largest > 1e-6
    assert f"{largest:.1e} m" in run.metadata["diagnostics"][0]
    assert "constraints='partitioning' or 'projection'" in run.metadata["diagnostics"][0]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_run_that_starts_with_its_loop_open_warns(formulation: str) -> None:
    system = slider_crank_model().compile()
    own = formulation in ("linear-implicit", "augmented-lagrangian")
    with pytest.warns(RuntimeWarning, match=r"initial state breaks the constraints by up to 0\.32"):
        tb.simulate(
            system, [0.3, 0.0, 0.8, 0.0, 0.0, 0.0], 1e-3, constraints=formulation, step=1e-3,
            method=None if own else "rk4", progress=False,
        )  # fmt: skip


def test_a_run_past_a_fold_remarks_on_it_and_one_without_has_no_remarks() -> None:
    folding, plain = dead_centre(), slider_crank_model().compile()
    said = []
    for system, x0 in ((folding.system, folding.x0), (plain, plain.assemble(rates={"crank": 6.0}))):
        run = tb.simulate(system, x0, 1.0, method="rk4", step=1e-3, progress=False)
        said.append(run.metadata["diagnostics"])
    assert len(said[0]) == 1 and "almost at, a singular position" in said[0][0]
    assert said[1] == []


@pytest.mark.parametrize("formulation", ["partitioning", "projection"])
def test_newton_needs_few_iterations_at_3000_rpm_and_1_ms(formulation: str) -> None:
    """The crank turns 0.3 rad a step; every solve starts from the integrator's extrapolation."""
    system = slider_crank_model(0.05, 0.2).compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 100 * np.pi})
    run = tb.simulate(
        system, x0, 1.0, method="rk4", constraints=formulation, step=1e-3, progress=False
    )
    counts = run.metadata["statistics"]
    print(
        f"\n{formulation}: {counts['iterations'] / counts['solves']:.2f} iterations a solve, "
        f"{counts['iterations_most']} at most, |h| {counts['largest_h']:.1e} m"
    )
    assert counts["solves"] >= 1000
    assert counts["not_converged"] == 0
    assert 1 <= counts["iterations_most"] <= 5
    assert counts["largest_h"] <= 1e-12


def test_the_feedback_of_baumgartes_is_chosen_per_run() -> None:
    """None is index 1, less lets constraints drift. The command that repeats a run says it."""
    system = slider_crank_model().compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 30.0})
    drifts = []
    for way in ("multipliers", tb.Baumgarte(0.0, 0.0), tb.Baumgarte(5.0, 5.0), "baumgarte"):
        run = tb.simulate(system, x0, 1.0, constraints=way, method="rk4", step=1e-3, progress=False)
        drifts.append(run.metadata["statistics"]["largest_h"])
        text = way if isinstance(way, tb.Baumgarte) else repr(way)
        assert f"constraints={text}".replace("=B", "=tb.B") in run.metadata["repro_call"]
    assert run.metadata["constraints"] == "baumgarte"
    assert drifts[0] == drifts[1] > 2.0 * drifts[2] > 4.0 * drifts[3] > 0.0
    with pytest.raises(tb.InputError, match=r"alpha must be zero or positive, got -1"):
        tb.Baumgarte(alpha=-1.0)


def test_a_penalty_of_index_1_changes_the_iterations_and_not_the_motion() -> None:
    """It tends to what Baumgarte's multipliers give (Gallo 2012, 2.12–2.14): the analyst need not
    know a good penalty. A strong one rounds: by 1e-16 times its size."""
    system = slider_crank_model().compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 30.0})
    how = {"method": "rk4", "step": 1e-3, "progress": False}
    known = tb.simulate(system, x0, 0.5, constraints="baumgarte", **how)
    iterations = []
    for penalty, rounding in ((10.0, 1e-11), (1e3, 1e-11), (1e6, 1e-8)):
        run = tb.simulate(system, x0, 0.5, constraints=tb.Penalty(penalty=penalty), **how)
        counts = run.metadata["statistics"]
        iterations.append(counts["iterations"] / counts["solves"])
        assert run["crank"] == pytest.approx(known["crank"], abs=rounding)
        assert counts["not_converged"] == 0
    assert iterations[0] > 2.0 * iterations[1] > 2.5 * iterations[2] > 5.0
    with pytest.raises(tb.InputError, match="penalty"):
        tb.Penalty(penalty=0.0)


def test_live_runs_take_formulations_with_settings_and_replay_them(tmp_path: Path) -> None:
    system = slider_crank_model().compile()
    x0, ends = system.assemble(crank=0.3, rates={"crank": 30.0}), []
    for way in ("baumgarte", tb.Baumgarte(), tb.Baumgarte(5.0, 5.0)):
        file = tmp_path / "run.mcap"
        with tb.live(system, x0, speed=None, constraints=way, record=file) as live:
            live.run(0.1)
            ends.append(live.read("crank"))
        assert tb.replay(file).same
    assert ends[0] == ends[1] != ends[2]


@pytest.mark.parametrize("way", ["baumgarte", tb.Penalty(alpha=20.0, beta=20.0)], ids=str)
def test_live_index_1_follows_a_drive_that_jumps_and_isn_t_held(way: str | tb.Penalty) -> None:
    """As an encoder's steps do: ḧ + 40 ḣ + 400 h = 0, so h is (1 + 20 t) e^(−20 t) of the jump."""
    m = tb.Model("steered", gravity=(0, 0, 0))
    m.joint("wheel", tb.Revolute("z"), m.ground, m.body("wheel", inertia=(0.1, 0.1, 0.1)))
    m.drive("wheel", m.input("angle", unit="rad"))
    with tb.live(m.compile(), speed=None, rate=1000, constraints=way) as live:
        live["angle"] = 0.3
        live.run(0.1)
        assert live.report().counts["open_loops"] == 0
        assert live["wheel"] == pytest.approx(0.3 * (1.0 - 3.0 * np.exp(-2.0)), abs=1e-6)


def test_a_change_of_the_independent_set_is_counted_and_timed() -> None:
    prepared = dead_centre()
    counts = run_case(prepared, "partitioning").statistics
    assert counts["choices"] > 2
    assert 0 < counts["worst_choice"] < 1


def test_the_table_in_the_docs_is_current() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), "run python tests/formulation_promises.py"


def test_the_penalty_of_index_3_can_be_chosen() -> None:
    """A weak one needs more iterations for the same closure."""
    system = planar_linkages.make_four_bars(2).compile()
    start = system.assemble(rates={system.velocities[0]: 1.0})
    counts = {}
    for penalty in (1e4, 1e6):
        way = tb.AugmentedLagrangian(penalty)
        run = tb.simulate(system, start, 0.2, constraints=way, step=2e-3, progress=False)
        statistics = run.metadata["statistics"]
        assert statistics["largest_h"] < 1e-10
        counts[penalty] = statistics["iterations"]
    usual = tb.simulate(
        system, start, 0.2, constraints="augmented-lagrangian", step=2e-3, progress=False
    )
    assert usual.metadata["statistics"]["iterations"] == counts[1e6] < counts[1e4]
    with pytest.raises(tb.InputError, match="penalty must be a positive number"):
        tb.AugmentedLagrangian(0.0)
