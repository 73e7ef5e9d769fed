"""Every run and analysis × every feature of a model: refused by name, or counted in the answer.

What counts is judged by other means than the call's own: equations on arrays integrated by SciPy,
differences, balances of forces.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb
from featured_models import COPIES, FEATURES, TIP, compiled
from touchback.analysis.quality.quality_sweep import (
    Bench,
    Clock,
    Measures,
    make_reference,
    reference_candidate,
)
from touchback.contact.compliant_contacts import SurfaceContact
from touchback.contact.surfaces import Ball, Plane
from touchback.native import FORMULATIONS
from touchback.progress import Progress
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers import METHODS, Capability
from touchback.simulate.unsupported_features import OF_SOLVERS, REFUSED, refused_by

T, TICK = 0.2, 1e-3
EPSILON = 1e-6
FAR = {
    "far": tb.contact.SpherePlaneContact(TIP, tb.Frame("ground", at=(0.0, 0.0, -9.0)), tangents="x")
}
CHECKS: dict[str, Callable[[tb.System, str], None]] = {}


def check(call: str) -> Any:
    def keep(function: Callable[[tb.System, str], None]) -> Callable[[tb.System, str], None]:
        CHECKS[call] = function
        return function

    return keep


def state_rate(system: tb.System, t: float, x: np.ndarray) -> np.ndarray:
    q, v, z = np.split(x, np.cumsum(system.sizes)[:2])
    return system.state_rate(q, v, t=t, z=z)


@cache
def truth(name: str) -> np.ndarray:
    """The last state, by SciPy on the equations on arrays."""
    if name == COPIES:
        one = truth("")
        return np.concatenate([part for part in np.split(one, 2) for _ in "ab"])
    system = compiled(name)
    start = system.assemble().x
    done = solve_ivp(
        lambda t, x: state_rate(system, t, x), (0.0, T), start, "DOP853", rtol=1e-9, atol=1e-11
    )
    return done.y[:, -1]


def start_of(system: tb.System) -> np.ndarray:
    return system.initial_state().x if system.names else system.assemble().x


def last(run: tb.Run, system: tb.System) -> np.ndarray:
    return np.array([run[name][-1] for name in system.state_names])


def independent(system: tb.System) -> list[str]:
    """Plain coordinates that tell all others."""
    if not system.constraint_names:
        return [name for name in system.coordinates if name in system.velocities]
    return list(system.freedoms().independent)


# ---- runs ----------------------------------------------------------------------------------------


ROUGH = {"trapezoidal": 1e-4, "rk4": 5e-4} | dict.fromkeys(
    ("euler", "implicit-euler", "moreau-jean", "linear-implicit", "augmented-lagrangian"), 2e-3
)


def by_method(word: str) -> Callable[[tb.System, str], None]:
    def run_it(system: tb.System, name: str) -> None:
        options: Any = {"method": word}
        if Capability.CONTACTS in METHODS[word].can:
            options["contacts"] = FAR
        if word in FORMULATIONS:
            options["constraints"] = word
        if word == "implicit-euler":
            options["step"] = 2e-4
        if name == "memories":
            options["rate"] = 1.0 / TICK
        elif "rtol" in METHODS[word].options():
            options |= {"rtol": 1e-10, "atol": 1e-12}
        run = tb.simulate(system, start_of(system), T, progress=False, **options)
        within = ROUGH.get(word, 1e-6)
        if name == "rigid contacts":
            assert run["floor gap"].min() > -5e-5  # the way of a step
            assert max(run[f"floor {what}"].max() for what in WORDS_OF_FORCE[word]) > 0.0
        elif name == "memories":
            assert run["count"][-1] == round(T / TICK)
        elif name == "modes":
            assert run["mode"][-1] == 1 and run["x"][-1] == pytest.approx(0.02, abs=within)
        else:
            np.testing.assert_allclose(last(run, system), truth(name), atol=within)

    return run_it


WORDS_OF_FORCE = {"event-driven": ["force"], "moreau-jean": ["impulse"]}
CHECKS |= {f"method '{word}'": by_method(word) for word in METHODS}


@check("tb.simulate with switches")
def _(system: tb.System, name: str) -> None:
    alone, half = start_of(system), 0.5 * T
    system = system if name == COPIES else compiled(name, switchable=True)
    switch = tb.Switch(half, activate=["stay"])
    run = tb.simulate(system, alone, T, events=[switch], rtol=1e-10, progress=False)
    before = tb.simulate(compiled(name), alone, half, rtol=1e-10, progress=False)
    k = np.searchsorted(run.time, half)
    assert run["x"][k] == pytest.approx(before["x"][-1], abs=1e-6)
    assert run["swing"][-1] == pytest.approx(0.2, abs=1e-9)


@check("a live run")
def _(system: tb.System, name: str) -> None:
    start = start_of(system)
    with tb.live(system, start, rate=1.0 / TICK, speed=None) as live:
        live.run(T)
        shown = live.snapshot()
    ticks = {"rate": 1.0 / TICK} if name == "memories" else {}
    run = tb.simulate(system, start, T, method="rk4", step=TICK, progress=False, **ticks)
    found = np.array([shown[each] for each in system.state_names])
    np.testing.assert_allclose(found, last(run, system), atol=1e-12)


@check("tb.quality")
def _(system: tb.System, name: str) -> None:
    x, silent = start_of(system), Progress("", False)
    tb.quality(system, x, 0.01, steps=(2e-3,), tolerances=(1e-5,), progress=False)
    bench = Bench(RunSpec.read(system, T).from_state(x), Clock(60.0, silent))
    measures = Measures(bench, bench.problem(reference_candidate(bench)))
    np.testing.assert_allclose(
        make_reference(bench, measures, [0.1]).states[-1], truth(name), atol=1e-6
    )


# ---- contacts at a state -------------------------------------------------------------------------


def rows_of(system: tb.System) -> np.ndarray:
    """M⁻¹ between the contact's normal and tangent, by the Jacobian of the body's point."""
    q = system.initial_state().q
    W = system.jacobian(TIP, q)[[5, 3]]
    return W @ np.linalg.solve(system.mass_matrix(q), W.T)


@check("tb.contact_operator")
def _(system: tb.System, name: str) -> None:
    G = tb.contact_operator(system, FAR)
    np.testing.assert_allclose(G[-2:, -2:], rows_of(system), rtol=1e-9)


@check("tb.painleve")
def _(system: tb.System, name: str) -> None:
    found = tb.painleve(system, FAR["far"])
    (normal, cross), _ = rows_of(system)
    sides = [found.forward, found.backward]
    assert min(sides) == pytest.approx(abs(normal / cross)) and max(sides) == np.inf


# ---- analyses ------------------------------------------------------------------------------------


@check("tb.equilibrium")
def _(system: tb.System, name: str) -> None:
    state = tb.equilibrium(system, start_of(system)).state
    balanced(system, state)


def balanced(system: tb.System, state: tb.State) -> None:
    """f + Wᵀλ = 0, with the multipliers that fit best; h = 0, ż = 0."""
    q, v, z = state.q, np.zeros(len(system.velocities)), state.z
    if system.constraint_names:
        terms = system.terms(q, v, z=z)
        left = np.linalg.lstsq(terms.W.T, -terms.f, rcond=None)[0] @ terms.W + terms.f
        assert np.abs(terms.h).max() < 1e-9
    else:
        left = system.mass_matrix(q) @ system.forward_dynamics(q, v, z=z)
    np.testing.assert_allclose(left, 0.0, atol=1e-6)
    rest = state_rate(system, 0.0, np.concatenate([q, v, z]))
    np.testing.assert_allclose(rest[len(rest) - len(z) :], 0.0, atol=1e-6)


def slopes_by_differences(system: tb.System, linear: tb.Linear) -> np.ndarray:
    """∂ẏ/∂y of the states y, along assembled neighbours."""
    at = linear.state
    values = dict(zip(system.state_names, at.x))
    names = list(linear.states)
    places = [list(system.state_names).index(name) for name in names]
    rate_of = dict(zip(system.layout.state_names[len(at.q) :], system.velocities))

    def rates(changed: str, by: float) -> np.ndarray:
        y = {name: values[name] + (by if name == changed else 0.0) for name in names}
        x = system.assemble(
            rates={rate_of[n]: y[n] for n in names if n in rate_of},
            states={n: y[n] for n in system.layout.z},
            guess=dict(zip(system.coordinates, at.q)),
            **{n: y[n] for n in names if n in system.coordinates},
        ).x
        return state_rate(system, 0.0, x)[places]

    columns = [(rates(n, EPSILON) - rates(n, -EPSILON)) / (2 * EPSILON) for n in names]
    return np.stack(columns, axis=1)


def accelerations_by_differences(system: tb.System, at: tb.State) -> np.ndarray:
    """∂a/∂[δ, v] of a tree with quaternions, whose positions are moved by q̇ of a unit velocity."""
    nq, nv, _ = system.sizes

    def a(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return system.forward_dynamics(q, v)

    columns = []
    for e in EPSILON * np.eye(nv):
        step = state_rate(system, 0.0, np.concatenate([at.q, e]))[:nq]
        columns.append(a(at.q + step, at.v) - a(at.q - step, at.v))
    columns += [a(at.q, at.v + e) - a(at.q, at.v - e) for e in EPSILON * np.eye(nv)]
    return np.stack(columns, axis=1) / (2 * EPSILON)


@check("tb.linearise")
def _(system: tb.System, name: str) -> None:
    linear = tb.linearise(system, start_of(system))
    if name == "balls":
        got, expected = linear.A[5:], accelerations_by_differences(system, linear.state)
    else:
        got, expected = linear.A, slopes_by_differences(system, linear)
    np.testing.assert_allclose(got, expected, atol=1e-4 * np.abs(expected).max())


@check("tb.vibrations")
def _(system: tb.System, name: str) -> None:
    found = tb.vibrations(system)
    balanced(system, found.linear.state)
    if name == "balls":
        below = accelerations_by_differences(system, found.linear.state)
        expected = np.linalg.eigvals(np.vstack([np.eye(5, 10, 5), below]))
    else:
        expected = np.linalg.eigvals(slopes_by_differences(system, found.linear))
    for value in expected:  # double zeros are known to the root of the rounding only
        assert np.abs(found.eigenvalues - value).min() < 1e-3 * np.abs(expected).max()


def by_stiffness(system: tb.System, got: Sequence[float] | np.ndarray) -> None:
    """Derivatives of the last state against differences of runs."""

    def ends(stiffness: float) -> np.ndarray:
        run = tb.simulate(
            system, start_of(system), T, parameters={"stiffness": stiffness}, rtol=1e-11,
            atol=1e-13, progress=False,
        )  # fmt: skip
        return last(run, system)

    expected = (ends(40.2) - ends(39.8)) / 0.4
    np.testing.assert_allclose(got, expected, atol=1e-5 * max(np.abs(expected).max(), 0.1))


@check("tb.sensitivity")
def _(system: tb.System, name: str) -> None:
    start = start_of(system)
    found = tb.sensitivity(system, start, T, parameters=["stiffness"], output_step=T)
    by_stiffness(system, [found[each, "stiffness"][-1] for each in system.state_names])


@check("tb.rollout")
def _(system: tb.System, name: str) -> None:
    rollout = tb.rollout(system, 1000, step=1e-3 * T, parameters=["stiffness"])
    start = start_of(system)
    by_stiffness(system, rollout.tangent(start, along=(None, None, [1.0]))[1])


@check("tb.identify")
def _(system: tb.System, name: str) -> None:
    times, x = np.linspace(0.0, T, 21), np.zeros((2, 21))
    start = None
    if not refused("tb.identify", name):
        start, places = start_of(system), [system.state_names.index(s) for s in ("x", "swing")]
        done = solve_ivp(
            lambda t, x: state_rate(system, t, x), (0.0, T), start, "DOP853", times, rtol=1e-9,
            atol=1e-11,
        )  # fmt: skip
        x = done.y[places]
    recorded = tb.Run(times, {"x": x[0], "swing": x[1]})
    if name in ("drives", "servo constraints"):  # the spring's force is made up for
        with pytest.raises(tb.InputError, match="'stiffness' has no influence on x, swing"):
            tb.identify(system, recorded, parameters=["stiffness"], signals=["x", "swing"])
        return
    found = tb.identify(
        system, recorded, parameters={"stiffness": 36.0}, signals=["x", "swing"], x0=start
    )
    assert found["stiffness"] == pytest.approx(40.0, rel=1e-4)


@check("tb.estimate.identify_inertia")
def _(system: tb.System, name: str) -> None:
    chance, n = np.random.default_rng(1), len(system.velocities)
    start = system.initial_state()
    v, a = chance.normal(size=(2, 60, n))
    q = start.q + 0.1 * chance.normal(size=(60, len(start.q)))
    tau, noise = np.zeros((60, n)), 1e-6 * chance.normal(size=(60, n))
    if not refused("tb.estimate.identify_inertia", name):
        tau = np.array([system.inverse_dynamics(*each) for each in zip(q, v, a, strict=True)])
    found = tb.estimate.identify_inertia(system, q, v, a, tau + noise)
    assert max(found.noise.values()) == pytest.approx(1e-6, rel=0.5)


@check("tb.estimate.base_parameters")
def _(system: tb.System, name: str) -> None:
    found, chance, n = tb.estimate.base_parameters(system), np.random.default_rng(1), 60
    v, a = chance.normal(size=(2, n, len(system.velocities)))
    q = system.initial_state().q + chance.normal(size=(n, len(system.coordinates)))
    Y = system.regressor(q, v, a).reshape(-1, len(found.names))
    lengths = np.linalg.norm(Y, axis=0)
    assert len(found) == np.linalg.matrix_rank(Y / np.where(lengths > 1e-9, lengths, 1.0), 1e-9)


def moved(system: tb.System) -> dict[str, Any]:
    """Motions of as many coordinates as there are freedoms."""
    every = {
        "x": lambda t: 0.05 + 0.05 * tb.sin(5 * t), "swing": lambda t: 0.2 + 0.3 * tb.sin(7 * t),
        "slide": lambda t: 0.02 * tb.sin(9 * t), "bell/turn": lambda t: 0.4 * tb.sin(6 * t),
    }  # fmt: skip
    return {name: every[name] for name in independent(system) if name in every}


@check("tb.kinematics")
def _(system: tb.System, name: str) -> None:
    if name == "balls":
        with pytest.raises(tb.InputError, match="prescribe also 'ball"):
            tb.kinematics(system, moved(system), [0.0])
        return
    times = np.linspace(0.0, T, 41)
    follows(system, tb.kinematics(system, moved(system), times))


def follows(system: tb.System, run: tb.Run) -> None:
    """Constraints are kept; velocities and rates of states are the slopes of what they are of."""
    x = np.array([run[name] for name in system.state_names])
    for k in range(2, len(run.time) - 2, 9):
        slope = (x[:, k - 2] - 8 * x[:, k - 1] + 8 * x[:, k + 1] - x[:, k + 2]) / (
            12 * (run.time[1] - run.time[0])
        )
        rate = state_rate(system, run.time[k], x[:, k])
        nq, nv, _ = system.sizes
        kept = np.r_[0:nq, nq + nv : len(rate)]
        np.testing.assert_allclose(slope[kept], rate[kept], rtol=2e-5, atol=2e-4)
        if system.constraint_names:
            assert np.abs(system.constraint_error(x[:nq, k], run.time[k])).max() < 1e-9


@check("tb.inverse_dynamics")
def _(system: tb.System, name: str) -> None:
    if name == "balls":
        return  # refused for its freedoms, as in kinematics
    times, motion = np.linspace(0.0, T, 41), moved(system)
    pushed = {"x": "push", "swing": "torque"}
    actuators = [pushed.get(each, each) for each in motion]
    if name == "servo constraints":
        actuators = ["torque"]
    run = tb.inverse_dynamics(system, motion, times, actuators)
    follows(system, run)
    nq, nv, _ = system.sizes
    x = np.array([run[each] for each in system.state_names])
    for k in (0, 12, 28, 40):
        given = {each: run[each][k] for each in actuators if each in system.input_names}
        q, v, z = np.split(x[:, k], [nq, nq + nv])
        efforts = [f"{each} effort" for each in system.velocities]
        others = [run[each][k] if each in run.names else 0.0 for each in efforts]
        a = system.forward_dynamics(q, v, u=given, t=times[k], z=z)
        a = a + np.linalg.solve(system.mass_matrix(q), others)  # trees only have others
        wanted = [run[f"{each} acceleration"][k] for each in system.velocities]
        np.testing.assert_allclose(a, wanted, atol=1e-6)


# ---- the table -----------------------------------------------------------------------------------


REFUSALS = {call: list(features) for call, features in REFUSED.items()} | {
    f"method '{word}'": refused_by(solver) for word, solver in METHODS.items()
}
BY_DEFAULT = {"a live run": "method 'rk4'"}  # what refuses when no method is given
USUAL = ("method 'dopri5'", "method 'rk4'", "method 'event-driven'", "method 'moreau-jean'")


def refused(call: str, name: str) -> str:
    """What the table says of a call and a feature, as a pattern; nothing where it says nothing."""
    call = BY_DEFAULT.get(call, call)
    for feature in REFUSALS[call]:
        if feature.names(compiled(name)):
            return rf"{call} knows nothing of its {feature.word}.*'"
    own = [word for word, each in FORMULATIONS.items() if each.step and f"'{word}'" in call]
    return "constraints" if own and not compiled(name).constraint_names else ""


def pairs() -> list[tuple[str, str]]:
    """Other methods than the usual ones differ in what solvers may refuse."""
    special = {*(feature.word.split(",")[0] for feature in OF_SOLVERS), "friction of constraints"}
    return [
        (call, name)
        for call in CHECKS
        for name in [*FEATURES, COPIES]
        if not call.startswith("method") or call in USUAL or name in special
    ]


@pytest.mark.parametrize(("call", "name"), pairs())
def test_a_feature_is_refused_or_counts(call: str, name: str) -> None:
    system = compiled(name)
    if pattern := refused(call, name):
        with pytest.raises(tb.InputError, match=pattern):
            CHECKS[call](system, name)
    else:
        CHECKS[call](system, name)


def test_every_call_of_the_table_is_checked_and_in_the_documentation() -> None:
    assert set(CHECKS) == {*REFUSALS, *BY_DEFAULT}
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text().replace("`", "")
    rows = re.findall(r"^\| (.+) \| (.+) \|$", page, re.MULTILINE)
    documented = {call: words for calls, words in rows for call in calls.split(", ")}
    for call, features in REFUSALS.items():
        assert documented[call] == ", ".join(each.word.rstrip(",") for each in features)


@pytest.mark.parametrize("name", sorted({*FEATURES} - {"modes", "memories", "rigid contacts"}))
def test_every_feature_changes_the_motion(name: str) -> None:
    """So that an answer that left it out would be seen."""
    system = compiled(name)
    names = list(system.state_names)
    changed = truth(name)[[names.index("x"), names.index("swing")]] - truth("")[:2]
    assert np.abs(changed).max() > 1e-4


def test_nearest_points_begin_elsewhere_with_other_parameters() -> None:
    """d/d(radius) of a ball that starts pressed into the floor, against differences of runs from
    states assembled anew."""
    m = tb.Model("ball on a floor")
    radius = m.parameter("radius", 0.05, unit="m")
    ball = m.body("ball", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("z", tb.Prismatic("z"), m.ground, ball, position=0.045)
    m.force("floor", SurfaceContact(m.ground.at(0, 0, 0), Plane(), ball.at(0, 0, 0), Ball(radius)))
    system = m.compile()
    found = tb.sensitivity(system, None, 0.01, parameters=["radius"], outputs=["z"])

    def end(r: float) -> float:
        system["radius"] = r
        run = tb.simulate(system, system.assemble(), 0.01, rtol=1e-11, atol=1e-13, progress=False)
        return run["z"][-1]

    expected = (end(0.05001) - end(0.04999)) / 2e-5
    assert abs(expected) > 0.1
    assert found["z", "radius"][-1] == pytest.approx(expected, rel=1e-4)
