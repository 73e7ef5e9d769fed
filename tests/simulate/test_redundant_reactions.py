"""Redundant constraints: everything that gives forces gives those of least norm, and says which of
them mechanics doesn't determine."""

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import closed_suite
import touchback as tb
from c_projects import compiled, needs_compiler, table
from touchback.contact import SpherePlaneContact
from touchback.interop.export_targets import generate
from touchback.native.constrained.constrained_problem import Constrained
from touchback.native.constrained.formulation_kinds import FORMULATIONS
from touchback.system.degrees_of_freedom import null_space

LEGS, LENGTH, STEP = (-0.5, -0.1, 0.2, 0.6), 0.4, 1e-3


def swing(legs: tuple[float, ...] = LEGS, speed: float = 1.0) -> tb.Model:
    """A plate that swings on parallel legs, the first of them a body, with an arm on it: two legs
    would do."""
    m = tb.Model("swing")
    first = legs[0]
    plate = m.body("plate", mass=6.0, com=(0.1, 0, 0.02), inertia=(0.3, 0.4, 0.5))
    arm = m.body("arm", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    leg = m.body("leg", mass=0.3, com=(0, 0, -0.2), inertia=(0.004, 0.004, 0.001))
    m.joint("leg", tb.Revolute("y"), m.ground.at(first, 0, 0), leg, position=0.3, velocity=speed)
    m.joint("plate", tb.Revolute("y"), leg.at(0, 0, -LENGTH), plate.at(first, 0, 0), position=-0.3)
    m.joint("arm", tb.Revolute("y"), plate.at(0.1, 0, 0.05), arm, position=0.4)
    for i, x in enumerate(legs[1:], 2):
        m.close(f"r{i}", tb.Rod(LENGTH), plate.at(x, 0, 0), m.ground.at(x, 0, 0))
        m.sensor(f"f{i}", tb.Multiplier(f"r{i}"))
    m.sensor("reaction", tb.Reaction("plate"))
    return m


def least(system: tb.System, x: np.ndarray, t: float = 0.0) -> np.ndarray:
    """λ of least norm by NumPy's pseudoinverse: Wᵀλ = M a − f, with a by Gauss's principle, in
    which redundant rows need no λ (Udwadia and Kalaba 1992)."""
    q, v, z = np.split(x, np.cumsum(system.sizes)[:2])
    at = system.terms(q, v, t=t, z=z)
    root = np.linalg.inv(np.linalg.cholesky(at.M))  # M⁻¹ = rootᵀ root
    free = root.T @ root @ at.f
    a = free + root.T @ np.linalg.pinv(at.J @ root.T, 1e-9) @ (-at.gamma - at.J @ free)
    return np.linalg.pinv(at.J.T, 1e-9) @ (at.M @ a - at.f)


def last(run: tb.Run, names: tuple[str, ...]) -> np.ndarray:
    return np.array([run[name][-1] for name in names])


@pytest.fixture(autouse=True)
def _quietly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*determined", category=RuntimeWarning)
        yield


@pytest.fixture(scope="module")
def system() -> tb.System:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return swing().compile()


def test_a_table_on_legs_has_the_forces_of_the_closed_form() -> None:
    """Legs that only push up, at xᵢ, under a weight at x: of all that balance it those with least
    Σλ² are λᵢ = W (1/n + (x − x̄)(xᵢ − x̄)/Σ(xᵢ − x̄)²)."""
    weight, x = 6.0 * 9.81, 0.1
    for legs in (LEGS, LEGS[:3], (-0.3, 0.1, 0.15, 0.4, 0.7)):
        m = tb.Model("table")
        plate = m.body("plate", mass=6.0, com=(x, 0, 0), inertia=(0.3, 0.4, 0.5))
        m.joint("free", tb.Planar("y"), m.ground, plate)
        for i, place in enumerate(legs):
            m.close(f"leg{i}", tb.Rod(1.0), m.ground.at(place, 0, -1), plate.at(place, 0, 0))
        made = m.compile()
        start = made.assemble()
        places = np.array(legs)
        off = places - places.mean()
        expected = weight * (1 / len(legs) + (x - places.mean()) * off / (off @ off))
        found = np.array(list(made.multipliers(start.q, start.v).values()))
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        run = tb.simulate(made, duration=STEP, method="rk4", step=STEP, progress=False)
        names = made.constraint_names
        np.testing.assert_allclose([run[name][0] for name in names], expected, rtol=1e-10)


@pytest.mark.parametrize("word", FORMULATIONS)
def test_runs_with_every_formulation_have_the_least_forces(system: tb.System, word: str) -> None:
    own = FORMULATIONS[word].step
    how = {"method": word} if own else {"method": "rk4", "constraints": word}
    run = tb.simulate(system, duration=0.05, step=STEP, progress=False, **how)
    x = last(run, system.state_names)
    expected = least(system, x, 0.05)
    assert abs(x[0] - 0.3) > 0.01  # it has moved
    found = last(run, system.constraint_names)
    # "penalty" ends its iterations at 1e-13 of the forces, the drift of others is 1e-10
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    q, v = x[:3], x[3:6]
    asked = system.multipliers(q, v, t=0.05)
    np.testing.assert_allclose(list(asked.values()), expected, rtol=1e-10)
    wrench = system.reaction("plate", q, v, t=0.05)
    shown = last(run, tuple(f"reaction.{each}" for each in ("fx", "fy", "fz", "mx", "my", "mz")))
    np.testing.assert_allclose(shown, wrench, atol=1e-8)  # of a tree joint: it follows from them


@pytest.mark.parametrize("name", ["redundant, planar", "redundant, spatial"])
@pytest.mark.parametrize("sparse", [False, True])
def test_loops_that_are_redundant_everywhere_have_them_too(name: str, sparse: bool) -> None:
    case = closed_suite.CASES[name]()
    made, x = case.system, case.x0.x
    functions = made.constrained_functions()
    solving = Constrained(functions, "multipliers", sparse=sparse)
    problem = solving.problem(p=made.dynamics.block(made.key, made.parameter_values()))
    problem.settle(0.0, x, accepted=True)
    problem.solved_rows(solving, np.zeros(1), x[None, :])
    expected = least(made, x)
    size = np.abs(expected).max()
    np.testing.assert_allclose(solving.multipliers, expected, atol=1e-7 * size)
    assert solving.redundant and solving.sparse == sparse


def test_batches_and_live_runs_have_the_forces_of_runs(system: tb.System) -> None:
    names = system.constraint_names
    x = system.assemble().x
    ran = system.batch(3).run(np.stack([x] * 3), 0.01, method="rk4", step=STEP)
    run = tb.simulate(system, x, 0.01, method="rk4", step=STEP, progress=False)
    with tb.live(system, x, rate=1000, substeps=1, speed=None) as live:
        live.run(0.01)
        seen = np.array([live.read(f"f{i}") for i in range(2, 2 + len(names))])
        there = np.array([live.read(name) for name in system.state_names])
    np.testing.assert_array_equal(ran["f2"][:, -1], 3 * [run["f2"][-1]])
    np.testing.assert_allclose(seen, least(system, there, 0.01), rtol=1e-9)


def test_generated_python_has_the_same_forces(system: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "swing.py"
    generate(swing(), "python", path, step=STEP)
    x = system.assemble().x
    told = subprocess.check_output(
        [sys.executable, "-c", "import swing; print(*swing.sensors(0.0, swing.START))"],
        cwd=tmp_path, text=True,
    )  # fmt: skip
    shown = np.array(told.split(), dtype=float)
    np.testing.assert_allclose(shown[:3], least(system, x), rtol=1e-9)
    expected = system.reaction("plate", x[:3], x[3:6])
    np.testing.assert_allclose(shown[3:], expected, atol=1e-9)


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "linear-implicit", "augmented-lagrangian"])
def test_c_projects_have_the_same_forces(system: tb.System, method: str, tmp_path: Path) -> None:
    generate(swing(), "c-project", tmp_path, step=STEP, method=method)
    found = table(subprocess.check_output([compiled(tmp_path, "-O1"), "0.02"], text=True))
    x = np.array([found[name][-1] for name in system.state_names])
    shown = [found[f"f{i}"][-1] for i in (2, 3, 4)]
    np.testing.assert_allclose(shown, least(system, x, 0.02), rtol=1e-8)


