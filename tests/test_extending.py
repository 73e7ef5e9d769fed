"""What is added from outside, by one file (those of docs/extending) and one line, works everywhere:
joints, forces, file formats, solvers, formulations, devices, printers."""

import ast
import importlib.util
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from command import touchback as command
from test_rooms import CORE
from touchback import gallery
from touchback.analysis.quality.quality_sweep import list_candidates
from touchback.cli.model_argument import load as load_for_command
from touchback.devices.device_registry import DEVICES, open_device
from touchback.draw import figure_svg, stick_figure
from touchback.interop.import_formats import FORMATS
from touchback.model.io import add_kind, model_from_text, to_text
from touchback.model.io.schema import SECTIONS
from touchback.model.joints.elementary_motions import Motion
from touchback.model.kind_registry import KINDS
from touchback.native import FORMULATIONS
from touchback.numbers import Scalar, Vector
from touchback.simulate import RunFailed
from touchback.simulate.solvers import METHODS
from touchback.spatial import Turn
from touchback.spatial.rotation import Part
from touchback.symbolic.scalars import Scalars

MADE = ("attraction", "heun", "metronome", "pin_in_slot", "projected_feedback", "rod_list")
FOLDER = Path(__file__).parents[1] / "docs" / "extending"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_pin_in_a_slot_moves_as_a_slide_and_a_hinge() -> None:
    joint = load("pin_in_slot").PinInSlot()
    one, two = tb.Model("one"), tb.Model("two")
    plate = {"mass": 2.0, "com": (0.1, 0.2, 0.0), "inertia": (0.1, 0.2, 0.25)}
    for model in (one, two):
        model.body("plate", **plate)
    one.joint("guide", joint, one.ground, "plate")
    two.body("slider")
    two.joint("slide", tb.Prismatic("x"), two.ground, "slider")
    two.joint("turn", tb.Revolute("z"), "slider", "plate")
    first, second = one.compile(), two.compile()
    assert first.coordinates == ("guide.slide", "guide.turn")
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 2))
    np.testing.assert_allclose(
        first.inverse_dynamics(q, v, a), second.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12
    )


@pytest.fixture
def files() -> Iterator[None]:
    """Lets files and registries know more for the time of a test."""
    tables = [*KINDS.values(), *(item for item in SECTIONS.values() if isinstance(item, dict))]
    tables += [METHODS, FORMULATIONS, DEVICES, FORMATS]
    before = [dict(table) for table in tables]
    yield
    for table, known in zip(tables, before, strict=True):
        table.clear()
        table.update(known)


def guided() -> tb.Model:
    """A plate in a slot, of a joint that isn't ours."""
    m = tb.Model("guided")
    m.body("plate", mass=2.0, com=(0.1, 0.2, 0.0), inertia=(0.1, 0.2, 0.25))
    m.joint("guide", load("pin_in_slot").PinInSlot(), m.ground, "plate", position=(0.1, 0.3))
    m.sensor("corner", tb.Position(tb.Frame("plate", (0.3, 0.0, 0.0))))
    return m


def test_a_joint_of_ones_own_goes_into_files_by_one_line(files: None) -> None:
    model = guided()
    with pytest.raises(tb.ModelError, match=r'add_kind\("joints"'):
        to_text(model)
    add_kind("joints", type(model.joints["guide"].kind))
    again = model_from_text(to_text(model))
    assert again.joints == model.joints
    assert again.compile().coordinates == ("guide.slide", "guide.turn")


def test_a_joint_of_ones_own_is_drawn() -> None:
    model = guided()
    assert "<svg" in figure_svg(stick_figure(model), model.name)


def test_a_joint_of_ones_own_closes_a_loop_as_the_tree_has_it(files: None) -> None:
    """A free plate that is tied by it moves as one that hangs in it."""
    kind = load("pin_in_slot").PinInSlot
    add_kind("joints", kind)
    tree, loop = guided(), tb.Model("tied")
    loop.body("plate", mass=2.0, com=(0.1, 0.2, 0.0), inertia=(0.1, 0.2, 0.25))
    turned = (0.1, 0.0, 0.0, np.cos(0.15), 0.0, 0.0, np.sin(0.15))
    loop.joint("free", tb.Free(), loop.ground, "plate", position=turned)
    loop.close("slot", kind(), loop.ground, "plate")
    loop = model_from_text(to_text(loop))
    assert len(loop.constraint_rows()["slot"]) == 4
    hangs, tied = tree.compile(), loop.compile()
    expected = hangs.forward_dynamics([0.1, 0.3], [0.0, 0.0])
    found = tied.forward_dynamics(np.array(turned), np.zeros(6))
    cos, sin = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(cos * found[0] - sin * found[1], expected[0], atol=1e-9)
    np.testing.assert_allclose(found[5], expected[1], atol=1e-9)


