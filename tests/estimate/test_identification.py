"""Parameters from recorded runs: closed forms, regression, coverage over repeated noise."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.analysis.variation_integration import Variations, plan_steps
from touchback.simulate.input_signals import read_inputs

LENGTH, DAMPING, SWING = 1.3, 0.2, 1.0


@cache
def pendulum() -> tb.System:
    m = tb.Model("pendulum")
    length = m.parameter("length", LENGTH, unit="m", min=0.1, max=10.0)
    damping = m.parameter("damping", DAMPING, min=0.0)
    m.parameter("colour", 1.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob, damping=damping)
    m.sensor("tip", tb.Position(bob.at(0, 0, -length)))
    return m.compile()


@cache
def oscillator() -> tb.System:
    """A mass on a spring, pushed."""
    m = tb.Model("oscillator")
    mass = m.parameter("mass", 2.0, min=0.01)
    stiffness = m.parameter("stiffness", 50.0, min=0.0)
    damping = m.parameter("damping", 1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=mass), damping=damping)
    push = m.input("push", unit="N")
    m.force("spring", tb.JointEffort("x", push - stiffness * m.coordinate("x")))
    return m.compile()


@cache
def swinging() -> tb.Run:
    start = pendulum().assemble(swing=SWING)
    return tb.simulate(pendulum(), start, 5.0, rtol=1e-10, atol=1e-12, output_step=0.025)


def noisy(run: tb.Run, seed: int, sigma: float, *names: str) -> tb.Run:
    noise = np.random.default_rng(seed)
    signals = {name: run[name] + noise.normal(0.0, sigma, len(run)) for name in names}
    return tb.Run(run.time, signals)


def fit(run: tb.Run, **options: Any) -> tb.estimate.Identification:
    """From a guess that is a quarter off."""
    wanted = {
        "parameters": {"length": 1.0, "damping": 0.1}, "signals": ["swing"], "initial": ["swing"],
        "x0": pendulum().assemble(swing=0.8), "step": 0.0125,
    }  # fmt: skip
    return tb.identify(pendulum(), run, **{**wanted, **options})


def test_a_fit_is_printed_with_the_units_of_its_model() -> None:
    found = fit(noisy(swinging(), 0, 0.02, "swing"))
    assert found.units == {"length": "m", "damping": "", "swing at the start": "rad"}
    rows = str(found).splitlines()[1:]
    assert [row.strip().split("  ")[0] for row in rows[:3]] == [
        "length [m]", "damping", "swing at the start [rad]",
    ]  # fmt: skip
    assert rows[3].startswith("  noise: swing [rad] 0.0")


def test_the_variations_of_a_pendulum_are_known_in_closed_form() -> None:
    """θ(t; l) = Θ(t √(g/l)) without damping, so ∂θ/∂l = −t θ̇ / 2l at any amplitude."""
    system, times = pendulum(), np.array([0.0, 0.3, 0.9, 1.0, 1.1, 1.2, 2.0])
    variations = Variations(system, ["length"], ["swing"])
    given, own = read_inputs(system, None, 2.0), {"damping": 0.0}
    plan = plan_steps(times, given, system, own, 1e-3)
    along = variations.follow(np.array([SWING, 0.0]), plan, given, own)
    theta_rate = along.values[:, 1]
    np.testing.assert_allclose(
        along.derivatives[:, 0, 0], -times * theta_rate / (2 * LENGTH), atol=1e-9
    )
    assert along.derivatives[0, :2, 1].tolist() == [1.0, 0.0]
    tip = along.derivatives[:, 2, 0]  # tip.x = −l sin θ
    wanted = (
        -np.sin(along.values[:, 0])
        - LENGTH * np.cos(along.values[:, 0]) * along.derivatives[:, 0, 0]
    )
    np.testing.assert_allclose(tip, wanted, atol=1e-9)


def test_derivatives_are_those_of_the_steps_themselves() -> None:
    """Coarse steps are far from the motion, yet their derivatives are exact: central differences
    of the same steps agree to what differences can."""
    system, times = pendulum(), np.linspace(0.0, 2.0, 5)
    variations, given = Variations(system, ["length"], []), read_inputs(system, None, 2.0)

    def ends(length: float) -> Any:
        own = {"length": length}
        plan = plan_steps(times, given, system, own, 0.5)
        return variations.follow(np.array([SWING, 0.0]), plan, given, own)

    difference = (ends(LENGTH + 1e-5).values - ends(LENGTH - 1e-5).values) / 2e-5
    np.testing.assert_allclose(ends(LENGTH).derivatives[:, :, 0], difference, atol=1e-9)


def test_what_has_no_noise_is_found_exactly() -> None:
    found = fit(swinging(), signals=["swing", "tip.x"])
    assert found["length"] == pytest.approx(LENGTH, rel=1e-7)  # the steps' own error
    assert found["damping"] == pytest.approx(DAMPING, rel=1e-6)
    assert found["swing at the start"] == pytest.approx(SWING, rel=1e-7)


def test_a_straight_line_has_the_errors_of_ordinary_regression() -> None:
    """A block that slides freely is x + v t: NumPy's polynomial fit knows values and covariance."""
    m = tb.Model("slider")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0))
    times = np.linspace(0.0, 2.0, 30)
    x = 0.5 + 0.7 * times + np.random.default_rng(3).normal(0.0, 0.1, 30)
    found = tb.identify(
        m.compile(), tb.Run(times, {"x": x}), parameters=[], signals=["x"],
        initial=["x", "x rate"], step=1.0,
    )  # fmt: skip
    line, covariance = np.polyfit(times, x, 1, cov=True)
    np.testing.assert_allclose(found.theta, line[::-1], rtol=1e-8)
    np.testing.assert_allclose(found.covariance, covariance[::-1, ::-1], rtol=1e-8)
    low, high = found.interval(0.9)["x rate at the start"]
    half = 1.7011309 * np.sqrt(covariance[0, 0])  # Student's t of 28 degrees, any table
    assert (high - low) / 2 == pytest.approx(half, rel=1e-6)
    left = x - np.polyval(line, times)
    assert found.noise["x"] == pytest.approx(np.sqrt(left @ left / 28))  # two of 30 are followed
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert found.correlation[0, 1] == pytest.approx(correlation)


