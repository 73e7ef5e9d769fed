"""What a run doesn't expose isn't reached by another name of it either."""

import pytest

from manipulated import Start, floating, four_bar
from touchback.realtime.control import Exposed


@pytest.mark.parametrize(
    "change",
    [
        {"change": "weld"},
        {"change": "free"},
        {"change": "kind", "kind": "Free"},
        {"change": "friction", "value": 3.0},
        {"change": "limits", "low": -9.0, "high": 9.0},
    ],
)
def test_an_edit_needs_every_name_that_it_has(change: dict[str, object], start: Start) -> None:
    run = start(four_bar(), exposed=Exposed(structure=["just this"]))
    before = run.live.system
    for names in ({"joint": "crank", "loop": "just this"}, {"joint": "just this", "loop": "pin"}):
        assert "isn't among the structure" in run.refused(do="edit", **names, **change)
    assert run.live.system is before


@pytest.mark.parametrize("hands", [False, ["other"]])
def test_the_numbers_of_a_hand_are_for_those_who_may_pull(
    hands: bool | list[str], start: Start
) -> None:
    run = start(floating(), exposed=Exposed(hands=hands))
    for name in ("hand grip", "hand stiffness", "hand damping", "hand to z", "hand at x"):
        assert "isn't among the hands" in run.refused(do="set", name=name, value=1.0)
        assert run.live[name] == 0.0
    assert "isn't among the hands" in run.refused(do="set", name="hand bound", value=1e6)
    told = run.ask(do="what")
    assert not [each for each in (*told["inputs"], *told["parameters"])]  # it has no others


def test_hands_alone_suffice_for_their_numbers(start: Start) -> None:
    run = start(floating(), exposed=Exposed(inputs=False, parameters=False))
    run.ask(do="set", name="hand to z", value=0.5)
    assert run.live["hand to z"] == 0.5


def test_an_icons_numbers_are_for_those_who_may_put_it_there(start: Start) -> None:
    run = start(floating(), speed=1.0)
    run.ask(do="icon", name="push", kind="force", on="block", value=[1.0, 0.0, 0.0])
    run.commands.exposed = Exposed(structure=["other"])
    assert "isn't among the structure" in run.refused(do="set", name="push x", value=9.0)
    moved = {"name": "push", "kind": "force", "on": "other", "value": [9.0, 0.0, 0.0]}
    assert "'block' isn't among the structure" in run.refused(do="icon", **moved)
    assert run.live["push x"] == 1.0
