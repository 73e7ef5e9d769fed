"""A joint's placement by Euler angles and Denavit–Hartenberg parameters, while it runs."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from manipulated import Start, arm, chain, four_bar
from touchback.workbench.manipulate.state_snapshot import take_snapshot


@pytest.mark.parametrize("sequence", ["xyz", "zyz", "zxz", "yxz"])
def test_position_and_euler_angles_place_a_joint(sequence: str, start: Start) -> None:
    """The body hangs at its joint turned by the coordinate: SciPy's rotations (capitals: moving
    axes)."""
    run = start(arm(), speed=1.0)
    at, angles = (0.1, -0.2, 0.3), (0.4, -0.3, 0.8)
    told = run.ask(
        do="edit", change="placement", joint="hinge", at=at, angles=angles, sequence=sequence
    )
    assert told["words"] == "placement of 'hinge'"
    now = take_snapshot(run.live)
    R, p = now.pose("arm")
    turned = Rotation.from_euler(sequence.upper(), angles) * Rotation.from_euler("Y", now.q[0])
    np.testing.assert_allclose(p, at, atol=1e-15)
    np.testing.assert_allclose(R, turned.as_matrix(), atol=1e-12)
    shown = run.ask(do="joint", joint="hinge", placement=True)["placement"]
    assert shown["at"] == pytest.approx(at)
    found = Rotation.from_euler("ZYZ", shown["angles"]["zyz"]).as_matrix()
    np.testing.assert_allclose(
        found, Rotation.from_euler(sequence.upper(), angles).as_matrix(), atol=1e-12
    )


def test_denavit_hartenberg_parameters_place_an_axis_from_the_one_before(start: Start) -> None:
    """Rz(θ) Tz(d) Tx(a) Rx(α) from the axis of 'joint 0' (its x axis) to that of 'joint 1'."""
    run = start(chain(3), speed=1.0)
    a, alpha, _, _ = parameters = (0.3, 0.7, 0.1, -0.4)
    run.ask(
        do="edit", change="placement", joint="joint 1", by="denavit-hartenberg",
        parameters=parameters,
    )  # fmt: skip
    shown = run.ask(do="joint", joint="joint 1", placement=True)["placement"]
    assert shown["parameters"] == pytest.approx(parameters, abs=1e-12)
    assert shown["before"] == "joint 0"
    first, second = (run.ask(do="joint", joint=name) for name in ("joint 0", "joint 1"))
    one, two = np.array(first["axis"]), np.array(second["axis"])
    assert one @ two == pytest.approx(np.cos(alpha), abs=1e-9)  # the twist between the axes
    normal = np.cross(one, two) / np.sin(alpha)
    apart = np.array(second["markers"][0]["at"]) - np.array(first["markers"][1]["at"])
    assert apart @ normal == pytest.approx(a, abs=1e-9)  # the length of their common normal


def test_parameters_as_they_are_shown_change_nothing(start: Start) -> None:
    """Parallel, crossing and skew axes, and one on the ground: the frames stay where they are."""
    m = chain(4)
    twin = m.body("twin", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    m.joint("parallel", tb.Revolute("x"), m.bodies["link 3"].at(0.2, 0, 0), twin)
    run = start(m, speed=1.0)
    for name in ("joint 0", "joint 1", "joint 2", "parallel"):
        shown = run.ask(do="joint", joint=name, placement=True)["placement"]
        told = run.ask(
            do="edit", change="placement", joint=name, by="denavit-hartenberg",
            parameters=shown["parameters"],
        )  # fmt: skip
        again = run.ask(do="joint", joint=name, placement=True)["placement"]
        assert again["at"] == pytest.approx(shown["at"], abs=1e-12)
        np.testing.assert_allclose(
            Rotation.from_euler("XYZ", again["angles"]["xyz"]).as_matrix(),
            Rotation.from_euler("XYZ", shown["angles"]["xyz"]).as_matrix(), atol=1e-12,
        )  # fmt: skip
        assert told["gap"] == 0.0


def test_a_placement_is_taken_back_by_undo(start: Start) -> None:
    run = start(arm(), speed=1.0)
    was = run.live.system.model.joints["hinge"].parent
    run.ask(do="edit", change="placement", joint="hinge", at=(0.1, 0, 0), angles=(0, 0, 1))
    assert run.live.system.model.joints["hinge"].parent.at == (0.1, 0.0, 0.0)
    assert run.ask(do="undo")["words"] == "without: placement of 'hinge'"
    assert run.live.system.model.joints["hinge"].parent == was


def test_what_a_weld_froze_is_no_part_of_the_placement(start: Start) -> None:
    """Welded at 0.4 rad and shifted by typed numbers: it stays turned by 0.4 rad."""
    m = arm()
    run = start(m, m.compile().assemble(hinge=0.4), speed=1.0)
    run.ask(do="edit", change="weld", joint="hinge")
    R, p = take_snapshot(run.live).pose("arm")
    shown = run.ask(do="joint", joint="hinge", placement=True)["placement"]
    assert shown["angles"]["xyz"] == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    run.ask(
        do="edit", change="placement", joint="hinge", at=(0, 0, 0.3),
        angles=shown["angles"]["xyz"],
    )  # fmt: skip
    R_after, p_after = take_snapshot(run.live).pose("arm")
    np.testing.assert_allclose(R_after, R, atol=1e-12)
    np.testing.assert_allclose(p_after, p + [0, 0, 0.3], atol=1e-12)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"joint": "elbow"}, "elbow"),
        ({"joint": "hinge", "sequence": "xxy"}, "there are xyz"),
        ({"joint": "hinge", "at": (1e30, 0, 0)}, "at"),
        ({"joint": "hinge", "by": "quaternion"}, "quaternion"),
        ({"joint": "hinge", "by": "denavit-hartenberg", "parameters": (0, 0, 0)}, "parameters"),
        ({"joint": "hinge", "angles": (0, float("nan"), 0)}, ""),
    ],
)  # fmt: skip
def test_what_is_no_placement_is_refused_and_the_run_goes_on(
    given: dict[str, object], complaint: str, start: Start
) -> None:
    run = start(arm(), speed=1.0)
    assert complaint in run.refused(do="edit", change="placement", **given)
    assert run.live.system.model.joints["hinge"].parent == arm().joints["hinge"].parent


def test_a_loop_that_could_not_close_any_more_is_refused(start: Start) -> None:
    run = start(four_bar(), speed=1.0)
    name = next(iter(run.live.system.model.joints))
    was = run.live.system.model.joints[name].parent
    told = run.refused(do="edit", change="placement", joint=name, at=(50.0, 0, 0))
    assert told
    assert run.live.system.model.joints[name].parent == was
