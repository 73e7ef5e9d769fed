"""Whatever is asked of a drawing in whatever order: it is done, or refused with what is wrong, and
every way back and forth gives the same bytes."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from random_drawings import Person
from touchback import workbench
from touchback.errors import InputError, ModelError, TouchbackError
from touchback.model import KINDS
from touchback.workbench.drawing import Drawing
from touchback.workbench.drawing.placement import snapping_points
from touchback.workbench.page_scene import resting_scene

BARS = ("bar 1", "bar 2", "bar 3")


def items(*names: str, section: str = "bodies") -> list[dict[str, str]]:
    return [{"section": section, "name": name} for name in names]


def four_bar(folder: Path, motor: bool = True) -> Drawing:
    """With a motor, a spring to the ground and a traced point."""
    drawing = Drawing(folder=folder)
    for a, b in (((0, 0), (0, 0.1)), ((0, 0.1), (0.35, 0.2)), ((0.3, 0), (0.35, 0.2))):
        drawing.apply({"change": "bar", "from": (a[0], 0, a[1]), "to": (b[0], 0, b[1])})
    for x, z, a, b in ((0, 0, "ground", "bar 1"), (0, 0.1, "bar 1", "bar 2"),
                       (0.35, 0.2, "bar 2", "bar 3"), (0.3, 0, "ground", "bar 3")):  # fmt: skip
        asked = {"change": "joint", "kind": "revolute", "at": (x, 0, z), "a": a, "b": b}
        drawing.apply(asked)
    if motor:
        drawing.apply({"change": "motor", "joint": "revolute 1"})
        ends = {
            "a": {"body": "ground", "at": (0, 0, 0.3)},
            "b": {"body": "bar 2", "at": (0, 0, 0.1)},
        }
        drawing.apply({"change": "spring", **ends})
        drawing.apply({"change": "trace", "body": "bar 2", "at": (0.2, 0, 0.15)})
    return drawing


def positions(drawing: Drawing, *bodies: str) -> np.ndarray:
    return np.array([drawing.state.poses[name][1] for name in bodies])


def motion_of(model: tb.Model, *signals: str) -> np.ndarray:
    """What signals are in a run of a tenth of a second, as rows over time."""
    system = model.compile(backend="interpreter")
    run = tb.simulate(system, duration=0.1, method="rk4", step=2e-3)
    return np.array([run[name] for name in signals])


# ---- placing -------------------------------------------------------------------------------------


def test_what_is_moved_takes_its_joints_along_and_leaves_the_rest(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    before = positions(drawing, *BARS)
    drawing.apply({"change": "move", "items": items("bar 2"), "by": (0.1, 0, 0.05)})
    moved = positions(drawing, *BARS) - before
    assert np.allclose(moved, [[0, 0, 0], [0.1, 0, 0.05], [0, 0, 0]], atol=1e-12)
    at = {each["name"]: each["at"] for each in drawing.facts()["joints"]}  # type: ignore[attr-defined]
    assert at["revolute 1"] == [0, 0, 0] and at["revolute 2"] == [0.1, 0, 0.15]
    assert at["revolute 3"] == [0.45, 0, 0.25]
    assert drawing.state.verify["freedoms"] == 1 and not drawing.state.verify["problems"]
    drawing.apply(
        {"change": "move", "items": items("revolute 1", section="joints"), "by": (0, 0, 0.05)}
    )
    assert np.allclose(positions(drawing, *BARS) - before, moved, atol=1e-12)


def test_a_turned_mechanism_moves_as_before_seen_from_its_new_place(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path, motor=False)
    drawing.apply({"change": "gravity", "value": (0, 0, 0)})
    drawing.apply({"change": "drive", "joint": "revolute 1", "law": "2 * sin(3 * time)"})
    drawing.apply({"change": "trace", "body": "bar 2", "at": (0.2, 0, 0.15)})
    before = motion_of(drawing.model, "trace 1.x", "trace 1.z")
    turn = {
        "change": "turn",
        "items": items(*BARS),
        "about": (0.1, 0, 0),
        "angle": 0.5,
        "axis": "y",
    }
    drawing.apply(turn)
    after = motion_of(drawing.model, "trace 1.x", "trace 1.z")
    c, s = math.cos(0.5), math.sin(0.5)  # about y: x' = c x + s z, z' = c z − s x
    x, z = before - np.array([[0.1], [0.0]])
    assert np.allclose(after, [0.1 + c * x + s * z, c * z - s * x], atol=1e-7)


def test_a_rod_becomes_as_long_as_its_ends_are_apart(tmp_path: Path) -> None:
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "sphere", "at": (0, 0, 0), "radius": 0.1})
    ends = {"a": {"body": "ground", "at": (0, 0, 0.4)}, "b": {"body": "sphere 1", "at": (0, 0, 0)}}
    drawing.apply({"change": "rod", **ends})
    drawing.apply({"change": "move", "items": items("sphere 1"), "by": (0.3, 0, 0)})
    assert drawing.document["closures"]["rod 1"]["length"] == 0.5
    assert np.allclose(positions(drawing, "sphere 1"), [[0.3, 0, 0]], atol=1e-12)


def test_expressions_of_points_survive_a_move_and_are_refused_by_a_turn(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    path = ["joints", "revolute 2", "child", "at", 0]
    drawing.apply({"change": "parameter", "path": path, "name": "reach"})
    drawing.apply({"change": "move", "items": items("bar 1"), "by": (0.1, 0, 0)})
    assert drawing.document["joints"]["revolute 2"]["child"]["at"][0] == "(reach) + 0.1"
    turn = {"change": "turn", "items": items("bar 1"), "about": (0, 0, 0), "angle": 0.1}
    with pytest.raises(TouchbackError, match=r"A point of 'bar 2' is given by expressions"):
        drawing.apply(turn)


# ---- copies --------------------------------------------------------------------------------------


def test_a_copy_has_all_that_belongs_to_it_and_moves_alike(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    drawing.apply({"change": "copy", "items": items(*BARS), "by": (1, 0, 0)})
    document = drawing.document
    assert list(document["joints"])[3:] == ["revolute 5", "revolute 6", "revolute 7"]
    assert document["closures"]["revolute 8"]["kind"] == "point-in-plane"
    assert (
        document["forces"]["motor 2"]["effort"] == "'motor 2'" and "motor 2" in document["inputs"]
    )
    assert drawing.state.verify["freedoms"] == 2 and not drawing.state.verify["problems"]
    rows = motion_of(drawing.model, "trace 1.x", "trace 1.z", "trace 2.x", "trace 2.z")
    assert np.allclose(rows[2:], rows[:2] + [[1.0], [0.0]], atol=1e-9)
    assert np.ptp(rows[0]) > 1e-3  # it does move


@pytest.mark.parametrize("normal", ["x", "z", (0.6, 0.0, 0.8)])
def test_a_mirrored_mechanism_moves_as_its_mirror_image(tmp_path: Path, normal: Any) -> None:
    drawing = four_bar(tmp_path)
    drawing.apply({"change": "gravity", "value": (0, 0, 0)})
    drawing.apply({"change": "set", "path": ["inputs", "motor 1", "default"], "value": 0.02})
    drawing.apply(
        {"change": "mirror", "items": items(*BARS), "point": (0.5, 0, 0), "normal": normal}
    )
    assert drawing.state.verify["freedoms"] == 2 and not drawing.state.verify["problems"]
    q = motion_of(drawing.model, "revolute 1", "revolute 5")
    assert np.allclose(q[0], q[1], atol=1e-8)  # coordinates keep their values
    rows = motion_of(drawing.model, *(f"trace {i}.{axis}" for i in (1, 2) for axis in "xz"))
    n = np.array({"x": (1.0, 0.0), "z": (0.0, 1.0)}.get(normal, (0.6, 0.8)))
    own = rows[:2] - np.array([[0.5], [0.0]])
    image = own - 2.0 * np.outer(n, n @ own) + np.array([[0.5], [0.0]])
    assert np.allclose(rows[2:], image, atol=1e-8)
    assert np.ptp(rows[1]) > 1e-3


@pytest.mark.parametrize(
    "kind", ["revolute", "prismatic", "screw", "universal", "spherical", "fixed"]
)
def test_a_joint_in_space_is_mirrored_with_its_motion(tmp_path: Path, kind: str) -> None:
    """A lopsided body on it, whose mirror image it is that falls, too: gravity has no part along
    the normal."""
    drawing = Drawing(folder=tmp_path, space=True)
    drawing.apply({"change": "bar", "from": (0, 0, 0), "to": (0.2, 0.1, 0.3)})
    asked = {"change": "joint", "kind": kind, "a": "ground", "b": "bar 1", "at": (0, 0, 0)}
    drawing.apply({**asked, "axis": (0.3, -0.5, 0.8), "pitch": 0.05})
    drawing.apply({"change": "trace", "body": "bar 1", "at": (0.2, 0.1, 0.3)})
    n = np.array([0.8, 0.6, 0.0])
    mirror = {
        "change": "mirror",
        "items": items("bar 1"),
        "point": (1, 0, 0),
        "normal": tuple(n.tolist()),
    }
    drawing.apply(mirror)
    rows = motion_of(drawing.model, *(f"trace {i}.{axis}" for i in (1, 2) for axis in "xyz"))
    own = rows[:3] - np.array([[1.0], [0.0], [0.0]])
    image = own - 2.0 * np.outer(n, n @ own) + np.array([[1.0], [0.0], [0.0]])
    assert np.allclose(rows[3:], image, atol=1e-7)
    assert kind == "fixed" or np.ptp(rows[2]) > 1e-4


def test_a_mirrored_outline_weighs_what_its_image_does(tmp_path: Path) -> None:
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "outline", "points": ((0, 0, 0), (0.3, 0, 0), (0, 0, 0.2))})
    drawing.apply(
        {"change": "mirror", "items": items("outline 1"), "point": (0, 0, 0), "normal": "x"}
    )
    one, two = (drawing.document["bodies"][f"outline {i}"]["inertia"] for i in (1, 2))
    assert two[:3] == one[:3] and two[4] == -one[4]
    first, second = (each["density"] for each in drawing.facts()["bodies"])  # type: ignore[attr-defined]
    assert second == pytest.approx(first) == 1000.0
    corners = [each["points"] for each in drawing.facts()["bodies"]]  # type: ignore[attr-defined]
    mirrored = {(round(-p[0], 6), round(p[2], 6)) for p in corners[0]}
    assert {(round(p[0], 6), round(p[2], 6)) for p in corners[1]} == mirrored


def mass_properties(drawing: Drawing, name: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia tensor about it, in the world."""
    state = drawing.state
    body, (R, p) = state.flat.bodies[name], state.poses[name]
    mass, *com = (float(state.instant.value(x)) for x in (body.mass, *body.com))
    tensor = np.array([[state.instant.value(x) for x in row] for row in body.tensor()], dtype=float)
    return mass, p + R @ com, R @ tensor @ R.T


