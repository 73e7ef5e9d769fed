"""Packages of Modelica, compiled and run by a compiler that isn't ours (rumoca); by OpenModelica
where that is installed."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import touchback as tb
from models_with_modes import (
    bead_on_dome,
    block_on_belt,
    bouncing_ball,
    clutch,
    follower,
    pegged_pendulum,
    striking_rods,
)
from touchback import gallery
from touchback.errors import InputError
from touchback.interop.export_targets import generate
from touchback.interop.modelica.modelica_text import Names
from touchback.interop.modelica.modelica_writer import package_text


def pendulum() -> tb.Model:
    m = tb.Model("Pendulum")
    length = m.parameter("length", 0.8, "m")
    rod = m.body("rod", mass=1.2, com=(0.0, 0.0, -length), inertia=(0.02, 0.03, 0.04))
    m.joint("hinge", tb.Revolute((0.1, 1.0, 0.2)), "ground", rod, position=0.7, velocity=0.3,
            damping=0.05, spring=2.0, rest=0.1, armature=0.01)  # fmt: skip
    m.sensor("tip", tb.Position(rod.at(0.0, 0.0, -1.0)))
    m.sensor("pull", tb.Reaction("hinge"))
    return m


def double_pendulum() -> tb.Model:
    """On a ground that moves, with a spring across, a state and a table of two variables."""
    m = tb.Model("Two bars, hung up")
    m.move_base(position=(0.1 * tb.sin(3.0 * m.time), 0.0, 0.0), turn=("z", 0.5 * m.time))
    upper = m.body("bar", mass=1.0, com=(0.0, 0.0, -0.25), inertia=(0.02, 0.02, 0.001))
    lower = m.body("bar 2", mass=0.7, com=(0.0, 0.0, -0.3), inertia=(0.02, 0.03, 0.012))
    m.joint("bar", tb.Revolute("y"), "ground", upper, position=0.5, friction=0.2)
    knee = upper.at(0, 0, -0.5, turn=("z", 0.3))
    m.joint("knee", tb.Universal("y", "x"), knee, lower.at(0, 0, 0.05),
            position=(0.3, 0.2), limits=(-0.1, 0.25), stop=(40.0, 1.0))  # fmt: skip
    stiffness = m.parameter("stiffness", 30.0, "N/m")
    m.force(
        "across", tb.SpringDamper(m.ground.at(0.4, 0, 0), lower.at(0, 0, -0.6), stiffness, 0.3, 0.4)
    )
    rows = ((0.0, 1.0, 3.0), (2.0, 1.5, -1.0), (1.0, 0.0, 2.0))
    strength = m.table("strength", (-1.0, 0.3, 1.0), rows, y=(-2.0, 0.4, 0.9))
    lag = m.state("lag", 0.5, rate=m.coordinate("bar"))
    m.force("motor", tb.JointEffort("bar", 0.3 * tb.lookup(strength, m.coordinate("bar"), lag)))
    m.sensor("energy", tb.Energy("kinetic"))
    return m


def four_bar() -> tb.Model:
    """Pins in space around a plane, of which rows add nothing; its crank is driven."""
    m = tb.Model("four-bar")
    crank = m.body("crank", mass=0.3, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    coupler = m.body("coupler", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 3e-3, 3e-3))
    rocker = m.body("rocker", mass=0.4, com=(0.15, 0, 0), inertia=(1e-4, 2e-3, 2e-3))
    m.joint("crank", tb.Revolute("y"), "ground", crank, position=-1.2)
    m.joint("coupler", tb.Revolute("y"), crank.at(0.2, 0, 0), coupler, position=0.9)
    m.joint("rocker", tb.Revolute("y"), m.ground.at(0.4, 0, 0), rocker, position=-1.4)
    m.close("pin", tb.Revolute("y"), coupler.at(0.45, 0, 0), rocker.at(0.3, 0, 0))
    m.drive("crank", -1.2 + 2.0 * m.time + 0.3 * tb.sin(5.0 * m.time))
    m.sensor("torque", tb.Multiplier("crank"))
    return m


def car() -> tb.Model:
    """A free body on springs, with drag, a push from outside and a steered wheel."""
    m = tb.Model("car")
    body = m.body("body", mass=20.0, com=(0.05, 0.0, 0.02), inertia=(1.0, 2.0, 2.5, 0.1, 0.0, 0.05))
    wheel = m.body("wheel", mass=2.0, inertia=(0.02, 0.04, 0.02))
    m.joint("car", tb.Free(), "ground", body, position=(0, 0, 0.5, 0.9, 0.1, 0.2, 0.3))
    m.joint("steering", tb.Cylindrical("z"), body.at(0.4, 0.3, -0.1), wheel, spring=(5e2, 3.0))
    for i, (x, y) in enumerate(((0.5, 0.3), (0.5, -0.3), (-0.5, 0.0))):
        ends = m.ground.at(x, y, 0.0), body.at(x, y, -0.2)
        m.force(f"spring {i}", tb.SpringDamper(*ends, 900.0, 30.0, 0.25))
    m.force("mount", tb.Bushing(body.at(-0.4, 0, 0), wheel, (10, 20, 30), (1, 1, 1), (3, 2, 1)))
    m.force("air", tb.Drag(body.at(0.1, 0, 0.1), area=0.5, flow=(-3.0, 0.5, 0.0)))
    push = m.input("push", default=7.0, unit="N")
    m.force("hand", tb.Wrench(body.at(0.5, 0, 0), force=(push, 0.0, 3.0)))
    m.sensor("felt", tb.Acceleration(body.at(0.2, 0.1, 0.3)))
    return m


def kinds() -> tb.Model:
    """The other kinds of joints, and constraints that are written."""
    m = tb.Model("kinds")
    words = ("slide", "ball", "plane", "screw", "glued")
    slide, ball, plane, screw, glued = (
        m.body(word, mass=1.0 + 0.1 * i, com=(0.1, 0.05 * i, 0.2), inertia=(0.1, 0.12, 0.15))
        for i, word in enumerate(words)
    )
    m.joint("slide", tb.Prismatic((1.0, 0.5, 0.0)), "ground", slide)
    m.joint("ball", tb.Spherical(), slide.at(0.3, 0, 0), ball.at(0, 0, -0.2))
    m.joint("plane", tb.Planar("y"), m.ground.at(0, 2, 0, turn=("x", 0.4)), plane)
    m.joint("screw", tb.Screw("z", pitch=m.parameter("pitch", 0.05)), plane, screw)
    m.joint("glued", tb.Fixed(), screw.at(0.1, 0.2, 0.3, turn=("y", 0.6)), glued)
    m.couple("gear", tb.Gear("slide", "screw", ratio=3.0))
    m.close("rod", tb.Rod(1.0), ball, m.ground.at(0.0, 0.0, 1.0))
    m.close("blade", tb.Skate("x"), "ground", plane)
    x, z = m.coordinate("plane", 1), m.coordinate("plane", 0)
    bend = m.table("bend", (-1.0, 0.5, 2.0), (0.0, 0.2, 0.1))
    m.constrain("path", x - 0.3 * tb.sin(z) - 0.1 * m.time - tb.lookup(bend, z))
    return m


def wheel() -> tb.Model:
    """A disc that rolls over a slope, leaning."""
    m = tb.Model("wheel")
    disc = m.body("disc", mass=1.5, inertia=(0.03, 0.06, 0.03))
    m.joint("free", tb.Free(), "ground", disc, position=(0.1, 0.2, 0.35, 1.0, 0.15, 0.05, 0.3))
    m.close("slope", tb.Rolling(m.parameter("radius", 0.3)), m.ground.at(0, 0, 0, ("y", 0.1)), disc)
    return m


FROM_GALLERY = ("slider-crank", "suspension", "stewart-platform")
MODELS: dict[str, Callable[[], tb.Model]] = {
    "pendulum": pendulum,
    "double pendulum": double_pendulum,
    "four-bar": four_bar,
    "car": car,
    "kinds": kinds,
    "wheel": wheel,
    **{name: partial(gallery.make, name) for name in FROM_GALLERY},
}
LONG = ("pendulum", *FROM_GALLERY)  # whose parts are in the others too
LOUD = "ignore::touchback.interop.exported_mechanism.ExportNotice"
END = 0.2  # [s]


def with_inputs(model: tb.Model) -> tuple[str, str]:
    """The package and a model in it whose inputs have their usual values; what that is called."""
    text = package_text(model)
    package = re.findall(r"^package (\w+)", text)[0]
    values = [f"{Names().fresh(x)} = {each.default}" for x, each in model.inputs.items()]
    given = f"({', '.join(values)})" if values else ""
    return f"{text}\nmodel Run\n  extends {package}.Mechanism{given};\nend Run;\n", "Run"


def stirred(system: tb.System) -> np.ndarray:
    """A state that moves and keeps the constraints."""
    nq, nv, _ = system.sizes
    x = (system.assemble() if system.constrained else system.initial_state()).x.copy()
    x[nq : nq + nv] += np.random.default_rng(3).normal(size=nv)
    return system.consistent(x)[0] if system.constrained else x


def variables(system: tb.System, word: str) -> list[str]:
    """The variables of Modelica that the coordinates q, v or a are."""
    return [
        f"{component(name)}.{word}[{i + 1}]"
        for name, joint in system.model.joints.items()
        for i in range(joint.kind.nq if word == "q" else joint.kind.nv)
    ]


def component(joint: str) -> str:
    return Names().fresh(f"joint_{joint}")


def state(system: tb.System) -> list[str]:
    return [
        *variables(system, "q"), *variables(system, "v"), *map(Names().fresh, system.layout.z)
    ]  # fmt: skip


@pytest.mark.filterwarnings(LOUD)
@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=[pytest.mark.soak] if x in LONG else []) for x in MODELS],
)
def test_another_compiler_finds_the_same_accelerations_wrenches_sensors_and_motion(
    name: str,
) -> None:
    rumoca = pytest.importorskip("rumoca", reason="rumoca, a Modelica compiler, isn't installed")
    model = MODELS[name]()
    system, (text, top) = model.compile(), with_inputs(model)
    made, x = rumoca.Session().loads(text, model=top), stirred(system)
    assert made.structure().is_balanced
    assert made.structure().is_matched
    run = made.simulate(
        END, dt=END, start=dict(zip(state(system), x, strict=True)),
        config=rumoca.SimConfig(rtol=1e-9, atol=1e-10),
    )  # fmt: skip

    def at(instant: int, names: Iterable[str]) -> np.ndarray:
        return np.array([run[each][instant] for each in names])

    q, v, z = np.split(x, np.cumsum(system.sizes)[:2])
    wanted = system.state_rate(q, v, z=z)[len(q) : len(q) + len(v)]
    size = np.abs(wanted).max()
    np.testing.assert_allclose(at(0, variables(system, "a")), wanted, atol=1e-11 * size)
    shown = system.sensors(q, v, z=z)
    np.testing.assert_allclose(
        at(0, map(Names().fresh, shown)), list(shown.values()), rtol=1e-9, atol=1e-9
    )
    if not (system.constrained and system.freedoms().redundant):  # then they are not determined
        for word, joint, wrench in wrenches(system, x):
            found = at(0, (f"{component(joint)}.{word}[{i}]" for i in (1, 2, 3)))
            np.testing.assert_allclose(found, wrench, atol=1e-10 * size)
    ours = tb.simulate(system, x, END, rtol=1e-9, atol=1e-10, progress=False)
    end = [ours[each][-1] for each in system.state_names]
    np.testing.assert_allclose(at(-1, state(system)), end, atol=1e-6)


def wrenches(system: tb.System, x: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    """What joints do to the bodies that they carry: point, force and moment."""
    for port in tb.ports(system, x).bodies:
        kind, _, joint = port.owner.partition(" ")
        if kind == "joint" and system.model.joints[joint].child.body == port.body:
            yield "P", joint, port.point
            yield "F_B", joint, port.force
            yield "M_B", joint, port.torque


def two_balls() -> tb.Model:
    """Parts with modes of their own."""
    m = tb.Model("two balls")
    for name, restitution, height in (("left", 0.4, 1.0), ("right", 0.6, 0.7)):
        ball = bouncing_ball(restitution, rest=True)
        ball.joints["height"] = replace(ball.joints["height"], position=(height,))
        m.add(ball, name=name)
    return m


def rope() -> tb.Model:
    """A bob that falls until its rope is taut, with a state that counts and a speed that is reset;
    the rope stands twice in the model, so that a row adds nothing while it is taut."""
    m = tb.Model("rope", gravity=(0, 0, -9.81))
    bob = m.body("bob", mass=0.5, inertia=(0.01, 0.02, 0.03))
    m.joint("bob", tb.Planar("y"), m.ground, bob, position=(-0.2, 0.3, 0.0), velocity=(0, 0.5, 3))
    z, x = m.coordinate("bob", 0), m.coordinate("bob", 1)
    for name in ("rope", "again"):
        m.close(name, tb.Rod(1.0), m.ground, bob)
    count = m.state("count", 0.0)
    m.sensor("pull", tb.Readout("N"))
    pull = m.sensor("tension", tb.Multiplier("rope"))
    m.mode("slack")
    m.mode("taut", active=["rope", "again"], readouts={"pull": -pull})
    m.transition("tightens", "slack", "taut", when=1.0 - tb.sqrt(z**2 + x**2),
                 reset={"count": count + 1.0, "v:bob.turn": 0.5 * m.rate("bob", 2)})  # fmt: skip
    return m


def wheel_that_lands() -> tb.Model:
    """The omni wheel 1 mm over the floor, in its second mode."""
    m: tb.Model = gallery.make("omni-wheel")
    m.joints["wheel"] = replace(m.joints["wheel"], position=(0, 0, 0.051, 1, 0, 0, 0))
    return m


def marked_ball() -> tb.Model:
    """A bouncing ball with a marker that tracks twice its height in flight and, once it rests, a
    place that another slider tracks, which depends on time: two rows move one coordinate, and one
    goal hangs on another."""
    m = bouncing_ball(0.4, rest=True)
    base = m.body("base", mass=0.3)
    m.joint("base", tb.Prismatic("x"), m.ground, base, position=0.4)
    m.joint("marker", tb.Prismatic("z"), base, m.body("marker", mass=2.0), velocity=0.2)
    place = m.coordinate("base")
    for name in ("flight", "rest"):
        del m.modes[name]
    m.mode("flight", tracking={"marker": 2.0 * m.coordinate("height")})
    m.mode("rest", ["floor"], tracking={"marker": 0.2 - place, "base": 0.3 * tb.sin(m.time)})
    return m


def wheel_with_marker() -> tb.Model:
    """Kosenko's bench, the wheel lifted off the floor by a force that grows: while it is in the
    air, a carriage of two sliders tracks the roller's point that is nearest to the floor."""
    m: tb.Model = gallery.make("omni-wheel")
    across = m.body("across", mass=0.1)
    m.joint("marker x", tb.Prismatic("x"), m.ground, across)
    m.joint("marker y", tb.Prismatic("y"), across, m.body("marker", mass=0.2))
    del m.modes["off the floor"]
    goals = {"marker x": m.signal("contact.x"), "marker y": m.signal("contact.y")}
    m.mode("off the floor", ["upright"], tracking=goals)
    m.force("crane", tb.Wrench(tb.Frame("disc"), force=(0.0, 0.0, 200.0 * m.time)))
    m.joints["wheel"] = replace(m.joints["wheel"], velocity=(0.3, 0.2, 0, 0, 6.0, 0))
    return m