def test_a_joint_of_ones_own_met_the_wrong_way_round_is_refused() -> None:
    m = tb.Model("upside down")
    m.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("free", tb.Free(), m.ground, "plate", position=(0, 0, 0, 0, 1, 0, 0))
    m.close("slot", load("pin_in_slot").PinInSlot(), m.ground, "plate")
    with pytest.raises(tb.SolveError, match="wrong way round"):
        m.compile().assemble()


def test_a_joint_of_ones_own_freezes_and_goes_on_while_it_runs() -> None:
    hinged = tb.Model("guided")
    hinged.body("plate", mass=2.0, com=(0.1, 0.2, 0.0), inertia=(0.1, 0.2, 0.25))
    hinged.joint("guide", tb.Revolute("z"), hinged.ground, "plate")
    hinged.sensor("corner", tb.Position(tb.Frame("plate", (0.3, 0.0, 0.0))))
    with tb.live(guided().compile(), rate=1000.0, speed=None) as live:
        live.run(0.02)
        before = live.snapshot()
        change = live.swap(hinged)
        live.run(0.001)
        after = live.snapshot()
    assert change.state == "taken"
    assert change.frozen == {"guide.slide": before["guide.slide"]}
    step = [after[f"corner.{axis}"] - before[f"corner.{axis}"] for axis in "xy"]
    assert np.abs(step).max() < 1e-3  # it goes on from where it was


@dataclass(frozen=True)
class Spiral(Motion):
    """C turns by q about z while it goes outwards along its own x axis, by 0.2 q."""

    nq, nv = 1, 1

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return Turn(2, *k.sincos(q[0]))

    def offset(self, k: Scalars, q: Sequence[Scalar], value: Any) -> Vector:
        return [k.mul(k.const(0.2), q[0]), 0, 0]


def test_a_motion_of_ones_own_can_stand_where_it_moved() -> None:
    """By its rotation and its place alone: the frame that it leaves is derived."""
    angle, way = 0.7, 0.2 * 0.7
    frame = Spiral().placed("arm", [angle])
    expected = way * np.cos(angle), way * np.sin(angle), 0.0
    np.testing.assert_allclose(np.array(frame.at, dtype=float), expected, atol=1e-15)
    np.testing.assert_allclose([float(turn) for _, turn in frame.turn], [0, 0, angle], atol=1e-15)
    assert Spiral().shared() == []  # no inertia is moved unless it says so


def test_a_force_of_ones_own_goes_into_files_by_one_line(files: None) -> None:
    attraction = load("attraction").Attraction
    m = tb.Model("planet", gravity=(0, 0, 0))
    planet = m.body("planet", mass=0.5)
    m.joint("way", tb.Planar("z"), m.ground, planet, armature=(0, 0, 1.0), position=(1, 0, 0))
    m.force("sun", attraction(m.ground, planet, m.parameter("strength", 3.0)))
    add_kind("forces", attraction)
    again = model_from_text(to_text(m))
    assert type(again.forces["sun"]) is attraction
    np.testing.assert_array_equal(
        again.compile().forward_dynamics([1, 0.5, 0], [0, 0, 0]),
        m.compile().forward_dynamics([1, 0.5, 0], [0, 0, 0]),
    )


def test_a_file_format_of_ones_own_is_read_by_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS, ".rods", load("rod_list").read_rods)
    file = tmp_path / "chain.rods"
    file.write_text("upper, 0.5, 1.0\nlower, 0.25, 0.5\n")
    model = tb.read(file, damping=0.1)
    assert model.compile().coordinates == ("upper", "lower")
    assert model.joints["lower"].damping == (0.1,)
    assert list(load_for_command(str(file))[0].joints) == ["upper", "lower"]
    with pytest.raises(tb.ModelError, match=r"dampening.*damping"):
        tb.read(file, dampening=0.1)


