"""Every mechanism of the gallery, drawn: its document as a file and as a program gives the same
equations to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.model.io import model_from_text, python_text
from touchback.workbench.drawing import Drawing

# Kinds of the rooms of rollers, which hold tables of their own and are in no file: a program can
# name them, a document can't.
IN_NO_FILE = {
    "omni-wheel": "RollerFriction",
    "omni-platform": "RollerContact",
    "mecanum-platform": "RollerContact",
    "gps-robot": "RollerContact",
}
NAMES = [name for name in gallery.names() if isinstance(gallery.make(name), tb.Model)]


def program(text: str) -> tb.Model:
    """The model that a program makes."""
    scope: dict[str, Any] = {}
    exec(compile(text, "drawn.py", "exec"), scope)
    return next(each for each in scope.values() if isinstance(each, tb.Model))


def bits(model: tb.Model) -> list[bytes]:
    """Of accelerations and sensors in a state beside the start, whatever the constraints."""
    system = model.compile(backend="interpreter")
    start, chance = system.initial_state(), np.random.default_rng(11)
    q = start.q + 0.05 * chance.standard_normal(start.q.shape)
    v = start.v + 0.3 * chance.standard_normal(start.v.shape)
    found = [system.forward_dynamics(q, v, t=0.3).tobytes()]
    return [*found, *(np.asarray(x).tobytes() for x in system.sensors(q, v, t=0.3).values())]


def test_the_gallery_is_here() -> None:
    assert len(NAMES) >= 30 and set(IN_NO_FILE) <= set(NAMES)


@pytest.mark.parametrize("name", [each for each in NAMES if each not in IN_NO_FILE])
def test_a_drawn_mechanism_of_the_gallery_has_the_same_bits_as_file_and_as_program(
    name: str, tmp_path: Path
) -> None:
    due = bits(gallery.make(name))
    drawing = Drawing(gallery.make(name), folder=tmp_path)
    drawing.apply({"change": "save", "file": "a.yaml"})
    drawing.apply({"change": "save", "file": "a.py"})
    assert bits(tb.read(tmp_path / "a.yaml")) == due
    assert bits(program((tmp_path / "a.py").read_text(encoding="utf-8"))) == due
    again = Drawing(folder=tmp_path)
    again.apply({"change": "open", "file": "a.yaml"})
    assert again.text() == drawing.text() and again.text("python") == drawing.text("python")
    assert again.state.space == drawing.state.space
    assert bits(again.model) == due
    assert bits(model_from_text(again.text())) == due


@pytest.mark.parametrize("name", IN_NO_FILE)
def test_what_no_file_holds_is_refused_by_name_and_is_a_program(name: str) -> None:
    described = gallery.make(name)
    with pytest.raises(
        tb.ModelError, match=f"Force '.*': a file can't hold its {IN_NO_FILE[name]}"
    ):
        Drawing(described)
    assert bits(program(python_text(described))) == bits(gallery.make(name))


@pytest.mark.parametrize("name", gallery.CLASSICS)
def test_a_classic_opens_as_a_drawing_that_is_whole_and_goes_on(name: str) -> None:
    """With its traces on the points that its sensors measure, and one undo away from before."""
    drawing = Drawing()
    empty = drawing.text()
    drawing.apply({"change": "open", "classic": name})
    facts = drawing.facts()
    verify = facts["verify"]
    assert isinstance(verify, dict) and not verify["problems"] and not verify["redundant"]
    assert facts["traces"] and not facts["space"]
    system = drawing.model.compile()
    shown = system.sensors(system.initial_state().q, [0.0] * len(system.velocities))
    for sensor in facts["sensors"]:  # type: ignore[attr-defined]
        if sensor["name"] in facts["traces"]:  # type: ignore[operator]
            R, p = drawing.state.poses[sensor["on"]]
            place = [shown[f"{sensor['name']}.{axis}"] for axis in "xyz"]
            np.testing.assert_allclose(p + R @ sensor["local"], place, atol=1e-8)
            np.testing.assert_allclose(sensor["at"], place, atol=1e-8)
    drawing.apply({"change": "bar", "from": [0, 0, 0], "to": [0, 0, 0.1]})
    drawing.apply({"change": "undo"})
    drawing.apply({"change": "undo"})
    assert drawing.text() == empty


def test_what_is_no_classic_is_refused_with_the_nearest() -> None:
    drawing = Drawing()
    with pytest.raises(tb.InputError, match="did you mean 'scotch-yoke'"):
        drawing.apply({"change": "open", "classic": "scotch-joke"})
    with pytest.raises(tb.InputError, match="a `text`, or a `classic`"):
        drawing.apply({"change": "open", "classic": "scotch-yoke", "file": "a.yaml"})
