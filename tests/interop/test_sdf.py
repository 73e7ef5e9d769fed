"""SDF files: models of Gazebo. Mechanisms are built for Pinocchio from the same numbers."""

import math

import numpy as np
import pinocchio
import pytest
from hypothesis import given, settings, strategies as st

import touchback as tb

SE3 = pinocchio.SE3


def pose_text(pose: SE3, seen_from: str, how: int) -> str:
    """In one of three notations."""
    place = " ".join(map(repr, pose.translation.tolist()))
    said = f' relative_to="{seen_from}"' if seen_from else ""
    if how == 0:
        turn = " ".join(map(repr, pinocchio.Quaternion(pose.rotation).coeffs().tolist()))
        return f'<pose{said} rotation_format="quat_xyzw">{place} {turn}</pose>'
    angles = pinocchio.rpy.matrixToRpy(pose.rotation)
    degrees = ' degrees="true"' if how == 1 else ""
    turn = " ".join(map(repr, (np.degrees(angles) if how == 1 else angles).tolist()))
    return f"<pose{said}{degrees}>{place} {turn}</pose>"


def random_pose(draw: np.random.Generator) -> SE3:
    quaternion = draw.normal(size=4)
    turn = pinocchio.Quaternion(quaternion / np.linalg.norm(quaternion)).toRotationMatrix()
    return SE3(turn, draw.normal(size=3))


def random_moments(draw: np.random.Generator) -> np.ndarray:
    """Of a few points, so that some distribution of mass has them [kg m²]."""
    points = draw.normal(size=(5, 3))
    C = points.T @ points
    return np.trace(C) * np.eye(3) - C