def check_mirrored(drawing: Drawing, names: list[str], normal: Any) -> None:
    n = np.array({"x": (1.0, 0, 0), "y": (0, 1.0, 0), "z": (0, 0, 1.0)}.get(normal, normal))
    H = np.eye(3) - 2.0 * np.outer(n, n) / (n @ n)
    own = [mass_properties(drawing, name) for name in names]
    asked = {"change": "mirror", "items": items(*names), "point": (0, 0, 0), "normal": normal}
    made = drawing.apply(asked)["made"]
    images = [each["name"] for each in made if each["section"] == "bodies"]  # type: ignore[attr-defined]
    for (mass, com, tensor), image in zip(own, images, strict=True):
        found = mass_properties(drawing, image)
        assert found[0] == pytest.approx(mass)
        assert np.allclose(found[1], H @ com, atol=1e-9)
        assert np.allclose(found[2], H @ tensor @ H, atol=1e-9 * np.abs(tensor).max())


@pytest.mark.parametrize("normal", ["x", "z", (1.0, 0.0, 0.3)])
@pytest.mark.parametrize("classic", list(tb.gallery.CLASSICS))
def test_the_mass_of_a_mirrored_classic_lies_where_its_image_does(
    tmp_path: Path, classic: str, normal: Any
) -> None:
    """Their centres of mass lie beside the origins of their frames."""
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "open", "classic": classic})
    check_mirrored(drawing, list(drawing.document["bodies"]), normal)


