"""Constraints modified while a mechanism runs: it goes on from the same state."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from manipulated import MASS, Asked, Start, arm, four_bar
from touchback.realtime.control import Exposed
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.manipulate.state_snapshot import take_snapshot
from touchback.workbench.manipulate.undo_history import Change


def turning(m: tb.Model, **rates: float) -> tb.State:
    return m.compile().assemble(rates=rates)


def tip_of(run: Asked, body: str, at: tuple[float, float, float]) -> np.ndarray:
    """Where a point of a body is, of the last tick."""
    return take_snapshot(run.live).point(body, np.array(at))


def test_a_weld_takes_a_freedom_and_its_kinetic_energy(start: Start) -> None:
    m = arm()
    run = start(m, turning(m, hinge=2.0), speed=1.0)
    told = run.ask(do="edit", change="weld", joint="hinge")
    assert (told["freedoms_before"], told["freedoms_after"]) == (1, 0)
    assert told["gap"] == 0.0 and told["milliseconds"] > 0.0
    assert told["energy_lost"] == told["energy_before"] - told["energy_after"]
    assert 0.0 < told["energy_lost"] <= 0.5 * (0.02 + MASS * 0.25) * 2.0**2 + 1e-12
    assert told["rests"] == ["motor"] and told["words"] == "joint 'hinge' fixed"
    angle = run.live["hinge"]  # where it froze
    tip = tip_of(run, "arm", (0, 0, -1.0))
    assert tip == pytest.approx([-np.sin(angle), 0, -np.cos(angle)], abs=1e-12)


def test_undo_gives_the_freedom_back_from_where_it_froze_with_what_rested(start: Start) -> None:
    m = arm()
    run = start(m, turning(m, hinge=2.0), speed=1.0)
    run.ask(do="edit", change="weld", joint="hinge")
    angle = run.live["hinge"]
    told = run.ask(do="undo")
    assert (told["freedoms_before"], told["freedoms_after"]) == (0, 1)
    assert run.live.system.model.forces["motor"] and run.live.system.model.controls["hold"]
    assert abs(run.live.read("hinge") - angle) < 0.5  # it moves by its law again
    assert "no edit to take back" in run.refused(do="undo")


@pytest.mark.parametrize(
    ("kind", "freedoms"),
    [("Cylindrical", 2), ("Spherical", 3), ("Universal", 2), ("Planar", 3), ("Free", 6),
     ("Prismatic", 1), ("Screw", 1), ("Weld", 0)],
)  # fmt: skip
def test_a_revolute_joint_becomes_any_other_kind_without_a_gap(
    kind: str, freedoms: int, start: Start
) -> None:
    """The tip stays where it is at the tick that changes (nothing moves: the law holds it)."""
    run = start(arm(), speed=1.0)
    before = tip_of(run, "arm", (0, 0, -1.0))
    told = run.ask(do="edit", change="kind", joint="hinge", kind=kind)
    assert (told["freedoms_before"], told["freedoms_after"]) == (1, freedoms)
    assert told["gap"] == 0.0
    assert tip_of(run, "arm", (0, 0, -1.0)) == pytest.approx(before, abs=1e-9)


def test_a_motor_and_a_law_go_on_with_the_turn_of_a_cylindrical_joint(start: Start) -> None:
    run = start(arm(), speed=1.0)
    told = run.ask(do="edit", change="kind", joint="hinge", kind="Cylindrical")
    assert told["rests"] == []
    a = run.live.system.forward_dynamics({"hinge.turn": 0.3}, {"hinge.turn": 0.2})
    assert a == pytest.approx([0.0, (-4 * 0.3 - 0.2) / (0.02 + MASS * 0.25)], rel=1e-12)


def test_kinds_follow_each_other_and_are_undone_one_by_one(start: Start) -> None:
    run = start(arm(), speed=1.0)
    for kind, freedoms in (("Cylindrical", 2), ("Weld", 0), ("Revolute", 1)):
        told = run.ask(do="edit", change="kind", joint="hinge", kind=kind)
        assert told["freedoms_after"] == freedoms
    assert run.live.system.model.forces["motor"]
    for freedoms in (0, 2, 1):
        assert run.ask(do="undo")["freedoms_after"] == freedoms


def test_a_joint_that_is_freed_lets_the_body_fall(start: Start) -> None:
    m = tb.Model("hanging")
    body = m.body("bob", 1.0, com=(0, 0, -0.5), inertia=(0.01, 0.01, 0.01))
    m.joint("hinge", tb.Revolute("y"), m.ground, body)
    run = start(m, speed=1.0)
    told = run.ask(do="edit", change="free", joint="hinge")
    assert (told["freedoms_before"], told["freedoms_after"]) == (1, 6)
    system = run.live.system
    a = system.forward_dynamics(system.initial_state().q, np.zeros(6))
    assert a[2] == pytest.approx(-9.81, rel=1e-12) and np.abs(a[[0, 1, 3, 4, 5]]).max() < 1e-12


def test_a_loop_is_removed_and_its_freedoms_come_back(start: Start) -> None:
    run = start(four_bar(), speed=1.0)
    told = run.ask(do="edit", change="remove loop", loop="pin")
    assert (told["freedoms_before"], told["freedoms_after"]) == (1, 3)
    assert told["gap"] == 0.0 and told["energy_lost"] == pytest.approx(0.0, abs=1e-12)
    assert run.live.system.model.closures == {}


@pytest.mark.parametrize(
    ("kind", "taken"), [("PointInPlane", 2), ("Ball", 2), ("Weld", 3), ("Distance", 1), ("pin", 2)]
)
def test_a_loop_is_closed_as_the_bodies_are_while_they_move(
    kind: str, taken: int, start: Start
) -> None:
    """Of a mechanism in a plane: rows that it can't violate take nothing."""
    m = four_bar()
    run = start(m, turning(m, crank=2.0), speed=1.0)
    run.ask(do="edit", change="remove loop", loop="pin")
    told = run.ask(do="edit", change="add loop", loop="tie", kind=kind,
                   a={"body": "coupler", "at": [0.2, 0, 0]}, b={"body": "rocker"})  # fmt: skip
    assert (told["freedoms_before"], told["freedoms_after"]) == (3, 3 - taken)
    assert told["gap"] < 1e-9
    assert told["energy_lost"] >= -1e-12
    system = run.live.system
    for _ in range(5):
        run.live.run(0.01)
        q = take_snapshot(run.live).q  # of one tick
        assert np.abs(system.constraint_error(q)).max() < 1e-9