@pytest.mark.parametrize("near", [0.0, 1e-12])
def test_a_first_guess_next_to_nothing_changes_neither_values_nor_errors(near: float) -> None:
    """x + v t again, begun at 0 and next to it."""
    m = tb.Model("slider")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0))
    times = np.linspace(0.0, 2.0, 30)
    x = 0.5 + 0.7 * times + np.random.default_rng(3).normal(0.0, 0.1, 30)
    found = tb.identify(
        m.compile(), tb.Run(times, {"x": x}), parameters=[], signals=["x"], x0=[near, 0.0],
        initial=["x", "x rate"], step=1.0,
    )  # fmt: skip
    covariance = np.polyfit(times, x, 1, cov=True)[1]
    assert not found.unidentifiable
    np.testing.assert_allclose(found.covariance, covariance[::-1, ::-1], rtol=1e-8)


def test_noise_that_few_samples_cant_tell_must_be_given() -> None:
    """One sample of a second signal would be met exactly, be taken for one without noise, and
    decide alone: intervals of 95 % held the truth in 25 of 100 trials."""
    run = noisy(swinging(), 2, 0.02, "swing", "tip.x")
    run.signals["tip.x"][np.arange(len(run)) != 40] = np.nan
    both = {"signals": ["swing", "tip.x"]}
    with pytest.raises(tb.InputError, match=r'1 samples of \'tip.x\' .*noise={"tip.x": …}'):
        fit(run, **both)
    assert fit(run, **both, noise={"tip.x": 0.02})["length"] == pytest.approx(LENGTH, rel=0.01)


def test_few_samples_of_white_noise_are_not_called_coloured() -> None:
    """Of ten, one trial in three has a correlation above 0.3."""
    run = tb.Run(swinging().time[::20], {"swing": swinging()["swing"][::20]})
    said = [fit(noisy(run, seed, 0.02, "swing")).cautions for seed in range(12)]
    assert said == [[]] * 12
    assert "11 samples are few for the loss 'huber'" in str(
        fit(noisy(run, 0, 0.02, "swing"), loss="huber")
    )


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """40 trials, three unknowns each: of a binomial count with 95 %, 0.1 % lie below 33 of 40."""
    truth = {"length": LENGTH, "damping": DAMPING, "swing at the start": SWING}
    held = dict.fromkeys(truth, 0)
    for seed in range(40):
        interval = fit(noisy(swinging(), seed, 0.02, "swing")).interval()
        for name, value in truth.items():
            held[name] += interval[name][0] <= value <= interval[name][1]
    assert min(held.values()) >= 33, held


def test_outliers_count_less_with_a_robust_loss() -> None:
    run = noisy(swinging(), 5, 0.01, "swing")
    run.signals["swing"][::9] += 1.0
    squares, robust = fit(run), fit(run, loss="huber")
    assert abs(squares["length"] - LENGTH) > 5 * abs(robust["length"] - LENGTH)
    low, high = robust.interval(0.999)["length"]
    assert low < LENGTH < high
    assert robust.noise["swing"] == pytest.approx(0.01, rel=0.3)