def link_text(number: int, pose: str, inertia: pinocchio.Inertia, turned: SE3) -> str:
    """`inertia` about axes of `turned`, which is where the file puts the centre of mass."""
    J = inertia.inertia
    parts = {
        "ixx": (0, 0),
        "iyy": (1, 1),
        "izz": (2, 2),
        "ixy": (0, 1),
        "ixz": (0, 2),
        "iyz": (1, 2),
    }
    tensor = "".join(f"<{tag}>{float(J[at])!r}</{tag}>" for tag, at in parts.items())
    return (
        f'<link name="link {number}">{pose}<inertial>{pose_text(turned, "", 2)}'
        f"<mass>{inertia.mass!r}</mass><inertia>{tensor}</inertia></inertial></link>"
    )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_random_trees_move_as_pinocchios(seed) -> None:
    """Poses seen from the model, a link or a joint; axes told in the joint's or the model's frame.
    Tolerance: rounding of angles and degrees through six bodies."""
    draw = np.random.default_rng(seed)
    size = int(draw.integers(1, 7))
    other, texts, places, joints, path = pinocchio.Model(), [], [], [], [-1]
    for k in range(size):
        path = path[: int(draw.integers(len(path))) + 1]  # Pinocchio wants branch after branch
        carrier, path = path[-1], [*path, k]
        link, on_link, turned = (random_pose(draw) for _ in range(3))
        joint = link * on_link
        axis = draw.normal(size=3)
        axis /= np.linalg.norm(axis)
        sliding = bool(draw.integers(2))
        kind = "JointModelPrismaticUnaligned" if sliding else "JointModelRevoluteUnaligned"
        before = SE3.Identity() if carrier < 0 else joints[carrier]
        index = other.addJoint(
            0 if carrier < 0 else carrier + 1, getattr(pinocchio, kind)(axis),
            before.actInv(joint), f"joint {k}",
        )  # fmt: skip
        inertia = pinocchio.Inertia(draw.uniform(0.1, 3.0), np.zeros(3), random_moments(draw))
        other.appendBodyToJoint(index, inertia, joint.actInv(link * turned))
        seen = "" if carrier < 0 or draw.integers(2) else f"link {carrier}"
        pose = pose_text(
            places[carrier].actInv(link) if seen else link, seen, int(draw.integers(3))
        )
        texts.append(link_text(k, pose, inertia, turned))
        in_model = bool(draw.integers(2))
        told = joint.rotation @ axis if in_model else axis
        frame = ' expressed_in="__model__"' if in_model else ""
        texts.append(
            f'<joint name="joint {k}" type="{"prismatic" if sliding else "revolute"}">'
            f"{pose_text(on_link, '', int(draw.integers(3)))}"
            f"<parent>{'world' if carrier < 0 else f'link {carrier}'}</parent>"
            f"<child>link {k}</child>"
            f"<axis><xyz{frame}>{' '.join(map(repr, told.tolist()))}</xyz></axis></joint>"
        )
        places.append(link)
        joints.append(joint)
    text = f'<sdf version="1.9"><model name="tree">{"".join(texts)}</model></sdf>'
    system = tb.read_sdf(text).compile()
    q, v = draw.normal(size=(2, size))
    data = other.createData()
    M = pinocchio.crba(other, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    assert np.allclose(system.mass_matrix(q), M, rtol=1e-11, atol=1e-11 * abs(M).max())
    bias = pinocchio.nonLinearEffects(other, data, q, v)
    assert np.allclose(system.bias(q, v), bias, rtol=1e-10, atol=1e-10 * abs(bias).max())


SOLID = (
    "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.3</izz></inertia></inertial>"
)


def one_joint(kind: str, more: str, version: str = "1.10", pose: str = "0 0 0 0 0 0") -> tb.System:
    return tb.read_sdf(
        f'<sdf version="{version}"><model name="one"><pose>{pose}</pose>'
        f'<link name="part">{SOLID}</link><joint name="j" type="{kind}"><parent>world</parent>'
        f"<child>part</child>{more}</joint></model></sdf>"
    ).compile()


def test_screws_advance_with_their_turns() -> None:
    """M = I + m p², with p in metres a turn or, as older files say, −1/p in radians a metre."""
    pitch = 0.05
    wanted = 0.3 + 2.0 * (pitch / (2 * math.pi)) ** 2
    new = one_joint("screw", f"<screw_thread_pitch>{pitch}</screw_thread_pitch>")
    old = one_joint("screw", f"<thread_pitch>{-2 * math.pi / pitch!r}</thread_pitch>")
    for system in (new, old):
        assert system.mass_matrix([0.4])[0, 0] == pytest.approx(wanted, rel=1e-14)


def test_balls_and_crossed_axes_have_their_freedoms() -> None:
    assert len(one_joint("ball", "").velocities) == 3
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    M = one_joint("universal", axes).mass_matrix([0.0, 0.7])
    # about x of the parent: I_x cos² + I_z sin² of the turned part; about y: I_y
    assert M[0, 0] == pytest.approx(0.1 * math.cos(0.7) ** 2 + 0.3 * math.sin(0.7) ** 2, rel=1e-13)
    assert M[1, 1] == pytest.approx(0.2, rel=1e-14)


@pytest.mark.parametrize(
    ("version", "more", "wanted"),
    [("1.4", "", 0.3), ("1.9", "", 0.2),
     ("1.9", "<use_parent_model_frame>true</use_parent_model_frame>", 0.3)],
)  # fmt: skip
def test_old_files_tell_axes_in_the_models_frame(version, more, wanted) -> None:
    """The joint's frame is turned by a right angle about x, so that its z is the model's −y."""
    turned = "<pose>0 0 0 1.5707963267948966 0 0</pose>"
    system = one_joint("revolute", f"{turned}<axis><xyz>0 0 1</xyz>{more}</axis>", version)
    assert system.mass_matrix([0.0])[0, 0] == pytest.approx(wanted, rel=1e-12)


def test_what_acts_in_an_axis_is_read() -> None:
    model = tb.read_sdf(
        f"""<sdf version="1.11"><model name="m"><link name="a">{SOLID}</link><link name="b">{SOLID}
        </link><joint name="i" type="revolute"><parent>world</parent><child>a</child><axis>
        <limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>inf</velocity></limit>
        <dynamics><damping>.3</damping><spring_stiffness>7</spring_stiffness><spring_reference>.2
        </spring_reference></dynamics></axis></joint><joint name="k" type="revolute">
        <parent>a</parent><child>b</child><axis><mimic joint="i"><multiplier>2</multiplier>
        <offset>.5</offset><reference>.1</reference></mimic></axis></joint></model></sdf>"""
    )
    assert model.imported["ratings"] == {"i": {"effort": 5.0}}
    system = model.compile()
    assert (system["i low"], system["i high"]) == (-1.0, 2.0)
    x = system.assemble(i=0.3)
    assert x.q == pytest.approx([0.3, 0.5 + 2 * (0.3 - 0.1)], abs=1e-12)
    # at rest the spring's moment is all that turns both: (I + (1 + 2)² I) a = −7 (0.3 − 0.2)
    rate = system.forward_dynamics(x.q, 0 * x.v)
    assert rate[0] == pytest.approx(-0.7 / (0.3 + 9 * 0.3), rel=1e-10)


def test_models_inside_models_and_frames_are_found_by_their_names() -> None:
    model = tb.read_sdf(
        f"""<sdf version="1.9"><world name="w"><gravity>0 0 -3.7</gravity><model name="m">
        <pose>1 0 0 0 0 0</pose><frame name="here" attached_to="in::arm"><pose>0 0 .5 0 0 0</pose>
        </frame><model name="in"><pose>0 2 0 0 0 0</pose><link name="arm">{SOLID}</link></model>
        <link name="tip"><pose relative_to="here">0 0 .25 0 0 0</pose>{SOLID}</link>
        <joint name="weld" type="fixed"><parent>here</parent><child>tip</child></joint></model>
        </world></sdf>"""
    )
    model.sensor("tip", tb.Position("tip"))
    system = model.compile()
    assert list(model.bodies) == ["in__arm", "tip"] and list(model.joints) == ["root", "weld"]
    start = system.initial_state()
    shown = system.sensors(start.q, start.v)
    assert [shown[f"tip.{axis}"] for axis in "xyz"] == pytest.approx([1.0, 2.0, 0.75], abs=1e-14)
    fall = system.forward_dynamics(start.q, start.v)
    assert np.allclose(np.sort(fall), [-3.7, 0, 0, 0, 0, 0], atol=1e-12)


def test_a_second_carrier_closes_a_loop() -> None:
    """A parallelogram: the coupler doesn't turn, whatever the cranks do."""
    bars = {"left": "0 0 0", "right": "2 0 0", "coupler": "0 0 1"}
    links = "".join(
        f'<link name="{n}"><pose>{p} 0 0 0</pose>{SOLID}</link>' for n, p in bars.items()
    )
    pins = [("world", "left", "0 0 0"), ("world", "right", "0 0 0"), ("left", "coupler", "0 0 0"),
            ("right", "coupler", "2 0 0")]  # fmt: skip
    joints = "".join(
        f'<joint name="pin {k}" type="revolute"><pose>{place} 0 0 0</pose><parent>{parent}</parent>'
        f"<child>{child}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        for k, (parent, child, place) in enumerate(pins)
    )
    model = tb.read_sdf(f'<sdf version="1.9"><model name="p">{links}{joints}</model></sdf>')
    assert list(model.closures) == ["pin 3"]
    x = model.compile().assemble({"pin 0": 0.3})
    assert x.q == pytest.approx([0.3, 0.3, -0.3], abs=1e-10)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", "describes a <model>"),
        ('<model name="m"><link name="a"><pose>1 2</pose></link></model>', "6 numbers"),
        ('<model name="m"><link name="a"><pose relative_to="b">0 0 0 0 0 0</pose></link></model>',
         "a frame 'b', which is not in the file"),
        ('<model name="m"><frame name="a"><pose relative_to="b"/></frame><frame name="b">'
         '<pose relative_to="a"/></frame><link name="l"><pose relative_to="a"/></link></model>',
         "told by others that are told by it"),
        ('<model name="m"><link name="a"><pose>1e308 0 0 1 1 1</pose></link></model>', "1e\\+308"),
        ('<model name="m"><link name="a"/><link name="a"/></model>', "a frame 'a' already"),
        ('<model name="m"><link name="a"/><joint name="j" type="gearbox"><parent>world</parent>'
         "<child>a</child></joint></model>", "has the type 'gearbox'; known: revolute"),
        ('<model name="m"><link name="a"/><joint name="j" type="fixed"><parent>a</parent>'
         "<child>world</child></joint></model>", "a joint carries a link on another one"),
        ('<model name="m"><link name="a"/><joint name="j" type="revolute"><parent>world</parent>'
         "<child>a</child><axis><xyz>0 0 0</xyz></axis></joint></model>", "is no direction"),
        ('<model name="m"><link name="a"><inertial><mass>-1</mass></inertial></link></model>',
         "must not be negative"),
    ],
)  # fmt: skip
def test_what_no_model_can_be_is_refused_by_name_and_line(inside, words) -> None:
    with pytest.raises(tb.ModelError, match=words):
        tb.read_sdf(f'<sdf version="1.9">{inside}</sdf>')


def test_versions_are_numbers() -> None:
    with pytest.raises(tb.ModelError, match=r"a version like 1\.9 is expected"):
        tb.read_sdf('<sdf version="new"><model name="m"/></sdf>')