WITH_MODES: dict[str, tuple[Callable[[], tb.Model], float, dict[str, float], str | None]] = {
    "ball": (partial(bouncing_ball, 0.5, rest=True), 1.5, {}, None),
    "clutch": (clutch, 0.6, {}, None),
    "rods, Newton": (striking_rods, 0.2, {}, None),
    "rods, Poisson": (partial(striking_rods, "poisson"), 0.2, {}, None),
    "rope": (rope, 0.6, {}, None),
    "two balls": (two_balls, 0.7, {}, None),
    "bouncing hammer": (partial(gallery.make, "bouncing-hammer"), 0.4, {"key force": 2.0}, None),
    "harpsichord": (partial(gallery.make, "harpsichord"), 0.1, {"key force": 1.6}, None),
    "omni wheel lands": (wheel_that_lands, 0.02, {"axle torque": 0.05}, "off the floor"),
    "omni wheel": (partial(gallery.make, "omni-wheel"), 0.15, {"axle torque": 0.05}, None),
    "omni wheel, tracked": (wheel_with_marker, 0.06, {"axle torque": 0.05}, None),
    "follower": (partial(follower, False, "free"), 0.7, {}, None),
    "follower on its cart": (partial(follower, True, "free"), 0.7, {}, None),
    "marked ball": (marked_ball, 1.2, {}, None),
    "pegged pendulum": (pegged_pendulum, 1.0, {}, None),
    "block on a belt": (block_on_belt, 1.0, {}, None),
    "bead on a dome": (partial(bead_on_dome, 1.0), 0.8, {}, None),
}
LASTING = (
    "omni wheel",
    "omni wheel lands",
    "omni wheel, tracked",
    "follower",
    "pegged pendulum",
    "block on a belt",
    "bead on a dome",
    "rods, Newton",
)