def test_a_loop_that_would_have_to_jump_is_refused_and_the_old_structure_goes_on(
    start: Start,
) -> None:
    run = start(four_bar(), speed=1.0)
    run.ask(do="edit", change="remove loop", loop="pin")
    run.live.run(0.3)  # it falls apart
    said = run.refused(do="undo")
    assert "its two points are" in said and "bring them together" in said
    assert run.live.system.model.closures == {}
    assert run.live.state == "running"


def test_an_edit_that_can_not_be_taken_back_is_named_and_let_be_and_older_ones_are_undone(
    start: Start,
) -> None:
    """Friction of the crank, then the loop's removal: apart, the loop stays open for good."""
    run = start(four_bar(), speed=1.0)
    told = run.ask(do="edit", change="friction", joint="crank", value=0.7)
    assert told["undo"] == "friction of 'crank'"
    assert run.ask(do="edit", change="remove loop", loop="pin")["undo"] == "no loop 'pin'"
    run.live.run(0.3)  # it falls apart
    said = run.refused(do="undo")
    assert "\"no loop 'pin'\" can't be taken back now" in said and "`skip`" in said
    told = run.ask(do="undo", skip=True)
    assert (told["words"], told["undo"]) == ("stays: no loop 'pin'", "friction of 'crank'")
    assert run.ask(do="undo")["undo"] is None
    assert not run.live.system.model.joints["crank"].friction
    assert run.live.system.model.closures == {}  # it was let be
    assert "no edit to take back" in run.refused(do="undo")
    assert "no edit to take back" in run.refused(do="undo", skip=True)