def test_signals_of_unlike_noise_are_weighed_by_what_is_left_of_each() -> None:
    run = noisy(swinging(), 7, 0.05, "swing", "tip.x")
    run.signals["tip.x"][:] = noisy(swinging(), 8, 0.002, "tip.x")["tip.x"]
    found = fit(run, signals=["swing", "tip.x"])
    assert found.noise["swing"] == pytest.approx(0.05, rel=0.2)
    assert found.noise["tip.x"] == pytest.approx(0.002, rel=0.2)
    alone = fit(run, signals=["tip.x"])
    assert found["length"] == pytest.approx(alone["length"], abs=alone.errors["length"])


def test_what_only_its_ratio_tells_is_named() -> None:
    """Free oscillations show k/m and c/m, neither k, m nor c."""
    system, start = oscillator(), oscillator().assemble(x=0.1)
    run = noisy(tb.simulate(system, start, 3.0, output_step=0.02), 1, 1e-3, "x")
    names = ["mass", "stiffness", "damping"]
    found = tb.identify(system, run, parameters=names, signals=["x"], x0=start)
    assert len(found.unidentifiable) == 1 and set(found.unidentifiable[0]) == set(names)
    shares = np.array(list(found.unidentifiable[0].values()))
    np.testing.assert_allclose(shares, np.full(3, shares[0]), rtol=0.1)  # all grow alike
    assert all(np.isinf(error) for error in found.errors.values())
    assert np.isnan(found.correlation[0, 1])
    assert "can't be told: " in str(found) and "'mass'" in str(found)


def test_recorded_inputs_tell_them_apart_and_runs_have_starts_of_their_own() -> None:
    system, runs = oscillator(), []
    true = {"mass": 2.3, "stiffness": 61.0, "damping": 0.8}
    for k, begin in enumerate((0.1, -0.05)):
        times = np.linspace(0.0, 3.0, 151)
        push = (times, 3.0 * np.sin((4.0 + 3.0 * k) * times))
        made = tb.simulate(
            system, system.assemble(x=begin), 3.0, inputs={"push": push}, parameters=true,
            output_step=0.02,
        )  # fmt: skip
        run = noisy(made, k, 1e-3, "x", "x rate")
        run.signals["push"] = made["push"]
        runs.append(run)
    found = tb.identify(system, runs, parameters=list(true), signals=["x", "x rate"], initial=["x"])
    interval = found.interval(0.999)
    for name, value in true.items():
        assert interval[name][0] < value < interval[name][1], name
        assert found.errors[name] < 0.02 * value
    assert found["x at the start of run 2"] == pytest.approx(-0.05, abs=2e-3)
    assert not found.cautions


