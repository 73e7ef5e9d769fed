"""Collision shapes of URDF and SDF touch: gaps as MuJoCo measures them, weights and slides as by
Coulomb's law."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.dynamics.numeric_instant import float_instant
from touchback.errors import ModelError
from touchback.interop import ImportNotice, read_sdf, read_urdf
from touchback.interop.collision_geometry import farthest

mujoco = pytest.importorskip("mujoco")

MASS, G = 2.0, 9.81
SHAPES = {
    "sphere": '<sphere radius=".13"/>',
    "capsule": '<capsule radius=".05" length=".3"/>',
    "box": '<box size=".2 .3 .1"/>',
    "mesh": '<mesh filename="die.obj" scale="1 .5 2"/>',
}
OBJ = "".join(
    f"v {x} {y} {z}\n" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)
) + "".join(
    f"f {a} {b} {c}\n"
    for a, b, c in (
        (1, 2, 4), (1, 4, 3), (5, 8, 6), (5, 7, 8), (1, 6, 2), (1, 5, 6),
        (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 8, 4), (2, 6, 8),
    )
)  # fmt: skip


def thing(shape: str, more: str = "") -> str:
    return f"""<robot name="thing"><link name="thing"><inertial><mass value="{MASS}"/>
      <inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz=".01 .02 .03" rpy=".3 -.2 .5"/><geometry>{shape}</geometry></collision>
      {more}</link></robot>"""


@pytest.mark.parametrize("shape", SHAPES)
def test_the_nearest_point_is_as_far_from_the_floor_as_in_mujoco(tmp_path, shape) -> None:
    file = tmp_path / "thing.urdf"
    text = thing(SHAPES[shape])
    file.write_text(text)
    (tmp_path / "die.obj").write_text(OBJ)
    model = read_urdf(file, floating_base=True, floor=0.1)
    spec = mujoco.MjSpec.from_string(text, assets={"die.obj": OBJ.encode()})
    spec.body("thing").add_freejoint()
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(name="floor", type=plane, size=[1, 1, 1], pos=[0, 0, 0.1])
    theirs = spec.compile()
    data = mujoco.MjData(theirs)
    draw = np.random.default_rng(3)
    for _ in range(5):
        turned = draw.normal(size=4)
        q = [0.2, -0.4, 1.0, *turned / np.linalg.norm(turned)]
        data.qpos[:] = q
        mujoco.mj_forward(theirs, data)
        (floor,) = np.flatnonzero(theirs.geom_type == plane)
        wanted = mujoco.mj_geomDistance(theirs, data, int(floor), int(1 - floor), 10.0, None)
        instant = float_instant(model, q)
        gaps = [float(kind.gap(instant)) for kind in model.contacts.values()]
        assert min(gaps) == pytest.approx(wanted, abs=1e-7 if shape == "mesh" else 1e-12)


@pytest.mark.parametrize(
    ("more", "friction"),
    [("", 1.0), ('<contact><lateral_friction value=".4"/></contact>', 0.4)],
)
def test_a_box_slides_as_far_as_coulomb_says_and_then_its_weight_rests(more, friction) -> None:
    text = f"""<robot name="sledge"><link name="sledge"><inertial><mass value="{MASS}"/>
      <inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><box size="1 1 .02"/></geometry></collision>{more}</link></robot>"""
    model = read_urdf(text, floating_base=True, floor=-0.01)
    system = model.compile()
    assert len(model.contacts) == 8
    speed = 1.0
    start = np.concatenate([system.initial_state().q, [speed, 0.0, 0.0, 0.0, 0.0, 0.0]])
    run = tb.simulate(system, start, duration=0.5, progress=False)
    assert run["root.x"][-1] == pytest.approx(speed**2 / (2.0 * friction * G), rel=1e-9)
    assert abs(run["root.vx"][-1]) < 1e-12
    bearing = sum(run[f"{name} force"][-1] for name in model.contacts)
    assert bearing == pytest.approx(MASS * G, rel=1e-9)


def test_what_has_no_contact_is_counted_and_links_touch_each_other_when_asked() -> None:
    ball = '<collision><geometry><sphere radius=".1"/></geometry></collision>'
    links = "".join(f'<link name="{name}">{ball}</link>' for name in "abc")
    joints = "".join(
        f'<joint name="{a}{b}" type="continuous"><parent link="{a}"/><child link="{b}"/></joint>'
        for a, b in ("ab", "bc")
    )
    text = (
        f'<robot name="r">{links}<link name="can"><collision><geometry>CAN</geometry></collision>'
    )
    text = text.replace("CAN", '<cylinder radius=".1" length=".2"/>') + "</link>" + joints
    text += (
        '<joint name="d" type="continuous"><parent link="c"/><child link="can"/></joint></robot>'
    )
    assert not read_urdf(text).contacts
    with pytest.warns(ImportNotice, match=r"1 pairs of shapes .* \('can' through 'floor'\)"):
        model = read_urdf(text, floating_base=True, floor=0.0)
    assert list(model.contacts) == ["a on floor", "b on floor", "c on floor"]
    (note,) = model.imported["notes"]
    assert note.startswith("1 pairs of shapes that may touch pass through")
    assert list(read_urdf(text, floating_base=True, contacts=True).contacts) == ["c on a"]


def test_floors_and_friction_that_are_none_are_refused() -> None:
    heights: list[Any] = [float("nan"), "0", True]
    for height in heights:
        with pytest.raises(ModelError, match=f"floor={height!r} is no height"):
            read_urdf(thing(SHAPES["box"]), floor=height)
    rough = thing(SHAPES["box"], '<contact><lateral_friction value="-1"/></contact>')
    with pytest.raises(ModelError, match="friction of link 'thing' is -1"):
        read_urdf(rough, floor=0.0)


def test_a_robot_whose_base_is_fixed_touches_no_floor_and_that_is_said() -> None:
    with pytest.warns(ImportNotice, match="Nothing touches the floor .* floating_base=True"):
        assert not read_urdf(thing(SHAPES["box"]), floor=0.0).contacts


def test_a_mesh_that_is_missing_touches_nothing_and_is_said() -> None:
    text = thing(SHAPES["mesh"])
    with pytest.warns(ImportNotice, match="This mesh touches nothing"):
        assert not read_urdf(text, floating_base=True, floor=0.0).contacts


def test_meshes_touch_with_their_farthest_corners() -> None:
    draw = np.random.default_rng(0)
    inner = draw.uniform(-0.5, 0.5, (50, 3))
    box = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    assert sorted(farthest(np.vstack([inner, box]))) == sorted(box)


def test_models_of_a_world_rest_on_its_plane_with_the_smaller_friction() -> None:
    def surface(mu: float) -> str:
        return f"<surface><friction><ode><mu>{mu}</mu></ode></friction></surface>"

    text = f"""<sdf version="1.9"><world name="w"><model name="ground"><static>true</static>
      <link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry>
      {surface(0.8)}</collision></link></model>
      <model name="ball"><pose>0 0 .5 0 0 0</pose><link name="one"><collision name="c"><geometry>
      <sphere><radius>.5</radius></sphere></geometry>{surface(0.3)}</collision></link>
      <link name="two"><pose>5 0 0 0 0 0</pose><collision name="c"><geometry><sphere>
      <radius>.5</radius></sphere></geometry></collision></link></model></world></sdf>"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        contacts = read_sdf(text).contacts
    assert list(contacts) == ["ball__one on ground__l", "ball__two on ground__l"]
    assert [kind.friction for kind in contacts.values()] == [0.3, 0.8]
    assert not read_sdf(text, contacts=False).contacts
    selfish = text.replace("<pose>0 0 .5 0 0 0</pose>", "<self_collide>1</self_collide>")
    assert len(read_sdf(selfish).contacts) == 3