def swinging() -> tb.Model:
    m = tb.Model("swinging")
    m.joint("hinge", tb.Revolute("y"), m.ground, m.body("rod", mass=1.0, com=(0, 0, -0.5)))
    return m


def test_the_lines_that_register_things_run_as_they_are_written(files: None) -> None:
    """In a place that has nothing but the names of the classes on the page."""
    lines = re.findall(r"`(from touchback[^`]*)`", (FOLDER.parent / "extending.md").read_text())
    assert len(lines) == 6
    for line in lines:
        exec(line, {name: value for file in MADE for name, value in vars(load(file)).items()})
    assert {"heun", "projected-feedback", "metronome", ".rods"} <= {
        *METHODS, *FORMULATIONS, *DEVICES, *FORMATS
    }  # fmt: skip
    assert tb.simulate(swinging().compile(), method="heun", step=0.1, progress=False).duration == 1


HOMES = {
    "attraction": "touchback.model.forces",
    "heun": "touchback.simulate.solvers",
    "maxwell_element": "touchback.model.forces",
    "metronome": "touchback.devices",
    "micropython": "touchback.codegen.printers",
    "pin_in_slot": "touchback.model.joints",
    "projected_feedback": "touchback.native.constrained",
    "rod_list": "touchback.interop",
}  # where each file would lie inside


def test_the_files_would_work_inside_as_they_are() -> None:
    """None imports the folder that would import it, nor the package's face, which rooms of the core
    may not."""
    assert set(HOMES) == {file.stem for file in FOLDER.glob("*.py")}
    for name, home in HOMES.items():
        for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text())):
            if isinstance(node, ast.Import):
                assert not any(each.name.startswith("touchback") for each in node.names), name
            elif isinstance(node, ast.ImportFrom):
                assert node.module != home, name
                assert node.module != "touchback" or home.split(".")[1] not in CORE, name


@pytest.mark.parametrize(("table", "entry"), [
    ("system/function_source.py", "PRINTERS"), ("cli/command_table.py", "COMMANDS"),
    ("codegen/emit_machine_code.py", "TARGETS"), ("interop/import_formats.py", "FORMATS"),
    ("devices/device_registry.py", "DEVICES"), ("simulate/solvers/__init__.py", "METHODS"),
    ("native/constrained/formulation_kinds.py", "FORMULATIONS"),
])  # fmt: skip
def test_registries_are_where_contributors_are_told(table: str, entry: str) -> None:
    root = FOLDER.parents[1]
    told = (root / "CONTRIBUTING.md").read_text()
    assert re.search(rf"`{entry}` in (the )?`{table}`|`{entry}` in the `__init__.py` beside", told)
    assert re.search(rf"^{entry}\b.*=", (root / "src/touchback" / table).read_text(), re.M)


def test_the_command_runs_a_solver_without_books_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(METHODS, "heun", load("heun").Heun())
    done = command("simulate", "pendulum", "--method", "heun", "--duration", "0.1")
    assert done.returncode == 0
    assert "energy: method 'heun' keeps no energy balance" in done.stdout
    usual = command("simulate", "pendulum", "--method", "rk4", "--duration", "0.1")
    assert "keeps no energy balance" not in usual.stdout and "energy" in usual.stdout
    wrong = command("simulate", "pendulum", "--method", "huen", "--duration", "0.1")
    assert wrong.returncode != 0 and "There is no method 'huen'" in wrong.stderr


def test_a_solver_of_ones_own_is_taken_as_it_is() -> None:
    system, heun = swinging().compile(), load("heun").Heun(step=1e-3)
    start = system.assemble(hinge=1.0)
    run = tb.simulate(system, start, method=heun, progress=False)
    known = tb.simulate(system, start, progress=False)
    assert run["hinge"][-1] == pytest.approx(known["hinge"][-1], abs=1e-5)
    assert "method=given['method'])" in run.metadata["repro_call"]
    assert run.metadata["given"] == {"method": "an object of type Heun"}
    again = eval(
        run.metadata["repro_call"], {"tb": tb, "system": system, "given": {"method": heun}}
    )
    np.testing.assert_array_equal(again["hinge"], run["hinge"])
    with pytest.raises(
        tb.InputError, match=r"'linear-implicit' is a step of its own; leave .*heun"
    ):
        tb.simulate(system, method=heun, constraints="linear-implicit")