@pytest.mark.parametrize(("swing", "push"), [("m", "N"), ("mm", "mN")])
def test_records_are_read_in_their_own_units(swing: str, push: str) -> None:
    system, times = oscillator(), np.linspace(0.0, 3.0, 151)
    true = {"mass": 2.3, "stiffness": 61.0}
    made = tb.simulate(
        system, system.assemble(x=0.1), 3.0, inputs={"push": (times, 3.0 * np.sin(4.0 * times))},
        parameters=true, output_step=0.02, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    size = {"m": 1.0, "mm": 1e3, "N": 1.0, "mN": 1e3}
    signals = {"x": size[swing] * made["x"], "push": size[push] * made["push"]}
    known = {"parameters": list(true), "signals": ["x"], "x0": system.assemble(x=0.1)}
    found = tb.identify(system, tb.Run(times, signals, {"x": swing, "push": push}), **known)
    assert found.values == pytest.approx(true, rel=1e-6)
    assert not any("input" in said for said in found.cautions)
    wrong = [({"x": "deg"}, "Run 1: 'x' is in 'deg'.*'m'"), ({"push": "V"}, "'push' .*'V'.*'N'")]
    for units, said in wrong:
        with pytest.raises(tb.InputError, match=said):
            tb.identify(system, tb.Run(times, signals, units), **known)
    free = tb.identify(system, tb.Run(times, {"x": made["x"]}), **known | {"parameters": ["mass"]})
    assert any("input 'push' is neither in the record" in said for said in free.cautions)


def test_times_that_would_take_millions_of_steps_are_told_before() -> None:
    run = noisy(swinging(), 2, 0.02, "swing")
    late = tb.Run(1000.0 * run.time, run.signals)  # milliseconds
    with warnings.catch_warnings(), pytest.raises(RuntimeWarning, match="isn't in seconds"):
        warnings.simplefilter("error")
        fit(late, step=1e-3)


def test_samples_that_were_not_measured_are_left_out_and_told(tmp_path: Path) -> None:
    run = noisy(swinging(), 2, 0.02, "swing")
    run.signals["swing"][10:30] = np.nan
    found = fit(run)
    assert len(found.misfit.left) == len(run) - 20
    assert "20 samples weren't measured" in str(found)
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000


def test_a_model_that_lacks_something_is_told() -> None:
    """Without damping the swing's decay is left over, from sample to sample alike."""
    found = fit(noisy(swinging(), 2, 0.005, "swing"), parameters=["length"], at={"damping": 0.0})
    assert found.residual_autocorrelation["swing"] > 0.8
    assert any("isn't white noise" in said for said in found.cautions)


def test_a_bound_that_holds_an_unknown_is_told() -> None:
    found = fit(swinging(), bounds={"length": (0.5, 1.2)})
    assert found["length"] == pytest.approx(1.2)
    assert any("'length' lies at its bound" in said for said in found.cautions)


def test_what_rests_is_told_to_be_moved() -> None:
    """A pendulum that hangs still tells nothing of its length, nor one whose torque isn't given."""
    record = noisy(swinging(), 2, 0.02, "swing")
    said = r"'length' has no influence .* let it move: begin where it did \(x0=…, initial=…\)"
    with pytest.raises(tb.InputError, match=said):
        fit(record, x0=[0.0, 0.0])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"parameters": ["lenght"]}, "lenght.*length"),
        ({"parameters": ["length", "length"]}, "'length' is named twice"),
        ({"parameters": "length"}, "list of names"),
        ({"parameters": ["length", "colour"]}, "'colour' has no influence on swing"),
        ({"parameters": {"length": np.nan}}, "first guess of 'length' is nan"),
        ({"parameters": [], "initial": []}, "at least one"),
        ({"signals": ["swimg"]}, "swimg.*swing"),
        ({"signals": ["tip.z"]}, "Run 1: There is no signal 'tip.z'"),
        ({"initial": ["swung"]}, "state 'swung'"),
        ({"bounds": {"length": (1.1, 2.0)}}, r"'length': the first guess 1 .*\(1.1, 2\)"),
        ({"bounds": {"length": (2.0, 1.0)}}, "pair"),
        ({"bounds": {"mass": (1.0, 2.0)}}, "mass"),
        ({"noise": {"swing": 0.0}}, "noise of 'swing'"),
        ({"loss": "absolute"}, "'absolute' is none; choose one of 'linear'"),
        ({"step": 0.0}, "step must be a positive number"),
        ({"step": 1e-12}, "more than 10000000 steps of a run"),
        ({"signals": 5}, "signals: names are expected"),
        ({"signals": ["swing", "swing"]}, "'swing' is named twice"),
        ({"at": {"dampign": 0.0}}, "dampign.*damping"),
        ({"x0": [None, None]}, "1 runs need one state"),
    ],
)  # fmt: skip
def test_what_cant_be_is_refused_by_name(options: dict[str, Any], said: str) -> None:
    with pytest.raises(tb.InputError, match=said):
        fit(noisy(swinging(), 2, 0.02, "swing"), **options)


@pytest.mark.parametrize(
    ("time", "swing", "said"),
    [
        ([0.0, 0.1, 0.1, 0.2, 0.3], [1.0] * 5, "each later than the one before"),
        ([0.0, 0.1], [1.0] * 2, "at least 3 instants"),
        ([0.0, 0.1, 0.2, 0.3, 0.4], [1.0, np.inf, 1.0, 1.0, 1.0], "infinite at 0.1 s"),
        ([0.0, 0.1, 0.2, 0.3, 0.4], [np.nan] * 5, "none of its samples is a number"),
        ([0.0, 0.1, 0.2], [1.0] * 3, "3 samples can't tell 3 unknowns"),
    ],
)
def test_records_that_tell_nothing_are_refused(
    time: list[float], swing: list[float], said: str
) -> None:
    with pytest.raises(tb.InputError, match=said):
        fit(tb.Run(time, {"swing": swing}))


def test_a_first_guess_that_runs_away_is_told_with_its_time() -> None:
    times = np.linspace(0.0, 40.0, 200)
    with pytest.raises(tb.SolveError, match=r"run 1 isn't finite from .* s on; give a sho"):
        tb.identify(
            oscillator(), tb.Run(times, {"x": np.sin(times)}), parameters={"stiffness": 1e6},
            signals=["x"], x0=oscillator().assemble(x=0.1), step=0.2,
        )  # fmt: skip
