"""Instruments are described as they were: the numbers of their specifications, what follows from
these, and the models that are built of them. `--update-golden` takes over what was changed on
purpose."""

import re

import pytest

from descriptions import check, described, shown
from touchback.instruments.keyboard.key_device import KeyDevice
from touchback.instruments.keyboard.key_mechanisms import VOICES
from touchback.instruments.keyboard.keyboard_model import touchback_key
from touchback.instruments.piano import (
    PressedTouch,
    Specification,
    action_drawing,
    gillespie_action,
)
from touchback.instruments.piano.action_specification import (
    find_placements,
    graded_parameters,
    head_rise,
)
from touchback.instruments.piano.piano_action import grand_piano_action


def test_a_piano_action_has_the_numbers_it_had(pytestconfig: pytest.Config) -> None:
    spec = Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    lines = []
    for group in ("dimensions", "regulation", "masses", "felts", "centres", "springs", "pedals"):
        item = getattr(spec, group)
        lines += [
            f"{group} {name}: {shown(getattr(item, name))}" for name in item.__dataclass_fields__
        ]
    lines += [f"placements {line}" for line in described(at)]
    lines += [f"head rise at {key}: {head_rise(spec, at, key):.9g}" for key in (0.0, 0.02)]
    for note in (21, 40, 60, 75, 88, 89, 108):
        lines += [f"note {note} {name}: {x:.9g}" for name, x in graded_parameters(note).items()]
    check(lines, "piano-specification", pytestconfig)


@pytest.mark.parametrize("driven", ["force", "finger", "press"])
def test_a_driven_action_differs_in_these_items(driven: str, pytestconfig: pytest.Config) -> None:
    """Those that the full-contact action has only where it is driven so."""
    usual = set(described(grand_piano_action("motion", PressedTouch(0.7))))
    lines = [line for line in described(grand_piano_action(driven)) if line not in usual]
    check(
        [line for line in lines if not line.startswith("definitions")],
        f"piano-by-{driven}",
        pytestconfig,
    )


def test_gillespies_action_has_the_numbers_it_had(pytestconfig: pytest.Config) -> None:
    spec = gillespie_action.gillespie_specification()
    soft = gillespie_action.gillespie_specification(torsional=False)
    points = spec.points
    lines = [
        *(f"{name}: {shown(getattr(spec, name))}" for name in spec.__dataclass_fields__),
        *(f"length {name}: {x!r}" for name, x in gillespie_action.LENGTHS.items()),
        *(f"points {name}: {shown(getattr(points, name))}" for name in points.__dataclass_fields__),
        *(f"assigned {each.role}: {each.length}" for each in gillespie_action.ASSIGNED),
        f"coupler: {spec.coupler}, {soft.coupler}",
        f"gain: {gillespie_action.gain(spec):.6g}",
        *described(gillespie_action.nine_coordinate_action()),
    ]
    check(lines, "gillespie-action", pytestconfig)


@pytest.mark.parametrize("voice", VOICES)
def test_a_voice_of_a_key_is_described_as_it_was(voice: str, pytestconfig: pytest.Config) -> None:
    lines = [line for line in described(touchback_key(voice)) if "parts action" not in line]
    check(lines, f"key-{voice}", pytestconfig)


def test_a_key_under_a_hand_and_its_device_are_described_as_they_were(
    pytestconfig: pytest.Config,
) -> None:
    usual = set(described(touchback_key("organ")))
    lines = [f"device {name}: {shown(each)}" for name, each in vars(KeyDevice()).items()]
    for words in ({"by_hand": True}, {"rate": 2000.0}):
        found = described(touchback_key("organ", **words))
        lines += [f"{next(iter(words))} {line}" for line in found if line not in usual]
    lines += described(touchback_key("organ", "ball", "wall"))
    check(lines, "key-device", pytestconfig)


def test_an_action_is_drawn_as_it_was(pytestconfig: pytest.Config) -> None:
    spec = Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    lines = []
    for body, outlines in action_drawing.action_outlines(spec, at).items():
        lines += [f"{body} {i}: {shown(each)}" for i, each in enumerate(outlines)]
    angles = {"key": 0.02, "whippen": 0.05, "jack": 0.03, "hammer": 0.4, "damper": 0.01}
    drawn = action_drawing.picture(angles)
    lines += re.findall(r"<(?:svg|g transform|rect)[^>]*>", drawn)
    check(lines, "piano-drawing", pytestconfig)