def test_a_solver_of_ones_own_keeps_books_only_where_it_says_so() -> None:
    with pytest.raises(tb.InputError, match="'heun' keeps no energy balance; use method='dopri5'"):
        tb.simulate(swinging().compile(), method=load("heun").Heun(), energy_balance=True)


def test_a_solver_of_ones_own_is_recorded_at_the_instants_asked_for() -> None:
    heun, system = load("heun").Heun, swinging().compile()
    start = system.assemble(hinge=1.0)
    full = tb.simulate(system, start, 1.05, method=heun(step=1e-2), progress=False)
    few = tb.simulate(system, start, 1.05, method=heun(step=1e-2, output_step=0.1), progress=False)
    np.testing.assert_allclose(few.time, [*np.arange(11) * 0.1, 1.05], atol=1e-12)
    np.testing.assert_array_equal(few["hinge"], full["hinge"][[*range(0, 101, 10), 105]])
    for step in (0.015, 0.001):
        with pytest.raises(tb.InputError, match=r"recorded nothing at t = .*multiple of its step"):
            tb.simulate(system, start, 1.0, method=heun(step=1e-2, output_step=step))


def test_a_solver_of_ones_own_that_meets_no_number_fails_and_keeps_what_came_before() -> None:
    m = tb.Model("bursting", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.force("burst", tb.JointEffort("x", lambda q, v: 1000.0 * v * v))
    with pytest.raises(RunFailed, match=r"heun stopped at t = .*'x rate' stops being") as failed:
        tb.simulate(m.compile(), [0.0, 1.0], method=load("heun").Heun(), progress=False)
    run = failed.value.run
    assert 1 < len(run.time) < 20 and np.isfinite(run["x rate"]).all()


def test_a_solver_of_ones_own_is_known_by_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    heun, system = load("heun").Heun, swinging().compile()
    with pytest.raises(tb.InputError, match="no method 'heun'"):
        tb.simulate(system, method="heun")
    monkeypatch.setitem(METHODS, "heun", heun())
    start = system.assemble(hinge=1.0)
    exact = tb.simulate(system, start, 1.0, rtol=1e-12, atol=1e-13, progress=False)["hinge"][-1]
    errors = [
        abs(run["hinge"][-1] - exact)
        for run in (
            tb.simulate(system, start, 1.0, method="heun", step=2e-2, progress=False),
            tb.simulate(system, start, 1.0, method=heun(step=1e-2), progress=False),
        )
    ]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)  # of order 2
    assert "method='heun', step=0.01" in exact_text(system, start, heun(step=1e-2))


def exact_text(system: tb.System, start: tb.State, solver: Any) -> str:
    """The line that repeats a run."""
    text: str = tb.simulate(system, start, 0.1, method=solver, progress=False).metadata[
        "repro_call"
    ]
    return text


def test_a_solver_of_ones_own_closes_loops_and_is_refused_what_it_can_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(METHODS, "heun", load("heun").Heun())
    system = gallery.make("slider-crank").compile()
    run = tb.simulate(system, duration=0.1, method="heun", constraints="projection", progress=False)
    assert run.metadata["statistics"]["largest_h"] <= 1e-12
    crossing = tb.Event("crosses", system.coordinates[0])
    with pytest.raises(tb.InputError, match=r"'heun' looks for no events; use method='dopri5'"):
        tb.simulate(system, method="heun", events=[crossing])
    with pytest.raises(tb.InputError, match=r"'heun' can't run against a clock; use .*'rk4'"):
        tb.live(system, method="heun")