@pytest.mark.parametrize("length", [1.0, 2.0, 1e-20])
def test_a_plane_that_tilts_meets_what_stands(length: float) -> None:
    """A flap, hinged where its plane begins, falls onto a bump whose centre is 0.5 m away and 0.3 m
    below: it stops where its plane is a radius away from there, however long its normal is."""
    text = f"""<sdf version="1.9"><world name="w"><model name="bump"><static>true</static>
      <link name="l"><pose>.5 0 -.3 0 0 0</pose><collision name="c"><geometry><sphere>
      <radius>.1</radius></sphere></geometry></collision></link></model>
      <model name="flap"><link name="f"><inertial><mass>1</mass><pose>.5 0 0 0 0 0</pose></inertial>
      <collision name="p"><geometry><plane><normal>0 0 {-length}</normal></plane></geometry>
      </collision></link><joint name="h" type="revolute"><parent>world</parent><child>f</child>
      <axis><xyz>0 1 0</xyz></axis></joint></model></world></sdf>"""
    model = read_sdf(text)
    assert list(model.contacts) == ["bump__l on flap__f"]
    run = tb.simulate(model.compile(), duration=1.0, step=2e-3, progress=False)
    rests = math.atan2(0.3, 0.5) - math.asin(0.1 / math.hypot(0.3, 0.5))
    assert run["flap__h"][-1] == pytest.approx(rests, abs=1e-3)