def test_modes_have_the_least_forces_of_the_constraints_that_act() -> None:
    m = swing()
    m.mode("all", active=["r2", "r3", "r4"])
    m.mode("two", active=["r2", "r4"])
    m.transition("let go", "all", "two", when=0.005 - m.time)
    made = m.compile()
    run = tb.simulate(made, duration=0.01, method="rk4", step=STEP, progress=False)
    for row, acting in ((3, "all"), (-1, "two")):
        x = np.array([run[name][row] for name in made.state_names])
        made.enter(acting)
        expected = dict(zip(made.constraint_names, least(made, x, run.time[row]), strict=True))
        found = {name: run[name][row] for name in expected}
        assert found == pytest.approx(expected, rel=1e-9)
    assert run["r3"][-1] == 0.0


def test_runs_with_rigid_contacts_have_the_least_forces_and_impulses() -> None:
    """A ball falls beside the swing. Null vectors of Jᵀ are the same wherever it is, as its legs
    stay parallel: what is square to them is of least norm."""
    m = swing()
    m.joint("drop", tb.Prismatic("z"), m.ground.at(3, 0, 0), m.body("ball", 0.5), position=0.05)
    m.contact("floor", SpherePlaneContact(tb.Frame("ball"), radius=0.02, restitution=0.3))
    made = m.compile()
    run = tb.simulate(made, duration=0.01, progress=False)
    x = last(run, made.state_names)
    expected = least(made, x, 0.01)
    np.testing.assert_allclose(last(run, made.constraint_names), expected, rtol=1e-8)
    stepped = tb.simulate(made, duration=0.01, method="moreau-jean", step=STEP, progress=False)
    for each in (run, stepped):
        assert any("'r2', 'r3', 'r4' aren't determined" in x for x in each.metadata["diagnostics"])
    impulses = np.array([stepped[f"{name} impulse"][1:] for name in made.constraint_names])
    null = null_space(made.terms(x[:4], x[4:]).J.T)
    left = np.abs(null.T @ impulses).max() / np.abs(impulses).max()
    assert left < 1e-5  # they act half-way to where the free step leads, where legs are askew
    np.testing.assert_allclose(impulses[:, -1] / STEP, expected, rtol=1e-2)  # of first order


