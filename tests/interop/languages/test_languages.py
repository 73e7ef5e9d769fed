"""Whole models as text of other languages: each stands alone and moves as the model does here."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import closed_suite
import touchback as tb
from models_with_modes import pegged_pendulum
from touchback import gallery
from touchback.interop.export_targets import generate

GOLDEN = Path(__file__).parents[2] / "golden"
STEP = 1e-3


def turning() -> tb.Model:
    """A quaternion, an extra state, an input, a parameter, a table, sensors, and no constraint."""
    m = tb.Model("turning $x")
    body = m.body(
        "body", mass=m.parameter("mass", 2.0), com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5)
    )
    m.joint("ball", tb.Spherical(), m.ground, body.at(0, 0, 0.1))
    m.joint("arm", tb.Revolute("y"), body, m.body("arm", mass=1.0, com=(0.3, 0, 0)))
    push = m.input("push", unit="N m", default=0.7)
    lag = m.state("lag", 0.5, rate=push)
    strength = m.table("strength", (-1.0, 0.3, 1.0), (0.0, 2.0, 1.0))
    m.force("motor", tb.JointEffort("arm", lag * tb.lookup(strength, m.coordinate("arm"))))
    m.sensor("effort", tb.Effort("arm"))
    m.sensor("tip", tb.Acceleration("arm"))
    return m


def of_suite(name: str) -> Callable[[], tb.Model]:
    return lambda: closed_suite.CASES[name]().system.dynamics.whole


MODELS: dict[str, Callable[[], tb.Model]] = {
    "slider-crank": lambda: gallery.make("slider-crank"),
    "turning": turning,
    "redundant": of_suite("redundant, planar"),
    "driven": of_suite("driven"),
    "servo": of_suite("servo"),
    "on velocities": of_suite("velocities only"),
}


def module(model: tb.Model, language: str, folder: Path) -> ModuleType:
    """The text as Python imports it."""
    path = folder / f"{language}_{re.sub(r'[^a-z]', '_', model.name)}.py"
    assert generate(model, language, path, step=STEP) == [path]
    assert not re.search(r"^\s*(import|from) touchback", path.read_text(), re.MULTILINE)
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def stirred(system: tb.System) -> np.ndarray:
    """A state that moves and keeps the constraints."""
    nq, nv, _ = system.sizes
    x = system.assemble().x
    x[nq : nq + nv] += np.random.default_rng(3).normal(size=nv)
    return system.consistent(x)[0]


@pytest.mark.parametrize("name", MODELS)
def test_python_moves_as_the_model_does(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    made, system = module(model, "python", tmp_path), model.compile()
    x = stirred(system)
    q, v, z = np.split(x, np.cumsum(system.sizes)[:2])
    wanted = system.state_rate(q, v, z=z)
    np.testing.assert_allclose(made.rate(0.0, x), wanted, atol=1e-11 * np.abs(wanted).max())
    shown = system.sensors(q, v, z=z)
    assert tuple(shown) == made.OUTPUTS
    np.testing.assert_allclose(made.sensors(0.0, x), list(shown.values()), rtol=1e-9, atol=1e-9)
    how = {"constraints": "projection"} if system.constrained else {}
    run = tb.simulate(system, x, 0.05, method="rk4", step=STEP, progress=False, **how)
    end = [run[each][-1] for each in system.state_names]
    times, states = made.run(0.05, x)
    # both project after each step, by other norms: they differ by less than the step's own error
    np.testing.assert_allclose(states[-1], end, atol=3e-9)
    assert times[-1] == pytest.approx(0.05)
    assert np.abs(system.constraint_error(states[-1][: len(q)], 0.05)).max(initial=0.0) < 1e-12


def test_parameters_inputs_and_settling_are_those_of_the_model(tmp_path: Path) -> None:
    model = turning()
    made, system = module(model, "python", tmp_path), model.compile()
    x = stirred(system)
    q, v, z = np.split(x, np.cumsum(system.sizes)[:2])
    wanted = system.state_rate(q, v, u={"push": 2.0}, z=z, parameters={"mass": 3.0})
    np.testing.assert_allclose(made.rate(0.0, x, (2.0,), made.block([3.0])), wanted, rtol=1e-11)
    loop = module(gallery.make("slider-crank"), "python", tmp_path)
    off = loop.settle(0.0, loop.START + 0.01)
    assert np.abs(loop.terms(0.0, off)[4]).max() < 1e-13


SLOW_TO_COMPILE = pytest.param("jax", marks=pytest.mark.soak)


@pytest.mark.parametrize("language", ["python", "casadi", SLOW_TO_COMPILE])
def test_a_run_of_other_parameters_begins_on_the_constraints_or_says_that_it_can_not(
    language: str, tmp_path: Path
) -> None:
    pytest.importorskip("numpy" if language == "python" else language)
    m = tb.Model("tied slider")
    height, slider = m.parameter("height", 0.2, unit="m"), m.body("slider", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground.at(0, 0, height), slider, position=0.3)
    m.close("tie", tb.Rod(0.5), m.ground, slider)
    made = module(m, language, tmp_path)

    def positions(height: float) -> np.ndarray:
        p = [height] if language == "casadi" else made.block([height])
        if language == "python":
            return made.run(0.002, p=p)[1][:, 0]
        states = np.array(made.run(2, p=p))
        return states[0] if language == "casadi" else states[:, 0]

    np.testing.assert_allclose(positions(0.3), 3 * [0.4], rtol=1e-12)  # 3, 4, 5
    if language == "jax":  # what is compiled raises nothing
        assert np.isnan(positions(0.6)).all()
    else:
        with pytest.raises(ValueError, match="can't be met"):
            positions(0.6)


def two_links() -> tb.Model:
    """Tied at their end, which the model describes open: which state it closes to hangs on where it
    comes from."""
    m = tb.Model("two links")
    reach = m.parameter("reach", 0.3, unit="m")
    arm = m.body("arm", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    link = m.body("link", mass=0.3, com=(0.1, 0, 0), inertia=(0.002, 0.002, 0.002))
    m.joint("arm", tb.Revolute("y"), m.ground, arm, position=0.4, velocity=0.5)
    m.joint("link", tb.Revolute("y"), arm.at(reach, 0, 0), link, position=0.6)
    m.close("tie", tb.Rod(0.6), link.at(0.2, 0, 0), m.ground.at(0.9, 0, 0.1))
    return m


@pytest.mark.parametrize("language", ["python", "casadi", SLOW_TO_COMPILE])
def test_a_run_of_other_parameters_begins_where_that_of_simulate_does(
    language: str, tmp_path: Path
) -> None:
    pytest.importorskip("numpy" if language == "python" else language)
    made, system = module(two_links(), language, tmp_path), two_links().compile()
    for reach in (0.22, 0.36):
        run = tb.simulate(
            system, duration=0.01, method="rk4", step=1e-3, parameters={"reach": reach},
            progress=False,
        )  # fmt: skip
        p = [reach] if language == "casadi" else made.block([reach])
        states = made.run(0.0, p=p)[1] if language == "python" else np.array(made.run(0, p=p))
        begun = states.reshape(-1)
        first = [run[name][0] for name in system.state_names]
        np.testing.assert_allclose(begun, first, atol=1e-11)


def test_the_python_text_runs_as_a_script_without_touchback(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.py"
    generate(gallery.make("pendulum"), "python", path, step=0.1)
    blocked = "import sys; sys.modules['touchback'] = None; import runpy; "
    blocked += f"runpy.run_path({str(path)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "time,pivot,pivot rate"
    assert len(done.stdout.splitlines()) == 12


@pytest.mark.parametrize("name", ["slider-crank", "driven", "on velocities"])
def test_casadi_moves_as_the_model_does(name: str, tmp_path: Path) -> None:
    casadi = pytest.importorskip("casadi")
    model = MODELS[name]()
    made, system = module(model, "casadi", tmp_path), model.compile()
    x = stirred(system)
    q, v = np.split(x, [system.sizes[0]])
    p, u = list(system.parameters.values()), list(made.INPUTS)
    found = np.array(made.rate(0.0, x, u, p)).ravel()
    wanted = system.state_rate(q, v)
    np.testing.assert_allclose(found, wanted, atol=1e-11 * np.abs(wanted).max())
    run = tb.simulate(
        system, x, 0.02, method="rk4", step=STEP, constraints="projection", progress=False
    )
    end = [run[each][-1] for each in system.state_names]
    np.testing.assert_allclose(np.array(made.run(20, x))[:, -1], end, atol=3e-9)
    slopes = made.rate.jacobian()  # what casadi is for
    assert isinstance(slopes, casadi.Function)


def test_jax_differentiates(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    made = module(gallery.make("pendulum"), "jax", tmp_path)
    slope = jax.jit(jax.jacfwd(lambda x: made.rate(0.0, x)))(np.array([0.4, 1.0]))
    np.testing.assert_allclose(slope, [[0, 1], [-9.81 * np.cos(0.4), 0]], atol=1e-13)


@pytest.mark.soak  # jax takes its time to compile
def test_jax_moves_as_the_model_does(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    model = closed_suite.slider_crank_model()
    loop, system = module(model, "jax", tmp_path), model.compile()
    x = stirred(system)
    run = tb.simulate(
        system, x, 3 * STEP, method="rk4", step=STEP, constraints="projection", progress=False
    )
    end = [run[each][-1] for each in system.state_names]
    found = jax.jit(loop.run, static_argnums=0)(3, x)
    np.testing.assert_allclose(found[-1], end, atol=3e-9)


@pytest.mark.skipif(shutil.which("julia") is None, reason="no Julia here: its text is unchecked")
@pytest.mark.parametrize("name", ["slider-crank", "turning", "redundant"])
def test_julia_moves_as_the_model_does(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    path = tmp_path / "model.jl"
    generate(model, "julia", path, step=STEP)
    script = f'include("{path}"); print(join(Mechanism.rate(0.0, Mechanism.START), " "))'
    done = subprocess.run(["julia", "-e", script], capture_output=True, text=True, check=True)
    system = model.compile()
    q, v, z = np.split(system.assemble().x, np.cumsum(system.sizes)[:2])
    found = [float(x) for x in done.stdout.split()]
    np.testing.assert_allclose(found, system.state_rate(q, v, z=z), rtol=1e-9, atol=1e-9)


def test_julia_opens_and_closes_every_block(tmp_path: Path) -> None:
    """Where there is no Julia: blocks and brackets balance, and all names are text."""
    path = tmp_path / "model.jl"
    generate(turning(), "julia", path)
    text = path.read_text()
    assert r'const NAME = "turning \$x"' in text
    code = re.sub(r'"(\\.|[^"\\])*"|#.*', "", text)
    opened = re.findall(r"^\s*(module|function|for|if)\b", code, re.MULTILINE)
    assert len(opened) == len(re.findall(r"^\s*end\b", code, re.MULTILINE))
    for pair in ("()", "[]", "{}"):
        assert code.count(pair[0]) == code.count(pair[1])


SMALL = {
    "python": "pendulum_numpy.py.txt", "jax": "pendulum_jax.py.txt",
    "casadi": "pendulum_casadi.py.txt", "julia": "pendulum.jl", "latex": "pendulum.tex",
}  # fmt: skip


@pytest.mark.parametrize("language", SMALL)
def test_texts_are_those_of_the_golden_files(language: str, tmp_path: Path) -> None:
    """A changed one is to be read as a difference: write it again where it is meant."""
    golden = GOLDEN / SMALL[language]
    path = tmp_path / Path(golden.name.removesuffix(".txt"))
    generate(gallery.make("pendulum"), language, path)
    assert path.read_text() == golden.read_text()


@pytest.mark.parametrize(("language", "ending"), [("python", "py"), ("latex", "tex")])
def test_what_has_no_text_is_refused_by_name(language: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{ending}"
    with pytest.raises(tb.InputError, match=r"pegged pendulum: .* modes \('long'\)"):
        generate(pegged_pendulum(), language, path)
    with pytest.raises(tb.InputError, match="path that ends in"):
        generate(gallery.make("pendulum"), language, tmp_path / "model.txt")
    assert not path.exists()


def test_casadi_refuses_what_it_cannot_solve(tmp_path: Path) -> None:
    for model, word in ((turning(), "tables"), (MODELS["redundant"](), "twice")):
        with pytest.raises(tb.InputError, match=word):
            generate(model, "casadi", tmp_path / "model.py")
