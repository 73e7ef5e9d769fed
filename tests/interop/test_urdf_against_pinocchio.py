"""Every robot of example-robot-data moves here as it does in Pinocchio."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pinocchio_truth import BROKEN, difference, pin, read_quietly, robot_files
from touchback.errors import ModelError
from touchback.interop import ImportNotice, read_urdf
from touchback.model import Model
from validation.reference import numbers

TOLERANCE = 1e-12  # of the largest entry: both sides round differently along chains of ~20 bodies
ROBOTS = [path for path in robot_files() if path.name not in BROKEN]


def assert_close(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    if theirs.size:
        error = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-300)
        assert error < TOLERANCE, f"{what} differs by {error:.2e}"


def compare(model: Model, other: Any, seed: int) -> None:
    for what, error in difference(model, other, seed).items():
        assert error < TOLERANCE, f"{what} differs by {error:.2e}"


def pairs_of_robot_and_base() -> list[Any]:
    """A robot of every family on one kind of base; for the others, and the other way round, `make
    soak` has time."""
    first = {path.parents[1]: path for path in reversed(ROBOTS)}
    return [
        pytest.param(
            path, base, id=f"{path.stem}-{base}",
            marks=[pytest.mark.soak] * (turned or path not in first.values()),
        )
        for number, path in enumerate(ROBOTS)
        for turned, base in enumerate(("fixed", "floating")[:: 1 if number % 2 else -1])
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*nothing resists its motion:RuntimeWarning")
@pytest.mark.parametrize(("path", "base"), pairs_of_robot_and_base())
def test_a_robot_moves_as_in_pinocchio(path: Path, base: str) -> None:
    root = [pin.JointModelFreeFlyer()] if base == "floating" else []
    other = pin.buildModelFromUrdf(str(path), *root)
    compare(read_quietly(path, base == "floating"), other, len(path.name))


def broken(name: str) -> Path:
    """A file of the collection; some releases have mended or dropped it."""
    found = next((path for path in robot_files() if path.name == name), None)
    return found or pytest.skip(f"this release of example-robot-data has no {name}")


def test_a_file_with_a_link_that_is_missing_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"falcon\.urdf, line 182: .*'Z_propeller' is not in"):
        read_urdf(broken("falcon.urdf"))


def test_a_file_without_links_is_said_to_be_empty() -> None:
    with pytest.warns(ImportNotice, match="no links"):
        assert read_urdf(broken("ur3.urdf")).bodies == {}


@pytest.mark.parametrize("name", ["double_pendulum_simple", "panda"])
def test_a_robot_agrees_with_stored_values(name: str, dynamics: Callable[..., Any]) -> None:
    stored = numbers("pinocchio_robots")[name]
    model = read_quietly(next(path for path in robot_files() if path.stem == name))
    moving = [joint for joint, data in model.joints.items() if data.kind.nv]
    assert moving == stored["coordinates"]
    found = dynamics(model, stored["q"], stored["v"], stored["a"])
    assert np.abs(found.M - stored["M"]).max() < 1e-12  # the file has 12 decimals
    assert_close(found.c, np.array(stored["bias"]), "bias")
    assert_close(found.tau, np.array(stored["inverse_dynamics"]), "inverse dynamics")


# ---- kinds of joints that no robot of the collection has ----------------------------------------

INERTIAL = """<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>
  <inertia ixx="0.05" iyy="0.06" izz="0.07" ixy="0.001" ixz="0.002" iyz="-0.003"/></inertial>"""

LIMIT = '<limit lower="-9" upper="9" effort="9" velocity="9"/>'  # Pinocchio insists on one


def two_bodies(joint: str, links: str = "") -> str:
    """A swinging arm that carries a plate by the given joints."""
    return f"""<robot name="two"><link name="world"/>
      <link name="arm">{INERTIAL}</link><link name="plate">{INERTIAL}</link>{links}
      <joint name="swing" type="revolute"><origin xyz="0.3 0 0.2" rpy="0.1 0.2 0.3"/>
        <parent link="world"/><child link="arm"/><axis xyz="0.6 0 0.8"/>{LIMIT}</joint>
      {joint}</robot>"""


def words(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def test_a_floating_joint_moves_as_in_pinocchio() -> None:
    text = two_bodies("""<joint name="free" type="floating"><origin xyz="0 1 0" rpy="0 0.7 0"/>
      <parent link="arm"/><child link="plate"/></joint>""")
    compare(read_urdf(text), pin.buildModelFromXML(text), 1)


@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 0, -1), (1, 2, 2), (-1, 0.5, -3)])
def test_a_planar_joint_moves_as_two_slides_and_a_turn(
    normal: tuple[float, float, float], dynamics: Callable[..., Any]
) -> None:
    n = np.array(normal) / np.linalg.norm(normal)
    yaw, pitch = float(np.arctan2(n[1], n[0])), float(np.arccos(n[2]))
    back = words(pin.rpy.matrixToRpy(pin.rpy.rpyToMatrix(0, pitch, yaw).T))
    planar = two_bodies(f"""<joint name="plane" type="planar"><origin xyz="0 1 0" rpy="0 0.7 0"/>
      <parent link="arm"/><child link="plate"/><axis xyz="{words(normal)}"/></joint>""")
    chain = two_bodies(
        f"""<joint name="place" type="fixed"><origin xyz="0 1 0" rpy="0 0.7 0"/>
          <parent link="arm"/><child link="a"/></joint>
        <joint name="plane.x" type="prismatic"><origin rpy="0 {pitch!r} {yaw!r}"/>
          <parent link="a"/><child link="b"/><axis xyz="1 0 0"/>{LIMIT}</joint>
        <joint name="plane.y" type="prismatic"><parent link="b"/><child link="c"/>
          <axis xyz="0 1 0"/>{LIMIT}</joint>
        <joint name="plane.turn" type="revolute"><parent link="c"/><child link="d"/>
          <axis xyz="0 0 1"/>{LIMIT}</joint>
        <joint name="back" type="fixed"><origin rpy="{back}"/>
          <parent link="d"/><child link="plate"/></joint>""",
        "".join(f'<link name="{name}"/>' for name in "abcd"),
    )
    model, other = read_urdf(planar), pin.buildModelFromXML(chain)
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 4))
    names = [full for name, joint in model.joints.items() for full in joint.velocity_names(name)]
    order = [other.joints[other.getJointId(name)].idx_v for name in names]
    data = other.createData()
    found = dynamics(model, q[order], v[order], a[order])
    assert_close(found.tau, pin.rnea(other, data, q, v, a)[order], "inverse dynamics")
    assert_close(found.c, pin.nonLinearEffects(other, data, q, v)[order], "bias")
