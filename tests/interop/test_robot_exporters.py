"""Models written as URDF and MJCF are the same mechanism to Pinocchio, to MuJoCo, and read back."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings, strategies as st

import touchback as tb
from mujoco_truth import difference, mujoco, tied_difference
from touchback.errors import InputError
from touchback.gallery import make
from touchback.interop import read_mjcf, read_urdf
from touchback.interop.export_targets import generate
from touchback.interop.exported_mechanism import ExportNotice
from touchback.interop.mjcf.mjcf_writer import mjcf_text
from touchback.interop.urdf.urdf_writer import urdf_text
from touchback.system import System

ROUNDING = 1e-11  # of the largest entry: frames are written anew, with angles or quaternions
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # each example compiles two models
sizes = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
triples = st.tuples(sizes, sizes, sizes)
angles = st.floats(-3.0, 3.0).map(lambda x: round(x, 2))
axes = triples.filter(lambda t: math.hypot(*t) > 0.1) | st.sampled_from(["x", "y", "z", "-x"])
simple = st.one_of(axes.map(tb.Revolute), axes.map(tb.Prismatic), st.just(tb.Fixed()))
rowed = st.one_of(
    axes.map(tb.Cylindrical), st.sampled_from("xyz").map(tb.Planar),
    st.just(tb.Universal("x", (0.0, 0.6, 0.8))),
)  # fmt: skip


def frames(draw: st.DrawFn, body: str) -> tb.Frame:
    turn = tuple((axis, draw(angles)) for axis in draw(st.sampled_from(["", "z", "xy", "zyx"])))
    return tb.Frame(body, draw(triples), turn)


@st.composite
def trees(draw: st.DrawFn, kinds: st.SearchStrategy) -> tb.Model:
    """Up to five bodies, joined anywhere to those before them."""
    m = tb.Model("random")
    names = ["ground"]
    for number in range(draw(st.integers(1, 5))):
        name = f"body {number}"
        a, b, c = (draw(st.floats(0.1, 1.0)) for _ in range(3))
        J = np.array([[b + c, 0.05, 0.02], [0.05, a + c, -0.03], [0.02, -0.03, a + b]])
        m.body(name, draw(st.floats(0.1, 3.0)), draw(triples), J)
        kind, carrier = draw(kinds), draw(st.sampled_from(names))
        place = tb.Frame(carrier) if isinstance(kind, tb.Free) else frames(draw, carrier)
        m.joint(f"joint {number}", kind, place, frames(draw, name))
        names.append(name)
    return m


def permuted(ours: System, back: System) -> tuple[np.ndarray, np.ndarray]:
    """Where each of our velocities and coordinates is in the other."""
    assert set(ours.velocities) == set(back.velocities)
    velocities = [back.velocities.index(name) for name in ours.velocities]
    coordinates = [back.coordinates.index(name) for name in ours.coordinates]
    return np.array(velocities, dtype=int), np.array(coordinates, dtype=int)


def assert_same(ours: System, back: System) -> None:
    """Mass matrix and bias at a random state, by names."""
    order, places = permuted(ours, back)
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, len(ours.coordinates)), rng.uniform(-1, 1, len(ours.velocities))
    q_there, v_there = np.empty(len(q)), np.empty(len(v))
    q_there[places], v_there[order] = q, v
    M = ours.mass_matrix(q)
    if not M.size:
        return
    there = back.mass_matrix(q_there)[np.ix_(order, order)]
    assert np.abs(there - M).max() < ROUNDING * np.abs(M).max()
    c = ours.bias(q, v)
    assert np.abs(back.bias(q_there, v_there)[order] - c).max() < ROUNDING * max(np.abs(c).max(), 1)


def same_in_mujoco(model: tb.Model) -> None:
    text = mjcf_text(model)
    back = read_mjcf(text)
    assert_same(model.compile(), back.compile())
    theirs = mujoco.MjModel.from_xml_string(text)
    if theirs.nv:
        found = difference(back, theirs)
        assert found.mass < ROUNDING
        assert found.forces < ROUNDING


def same_in_pinocchio(model: tb.Model) -> None:
    pin = pytest.importorskip("pinocchio")
    text = urdf_text(model)
    ours, back = model.compile(), read_urdf(text).compile()
    assert_same(ours, back)
    theirs = pin.buildModelFromXML(text)
    names = list(ours.velocities)
    rng = np.random.default_rng(2)
    angles = {name: rng.uniform(-1, 1) for name in names}
    q = pin.neutral(theirs)
    order = []
    for name in names:
        joint = theirs.joints[theirs.getJointId(name)]
        x = angles[name]
        q[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
        order.append(joint.idx_v)
    M = pin.crba(theirs, theirs.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    if names:
        found = ours.mass_matrix(list(angles.values()))
        assert np.abs(found - M[np.ix_(order, order)]).max() < ROUNDING * np.abs(M).max()


FOR_MUJOCO = trees(st.one_of(simple, rowed, st.just(tb.Spherical())))
FOR_PINOCCHIO = trees(st.one_of(simple, rowed))


@settings(max_examples=8, deadline=None, derandomize=True, phases=UNSHRUNK)
@given(FOR_MUJOCO)
def test_any_tree_is_the_same_in_mujoco_and_read_back(model: tb.Model) -> None:
    same_in_mujoco(model)


@settings(max_examples=8, deadline=None, derandomize=True, phases=UNSHRUNK)
@given(FOR_PINOCCHIO)
def test_any_tree_is_the_same_in_pinocchio_and_read_back(model: tb.Model) -> None:
    same_in_pinocchio(model)


@pytest.mark.soak
@settings(max_examples=300, deadline=None, phases=UNSHRUNK)
@given(FOR_MUJOCO, FOR_PINOCCHIO)
def test_many_trees_are_the_same(one: tb.Model, two: tb.Model) -> None:
    same_in_mujoco(one)
    same_in_pinocchio(two)


def test_a_free_body_is_free_in_mujoco() -> None:
    m = tb.Model("thrown")
    m.body("stone", 2.0, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4))
    m.joint("flight", tb.Free(), m.ground, "stone", position=(1, 2, 3, 0.6, 0, 0.8, 0))
    text = mjcf_text(m)
    theirs = mujoco.MjModel.from_xml_string(text)
    assert difference(read_mjcf(text), theirs).forces < ROUNDING
    assert theirs.key("initial").qpos == pytest.approx([1, 2, 3, 0.6, 0, 0.8, 0])


def test_what_acts_in_joints_and_between_bodies_is_written() -> None:
    m = tb.Model("acting", gravity=(0.1, 0.2, -9.0))
    arm, hand = (m.body(name, 1.0, (0.2, 0, 0), (0.1, 0.1, 0.1)) for name in ("arm", "hand"))
    m.joint("a", tb.Revolute("y"), m.ground, arm, spring=3.0, rest=0.2, damping=0.3, armature=0.1)
    m.joint("b", tb.Revolute("y"), arm.at(0.4, 0, 0), hand, limits=(-1.0, 2.0))
    m.force("band", tb.SpringDamper(m.ground.at(1, 0, 0), hand, 20.0, 1.0, 0.3))
    torque = m.input("torque", min=-2.0, max=2.0)
    m.force("motor", tb.JointEffort("a", 3 * torque))
    m.force("other end", tb.JointEffort("b", -torque))
    m.shape("arm", arm.at(0.2, 0, 0), tb.Box((0.4, 0.1, 0.1)))
    m.shape("sheet", arm, tb.Mesh.of([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
                                     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]))  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = mjcf_text(m)
    back = read_mjcf(text, contacts=False)
    ours, again = m.compile(), back.compile()
    q, v, u = [0.3, -0.4], [0.5, 0.6], {"torque": 1.5}
    assert ours.forward_dynamics(q, v, u=u) == pytest.approx(again.forward_dynamics(q, v, u=u))
    assert difference(back, mujoco.MjModel.from_xml_string(text)).forces < ROUNDING
    assert set(back.shapes) == {"arm", "sheet"}


def test_ties_are_equalities() -> None:
    m = tb.Model("tied")
    for name in ("a", "b", "c"):
        m.body(name, 1.0, (0.2, 0.1, 0), (0.1, 0.1, 0.1))
        m.joint(name, tb.Revolute("y"), m.ground.at(0.3 * len(m.joints), 0, 0), name)
    m.body("d", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    m.joint("d", tb.Free(), m.ground, "d")
    m.close("ball", tb.Spherical(), tb.Frame("a", (0.3, 0, 0)), "d")
    m.close("rod", tb.Rod(0.7), tb.Frame("b", (0.1, 0, 0)), tb.Frame("d", (0.1, 0, 0)))
    m.couple("gear", tb.Gear("b", "c", -2.0, 0.1))
    text = mjcf_text(m)
    back = read_mjcf(text, contacts=False).compile()
    assert tied_difference(back, mujoco.MjModel.from_xml_string(text)) < 1e-6  # J̇ by differences
    state = m.compile().assemble()
    ours = m.compile().forward_dynamics(state.q, state.v)
    assert back.forward_dynamics(state.q, state.v) == pytest.approx(ours, abs=1e-8)


def test_what_a_format_cannot_say_is_listed_in_the_file_and_warned_of(tmp_path: Path) -> None:
    with pytest.warns(ExportNotice, match="closure 'pin'"):
        (path,) = generate(make("slider-crank"), "urdf", tmp_path / "a.urdf")
    assert "force 'spring'" in path.read_text()
    with pytest.warns(ExportNotice, match="a PointInPlane is no equality"):
        generate(make("slider-crank"), "mjcf", tmp_path / "a.xml")
    with pytest.raises(InputError, match="'tip': URDF has no balls"):
        urdf_text(make("spinning-top"))
    screw = tb.Model("screw")
    screw.body("nut", 1.0, inertia=(1, 1, 1))
    screw.joint("thread", tb.Screw("z", 0.1), screw.ground, "nut")
    with pytest.raises(InputError, match="'thread': a Screw is no joint"):
        mjcf_text(screw)


def test_gears_and_ratings_come_back_from_urdf() -> None:
    m = tb.Model("geared")
    for name in ("a", "b"):
        m.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
        m.joint(name, tb.Revolute("z"), m.ground, name, limits=(-1, 2), damping=0.3, friction=0.1)
    m.couple("pair", tb.Gear("a", "b", -3.0, 0.2))
    back = read_urdf(urdf_text(m))
    assert back.couplings["b"] == tb.Gear("a", "b", -3.0, 0.2)
    assert back.joints["a"].damping == (0.3,)
    assert back.parameters["a high"].default == 2.0