@pytest.mark.parametrize("normal", ["x", "y", "z", (1.0, 0.4, 0.9)])
def test_the_mass_of_a_mirrored_body_in_space_lies_where_its_image_does(
    tmp_path: Path, normal: Any
) -> None:
    drawing = Drawing(folder=tmp_path, space=True)
    drawing.apply({"change": "bar", "from": (0, 0, 0), "to": (1, 0.3, 0.5), "width": 0.1})
    corners = ((0, 0, 0), (0.3, 0.1, 0), (0, 0.2, 0.2))
    drawing.apply({"change": "outline", "points": corners})
    check_mirrored(drawing, ["bar 1", "outline 1"], normal)


def test_an_outline_in_space_lies_in_the_plane_of_its_corners(tmp_path: Path) -> None:
    """A triangle of legs 0.3 and 0.2 m turned about x by 30° and z by 50°: its mass, centre and
    moments are those of a prism."""
    drawing = Drawing(folder=tmp_path, space=True)
    c, s, k, m = (*(f(math.pi / 6) for f in (math.cos, math.sin)), math.cos(0.87), math.sin(0.87))
    R = np.array([[k, -m, 0], [m, k, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    corners = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0, 0.2)]) @ R.T + (1, 2, 3)
    drawing.apply({"change": "outline", "points": corners.tolist(), "depth": 0.01})
    (body,) = drawing.facts()["bodies"]  # type: ignore[misc]
    assert body["mass"] == pytest.approx(1000 * 0.5 * 0.3 * 0.2 * 0.01, rel=1e-6)
    assert body["com"] == pytest.approx(corners.mean(axis=0).tolist(), abs=1e-7)
    for corner in corners:  # others snap to them
        assert np.min(np.linalg.norm(np.array(body["points"]) - corner, axis=1)) < 1e-6
    xx, yy, zz, xy, xz, yz = drawing.document["bodies"]["outline 1"]["inertia"]
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    a, b, h = 0.3, 0.2, 0.01
    flat = body["mass"] * np.array([[b * b / 18, a * b / 36], [a * b / 36, a * a / 18]])
    across = np.linalg.eigvalsh(flat) + body["mass"] * h * h / 12
    due = sorted([*across, float(np.trace(flat))])
    assert moments == pytest.approx(due, rel=1e-4)
    bent = [*corners.tolist(), (corners[0] + (0.1, 0.1, 0.1)).tolist()]
    with pytest.raises(
        TouchbackError, match=r"An outline lies in a plane; a corner .* m beside it"
    ):
        drawing.apply({"change": "outline", "points": bent})


def test_others_snap_to_centres_sides_and_ends_of_solids_and_to_corners_of_boxes() -> None:
    """A solid that stands at (1, 2, 3), turned by 90° about z: its x is the world's y."""
    R, p = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([1.0, 2.0, 3.0])

    def found(solid: object) -> list[set[tuple[float, ...]]]:
        return [
            {tuple(np.round(R.T @ (np.array(each) - p), 12) + 0.0) for each in points}
            for points in snapping_points(solid, (R, p))
        ]

    def both(*points: tuple[float, float, float]) -> set[tuple[float, ...]]:
        return {tuple(sign * x + 0.0 for x in each) for each in points for sign in (1, -1)}

    here = {(0.0, 0.0, 0.0)}
    box, corners = found(SimpleNamespace(size=(0.2, 0.4, 0.6)))
    assert box == here | both((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3))
    assert corners == both((0.1, 0, 0.3), (0.1, 0, -0.3))
    rod, none = found(SimpleNamespace(length=0.8, radius=0.05))
    assert rod == here | both((0.05, 0, 0), (0, 0.05, 0), (0, 0, 0.4)) and none == set()
    assert found(SimpleNamespace(radius=0.3)) == [here, set()]  # a ball