@pytest.mark.filterwarnings(LOUD)
@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=[pytest.mark.soak] if x in LASTING else []) for x in WITH_MODES],
)
def test_another_compiler_takes_the_same_transitions_at_the_same_instants(name: str) -> None:
    rumoca = pytest.importorskip("rumoca", reason="rumoca, a Modelica compiler, isn't installed")
    make, end, inputs, mode = WITH_MODES[name]
    model = make()
    system = model.compile()
    start = system.assemble(mode=mode) if system.constrained else system.initial_state()
    given = {each: model.inputs[each].default for each in model.inputs} | inputs
    words = [f"{Names().fresh(x)} = {float(value)!r}" for x, value in given.items()]
    words += [f"mode(start = {int(start.x[-1])})"] if mode else []
    text = package_text(model)
    package = re.findall(r"^package (\w+)", text)[0]
    text += f"\nmodel Run\n  extends {package}.Mechanism({', '.join(words)});\nend Run;\n"
    made = rumoca.Session().loads(text, model="Run")
    assert made.structure().is_balanced
    groups = system.dynamics.modes.groups
    modes = [Names().fresh(group.state) for group in groups]
    names = state(system)
    begun = {x: value for x, value in zip(names, start.x, strict=True) if x not in modes}
    run = made.simulate(
        end, dt=end, start=begun, config=rumoca.SimConfig(rtol=1e-9, atol=1e-10)
    )  # fmt: skip
    ours = tb.simulate(system, start, end, inputs=inputs, rtol=1e-9, atol=1e-10, progress=False)
    assert bool(ours.transitions) is (name != "omni wheel")
    for group, mode_name in zip(groups, modes, strict=True):
        theirs = np.asarray(run[mode_name])
        changes = np.flatnonzero(np.diff(theirs))
        wanted = [
            (each.time, group.modes.index(each.target))
            for each in ours.transitions
            if each.target in group.modes and each.target != each.source
        ]
        found = [(run.time[i + 1], theirs[i + 1]) for i in changes]
        # bounces end after ever shorter ones, whose last count by the tolerances
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    last = [ours[each][-1] for each in system.state_names]
    np.testing.assert_allclose([run[each][-1] for each in names], last, atol=2e-6)


