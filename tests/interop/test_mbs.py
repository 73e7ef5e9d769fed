"""What becomes of a ROBOTRAN file: a tree in the file's order, and records of what closes it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from touchback.errors import ModelError
from touchback.interop import Cut, ImportNotice, PointLink, read_mbs
from touchback.model import Frame
from touchback.model.closures import Rod
from touchback.model.joints import Fixed, Prismatic, Revolute, Spherical

pytestmark = pytest.mark.filterwarnings("ignore::touchback.interop.ImportNotice")
GRAVITY = "<gravity><coordinates><z>-9.81</z></coordinates></gravity>"


def mbs(bodies: str, rest: str = "", base: str = GRAVITY) -> str:
    return f"""<mbsDescR7><mbsname>test</mbsname><base>{base}<baseBodyName>Body_0</baseBodyName>
      </base><bodytree>{bodies}</bodytree>{rest}</mbsDescR7>"""


def body(name: str, parent: str, point: str, joints: str, more: str = "") -> str:
    return f"""<body><bodyname>{name}</bodyname><parent><bodyname>{parent}</bodyname>
      <pointname>{point}</pointname></parent>{joints}{more}</body>"""


def joint(name: str, kind: str, more: str = "<nature>independent</nature>") -> str:
    return f"<joint><jointname>{name}</jointname><type>{kind}</type>{more}</joint>"


def point(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.0, more: str = "") -> str:
    return f"""<point><pointname>{name}</pointname><coordinates><x>{x}</x><y>{y}</y><z>{z}</z>
      </coordinates>{more}</point>"""


def ends(a: str, b: str) -> str:
    return "".join(
        f"<endpoint{i}><bodyname>{end}</bodyname><pointname>tip</pointname></endpoint{i}>"
        for i, end in enumerate((a, b), 1)
    )


ARM = """<mass>2</mass><com><coordinates><x>0.5</x></coordinates></com>
  <inertia><Iyy>0.1</Iyy></inertia>"""


def test_joints_in_a_row_become_a_chain_of_massless_bodies_in_the_order_of_the_file() -> None:
    text = mbs(
        body("cart", "base", "origin", joint("x", "T1") + joint("yaw", "R3"), ARM + point("tip", 1))
        + body("arm", "cart", "tip", joint("pitch", "R2"), ARM)
    )
    model = read_mbs(text)
    assert list(model.joints) == ["x", "yaw", "pitch"]
    assert [given.kind for given in model.joints.values()] == [
        Prismatic("x"), Revolute("z"), Revolute("y")
    ]  # fmt: skip
    assert [given.child.body for given in model.joints.values()] == ["cart~x", "cart", "arm"]
    assert model.bodies["cart~x"].mass == 0.0
    assert model.joints["pitch"].parent == Frame("cart", (1.0, 0.0, 0.0))


def test_a_double_pendulum_has_the_textbook_equations(dynamics: Callable[..., Any]) -> None:
    """Two arms of mass m, centre of mass at l/2, inertia J, turning about y; gravity along −z."""
    text = mbs(
        body("one", "base", "origin", joint("q1", "R2"), ARM + point("tip", 1))
        + body("two", "one", "tip", joint("q2", "R2"), ARM)
    )
    m, L, h, J, g = 2.0, 1.0, 0.5, 0.1, 9.81
    (q1, q2), (v1, v2), a = (0.3, -0.7), (0.5, 1.1), np.array([0.2, -0.4])
    found = dynamics(read_mbs(text), (q1, q2), (v1, v2), a)
    c2, s2 = np.cos(q2), np.sin(q2)
    m22 = J + m * h**2
    m12 = m22 + m * L * h * c2
    m11 = 2 * m12 - m22 + J + m * h**2 + m * L**2
    # z of a point at distance r along x turned by q about y is −r sin q
    g2 = -m * g * h * np.cos(q1 + q2)
    g1 = g2 - m * g * (h + L) * np.cos(q1)
    bias = [
        -m * L * h * s2 * (2 * v1 * v2 + v2**2) + g1,
        m * L * h * s2 * v1**2 + g2,
    ]
    np.testing.assert_allclose(found.M, [[m11, m12], [m12, m22]], rtol=1e-14)
    np.testing.assert_allclose(found.c, bias, rtol=1e-13)
    np.testing.assert_allclose(found.tau, found.M @ a + bias, rtol=1e-13)


INITIAL = "<initialvalue><q>-0.2</q><qd>3</qd></initialvalue>"


def test_initial_values_natures_points_and_sensors_are_kept() -> None:
    text = mbs(
        body(
            "arm",
            "base",
            "origin",
            joint("a", "R1", f"<nature>dependent</nature>{INITIAL}")
            + joint("b", "R2", "<nature>driven</nature>"),
            ARM + point("tip", 1, 2, 3, '<sensor name="S" Pos="true"/><extforce name="F"/>'),
        )
    )  # fmt: skip
    with pytest.warns(ImportNotice, match="joint 'b' should be driven"):
        model = read_mbs(text, constraints=False)
    tip = Frame("arm", (1.0, 2.0, 3.0))
    assert (model.joints["a"].position, model.joints["a"].velocity) == ((-0.2,), (3.0,))
    assert model.imported["natures"] == {"a": "dependent", "b": "driven"}
    assert model.imported["points"]["arm"] == {"tip": tip}
    assert model.imported["sensors"] == {"S": tip}
    assert model.imported["external_forces"] == {"F": tip}


def two_arms(cuts: str, more: str = "") -> str:
    two = "".join(
        body(name, "base", "origin", joint(f"j{name}", "R2"), ARM + point("tip", 1))
        for name in "ab"
    )
    return mbs(two, f"<cuts>{cuts}</cuts>{more}")


def test_driven_joints_are_driven_to_their_initial_values() -> None:
    driven = joint("b", "R2", f"<nature>driven</nature>{INITIAL}")
    model = read_mbs(mbs(body("arm", "base", "origin", joint("a", "R1") + driven, ARM)))
    start = model.compile().assemble(a=0.3)
    np.testing.assert_allclose(start.q, [0.3, -0.2], atol=1e-12)
    assert start.v[1] == 0.0  # it stands still there, whatever rate the file has


def test_cuts_close_loops() -> None:
    cuts = f"""<ball><name>C</name>{ends("a", "b")}</ball>
      <rod><name>D</name>{ends("a", "b")}<length>0.5</length></rod>
      <rod><name>E</name>{ends("a", "b")}</rod><solid><name>F</name>{ends("a", "b")}</solid>"""
    with pytest.raises(ModelError, match=r"Rod: its length is 0\.0 m"):
        read_mbs(two_arms(cuts))  # E has none in the file, and its ends meet at the start
    text = two_arms(cuts.replace("<name>E", "<length>0.7</length><name>E"))
    closures = read_mbs(text).closures
    a, b = Frame("a", (1.0, 0.0, 0.0)), Frame("b", (1.0, 0.0, 0.0))
    assert {name: closure.kind for name, closure in closures.items()} == {
        "C": Spherical(), "D": Rod(0.5), "E": Rod(0.7), "F": Fixed()
    }  # fmt: skip
    assert all((closure.a, closure.b) == (b, a) for closure in closures.values())


def test_a_rod_without_a_length_keeps_the_initial_distance() -> None:
    rod = f"<rod><name>D</name>{ends('a', 'b')}</rod>"
    text = two_arms(rod).replace("<jointname>jb</jointname>", f"<jointname>jb</jointname>{INITIAL}")
    length = read_mbs(text).closures["D"].kind.length
    assert length == pytest.approx(2 * np.sin(0.1), rel=1e-12)  # tips 0.2 rad apart at 1 m


def test_cuts_and_links_are_recorded_and_said_not_to_act() -> None:
    text = two_arms(
        f"""<ball><name>C</name>{ends("a", "b")}<graphics/></ball>
          <rod><name>D</name>{ends("a", "b")}<length>0.5</length></rod>""",
        f"<links><link><name>L</name>{ends('b', 'a')}</link></links>",
    )
    with pytest.warns(ImportNotice) as warned:
        model = read_mbs(text, constraints=False)
    imported = model.imported
    assert not model.closures
    a, b = Frame("a", (1.0, 0.0, 0.0)), Frame("b", (1.0, 0.0, 0.0))
    assert imported["cuts"] == {
        "C": Cut("ball", a, b, {}), "D": Cut("rod", a, b, {"length": "0.5"})
    }  # fmt: skip
    assert imported["links"] == {"L": PointLink(b, a, {})}
    assert len(warned) == 1
    for said in (
        "ball cut 'C' doesn't act",
        "rod cut 'D' doesn't act",
        "link 'L' has no force law",
    ):
        assert said in str(warned[0].message)
    assert imported["notes"][-1] == "Not read: 1 graphics."


def test_a_file_without_gravity_has_none_and_says_so() -> None:
    with pytest.warns(ImportNotice, match="no gravity is given"):
        assert read_mbs(mbs("", base="")).gravity == (0.0, 0.0, 0.0)


def on_tip(kind: str, more: str = "") -> str:
    return body("b", "arm", "tip", joint("c", kind), more)


ONE = body("arm", "base", "origin", joint("a", "R1"), ARM + point("tip"))


@pytest.mark.parametrize(
    ("bodies", "rest", "complaint"),
    [
        (body("b", "amr", "tip", joint("c", "R1")), "", r"no body 'amr'; did you mean 'arm'"),
        (body("b", "arm", "top", joint("c", "R1")), "", r"no point .*'top'; did you mean 'tip'"),
        (on_tip("R4"), "", r"joint 'c' has the type 'R4'; known: R1, R2"),
        (body("b", "arm", "tip", joint("a", "R1")), "", r"there is a joint 'a' already"),
        (body("arm", "base", "origin", joint("c", "R1")), "", r"a second body 'arm'"),
        (body("base", "base", "origin", joint("c", "R1")), "", r"none may be called 'base'"),
        (on_tip("R1", "<mass>big</mass>"), "", r"<mass>: 'big' is not a"),
        (on_tip("R1", "<mass>-1</mass>"), "", r"its mass is -1.0 kg"),
        (on_tip("R1", point("p") * 2), "", r"has a point 'p' already"),
        ("<body><bodyname>b</bodyname></body>", "", r"body 'b' needs <parent>"),
        ("<body/>", "", r"<body> needs a <bodyname>"),
        ("", "<cuts><gear/></cuts>", r"a cut <gear> is not known; known: ball, rod, solid"),
        ("", "<cuts><ball><name>C</name></ball></cuts>", r"<ball> needs <endpoint1> and"),
        (
            "",
            "<links>" + 2 * f"<link><name>L</name>{ends('arm', 'arm')}</link>" + "</links>",
            r"there is a <link> 'L' already",
        ),
    ],
)  # fmt: skip
def test_a_file_that_describes_no_mechanism_is_refused_by_name(
    bodies: str, rest: str, complaint: str
) -> None:
    with pytest.raises(ModelError, match=r"ROBOTRAN text, line \d+: .*" + complaint):
        read_mbs(mbs(ONE + bodies, rest))


def test_a_file_without_a_base_or_a_tree_is_refused() -> None:
    with pytest.raises(ModelError, match="needs <base> and <bodytree>"):
        read_mbs("<mbsDescR7/>")


SLIDER = mbs(
    body(
        "cart", "base", "origin", joint("x", "T1"),
        ARM + point("hook", 0, 0, 2, '<extforce name="F"/>'),
    ),
    """<links><link><name>L</name><endpoint1><bodyname>base</bodyname></endpoint1>
      <endpoint2><bodyname>cart</bodyname><pointname>hook</pointname></endpoint2></link></links>""",
)  # fmt: skip


def test_user_functions_are_given_beside_the_file() -> None:
    """A cart of 2 kg at x, tied to the ground by a spring from 2 m below its hook: with the length
    l = √(x² + 4) its tension T pulls by T x/l; ROBOTRAN's positive link forces pull too."""
    k, c, x, v = 30.0, 2.0, 1.5, 0.4
    model = read_mbs(
        SLIDER,
        link_forces={"L": lambda length, rate: k * (length - 1.0) + c * rate},
        joint_forces={"x": lambda q, rate: -5.0 * q - 0.5 * rate},
        external_forces={"F": lambda place, velocity: (3.0 * place[2] - velocity[0], 0.0, 0.0)},
    )
    assert model.imported["user_functions"] == {} and model.imported["notes"] == ()
    length = np.hypot(x, 2.0)
    tension = k * (length - 1.0) + c * v * x / length
    wanted = -tension * x / length - 5.0 * x - 0.5 * v + 3.0 * 2.0 - v
    (a,) = model.compile().forward_dynamics([x], [v])
    assert a == pytest.approx(wanted / 2.0, rel=1e-13)