TWICE = [(0, 0), (1, 0), (1, 1), (0, 1)] * 2
EIGHT = [(-0.5, -0.5), (0, 0), (2, 2), (2, -2), (0, 0), (-0.5, 0.5)]
TONGUE = [(0, 0), (2, 0), (2, 1), (1.2, 1), (1, 0), (0.9, -0.1), (0.8, 0), (0.7, 1), (0, 1)]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("corners", [EIGHT, [EIGHT[0], *EIGHT[2:]], TWICE, TONGUE, EIGHT[1:5] * 2])
def test_an_outline_that_passes_through_itself_at_a_corner_is_refused(
    tmp_path: Path, corners: list[tuple[float, float]], backwards: bool
) -> None:
    """As places of the grid let it, where no two sides cross between their ends."""
    drawing = Drawing(folder=tmp_path)
    points = [(x, 0, z) for x, z in (corners[::-1] if backwards else corners)]
    with pytest.raises(InputError, match=r"crosses (or covers )?itself.* side \d+ of \d+"):
        drawing.apply({"change": "outline", "points": points, "depth": 0.02})


@pytest.mark.parametrize("backwards", [False, True])
def test_a_hole_is_reached_by_a_bridge_there_and_back(tmp_path: Path, backwards: bool) -> None:
    """2 m by 2 m without 1 m by 1 m, 20 mm thick, at 1000 kg/m³: 60 kg about its middle."""
    outer, hole = [(0, 0), (2, 0), (2, 2), (0, 2), (0, 0)], [(0.5, 0.5), (0.5, 1.5), (1.5, 1.5)]
    corners = [*outer, *hole, (1.5, 0.5), (0.5, 0.5)]
    drawing = Drawing(folder=tmp_path)
    points = [(x, 0, z) for x, z in (corners[::-1] if backwards else corners)]
    drawing.apply({"change": "outline", "points": points, "depth": 0.02, "density": 1000.0})
    body = drawing.model.bodies["outline 1"]
    assert body.mass == pytest.approx(60.0, rel=1e-6)  # meshes have single precision
    assert drawing.facts()["bodies"][-1]["com"] == pytest.approx([1.0, 0.0, 1.0], abs=1e-6)


@pytest.mark.parametrize("angle", [0.1, 0.7, 2.3])
def test_a_frame_with_one_rod_too_many_plays_as_it_was_drawn(tmp_path: Path, angle: float) -> None:
    """What is redundant agrees with the rest to what a compiled model asks of it, 1e-10 m."""
    drawing, c, s = Drawing(folder=tmp_path), math.cos(angle), math.sin(angle)
    for end in ((0.4 * c, 0, 0.4 * s), (-0.3 * s, 0, 0.3 * c)):
        drawing.apply({"change": "bar", "from": (0, 0, 0), "to": end})
    for name in ("bar 1", "bar 2"):
        joint = {"change": "joint", "kind": "revolute", "at": (0, 0, 0)}
        drawing.apply({**joint, "a": "ground", "b": name})
    for far in (1.0, 0.6, 0.25):
        ends = (0.4 * far * c, 0, 0.4 * far * s), (-0.3 * s, 0, 0.3 * c)
        rod = {"a": {"body": "bar 1", "at": ends[0]}, "b": {"body": "bar 2", "at": ends[1]}}
        drawing.apply({"change": "rod", **rod})
    found = drawing.verified()
    assert found["freedoms"] == 1 and len(found["redundant"]) == 2  # type: ignore[arg-type]
    system = drawing.model.compile(backend="interpreter")
    assert float(np.abs(system.constraint_error(system.initial_state().q)).max()) < 1e-10


def test_an_array_about_a_centre_stands_at_its_angles(tmp_path: Path) -> None:
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "box", "at": (1, 0, 0), "size": (0.2, 0.1, 0.1)})
    angle = math.pi / 3
    array = {"change": "array", "items": items("box 1"), "count": 5, "angle": angle}
    drawing.apply({**array, "about": (0, 0, 0)})
    found = positions(drawing, *(f"box {k}" for k in range(1, 7)))
    due = [(math.cos(k * angle), 0.0, -math.sin(k * angle)) for k in range(6)]
    assert np.allclose(found, due, atol=1e-8)
    with pytest.raises(TouchbackError, match=r"would have \d+ things; at most 2000 are drawn"):
        drawing.apply({"change": "array", "items": items(*(f"box {k}" for k in range(1, 7))),
                       "count": 200})  # fmt: skip


@pytest.mark.parametrize("levels", [4, 5000])
def test_parts_of_parts_are_counted_before_anything_is_built(tmp_path: Path, levels: int) -> None:
    """Ten parts of ten parts and so on: a kilobyte of a file for thousands of bodies. Counts of
    many levels would have more digits than Python prints."""
    link = {"bodies": {"b": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}},
            "joints": {"j": {"kind": "revolute", "axis": "y", "child": "b"}}}  # fmt: skip
    library: dict[str, object] = {"a0": link}
    for i in range(1, levels):
        library[f"a{i}"] = {"parts": {f"p{k}": {"model": f"a{i - 1}"} for k in range(10)}}
    file = {"touchback": 1, "name": "many", "library": library}
    drawing = Drawing(folder=tmp_path)
    built: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("touchback.workbench.drawing.drawing.model_from_document", built.append)
        for parts in ({}, {"p": {"model": f"a{levels - 1}"}}):
            with pytest.raises(TouchbackError, match=r"would have \d+ things with what its parts"):
                drawing.open(text=json.dumps({**file, "parts": parts}))
    assert built == [] and drawing.document["name"] == "drawing"


# ---- groups --------------------------------------------------------------------------------------