def test_transitions_are_one_when_clause_and_impulses_those_of_the_whole_mechanism() -> None:
    text = package_text(bouncing_ball(0.5, rest=True))
    assert text.count("end when;") == 1
    assert (
        "take_bounce = pre(mode) == 0 and when_bounce < -1e-12 and when_bounce_rate < 0.0;" in text
    )
    assert 'Integer mode(start = 0, fixed = true) "0: flight, 1: rest";' in text
    assert "Kept constraint_floor(alpha = alpha, acts = mode == 1);" in text
    assert "reinit(joint_height.v, {if jump[2] < 1e-06 then jump_to_rest[1] else jump[1]});" in text
    omni = package_text(gallery.make("omni-wheel"))
    assert "KeptRate constraint_floor(alpha = alpha, acts = mode == 0);" in omni
    assert "take_lets_go = pre(mode) == 0 and when_lets_go < -1e-12;" in omni
    assert "when_lets_go = constraint_floor.lambda;" in omni


@pytest.mark.skipif(shutil.which("omc") is None, reason="OpenModelica isn't installed")
@pytest.mark.filterwarnings(LOUD)
@pytest.mark.parametrize("name", MODELS)
def test_open_modelica_finds_the_same_motion(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    system, (text, top) = model.compile(), with_inputs(model)
    (tmp_path / "package.mo").write_text(text)
    (tmp_path / "run.mos").write_text(
        f'loadFile("package.mo"); simulate({top}, stopTime={END}, numberOfIntervals=2, '
        'tolerance=1e-9, outputFormat="csv"); getErrorString();'
    )
    said = subprocess.run(["omc", "run.mos"], cwd=tmp_path, capture_output=True, text=True)
    with open(tmp_path / f"{top}_res.csv", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    x = (system.assemble() if system.constrained else system.initial_state()).x
    ours = tb.simulate(system, x, END, rtol=1e-9, atol=1e-10, progress=False)
    end = [ours[each][-1] for each in system.state_names]
    found = [float(last[each]) for each in state(system)]
    np.testing.assert_allclose(found, end, atol=1e-6, err_msg=said.stdout)


def test_a_small_package_is_that_of_the_golden_file(
    tmp_path: Path, matches_golden: Callable[[str, str], None]
) -> None:
    path = tmp_path / "pendulum.mo"
    assert generate(pendulum(), "modelica", path, alpha=5.0) == [path]
    matches_golden(path.read_text(), "pendulum.mo")


def test_rows_that_add_nothing_are_left_out_and_listed() -> None:
    with pytest.warns(UserWarning, match=r"row 'pin\.2', which adds nothing"):
        text = package_text(four_bar())
    assert "// Not here: row 'pin.2', which adds nothing" in text
    assert "row_1(" in text
    assert "row_2(" not in text


def test_a_sensor_of_what_nothing_determines_is_left_out_and_the_others_stay() -> None:
    model = four_bar()
    model.sensor("idle", tb.Multiplier("pin.2"))
    with pytest.warns(UserWarning, match=r"sensor 'idle': row 'pin\.2' adds nothing"):
        text = package_text(model)
    assert "// Not here: sensor 'idle'" in text
    assert re.findall(r"output Real (\w+);", text) == ["torque"]


def test_what_has_no_class_there_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="force 'water' lets fluid move along"):
        package_text(gallery.make("buoy"))
    swelling = tb.Model("swelling")
    swelling.joint(
        "x", tb.Prismatic("x"), "ground", swelling.body("x", mass=1.0 + swelling.input("u"))
    )
    with pytest.raises(InputError, match="body 'x' changes with 'u'"):
        package_text(swelling)


def test_names_become_identifiers_that_are_nobody_elses() -> None:
    names = Names(["alpha"])
    given = ("alpha", "a b", "a_b", "2nd", "der", "Kraft [N]")
    assert [names.fresh(x) for x in given] == [
        "alpha_2",
        "a_b",
        "a_b_2",
        "_2nd",
        "der_2",
        "Kraft_N",
    ]