@pytest.mark.parametrize("scale", [1e-5, 1e6])
def test_how_far_ends_of_a_loop_may_be_apart_goes_with_the_size(start: Start, scale: float) -> None:
    """Without gravity nothing drifts; posed aside by a tenth of the crank, they don't meet."""
    m = four_bar(scale, gravity=0.0)
    run = start(m, speed=1.0)
    run.ask(do="edit", change="remove loop", loop="pin")
    run.live.pause()
    at, rocker = (
        [0.3 * scale, 0, 0],
        take_snapshot(run.live).point("rocker", np.array([0.3 * scale, 0, 0])),
    )
    run.ask(do="pose", body="rocker", point=at, to=(rocker + [0.01 * scale, 0, 0]).tolist())
    assert "its two points are" in run.refused(do="undo")
    run.ask(do="pose", body="rocker", point=at, to=rocker.tolist())
    run.live.go()
    assert run.ask(do="undo")["state"] == "taken"
    assert "pin" in run.live.system.model.closures


def test_friction_comes_into_a_joint(start: Start) -> None:
    run = start(arm(), speed=1.0)
    run.ask(do="edit", change="friction", joint="hinge", value=0.7)
    a = run.live.system.forward_dynamics({"hinge": 0.0}, {"hinge": 5.0})
    moment = 0.02 + MASS * 0.25
    assert a[0] == pytest.approx((-5.0 - 0.7) / moment, rel=1e-6)


def test_limits_come_into_a_joint_and_are_moved_without_another_structure(start: Start) -> None:
    run = start(arm(), speed=1.0)
    run.ask(do="edit", change="limits", joint="hinge", low=-0.5, high=0.5)
    assert (run.live["hinge low"], run.live["hinge high"]) == (-0.5, 0.5)
    count = len(run.live.structures)
    run.ask(do="edit", change="limits", joint="hinge", low=-0.2, high=0.9)
    assert (run.live["hinge low"], run.live["hinge high"]) == (-0.2, 0.9)
    run.ask(do="undo")
    assert (run.live["hinge low"], run.live["hinge high"]) == (-0.5, 0.5)
    assert len(run.live.structures) == count
    assert "throw it back" in run.refused(
        do="edit", change="limits", joint="hinge", low=0.3, high=0.5
    )
    assert "outside of 0.3 and more" in run.refused(
        do="edit", change="limits", joint="hinge", low=0.3
    )


def test_what_can_not_be_edited_is_refused_in_words(start: Start) -> None:
    run = start(four_bar(), exposed=Exposed(structure=["crank", "rockr", "tie", "pin"]))
    edit = {"do": "edit", "change": "kind"}
    assert "did you mean 'rocker'" in run.refused(**edit, joint="rockr", kind="Weld")
    assert "isn't among the structure" in run.refused(**edit, joint="rocker", kind="Weld")
    assert "did you mean 'revolute'" in run.refused(**edit, joint="crank", kind="revolte")
    assert "none numbered 3" in run.refused(do="edit", change="friction", joint="crank",
                                            coordinate=3, value=1)  # fmt: skip
    assert "to itself" in run.refused(do="edit", change="add loop", loop="tie", kind="Ball",
                                      a={"body": "crank"}, b={"body": "crank"})  # fmt: skip
    assert "'bodies'" in run.refused(do="edit", change="add loop", loop="tie", kind="Ball",
                                     a={"body": "crank"}, b={"body": "bodies"})  # fmt: skip
    assert "isn't among the structure" in run.refused(do="edit", change="remove loop", loop="x")
    assert not run.live.structures