def test_a_group_is_the_same_mechanism_and_comes_apart_to_the_same_file(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    drawing.apply({"change": "parameter", "path": ["forces", "spring 1", "stiffness"], "name": "k"})
    before, text = motion_of(drawing.model, "trace 1.x", "trace 1.z"), drawing.text()
    drawing.apply({"change": "group", "items": items(*BARS), "name": "leg"})
    assert list(drawing.document["parts"]) == ["leg"] and "bodies" not in drawing.document
    assert drawing.document["parts"]["leg"]["share"] == ["k"]
    after = motion_of(drawing.model, "leg/trace 1.x", "leg/trace 1.z")
    assert np.array_equal(before, after)  # the same equations in the same order
    assert drawing.state.verify["freedoms"] == 1
    drawing.apply({"change": "copy", "items": items("leg/bar 1"), "by": (1, 0, 0)})
    drawing.apply({"change": "move", "items": items("leg 2/bar 1"), "by": (1, 0, 0)})
    assert np.allclose(positions(drawing, "leg 2/bar 1"), [[2, 0, 0.05]], atol=1e-12)
    assert len(drawing.document["library"]) == 1
    drawing.apply({"change": "remove", "items": items("leg 2", section="parts")})
    drawing.apply({"change": "ungroup", "name": "leg"})
    assert drawing.text() == text


def test_a_group_shows_what_is_in_it(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    drawing.apply({"change": "drive", "joint": "revolute 1", "rate": 1.0})
    words = ("joints", "forces", "sensors", "drives", "traces")

    def shown() -> list[list[dict[str, Any]]]:
        return [json.loads(json.dumps(drawing.facts()[word])) for word in words]

    def lines(prefix: str) -> list[list[float]]:
        q = np.array(drawing.state.instant.at.q)
        scene = resting_scene(drawing.state.flat, "", q, 1, [], [])
        own = [each for each in scene.shapes if each.kind == "line"]
        assert all(each.body.startswith(f"{prefix}bar ") for each in own)
        return [list(each.numbers) for each in own]

    before, drawn = shown(), lines("")
    drawing.apply({"change": "group", "items": items(*BARS), "name": "leg"})
    told = json.dumps(shown())
    for name in ("bar", "revolute", "spring", "motor", "trace"):
        told = told.replace(f'"leg/{name} ', f'"{name} ')
    assert json.loads(told) == before  # where it was, by names with the group's
    assert len(drawn) > 3 and lines("leg/") == drawn
    drawing.apply({"change": "move", "items": items("leg/trace 1", section="sensors"),
                   "by": (1, 0, 0)})  # fmt: skip
    assert np.allclose(positions(drawing, "leg/bar 1"), [[1, 0, 0.05]], atol=1e-12)
    drawing.apply({"change": "remove", "items": items("leg/revolute 1", section="joints")})
    assert not drawing.document.get("parts")


def test_a_wheel_with_solids_has_no_lines_through_its_contacts(tmp_path: Path) -> None:
    drawing = Drawing(folder=tmp_path)
    drawing.open(classic="geneva-drive")
    q = np.array(drawing.state.instant.at.q)
    shapes = resting_scene(drawing.state.flat, "", q, 1, [], []).shapes
    lines = [each for each in shapes if each.kind == "line" and each.role == "body"]
    own = [x.body for x in lines if np.ptp(np.reshape(x.numbers, (2, 3)), axis=0).max() > 1e-9]
    assert own == ["driver"]  # from its joint to the traced pin


def test_what_stays_outside_a_group_names_what_is_in_it(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    before = motion_of(drawing.model, "trace 1.x")
    drawing.apply({"change": "group", "items": items("bar 2", "bar 3"), "name": "rest"})
    assert drawing.document["parts"]["rest"]["at"] == "bar 1"
    assert drawing.document["closures"]["revolute 4"]["b"]["body"] == "rest/bar 3"
    assert np.allclose(motion_of(drawing.model, "rest/trace 1.x"), before, atol=1e-12)
    drawing.apply({"change": "ungroup", "name": "rest"})
    assert np.allclose(motion_of(drawing.model, "trace 1.x"), before, atol=1e-12)


def test_a_group_that_would_hang_on_two_bodies_is_refused(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    drawing.apply({"change": "sphere", "at": (0, 0, -1), "radius": 0.1})
    with pytest.raises(TouchbackError, match=r"it would hang on 'bar 1', 'ground'; a group hangs"):
        drawing.apply({"change": "group", "items": items("bar 2", "sphere 1"), "name": "both"})


# ---- joints of every kind ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*KINDS["joints"]])
def test_in_every_kind_of_joint_things_act_on_a_coordinate_by_its_name(
    tmp_path: Path, kind: str
) -> None:
    drawing = Drawing(folder=tmp_path, space=True)
    drawing.apply({"change": "box", "at": (0, 0, 0), "size": (0.1, 0.1, 0.1)})
    joint = {"change": "joint", "kind": kind, "at": (0, 0, 0), "a": "ground", "b": "box 1"}
    drawing.apply({**joint, "axis": "x", "pitch": 0.01})
    own = drawing.model.joints[f"{kind} 1"]
    names = own.velocity_names(f"{kind} 1")
    units = own.kind.velocity_units()
    for name, unit in zip(names, units, strict=True):
        drawing.apply({"change": "motor", "joint": name})
        made = list(drawing.document["inputs"].values())[-1]
        assert made["unit"] == ("N" if unit == "m/s" else "N m")
        drawing.apply({"change": "sensor", "kind": "speed", "on": name})
        drawing.apply({"change": "sensor", "kind": "effort", "on": name})
        if own.kind.nq == own.kind.nv:
            drawing.apply({"change": "sensor", "kind": "angle", "on": name})
            drawing.apply({"change": "torsion", "joint": name})
    if not names:
        with pytest.raises(TouchbackError, match="it is rigid; nothing can act"):
            drawing.apply({"change": "motor", "joint": f"{kind} 1"})
        return
    system = drawing.model.compile(backend="interpreter")
    start = system.initial_state()
    for k, name in enumerate(names):  # each motor acts on its own coordinate
        pushed = 2.0 * np.eye(len(names))[k]
        found = system.sensors(start.q, start.v, u=pushed)
        efforts = [found[f"effort {i + 1}"] for i in range(len(names))]
        assert efforts == pytest.approx(pushed.tolist(), abs=1e-12), name
    with pytest.raises(TouchbackError, match=r"There is no (coordinate of )?joint"):
        drawing.apply({"change": "motor", "joint": f"{kind} 1.nothing"})


def test_a_drive_moves_its_joint_by_the_rate(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path, motor=False)
    drawing.apply({"change": "drive", "joint": "revolute 1", "rate": 2.0})
    assert drawing.state.verify["freedoms"] == 0 and not drawing.state.verify["problems"]
    run = tb.simulate(drawing.model.compile(), duration=0.1, method="rk4", step=2e-3)
    assert np.allclose(run["revolute 1"], 2.0 * run.time, atol=1e-9)


def test_a_renamed_closure_keeps_the_sensor_of_its_force(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path, motor=False)
    drawing.apply({"change": "sensor", "kind": "force", "on": "revolute 4"})
    asked = {"change": "rename", "section": "closures", "name": "revolute 4", "to": "pin"}
    drawing.apply(asked)
    assert drawing.document["sensors"]["force 1"]["joint"] == "pin"


def numbers_in(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], float]]:
    """Every number of a document, and where it is."""
    if isinstance(plain, dict | list):
        inside = plain.items() if isinstance(plain, dict) else enumerate(plain)
        return [found for key, each in inside for found in numbers_in(each, (*path, key))]
    is_number = isinstance(plain, int | float) and not isinstance(plain, bool)
    return [(path, plain)] if is_number and len(path) > 1 else []


def test_any_number_becomes_a_parameter_with_its_unit_and_is_changed_by_that(
    tmp_path: Path,
) -> None:
    drawing = four_bar(tmp_path)
    drawing.apply({"change": "torsion", "joint": "revolute 2", "stiffness": 2.0, "damping": 0.1})
    drawing.apply({"change": "set", "path": ["joints", "revolute 1", "damping"], "value": 0.1})
    units = {"mass": "kg", "at": "m", "turn": "rad", "size": "m", "inertia": "kg m²", "length": "m"}
    units["gravity"] = "m/s²"
    before, poses = drawing.text(), positions(drawing, *BARS)
    found = [*numbers_in(drawing.document), (("model", "gravity", 2), -9.81)]
    assert len(found) > 60
    for path, number in found:
        drawing.apply({"change": "parameter", "path": path, "name": "p"})
        made = drawing.document["parameters"]["p"]
        assert made["default"] == number, path
        words = [word for word in path if word in units]
        assert not words or made["unit"] == units[words[-1]], path
        assert np.array_equal(positions(drawing, *BARS), poses), path
        change = {"change": "set", "path": ["parameters", "p", "default"], "value": number + 1e-3}
        drawing.apply(change)
        assert drawing.state.flat.parameters["p"].default == number + 1e-3
        drawing.undo()
        drawing.undo()
    assert drawing.text() == before


def test_a_number_with_an_exponent_is_no_parameter(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    asked = {"change": "parameter", "path": ["forces", "spring 1", "length"], "name": "e3"}
    drawing.apply(asked)
    drawing.apply(
        {"change": "set", "path": ["forces", "spring 1", "stiffness"], "value": "1e3 * e3"}
    )
    rename = {"change": "rename", "section": "parameters", "name": "e3", "to": "rest"}
    drawing.apply(rename)
    assert drawing.document["forces"]["spring 1"]["stiffness"] == "1e3 * rest"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["shapes", "bar 1", "solid"], 0.5, "has 'kind', 'size'; name one of these"),
        (["shapes", "bar 1", "solid"], None, "solid"),
        (["shapes", "bar 1", "solid", "size", 2], [1, 2], "A number or an expression is expected"),
        (["shapes", "bar 1", "frame"], "ground", "has 'body', 'turn'; name one of these"),
        (["shapes", "bar 1", "frame", "turn", 0, 0], "w", "a turn is an axis 'x', 'y' or 'z'"),
        (["bodies", "bar 1", "mass"], "exp(1e9)", "Body 'bar 1': its mass is inf; give finite"),
        (["model", "gravity", 2], "log(-1)", "its gravity is nan; give finite numbers"),
        (["bodies", "bar 1", "inertia"], 0.5, "a list of 3 principal moments"),
        (["bodies", "bar 1", "density"], "5", "a density is a positive number, got '5'"),
        (["joints", "revolute 1", "kind"], 3.0, "there is no kind 3.0"),
        (["joints", "revolute 1", "parent", "at", 0], "x +", "there is no name 'x'"),
    ],
)
def test_a_value_that_does_not_belong_there_is_refused_with_its_place(
    tmp_path: Path, path: list[Any], value: Any, said: str
) -> None:
    drawing = four_bar(tmp_path)
    before = drawing.text()
    with pytest.raises(TouchbackError, match=re.escape(said)):
        drawing.apply({"change": "set", "path": path, "value": value})
    assert drawing.text() == before