def test_a_formulation_of_ones_own_is_known_by_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feedback, system = load("projected_feedback").ProjectedFeedback, gallery.make("slider-crank")
    system = system.compile()
    with pytest.raises(tb.InputError, match="no formulation 'projected-feedback'; there are part"):
        tb.simulate(system, constraints="projected-feedback")
    monkeypatch.setitem(FORMULATIONS, "projected-feedback", feedback())
    kept = {}
    for way in ("projected-feedback", feedback(alpha=5.0, beta=5.0), "baumgarte"):
        run = tb.simulate(
            system, duration=0.2, constraints=way, method="rk4", step=1e-3, progress=False
        )
        kept[str(way)] = run.metadata["statistics"]["largest_h"]
    assert run.metadata["constraints"] == "baumgarte"
    first, second, drifting = kept.values()
    assert max(first, second) <= 1e-12 < drifting
    file = tmp_path / "run.mcap"
    with tb.live(system, speed=None, constraints="projected-feedback", record=file) as live:
        live.run(0.05)
    assert tb.replay(file).same
    assert "projected-feedback" in [each.formulation for each in list_candidates(True, None)]


def test_a_device_of_ones_own_is_opened_by_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def metronome(place: str) -> Any:
        made.append(load("metronome").Metronome(place))
        return made[-1]

    m = tb.Model("driven", gravity=(0, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.force("drive", tb.JointEffort("slide", m.input("drive", unit="N")))
    m.save(tmp_path / "driven.yaml")
    words = [str(tmp_path / "driven.yaml"), "--seconds", "0.3", "--connect", "drive=metronome:20"]
    with pytest.raises(tb.InputError, match=r"no kind of device 'metronome'.*'serial'"):
        open_device("metronome:20")
    monkeypatch.setitem(DEVICES, "metronome", metronome)
    record = tmp_path / "run.mcap"
    assert command("live", *words, "--record", record).returncode == 0
    assert set(np.unique(tb.open(record)["drive"])) >= {-1.0, 1.0}
    assert len(made) == 1 and made[0].closed


def test_attraction_gives_keplers_orbit() -> None:
    """Period 2π √(a³ m/strength) of a small mass about a fixed centre, and energy −strength/2a."""
    attraction = load("attraction").Attraction
    m = tb.Model("planet", gravity=(0, 0, 0))
    planet = m.body("planet", mass=0.5)
    m.joint("way", tb.Planar("z"), m.ground, planet, armature=(0, 0, 1.0))
    strength = m.parameter("strength", 3.0)
    m.force("sun", attraction(m.ground, planet, strength))
    m.sensor("energy", tb.Energy())
    system = m.compile()
    start = system.assemble(rates={"way.y": 1.5}, **{"way.x": 1.0})
    energy = 0.5 * 0.5 * 1.5**2 - 3.0
    axis = -3.0 / (2 * energy)
    period = 2 * np.pi * np.sqrt(axis**3 * 0.5 / 3.0)
    run = tb.simulate(system, start, duration=period, rtol=1e-11, atol=1e-12)
    assert run["energy"][0] == pytest.approx(energy, rel=1e-12)
    assert run["energy"][-1] == pytest.approx(energy, rel=1e-8)
    assert run["way.x"][-1] == pytest.approx(1.0, abs=1e-7)
    assert run["way.y"][-1] == pytest.approx(0.0, abs=1e-7)


def test_a_maxwell_element_that_is_held_lets_go() -> None:
    """A step of the stretch: k Δ e^(−t k/c), with the damper among the states by its name."""
    element = load("maxwell_element").MaxwellElement
    k, c, stretch = 200.0, 5.0, 0.02
    m = tb.Model("strap", gravity=(0, 0, 0))
    load_body = m.body("load", mass=1.0)
    m.joint("z", tb.Prismatic("z"), m.ground, load_body)
    m.force("strap", element(m.ground, load_body, k, c, length=0.3))
    m.drive("z", 0.3 + stretch)
    m.sensor("pull", tb.Multiplier("z"))
    run = tb.simulate(m.compile(), duration=0.05, rtol=1e-10, atol=1e-12, progress=False)
    decay = np.exp(-run.time * k / c)
    np.testing.assert_allclose(run["strap.damper"], stretch * (1 - decay), atol=1e-9)
    np.testing.assert_allclose(run["pull"], k * stretch * decay, atol=1e-6)


def test_micropython_computes_what_machine_code_computes() -> None:
    system = gallery.make("seven-joint-arm").compile()
    text = load("micropython").print_micropython(system.function("inverse dynamics").second, "f")
    names: dict[str, Any] = {}
    exec(text, names)
    q, v, a = np.random.default_rng(4).normal(size=(3, 7))
    found = names["f"]([*q, *v], [0.0] * 8 + list(a))
    np.testing.assert_allclose(found, system.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12)