@pytest.mark.parametrize(
    ("law", "arm"),
    [((5.0, 0, 0, 0, 4.0, 0), 2.0), ((5.0, 0, 0, 0, 4.0, 0, 0, 0, 3.0), 3.0)],
)
def test_external_forces_have_torques_and_points_too(law: tuple[float, ...], arm: float) -> None:
    """5 N along x turn by their arm about a hinge about y, and 4 N m besides. Without a point they
    act where the file has them, 2 m up; a point is told from the body's origin: generated code of
    ROBOTRAN takes the moment of SWr[7:] − l, the vector from the centre of mass."""
    text = mbs(body("arm", "base", "origin", joint("a", "R2"),
                    ARM + point("tip", 0, 0, 2, '<extforce name="F"/>')))  # fmt: skip
    bare = read_mbs(text).compile().forward_dynamics([0.0], [0.0])
    pushed = read_mbs(text, external_forces={"F": law}).compile()
    moment = 0.1 + 2.0 * 0.5**2
    difference = pushed.forward_dynamics([0.0], [0.0]) - bare
    assert difference[0] == pytest.approx((5.0 * arm + 4.0) / moment, rel=1e-13)


def test_driven_joints_follow_the_motion_that_is_given() -> None:
    driven = joint("b", "T2", "<nature>driven</nature>")
    text = mbs(body("arm", "base", "origin", joint("a", "T1") + driven, ARM))
    assert read_mbs(text).imported["user_functions"] == {"user_DrivenJoints": ("b",)}
    model = read_mbs(text, driven_joints={"b": lambda t: 0.3 + 2.0 * t})
    assert model.imported["user_functions"] == {}
    start = model.compile().assemble(a=0.1)
    np.testing.assert_allclose([start.q[1], start.v[1]], [0.3, 2.0], atol=1e-12)


def test_user_functions_that_are_missing_are_named_with_how_to_give_them() -> None:
    with pytest.warns(ImportNotice, match="Give link_forces={'L': lambda length, rate: tension}"):
        model = read_mbs(SLIDER)
    needed = {"user_ExtForces": ("F",), "user_LinkForces": ("L",)}
    assert model.imported["user_functions"] == needed
    with pytest.raises(ModelError, match=r"link 'M'.*L"):
        read_mbs(SLIDER, link_forces={"M": 1.0})
    with pytest.raises(ModelError, match="joint 'y'"):
        read_mbs(SLIDER, joint_forces={"y": 1.0})
    with pytest.raises(ModelError, match=r"External force 'F': its law gives \(1.0, 2.0\)"):
        read_mbs(SLIDER, external_forces={"F": (1.0, 2.0)})
    with pytest.raises(ModelError, match=r"'F': its law takes 1 argument \(place\), and"):
        read_mbs(SLIDER, external_forces={"F": lambda place: (1.0, 2.0, 3.0)})