# ---- anything ------------------------------------------------------------------------------------


def draws_at_random(folder: Path, seed: int, count: int, compiled: int) -> None:
    """So many random messages; every `compiled`th document that they make is compiled."""
    drawing = Drawing(folder=folder, space=seed % 3 == 0)
    person, documents = Person(seed, drawing), 0
    start = drawing.text()
    for k in range(count):
        message, before, revision = person.message(), drawing.document, drawing.revision
        answer = drawing.handle(message)
        told = f"seed {seed}, message {k}: {message[:300]!r}"
        if not answer.ok:
            assert drawing.document is before and drawing.revision == revision, told
            assert is_clear(answer.error), f"{told}\n{answer.error}"
            continue
        if drawing.revision == revision:
            continue
        documents += 1
        facts = json.dumps(drawing.facts(), allow_nan=False)  # what pages are told
        assert len(facts) < 4 << 20, told
        if documents % compiled == 0:
            try:
                drawing.model.compile(backend="interpreter")
            except TouchbackError as error:
                problems = drawing.verified()["problems"]
                assert any(each["text"] == str(error) for each in problems), told  # type: ignore[attr-defined]
                assert is_clear(str(error)), f"{told}\n{error}"
    end, undone = drawing.text(), 0
    while drawing.undo_words:
        drawing.undo()
        undone += 1
    assert drawing.text() == start, f"seed {seed}: undo to the start gives another file"
    for _ in range(undone):
        drawing.redo()
    assert drawing.text() == end, f"seed {seed}: redo to the end gives another file"


