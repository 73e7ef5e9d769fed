"""MJCF is read as MuJoCo reads it; what isn't is said, and nothing is fetched from elsewhere."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from mjcf_texts import TEXTS, robot
from mujoco_truth import difference, mujoco, random_state, signals, truth
from touchback.errors import ModelError
from touchback.interop import ImportNotice, read_mjcf
from touchback.model.joints import Revolute

ROUNDING = 1e-12  # of the largest entry: both sides round differently


def both(text: str, **options: bool) -> tuple[tb.Model, object]:
    return read_mjcf(text, **options), mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("what", TEXTS)
def test_mass_matrix_and_forces_are_those_of_mujoco_with(what: str) -> None:
    found = difference(*both(TEXTS[what], contacts=False))
    assert found.mass < ROUNDING
    assert found.forces < ROUNDING


def test_nothing_in_the_texts_is_left_out() -> None:
    for what, text in TEXTS.items():
        notes = read_mjcf(text, contacts=False).imported["notes"]
        assert notes == (), f"{what}: {notes}"


# ---- files --------------------------------------------------------------------------------------


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.xml").write_text(text)
    return folder / "main.xml"


def test_included_files_stand_where_they_are_included(tmp_path: Path) -> None:
    inside = '<mujocoinclude><joint name="j" axis="0 1 0"/><geom size=".1"/></mujocoinclude>'
    head = '<mujoco><option gravity="0 0 -1.6"/></mujoco>'
    main = robot('<include file="inside.xml"/>', '<include file="head.xml"/>')
    model = tb.read(write(tmp_path, main=main, inside=inside, head=head))
    assert model.joints["j"].kind == Revolute("y")
    assert model.gravity == (0.0, 0.0, -1.6)


@pytest.mark.parametrize(
    ("called", "said"),
    [
        ("../out.xml", "out of the folders"),
        ("/etc/passwd", "out of the folders"),
        ("none.xml", "there is no file"),
        ("http://example.org/a.xml", "nothing is fetched"),
        ("main.xml", "included once"),
    ],
)
def test_an_include_from_elsewhere_is_refused(tmp_path: Path, called: str, said: str) -> None:
    (tmp_path / "out.xml").write_text("<mujoco/>")
    inner = tmp_path / "inner"
    inner.mkdir()
    main = write(inner, main=f'<mujoco><include file="{called}"/></mujoco>')
    with pytest.raises(ModelError, match=said):
        read_mjcf(main)


def test_what_may_be_elsewhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "out.xml").write_text('<mujoco><option gravity="0 0 -1"/></mujoco>')
    inner = tmp_path / "inner"
    inner.mkdir()
    main = write(inner, main='<mujoco><include file="../out.xml"/></mujoco>')
    assert read_mjcf(main, folders={"all": tmp_path}).gravity == (0.0, 0.0, -1.0)


def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    again = '<mujoco><include file="{}.xml"/></mujoco>'
    main = write(tmp_path, main=again.format("a"), a=again.format("b"), b=again.format("a"))
    with pytest.raises(ModelError, match="second time"):
        read_mjcf(main)


# ---- meshes -------------------------------------------------------------------------------------

LONG_L = [  # a staircase of two boxes, which no hull is: (low, high) corners
    ((0.0, 0.0, 0.0), (0.4, 0.1, 0.1)),
    ((0.0, 0.0, 0.1), (0.1, 0.1, 0.5)),
]


def stair(path: Path) -> None:
    """Both boxes in one OBJ file."""
    lines, faces, count = [], [], 0
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    for low, high in LONG_L:
        for i in range(8):
            corner = [(low, high)[i >> axis & 1][axis] for axis in range(3)]
            lines.append("v {} {} {}".format(*corner))
        for a, b, c, d in quads:
            faces += [
                f"f {count + i + 1} {count + j + 1} {count + k + 1}"
                for i, j, k in ((a, b, c), (a, c, d))
            ]
        count += 8
    path.write_text("\n".join(lines + faces) + "\n")


@pytest.mark.parametrize("way", ["", 'inertia="exact"', 'inertia="legacy"', 'inertia="shell"'])
def test_a_mesh_weighs_as_in_mujoco(tmp_path: Path, way: str) -> None:
    stair(tmp_path / "stair.obj")
    mesh = f'<mesh file="stair.obj" scale="1 -2 1.5" refpos=".1 0 .2" refquat="1 1 0 0" {way}/>'
    inside = '<joint name="j" axis="0 1 0"/><geom type="mesh" mesh="stair" euler="10 20 30"/>'
    main = write(tmp_path, main=robot(inside, f"<asset>{mesh}</asset>"))
    found = difference(read_mjcf(main, contacts=False), mujoco.MjModel.from_xml_path(str(main)))
    assert found.mass < 1e-7  # MuJoCo keeps points in single precision
    assert found.forces < 1e-7


def test_a_mesh_that_is_missing_is_noticed(tmp_path: Path) -> None:
    inside = '<joint name="j"/><geom type="mesh" mesh="gone"/>'
    main = write(tmp_path, main=robot(inside, '<asset><mesh file="gone.stl"/></asset>'))
    with pytest.warns(ImportNotice, match="there is no file"):
        assert tb.read(main).bodies["arm"].mass == 0.0


# ---- what doesn't map, and sensors --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (robot(tail='<actuator><muscle joint="j"/></actuator>'), "an actuator <muscle>"),
        (robot(tail='<actuator><adhesion body="arm"/></actuator>'), "an actuator <adhesion>"),
        (robot('<composite type="grid" count="1 1 1"/><geom size="1"/>'), "<composite> in a body"),
        (robot('<joint type="ball" stiffness="3"/><geom size="1"/>'), "stiffness of a joint"),
        (robot(tail='<equality><flex flex="a"/></equality>'), "an equality <flex>"),
        (robot(body='mocap="true"'), "motion capture"),
        (robot('<joint name="j" actuatorfrcrange="-1 1"/><geom size="1"/>'), "actuatorfrcrange"),
        (
            robot(tail='<tendon><fixed armature=".5"><joint joint="j" coef="2"/></fixed></tendon>'),
            "<fixed armature> is left out",
        ),
        (robot(tail='<equality><weld body1="arm" torquescale="0"/></equality>'), "torquescale"),
        (
            robot(
                '<joint name="b" type="ball"/><geom size="1"/>',
                tail='<actuator><velocity joint="b" gear="1 2 3"/></actuator>',
            ),
            "of a ball or a site",
        ),
        (robot(tail="<deformable/>"), "<deformable> is not read"),
    ],
)
def test_what_is_left_out_is_said(text: str, said: str) -> None:
    with pytest.warns(ImportNotice, match=said):
        read_mjcf(text)


def test_what_is_switched_off_is_not_there() -> None:
    flags = '<option><flag equality="disable" actuation="disable"/></option>'
    tail = '<equality><joint joint1="j"/></equality><actuator><motor joint="j"/></actuator>'
    model = read_mjcf(robot(head=flags, tail=tail))
    assert not model.constraints and not model.inputs
    assert len(model.imported["notes"]) == 2


def test_an_integrator_that_was_held_at_its_end_turns_back_at_once() -> None:
    text = robot(tail='<actuator><intvelocity name="m" joint="j" actrange="-.3 .2"/></actuator>')
    system = read_mjcf(text, contacts=False).compile()
    pushed = tb.simulate(system, system.initial_state(), 1.0, inputs={"m": 1.0})
    held = np.array([pushed[name][-1] for name in system.state_names])
    back = tb.simulate(system, held, 0.3, inputs={"m": -1.0})
    assert np.isclose(back["m activation"][-1], 0.2 - 0.3, atol=1e-3)  # a step beyond the end


def test_elements_that_are_not_felt_are_counted() -> None:
    text = robot(
        tail='<sensor><touch site="s"/><touch site="s"/></sensor>', world='<site name="s"/>'
    )
    assert read_mjcf(text).imported["notes"] == ("Not read: 2 sensor touch.",)


def test_sensors_measure_what_mujoco_measures() -> None:
    sensors = {
        "at": '<framepos name="at" objtype="site" objname="tip"/>',
        "moves": '<framelinvel name="moves" objtype="site" objname="tip"/>',
        "spins": '<frameangvel name="spins" objtype="xbody" objname="arm"/>',
        "middle": '<framepos name="middle" objtype="body" objname="arm"/>',
        "up": '<framezaxis name="up" objtype="geom" objname="plate"/>',
        "angle": '<jointpos name="angle" joint="j"/>',
        "rate": '<jointvel name="rate" joint="j"/>',
        "long": '<tendonpos name="long" tendon="sum"/>',
        "own": '<velocimeter name="own" site="tip"/>',
        "gyro": '<gyro name="gyro" site="tip"/>',
        "felt": '<accelerometer name="felt" site="tip"/>',
        "speeds": '<framelinacc name="speeds" objtype="body" objname="arm"/>',
        "push": '<actuatorfrc name="push" actuator="m"/>',
    }
    tail = (
        '<tendon><fixed name="sum"><joint joint="turn" coef="2"/></fixed></tendon>'
        '<actuator><position name="m" joint="j" kp="3"/></actuator>'
        f"<sensor>{''.join(sensors.values())}</sensor>"
    )
    inside = (
        '<joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 .1 .05"/>'
        '<site name="tip" pos=".4 .1 0" euler="10 20 30"/>'
    )
    ours, theirs = both(robot(inside, tail=tail), contacts=False)
    data = random_state(theirs, np.random.default_rng(3))
    u, z = signals(ours, theirs, data)
    there = truth(theirs, data)
    found = ours.compile().sensors(there.q, there.v, u=u, z=z)
    for name in sensors:
        own = [value for full, value in found.items() if full.split(" ")[0].split(".")[0] == name]
        assert np.allclose(own, data.sensor(name).data, rtol=0.0, atol=1e-12), name


def test_keyframes_are_states_in_our_coordinates() -> None:
    text = """<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody><keyframe>
      <key name="thrown" qpos="1 2 3 .6 0 0 .8" qvel="1 2 3 4 5 6"/></keyframe></mujoco>"""
    model, other = both(text, contacts=False)
    data = mujoco.MjData(other)
    mujoco.mj_resetDataKeyframe(other, data, 0)
    there = truth(other, data)
    key = model.imported["keyframes"]["thrown"]
    assert np.allclose(key["q"], there.q)
    assert np.allclose(key["v"], there.v)


def test_limits_and_ranges_are_in_radians_and_hold() -> None:
    text = robot(
        '<joint name="j" axis="0 1 0" range="-90 45"/><geom size=".1"/>',
        tail='<actuator><motor name="m" joint="j" ctrlrange="-1 2"/></actuator>',
    )
    model = read_mjcf(text)
    assert model.parameters["j low"].default == pytest.approx(-np.pi / 2)
    assert model.parameters["j high"].default == pytest.approx(np.pi / 4)
    assert (model.inputs["m"].min, model.inputs["m"].max) == (-1.0, 2.0)


def test_planes_and_round_things_touch() -> None:
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction=".7"/>
      <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size=".1" friction=".2"/></body>
      <body name="rod" pos="1 0 1"><freejoint/><geom name="rod" type="capsule" size=".1 .2"/></body>
      <body name="die" pos="2 0 1"><freejoint/><geom name="die" type="box" size=".1 .1 .1"
        condim="1" priority="1"/></body></worldbody>
      <contact><exclude body1="world" body2="rod"/></contact></mujoco>"""
    contacts = read_mjcf(text).contacts
    assert [name for name in contacts if name.startswith("ball")] == ["ball on floor"]
    assert sum(name.startswith("die") for name in contacts) == 8
    assert not any(name.startswith("rod") for name in contacts)
    assert contacts["ball on floor"].friction == 0.7  # the larger one
    assert contacts["die on floor"].friction == 0.0  # without tangents
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_mjcf(text, contacts=False).contacts == {}