def test_functions_at_many_states_are_those_at_each(system: tb.System) -> None:
    rng, states = np.random.default_rng(5), []
    for turn in rng.uniform(-1.0, 1.0, 12):
        states.append(system.assemble(leg=turn, guess={"plate": -turn}, rates={"leg": turn}).x)
    x = np.array(states)
    found = np.stack(list(system.multipliers(x[:, :3], x[:, 3:6]).values()), axis=-1)
    np.testing.assert_allclose(found, [least(system, each) for each in x], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("drift", [1e-12, 1e-10])
def test_states_a_little_off_their_constraints_have_sensible_forces(
    system: tb.System, drift: float
) -> None:
    """Rows that are almost redundant there would carry forces of the size of 1/drift."""
    x = system.assemble().x
    clean = least(system, x)
    x[:3] += drift * np.array([1.0, -2.0, 0.5])
    found = list(system.multipliers(x[:3], x[3:6]).values())
    np.testing.assert_allclose(found, clean, rtol=1e-6)


def test_whoever_asks_for_forces_that_are_not_determined_is_told_the_rows() -> None:
    with pytest.warns(RuntimeWarning, match="'f2', 'f3', 'f4', 'reaction.fx'.*rows 'r2', 'r3'"):
        made = swing().compile()
    x = made.assemble()
    with pytest.warns(RuntimeWarning, match="'r2', 'r3', 'r4' aren't determined"):
        made.multipliers(x.q, x.v)
    with pytest.warns(RuntimeWarning, match="'plate.fx', 'plate.fz' aren't.*'r2', 'r3', 'r4'"):
        made.reaction("plate", x.q, x.v)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.multipliers(x.q, x.v)  # once is enough
        made.reaction("arm", x.q, x.v)  # which hangs on none of them
    run = tb.simulate(made, duration=0.01, progress=False)
    assert any("'r2', 'r3', 'r4' aren't determined" in each for each in run.metadata["diagnostics"])
    assert "forces that aren't determined: r2, r3, r4" in str(made.freedoms())


def test_nobody_is_told_where_two_legs_carry_the_plate() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = swing(LEGS[:2]).compile()
        x = made.assemble()
        made.multipliers(x.q, x.v)
        made.reaction("plate", x.q, x.v)
        run = tb.simulate(made, duration=0.01, progress=False)
    assert run.metadata["diagnostics"] == [] and made.freedoms().undetermined == ()