_PYTHONS = re.compile("Traceback|has no attribute|unsupported operand|NoneType|KeyError|<class")


def is_clear(error: str) -> bool:
    """A sentence of ours that isn't too long; below it may stand the text that it is about."""
    ends = error.rstrip().endswith((".", ")", "?", "…", "'")) or "\n" in error
    return ends and 15 < len(error) < 1500 and not _PYTHONS.search(error)


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_are_done_or_refused_and_undone_to_the_same_bytes(
    tmp_path: Path, seed: int
) -> None:
    draws_at_random(tmp_path, seed, 100, compiled=20)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 150))
def test_ten_thousand_random_edits_are_done_or_refused(tmp_path: Path, seed: int) -> None:
    draws_at_random(tmp_path, seed, 200, compiled=10)


# ---- files and values ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mine.py", "import touchback as tb\n\nprint(tb.simulate)\n"),
        ("compose.yaml", "services:\n  touchback:\n    image: x\n"),
        ("package.yaml", '{"dependencies": {"touchback": "1"}}\n'),
    ],
)
def test_a_file_of_somebody_else_is_not_saved_over(tmp_path: Path, file: str, text: str) -> None:
    drawing = four_bar(tmp_path)
    (tmp_path / file).write_text(text)
    with pytest.raises(tb.InputError, match=f"{file}: there is such a file, .*another name"):
        drawing.save(file)
    assert (tmp_path / file).read_text() == text


def test_another_drawing_is_saved_over_only_to_replace_it(tmp_path: Path) -> None:
    four_bar(tmp_path).save("linkage.yaml")
    kept, other = (tmp_path / "linkage.yaml").read_bytes(), Drawing(folder=tmp_path)
    other.apply({"change": "bar", "from": (0, 0, 0), "to": (1, 0, 0)})
    with pytest.raises(InputError, match=r"linkage\.yaml: .* already; `replace` it"):
        other.save("linkage")
    assert (tmp_path / "linkage.yaml").read_bytes() == kept
    other.apply({"change": "save", "file": "linkage", "replace": True})
    assert (tmp_path / "linkage.yaml").read_bytes() != kept
    opened = Drawing(folder=tmp_path)
    opened.open("linkage.yaml")
    opened.save("linkage.yaml")  # its own