def test_a_pendulum_of_next_to_no_mass_falls_as_any_other() -> None:
    r = 1e-40  # m, a sphere that hangs its radius aside: m (2/5 + 1) r² a = m g r
    text = f"""<mujoco><worldbody><body><joint axis="0 1 0"/>
      <geom pos="{r} 0 0" size="{r}" density="1e-40"/></body></worldbody></mujoco>"""
    (falls,) = read_mjcf(text).compile().forward_dynamics([0.0], [0.0])
    assert falls == pytest.approx(9.81 / (1.4 * r), rel=1e-12)


def test_geoms_have_their_colours_and_those_of_materials() -> None:
    """Collision geometry (groups from 3 on, or transparent) isn't drawn beside what is seen."""
    model = tb.read_mjcf(
        """<mujoco><asset><material name="steel" rgba="0 0.2 0.4 1"/></asset><worldbody>
        <body><joint/><geom name="a" size="1" material="steel"/>
        <geom name="b" size="1" rgba="1 1 1 1"/><geom name="c" size="1"/>
        <geom name="d" size="1" group="3"/><geom name="e" size="1" rgba="1 0 0 0"/></body>
        </worldbody></mujoco>"""
    )
    assert {name: look.colour for name, look in model.shapes.items()} == {
        "a": "#003366", "b": "#ffffff", "c": "",
    }  # fmt: skip
