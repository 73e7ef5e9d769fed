"""What is drawn to act, touch and measure does what a person expects of it, wherever and whichever
way it is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.workbench.drawing import Drawing


def items(*names: str, section: str = "bodies") -> list[dict[str, str]]:
    return [{"section": section, "name": name} for name in names]


def last(model: tb.Model, *signals: str, duration: float = 0.2) -> np.ndarray:
    """What signals are at the end of a run."""
    run = tb.simulate(
        model.compile(backend="interpreter"), duration=duration, method="rk4", step=2e-3
    )
    return np.array([run[name][-1] for name in signals])


# ---- mirror images -------------------------------------------------------------------------------


def lopsided(folder: Path, kind: str, axis: Any) -> Drawing:
    """A body that no plane halves on a joint, with a traced point, without gravity."""
    drawing = Drawing(folder=folder, space=True)
    drawing.apply({"change": "gravity", "value": (0, 0, 0)})
    drawing.apply({"change": "box", "at": (0.5, 0.2, 0.1), "size": (0.2, 0.3, 0.4), "name": "b"})
    ends = {"a": "ground", "b": "b", "at": (0.3, 0, 0)}
    asked = {"change": "joint", "kind": kind, "axis": axis, "pitch": 0.1, "name": "j", **ends}
    drawing.apply(asked)
    drawing.apply({"change": "trace", "body": "b", "at": (0.6, 0.3, 0.2), "name": "t 1"})
    return drawing


AXES = ("x", "y", "z", (0.3, -0.5, 0.8))
NORMALS = ("x", "y", "z", (0.6, 0.0, 0.8), (2 / 3, -1 / 3, 2 / 3))
JOINTS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical")


def check_image(drawing: Drawing, normal: Any, moved: bool = True) -> None:
    """Mirrors the body of a drawing and checks that it runs as its mirror image."""
    asked = {"change": "mirror", "items": items("b"), "point": (0, 0, 0), "normal": normal}
    drawing.apply(asked)
    signals = [f"t {i}.{c}" for i in (1, 2) for c in "xyz"]
    rows = last(drawing.model, *signals)
    n = np.eye(3)["xyz".index(normal)] if isinstance(normal, str) else np.array(normal)
    own = rows[:3]
    # of rk4 with two frames that differ by a reflection: rounding, not truncation
    assert np.allclose(rows[3:], own - 2.0 * n * (n @ own), atol=1e-9)
    assert not moved or np.abs(own - (0.6, 0.3, 0.2)).max() > 1e-4


@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", JOINTS)
def test_what_acts_in_a_joint_acts_in_its_mirror_image(
    tmp_path: Path, kind: str, axis: Any, normal: Any
) -> None:
    """A motor, then a spring, then a drive in each coordinate."""
    own = lopsided(tmp_path, kind, axis).model.joints["j"].kind
    for coordinate in own.velocity_names():
        at = f"j.{coordinate}" if coordinate else "j"
        for act in ("motor", "torsion", "drive"):
            if kind == "spherical" and act != "motor":
                continue  # only forces act along rates that are those of no coordinate
            drawing = lopsided(tmp_path, kind, axis)
            law = {
                "motor": {"name": "m"},
                "torsion": {"stiffness": 20.0, "rest": 0.4},
                "drive": {"law": "0.8 * time"},
            }
            drawing.apply({"change": act, "joint": at, **law[act]})
            if act == "motor":
                drawing.apply({"change": "set", "path": ("inputs", "m", "default"), "value": 5.0})
            check_image(drawing, normal)


@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("coupled", ["screw-coupling", "gear", "rack", "none"])
def test_laws_of_coordinates_and_couplings_are_mirrored(
    tmp_path: Path, coupled: str, normal: Any
) -> None:
    """Efforts that ask for the slide and the turn, and couplings between them with an offset."""
    model = lopsided(tmp_path, "cylindrical", (0.3, -0.5, 0.8)).model
    slide, turn = model.coordinate("j", 0), model.coordinate("j", 1)
    model.force("push", tb.JointEffort("j", 4.0 + 30.0 * turn - 20.0 * slide, 0))
    model.force("twist", tb.JointEffort("j", 2.0 - 25.0 * slide - 3.0 * model.rate("j", 0), 1))
    kinds = {
        "screw-coupling": tb.ScrewCoupling("j", 0.2, 0.03),
        "gear": tb.Gear("j.turn", "j.slide", ratio=0.3, offset=0.02),
        "rack": tb.Rack("j.turn", "j.slide", 0.15),
    }
    if coupled in kinds:
        model.couple("tie", kinds[coupled])
    check_image(Drawing(model, folder=tmp_path, space=True), normal)


# ---- contacts ------------------------------------------------------------------------------------


def resting(folder: Path, turn: float, start: Any, end: Any, off: float) -> tuple[Drawing, Any]:
    """A disc of radius 0.1 m, half a bar's width and `off` above the middle of a fixed bar, all
    turned about y, and the direction out of the bar towards the disc."""
    drawing = Drawing(folder=folder)
    drawing.apply({"change": "bar", "from": start, "to": end, "width": 0.1, "name": "bar"})
    about = {"about": (0, 0, 0), "angle": turn}
    drawing.apply({"change": "turn", "items": items("bar"), **about})
    drawing.apply({"change": "joint", "kind": "fixed", "at": (0, 0, 0), "a": "ground", "b": "bar"})
    R = drawing.state.poses["bar"][0]
    along = R @ (np.array(end) - start)
    out = np.array([-along[2], 0.0, along[0]]) / np.linalg.norm(along)
    out = out if out[2] > 0.0 or (abs(out[2]) < 1e-9 and out[0] > 0.0) else -out
    middle = R @ ((np.array(start) + end) / 2.0)
    drawing.apply({"change": "disc", "at": middle + (0.05 + off) * out, "radius": 0.1, "name": "d"})
    drawing.apply({"change": "contact", "a": "d", "b": "bar"})
    return drawing, out


@pytest.mark.parametrize("turn", [0.0, np.pi, 0.4, np.pi / 2])
@pytest.mark.parametrize("start", [(-1, 0, 0), (1, 0, 0), (-1, 0, 0.3), (1, 0, 0.3)])
def test_a_disc_rests_on_the_upper_side_of_a_bar_however_it_is_drawn(
    tmp_path: Path, start: Any, turn: float
) -> None:
    end = (-start[0], 0, -start[2])
    drawing, out = resting(tmp_path, turn, start, end, off=0.1)
    plane = drawing.state.flat.forces["contact 1"].plane  # type: ignore[union-attr]
    R, p = drawing.state._world(plane)
    assert np.allclose(R[:, 2], out, atol=1e-9) and np.allclose(p, 0.05 * out, atol=1e-9)
    assert np.allclose(R @ R.T, np.eye(3)) and np.isclose(np.linalg.det(R), 1.0)


def test_a_disc_falls_on_a_bar_from_right_to_left_and_stays(tmp_path: Path) -> None:
    drawing, _ = resting(tmp_path, 0.0, (1, 0, 0), (-1, 0, 0), off=0.1)
    drawing.apply({"change": "trace", "body": "d", "at": (0, 0, 0.15), "name": "t"})
    force = drawing.document["forces"]["contact 1"]
    mass = drawing.document["bodies"]["d"]["mass"]
    # Hertz: F = k δ^(3/2) holds its weight
    depth = (mass * 9.81 / force["stiffness"]) ** (2.0 / 3.0)
    (z,) = last(drawing.model, "t.z", duration=1.0)
    assert abs(z - (0.15 - depth)) < 0.05 * depth


def test_gravity_and_the_ball_say_which_face_is_the_upper_one(tmp_path: Path) -> None:
    for gravity, at, normal in (
        ((0, 0, -9.81), (0.4, 0, 0.9), (0, 0, 1)),  # above, beside the corner
        ((0, 0, 0), (0.4, 0, 0.9), (0, 0, 1)),
        ((-9.81, 0, 0), (0.4, 0, 0.9), (1, 0, 0)),
        ((0, 0, -9.81), (0.4, 0, 0.1), (1, 0, 0)),  # beside it: not in front of its upper face
        ((0, 0, -9.81), (0, -0.4, 0), (0, -1, 0)),
        ((0, 0, -9.81), (0, 0.4, 0), (0, 1, 0)),
        ((0, 0, -9.81), (0, 0, -0.9), (0, 0, -1)),
        ((0, 0, -9.81), (0, 0, 0), (0, 0, 1)),
    ):
        drawing = Drawing(folder=tmp_path, space=True)
        drawing.apply({"change": "gravity", "value": gravity})
        drawing.apply({"change": "box", "at": (0, 0, 0), "size": (0.2, 0.2, 1), "name": "b"})
        drawing.apply({"change": "sphere", "at": at, "radius": 0.1, "name": "s"})
        drawing.apply({"change": "contact", "a": "s", "b": "b"})
        plane = drawing.state.flat.forces["contact 1"].plane  # type: ignore[union-attr]
        R, p = drawing.state._world(plane)
        assert np.allclose(R[:, 2], normal) and np.allclose(p, np.multiply(normal, (0.1, 0.1, 0.5)))


# ---- drives and springs --------------------------------------------------------------------------

CLASSICS = ("crank-rocker", "slider-crank", "scotch-yoke", "scissor-lift", "peaucellier")


@pytest.mark.parametrize("classic", CLASSICS)
def test_a_drive_at_a_rate_begins_where_its_joint_is_drawn(tmp_path: Path, classic: str) -> None:
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "open", "classic": classic})
    drawn = {name: p for name, (_, p) in drawing.state.poses.items()}
    signals = [f"'q:{joint}'" for joint in drawing.document["joints"]]
    starts = [drawing.state.value(each) for each in signals]
    for joint, start in zip(drawing.document["joints"], starts, strict=True):
        for rate, way in ((0.2, "+"), (-0.2, "-")):
            drawing.apply({"change": "drive", "joint": joint, "rate": rate, "name": "drive"})
            law = drawing.document["drives"]["drive"]["position"]
            end = f"{rate} * time" if abs(start) < 1e-8 else f" {way} 0.2 * time"
            assert law.endswith(end) and drawing.state.value(law) == pytest.approx(start, abs=2e-8)
            texts = [each["text"] for each in drawing.state.verify["problems"]]  # type: ignore[attr-defined]
            assert not any("can't close" in each for each in texts), texts
            for name, (_, p) in drawing.state.poses.items():
                assert np.allclose(p, drawn[name], atol=2e-8)
            drawing.apply({"change": "undo"})


def test_a_driven_rocker_moves_at_the_rate_from_its_angle(tmp_path: Path) -> None:
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "open", "classic": "crank-rocker"})
    q = drawing.state.value("'q:rocker'")
    drawing.apply({"change": "drive", "joint": "rocker", "rate": 0.5})
    drawing.apply({"change": "remove", "items": items("motor", section="forces")})
    assert last(drawing.model, "rocker") == pytest.approx(q + 0.5 * 0.2, abs=1e-7)


def test_a_spring_in_a_joint_rests_where_it_is_drawn(tmp_path: Path) -> None:
    """A four-bar without gravity and with a stiff spring in a joint away from zero stays."""
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "open", "classic": "crank-rocker"})
    drawing.apply({"change": "gravity", "value": (0, 0, 0)})
    drawing.apply({"change": "remove", "items": items("motor", section="forces")})
    for joint in drawing.document["joints"]:  # which begin with velocities
        drawing.apply({"change": "set", "path": ("joints", joint, "velocity"), "value": None})
    drawing.apply({"change": "torsion", "joint": "rocker", "stiffness": 100.0})
    q = drawing.document["forces"]["torsion spring 1"]["rest"]
    assert abs(q) > 1.0
    assert last(drawing.model, "rocker") == pytest.approx(q, abs=1e-8)
    drawing.apply({"change": "torsion", "joint": "crank", "stiffness": 1.0, "rest": 0.0})
    assert "rest" not in drawing.document["forces"]["torsion spring 2"]


# ---- sensors -------------------------------------------------------------------------------------


def test_the_sensor_of_a_pin_shows_its_whole_force_wherever_the_loop_is_cut(tmp_path: Path) -> None:
    """A beam on a pin and an upright post: each end carries half of its weight, upwards, whether
    its pin is a joint of the tree or closes the loop."""
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "bar", "from": (0, 0, 1), "to": (1, 0, 1), "name": "beam"})
    drawing.apply({"change": "bar", "from": (1, 0, 0), "to": (1, 0, 1), "name": "post"})
    pins = {
        "left": ("ground", "beam", (0, 0, 1)),
        "foot": ("ground", "post", (1, 0, 0)),
        "top": ("post", "beam", (1, 0, 1)),
    }
    for name, (a, b, at) in pins.items():
        drawing.apply(
            {"change": "joint", "kind": "revolute", "at": at, "a": a, "b": b, "name": name}
        )
        drawing.apply({"change": "sensor", "kind": "force", "on": name, "name": f"force {name}"})
    assert list(drawing.document["closures"]) == ["top"]
    weight = drawing.document["bodies"]["beam"]["mass"] * 9.81
    found = drawing.model.compile(backend="interpreter").sensors()
    for name in ("left", "top"):
        force = np.array([found[f"force {name}.f{c}"] for c in "xyz"])
        R = drawing.state.poses["beam"][0]
        assert np.linalg.norm(force) == pytest.approx(0.5 * weight, rel=1e-9)
        assert abs(abs((R @ force)[2]) - 0.5 * weight) < 1e-9 * weight
        assert abs(force[0]) < 1e-9 * weight