def test_what_was_saved_here_is_saved_over(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    for file in ("a.py", "a.yaml"):
        drawing.save(file)
    drawing.apply({"change": "gravity", "value": (0, 0, -1.62)})
    for file, format in (("a.py", "python"), ("a.yaml", "yaml")):
        drawing.save(file)
        assert (tmp_path / file).read_text() == drawing.text(format)  # type: ignore[arg-type]
    Drawing(drawing.model, tmp_path).save("a.yaml", replace=True)
    with pytest.raises(tb.InputError, match=r"a\.py: there is such a file"):
        Drawing(drawing.model, tmp_path).save("a.py")


def with_ball(drawing: Drawing, name: str) -> Drawing:
    drawing.apply({"change": "sphere", "at": (0, 0, 0), "radius": 0.1, "name": name})
    return drawing


def test_undo_of_opening_goes_back_to_the_file_before(tmp_path: Path) -> None:
    for name in "ab":
        with_ball(Drawing(folder=tmp_path), f"ball {name}").save(f"{name}.yaml")
    second, drawing = (tmp_path / "b.yaml").read_bytes(), Drawing(folder=tmp_path)
    drawing.open("a.yaml")
    drawing.open("b.yaml")
    drawing.undo()
    assert drawing.facts()["file"] == drawing.file == "a.yaml"
    with pytest.raises(InputError, match=r"b\.yaml: .* already; `replace` it"):
        drawing.save("b.yaml")
    drawing.save("a.yaml")
    assert (tmp_path / "b.yaml").read_bytes() == second
    drawing.undo()
    assert drawing.file == ""
    drawing.redo()
    drawing.redo()
    assert drawing.file == "b.yaml"
    with_ball(drawing, "one more").save("c.yaml")
    drawing.undo()  # an edit: the document is the same one
    assert drawing.file == "c.yaml"
    drawing.new()
    assert drawing.file == ""
    drawing.undo()
    assert drawing.file == "c.yaml"


@pytest.mark.parametrize("file", ["a.yaml", "a.py"])
def test_what_another_document_saved_is_replaced_only_when_asked(tmp_path: Path, file: str) -> None:
    drawing = with_ball(Drawing(folder=tmp_path), "important")
    drawing.save(file)
    drawing.new()
    with_ball(drawing, "other")
    with pytest.raises(InputError, match=f"{file}: .* already; `replace` it"):
        drawing.save(file)
    assert "important" in (tmp_path / file).read_text()
    drawing.save(file, replace=True)
    with_ball(drawing, "one more").save(file)
    assert "one more" in (tmp_path / file).read_text()


def test_a_file_that_somebody_changed_meanwhile_is_replaced_only_when_asked(
    tmp_path: Path,
) -> None:
    with_ball(Drawing(folder=tmp_path), "first").save("a.yaml")
    with workbench.open_drawing(tmp_path / "a.yaml", folder=tmp_path) as page:
        one, two = page.drawing, Drawing(folder=tmp_path)
        assert one is not None
        two.open("a.yaml")
        with_ball(one, "by one").save("a.yaml")
        with pytest.raises(InputError, match=r"a\.yaml: somebody changed it .*; `replace` it"):
            with_ball(two, "by two").save("a.yaml")
        assert "by one" in (tmp_path / "a.yaml").read_text()
        two.save("a.yaml", replace=True)
        with pytest.raises(InputError, match="somebody changed it"):
            one.save("a.yaml")
    beside = tmp_path / "beside"
    beside.mkdir()
    with_ball(Drawing(folder=beside), "another").save("a.yaml")
    with (
        workbench.open_drawing(tmp_path / "a.yaml", folder=beside) as page,
        pytest.raises(InputError, match="somebody changed it"),
    ):
        page.drawing.save("a.yaml")  # type: ignore[union-attr]


def test_a_folder_that_is_none_is_refused_by_its_name(tmp_path: Path) -> None:
    drawing = four_bar(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, reason in (("file", "can't be written"), ("loop", "can't be")):
        drawing.folder = tmp_path / name
        with pytest.raises(tb.InputError, match=reason):
            drawing.save("a.yaml")
        with pytest.raises(tb.InputError):
            drawing.open("a.yaml")
        assert drawing.files() == []


@pytest.mark.parametrize("value", ["sqrt(-1)", "1/0"])
def test_a_frame_of_a_shape_that_has_no_number_is_refused(tmp_path: Path, value: str) -> None:
    """It had entered the document, of which no page could be told from then on."""
    drawing = four_bar(tmp_path)
    path = ["shapes", "bar 1", "frame", "turn", 0, 1]
    with pytest.raises(tb.InputError, match="Shape 'bar 1': its frame has a number that is none"):
        drawing.apply({"change": "set", "path": path, "value": value})
    assert drawing.facts()["revision"] == drawing.revision


@pytest.mark.parametrize(
    "path",
    [("bodies", "bar 1", word) for word in ("mass", "com", "inertia")]
    + [("shapes", "bar 1", "solid", "size", 0), ("shapes", "bar 1", "solid", "size")],
)
def test_null_takes_no_weight_and_no_size_away(tmp_path: Path, path: tuple[str, ...]) -> None:
    """Infinity is null in JSON: a mass of 1e400 was no mass."""
    drawing = four_bar(tmp_path)
    before = drawing.text()
    asked = json.dumps({"do": "draw", "change": "set", "path": path, "value": None})
    answer = drawing.handle(asked.encode())
    assert not answer.ok
    assert answer.error is not None and re.match(r"set: .*bar 1.*null", answer.error)
    assert drawing.text() == before


def test_numbers_and_arrays_of_numpy_are_taken(tmp_path: Path) -> None:
    drawing = Drawing(folder=tmp_path)
    given = {"from": np.zeros(3), "to": np.array([1.0, 0.0, 0.0]), "width": np.float64(0.1)}
    drawing.apply({"change": "bar", **given})
    assert drawing.document["bodies"]["bar 1"]["mass"] == pytest.approx(1000 * 0.1 * 0.01)
    with pytest.raises(tb.InputError, match=r"can't be read: .*object.* is no number"):
        drawing.apply({"change": "bar", **given, "width": object()})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"change": "bar", "from": (math.nan, 0, 0), "to": (1, 0, 0)}, r"from: three numbers.*nan"),
        ({"change": "bar", "from": (0, 0), "to": (1, 0, 0)}, r"length 3.*\$\.from"),
        (None, "its fields are expected, got None"),
        (
            {
                "change": "mesh",
                "vertices": [(0, 0, 0), (1.7e308, 0, 0), (0, 1, 0), (0, 0, 1)],
                "triangles": [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
            },
            "points are finite numbers",
        ),
    ],
)
def test_a_message_that_is_none_is_told_by_what_was_given(
    tmp_path: Path, asked: Any, said: str
) -> None:
    with pytest.raises((InputError, ModelError), match=said):
        Drawing(folder=tmp_path).apply(asked)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Drawing("pendulum.yaml"), "got 'pendulum.yaml'; read a file by `touchback.read`"),
        (lambda: Drawing(space=3), "`space` is True, False or None, got 3"),
        (lambda: Drawing().text("c"), "is 'yaml' or 'python', got 'c'"),
        (lambda: workbench.open_drawing(rate=0), "1 to 10 000 ticks a second, got 0"),
        (lambda: workbench.open_drawing(exposed=7), r"`exposed` is an `Exposed\(…\)`.*got 7"),
    ],
)
def test_an_argument_of_a_wrong_kind_is_refused_at_once(make: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()