def test_a_driven_joint_keeps_its_kind_until_the_motion_is_taken_away(start: Start) -> None:
    run = start(arm(), speed=1.0)
    run.ask(do="icon", name="turn", kind="motion", on="hinge", value=1.0)
    said = run.refused(do="edit", change="weld", joint="hinge")
    assert "drive 'turn'" in said and "take that away first" in said
    run.ask(do="remove", icon="turn")
    run.ask(do="edit", change="weld", joint="hinge")


def test_undo_takes_an_edit_back_and_leaves_icons_that_came_later(start: Start) -> None:
    run = start(arm(), speed=1.0)
    run.ask(do="edit", change="friction", joint="hinge", value=0.7)
    run.ask(do="icon", name="push", kind="force", on="arm", value=[1, 0, 0])
    run.ask(do="undo")
    assert run.live.system.model.joints["hinge"].friction == ()
    assert "push" in run.live.system.model.forces
    assert len(run.manipulators.icons.describe()) == 1


def test_a_structure_that_somebody_else_swaps_is_where_edits_go_on(start: Start) -> None:
    run = start(arm(), speed=1.0)
    run.ask(do="edit", change="friction", joint="hinge", value=0.7)
    run.live.swap(arm(0.4))
    assert "no edit to take back" in run.refused(do="undo")
    assert run.ask(do="edit", change="weld", joint="hinge")["freedoms_after"] == 0


def test_an_inspector_sees_markers_axis_coordinates_and_kinds(start: Start) -> None:
    m = four_bar()
    run = start(m)
    joint = run.ask(do="joint", joint="rocker")
    assert joint["kind"] == "revolute" and "spherical" in joint["kinds"]
    assert [each["body"] for each in joint["markers"]] == ["ground", "rocker"]
    for marker in joint["markers"]:
        assert marker["at"] == pytest.approx([0.5, 0, 0], abs=1e-12)
    assert joint["axis"] == pytest.approx([0, 1, 0], abs=1e-12)
    (coordinate,) = joint["coordinates"]
    assert coordinate["name"] == "rocker" and coordinate["unit"] == "rad"
    assert coordinate["value"] == pytest.approx(m.compile().assemble().q[2])
    loop = run.ask(do="joint", joint="pin")
    assert loop["loop"] and loop["kind"] == "point-in-plane" and "rod" in loop["kinds"]
    a, b = (np.array(each["at"]) for each in loop["markers"])
    assert np.linalg.norm(a - b) < 1e-9


def test_what_edits_did_replays_to_the_same_bits(start: Start, tmp_path: Path) -> None:
    m = four_bar()
    run = start(m, turning(m, crank=2.0), speed=1.0, record=tmp_path / "run.mcap")
    run.ask(do="edit", change="weld", joint="coupler")
    run.ask(do="undo")
    run.ask(do="edit", change="remove loop", loop="pin")
    run.ask(do="edit", change="add loop", loop="tie", kind="Distance",
            a={"body": "coupler", "at": [0.2, 0, 0]}, b={"body": "rocker"})  # fmt: skip
    run.live.run(0.02)
    run.live.stop()
    again = tb.replay(tmp_path / "run.mcap")
    assert again.same and len(again.parts) == 5


def test_a_pause_holds_that_somebody_asked_for_during_anothers_edit(start: Start) -> None:
    """The run rests for the edit's own sake, too: the end of that is not the end of the pause."""
    run = start(four_bar(), speed=1.0)
    add = run.manipulators.reshape.add

    def paused_meanwhile(change: Change) -> Facts:
        assert run.ask("somebody else", do="pause")["state"] == "paused"
        return add(change)

    run.manipulators.reshape.add = paused_meanwhile  # type: ignore[method-assign]
    ends = {"a": {"body": "crank", "at": [0.05, 0, 0]}, "b": {"body": "rocker"}}
    tie = {"do": "edit", "change": "add loop", "kind": "spherical", **ends}
    run.ask("one", **tie, loop="tie")
    assert run.live.state == "paused"
    run.manipulators.reshape.add = add  # type: ignore[method-assign]
    run.ask(do="go")
    run.ask(do="undo")
    run.ask("one", **tie, loop="another")
    assert run.live.state == "running"
