"""Contacts of surfaces in files, and starts that are found where a run begins."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.contact import SurfaceContact
from touchback.contact.surfaces import (
    Ball,
    Barrel,
    Ellipsoid,
    FormulaSurface,
    Pipe,
    Plane,
    Roller,
    Surface,
    Torus,
)
from touchback.model.io import model_from_text, to_text

PEBBLE = """
touchback: 1
name: pebble
parameters:
  height: {default: 0.05, unit: m}
bodies:
  pebble: {mass: 1.5, inertia: [0.003, 0.005, 0.006]}
joints:
  free: {kind: free, parent: ground, child: pebble, position: [0, 0, 0.06, 1, 0, 0, 0]}
forces:
  floor:
    kind: surface-contact
    a: ground
    surface_a: {kind: plane}
    b: pebble
    surface_b: {kind: ellipsoid, x: 0.12, y: 0.08, z: height}
    law: {kind: hunt-crossley, stiffness: 2e6}
    friction: 0.3
    correction: 50
sensors:
  gap: {kind: gap, contact: floor}
"""


def on_the_floor(surface: Surface, **options: object) -> tb.Model:
    m = tb.Model("body")
    body = m.body("body", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("free", tb.Free(), m.ground, body, position=(0.3, 0.1, 1.2, 1, 0, 0, 0))
    m.force("floor", SurfaceContact(m.ground, Plane(), body, surface, **options))
    m.sensor("gap", tb.Gap("floor"))
    return m


def test_a_file_gives_what_python_gives() -> None:
    m = tb.Model("pebble")
    height = m.parameter("height", 0.05, unit="m")
    body = m.body("pebble", mass=1.5, inertia=(0.003, 0.005, 0.006))
    m.joint("free", tb.Free(), m.ground, body, position=(0, 0, 0.06, 1, 0, 0, 0))
    stone = Ellipsoid(0.12, 0.08, height)
    law = tb.contact.HuntCrossley(2e6)
    contact = SurfaceContact(m.ground, Plane(), body, stone, (), law, 0.3, correction=50)
    m.force("floor", contact)
    m.sensor("gap", tb.Gap("floor"))
    assert to_text(m) == to_text(model_from_text(PEBBLE))
    runs = []
    for model in (m, model_from_text(PEBBLE)):
        system = model.compile()
        start = system.assemble(rates={"free.wx": 3.0, "free.wy": 2.0})
        runs.append(tb.simulate(system, start, duration=0.1, progress=False))
    np.testing.assert_array_equal(runs[0]["gap"], runs[1]["gap"])
    assert runs[0]["gap"].min() < 0.0


@pytest.mark.parametrize(
    "surface",
    [
        Ball(0.1),
        Ellipsoid(0.3, 0.2, 0.1),
        Torus(0.2, 0.05),
        Barrel(0.3, 0.2),
        Roller(0.3, 0.2, 0.5),
        Pipe(0.1),
        FormulaSurface("x**4 + y**4 + z**4 + (x**2 + y**2 + z**2)/100 - 0.0002"),
    ],
)
def test_every_surface_is_written_and_read(surface: Surface, tmp_path: Path) -> None:
    m = on_the_floor(surface, guess=(0.01, 0.02, -0.15), law=tb.contact.Felt(1e6, memory=0.2))
    for suffix in (".yaml", ".json"):
        m.save(tmp_path / f"model{suffix}")
        again = tb.read(tmp_path / f"model{suffix}")
        assert again.forces["floor"] == m.forces["floor"]
        assert list(again.states) == list(m.states)


def test_a_start_is_found_wherever_a_state_is_assembled() -> None:
    """At the initial position, at another one, with another parameter, in a loop."""
    system = model_from_text(PEBBLE).compile()
    order = list(system.model.states)
    for state in (system.initial_state(), system.assemble()):
        assert state.z[order.index("floor.bz")] == pytest.approx(0.01)
    away = system.assemble(**{"free.x": 3.0, "free.z": 1.0})
    assert away.z[order.index("floor.bx")] == pytest.approx(3.0)
    assert away.z[order.index("floor.bz")] == pytest.approx(0.95)
    system["height"] = 0.04
    assert system.initial_state().z[order.index("floor.bz")] == pytest.approx(0.02)
    kept = system.assemble(states={"floor.bz": 0.5})
    assert kept.z[order.index("floor.bz")] == 0.5


def test_a_part_finds_the_start_where_it_was_put() -> None:
    whole = tb.Model("whole")
    whole.add(model_from_text(PEBBLE), at=whole.ground.at(1, 2, 3), name="stone")
    system = whole.compile()
    z = dict(zip(system.model.states, system.initial_state().z, strict=True))
    found = [z[f"stone/floor.b{c}"] for c in "xyz"]
    np.testing.assert_allclose(found, [1, 2, 3.01], atol=1e-12)


def test_a_guess_chooses_the_side() -> None:
    """A ball in an oblong hollow is nearest to either of its long sides; the guess, in the axes of
    the ball, which is turned by half a turn, says to which."""
    hollow = FormulaSurface("(1 - x**2 - 4*y**2 - z**2)/2")
    for sign in (1.0, -1.0):
        m = tb.Model("hollow")
        ball = m.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.joint("free", tb.Free(), m.ground, ball, position=(0.01, 0, 0, 0, 0, 0, 1))
        m.force("hollow", SurfaceContact(m.ground, hollow, ball, Ball(0.1), guess=(0, sign / 3, 0)))
        system = m.compile()
        z = dict(zip(system.model.states, system.initial_state().z, strict=True))
        assert z["hollow.ay"] == pytest.approx(-0.5 * sign, abs=1e-3)


def test_a_loop_finds_the_start_after_it_is_closed() -> None:
    m = tb.Model("lift")
    ball = m.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("z", tb.Prismatic("z"), m.ground, ball, position=0.5)
    m.drive("z", 0.3)
    m.force("floor", SurfaceContact(m.ground, Plane(), ball, Ball(0.1)))
    system = m.compile()
    z = dict(zip(system.model.states, system.assemble().z, strict=True))
    assert z["floor.bz"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("ellipsoid", "elipsoid", "there is no kind 'elipsoid'; did you mean 'ellipsoid'"),
        ("x: 0.12, ", "", "its `x` is missing"),
        ("x: 0.12", "x: -0.12", r"Ellipsoid: its x is -0.12 m; it must be positive"),
        ("z: height", "z: hight", "there is no name 'hight'"),
        ("{kind: plane}", "plane", "a mapping is expected, got 'plane'"),
        ("friction: 0.3", "friction: -0.3", "its friction is -0.3; give a number from 0"),
        ("correction: 50", "start: [1, 2]", "its start has 2 numbers, 10 are expected"),
        ("correction: 50", "guess: [1, 2]", "of length 3 is expected"),
        ("a: ground", "a: grund", "there is no body 'grund'"),
    ],
)
def test_mistakes_in_files_are_said_with_their_place(before: str, after: str, message: str) -> None:
    with pytest.raises(tb.ModelError, match=message) as caught:
        model_from_text(PEBBLE.replace(before, after))
    assert "floor" in str(caught.value)


def test_a_start_that_can_not_be_found_names_the_force() -> None:
    system = on_the_floor(Pipe(0.1)).compile()
    with pytest.raises(tb.SolveError, match="Force 'floor': Nearest points of Plane and Pipe"):
        system.assemble(**{"free.qw": 0.5**0.5, "free.qx": 0.5**0.5})


class Egg(Surface, frozen=True, tag="egg"):
    """A surface of one's own, which no file knows."""


