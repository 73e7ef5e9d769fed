"""Pictures of the action are made of what the model is made of."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from touchback.instruments.piano import Specification
from touchback.instruments.piano.action_drawing import action_outlines, film, picture
from touchback.instruments.piano.action_specification import find_placements
from touchback.instruments.piano.stroke_analysis import play
from touchback.system import System

SVG = "{http://www.w3.org/2000/svg}"


def test_every_body_is_drawn_and_turned() -> None:
    root = ElementTree.fromstring(picture({"key": 0.03, "hammer": 0.2, "jack": 0.1}))
    turns = [group.get("transform", "") for group in root.iter(f"{SVG}g")]
    assert len(turns) == 7
    assert sum(not turn.startswith(("rotate(0.000", "rotate(-0.000")) for turn in turns) == 4
    assert f"rotate({-np.degrees(0.2):.3f}" in "".join(turns)  # picture angles count clockwise


def test_a_film_moves_each_body_through_the_run(pressed: System) -> None:
    run = play(pressed, 0.1, {"touch speed": 0.7})
    root = ElementTree.fromstring(film(run, 0.0, 0.1, frames=30))
    moves = list(root.iter(f"{SVG}animateTransform"))
    assert len(moves) == 7
    assert all(len((move.get("values") or "").split(";")) == 30 for move in moves)
    assert {move.get("dur") for move in moves} == {"2.00s"}


def test_outlines_have_the_surfaces_of_the_model() -> None:
    spec = Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    drawn = action_outlines(spec, at)

    def corners(body: str) -> np.ndarray:
        return np.vstack([shape.points for shape in drawn[body]])

    def nearest(body: str, point: np.ndarray) -> float:
        return float(np.linalg.norm(corners(body) - point, axis=1).min())

    assert nearest("jack", at.jack_corner) == pytest.approx(0.0, abs=1e-12)
    assert nearest("hammer", at.knuckle) == pytest.approx(0.0, abs=1e-12)
    assert corners("ground")[:, 1].min() < 0.0 < corners("whippen")[:, 1].min()
    assert corners("whippen")[:, 1].min() == pytest.approx(at.heel.at[1])
