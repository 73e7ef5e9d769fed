"""The films of the gallery's pages: every part moves in step, within the picture, and a change that
a film is about can be seen in it."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
FILMS = [
    "actions/bouncing-hammer",
    "actions/harpsichord",
    "omni/wheel",
    "omni/platform",
    "omni/mecanum",
]
SVG = "{http://www.w3.org/2000/svg}"


def film(name: str) -> ET.Element:
    return ET.parse(PICTURES / f"{name}.svg").getroot()


def motions(root: ET.Element, kind: str) -> list[np.ndarray]:
    """Values of each animated transform of a kind, (frames, numbers)."""
    return [
        np.array([[float(x) for x in value.split()] for value in each.attrib["values"].split(";")])
        for each in root.iter(f"{SVG}animateTransform")
        if each.attrib["type"] == kind
    ]


@pytest.mark.parametrize("name", FILMS)
def test_parts_of_a_film_keep_step_and_stay_in_the_picture(name: str) -> None:
    root = film(name)
    _, _, width, height = (float(x) for x in root.attrib["viewBox"].split())
    animated = [*root.iter(f"{SVG}animateTransform"), *root.iter(f"{SVG}animate")]
    assert len({(each.attrib["dur"], each.attrib["values"].count(";")) for each in animated}) == 1
    moved = motions(root, "translate")
    assert max(np.ptp(values, axis=0).max() for values in moved) > 10  # something is going on
    for values in moved:
        assert np.abs(values[:, 0]).max() < width and np.abs(values[:, 1]).max() < height


def test_one_sees_the_string_lifted_and_let_go() -> None:
    """Twice, in several frames each: a pluck takes five milliseconds."""
    lifts = min(motions(film("actions/harpsichord"), "translate"), key=lambda v: np.ptp(v[:, 1]))
    lifted = lifts[:, 1] < -0.1
    assert np.count_nonzero(np.diff(lifted.astype(int)) == 1) == 2
    assert np.count_nonzero(lifted) > 20 and not lifted[-1]


def test_each_roller_takes_its_turn_and_never_two_at_once() -> None:
    seen = [
        [int(value) for value in each.attrib["values"].split(";")]
        for each in film("omni/wheel").iter(f"{SVG}animate")
    ]
    assert len(seen) == 6
    np.testing.assert_array_equal(np.sum(seen, axis=0), 1)
    assert np.min(np.sum(seen, axis=1)) > 0