def test_what_no_file_knows_is_not_written(tmp_path: Path) -> None:
    m = tb.Model("egg")
    body = m.body("body", mass=1.0)
    m.joint("z", tb.Prismatic("z"), m.ground, body)
    m.force("spring", tb.SpringDamper(m.ground, body, stiffness=1))
    frames = m.ground.at(0, 0, 0), body.at(0, 0, 0)
    m.forces["floor"] = SurfaceContact(frames[0], Plane(), frames[1], Egg())  # type: ignore[arg-type]
    with pytest.raises(tb.ModelError, match=r"Force 'floor': a file can't hold its Egg, since"):
        m.save(tmp_path / "egg.yaml")
    assert not (tmp_path / "egg.yaml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"surface_b": "ball"}, "its surface_b is 'ball'; a surface such as"),
        ({"law": 3}, "its law is 3; one such as"),
        ({"slip_speed": 0}, "its slip_speed is 0; give a positive number"),
        ({"friction": -1}, "its friction is -1; give a number from 0"),
        ({"guess": (1, 2)}, "guess: three components are expected"),
    ],
)
def test_bad_numbers_are_refused(options: dict[str, object], message: str) -> None:
    frame = tb.Frame("ground")
    given = {"a": frame, "surface_a": Plane(), "b": frame, "surface_b": Ball(0.1), **options}
    with pytest.raises(tb.ModelError, match=message):
        SurfaceContact(**given)
