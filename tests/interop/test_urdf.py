"""What becomes of a URDF file: bodies, joints, notes, and refusals that name the mend."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from touchback.errors import ModelError
from touchback.interop import ImportNotice, Mimic, read_urdf
from touchback.interop.import_formats import read
from touchback.model.joint_limits import limit_numbers
from touchback.model.joints import Fixed, Free, Prismatic, Revolute

INERTIAL = """<inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""


def robot(content: str) -> str:
    return f'<robot name="robot">{content}</robot>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", more: str = "") -> str:
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      {more}</joint>"""


def links(*names: str) -> str:
    return "".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)


def test_joints_keep_the_order_of_the_file_also_when_children_come_first() -> None:
    model = read_urdf(
        robot(joint("b", "l1", "l2") + joint("a", "l0", "l1") + links("l0", "l1", "l2"))
    )
    assert list(model.joints) == ["root", "b", "a"]


def test_the_root_is_fixed_to_the_ground_unless_told_to_float() -> None:
    text = robot(links("l0", "l1") + joint("a", "l0", "l1"))
    assert model_kinds(text, False) == [Fixed(), Revolute("x")]
    assert model_kinds(text, True) == [Free(), Revolute("x")]


def model_kinds(text: str, floating_base: bool) -> list[object]:
    return [given.kind for given in read_urdf(text, floating_base).joints.values()]


def test_a_joint_called_root_keeps_its_name() -> None:
    model = read_urdf(robot(links("l0", "l1") + joint("root", "l0", "l1")), floating_base=True)
    assert list(model.joints) == ["root 2", "root"]


def test_axes_along_coordinates_become_letters_and_others_stay_vectors() -> None:
    text = robot(
        links("l0", "l1", "l2", "l3")
        + joint("a", "l0", "l1", more='<axis xyz="0 0 -2"/>')
        + joint("b", "l1", "l2", "prismatic", '<axis xyz="0 1 0"/>')
        + joint("c", "l2", "l3", "continuous", '<axis xyz="0.6 0 0.8"/>')
    )
    kinds = model_kinds(text, False)[1:]
    assert kinds == [Revolute("-z"), Prismatic("y"), Revolute((0.6, 0.0, 0.8))]


def test_limits_damping_and_friction_arrive_in_the_joint_and_ratings_beside_it() -> None:
    more = """<limit lower="-1" upper="2" effort="30" velocity="4"/>
      <dynamics damping="0.5" friction="0.25"/>"""
    model = read_urdf(robot(links("l0", "l1") + joint("a", "l0", "l1", more=more)))
    given = model.joints["a"]
    assert (given.damping, given.friction) == ((0.5,), (0.25,))
    assert limit_numbers(model) == {"a": (-1.0, 2.0)}
    assert [model.parameters[f"a {end}"].default for end in ("low", "high")] == [-1.0, 2.0]
    assert model.imported["ratings"] == {"a": {"effort": 30.0, "velocity": 4.0}}


MIMIC = robot(
    links("l0", "l1", "l2")
    + joint("a", "l0", "l1")
    + joint("b", "l0", "l2", more='<mimic joint="a" multiplier="-1.5" offset="0.1"/>')
)


def test_a_mimic_joint_follows_its_leader() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = read_urdf(MIMIC)
    assert model.imported["mimic"] == {"b": Mimic("a", -1.5, 0.1)}
    start = model.compile().assemble(a=0.4, rates={"a": 2.0})
    np.testing.assert_allclose(start.q, [0.4, 0.1 - 1.5 * 0.4], atol=1e-12)
    np.testing.assert_allclose(start.v, [2.0, -3.0], atol=1e-12)


def test_a_mimic_joint_that_is_not_to_follow_is_warned_about() -> None:
    with pytest.warns(ImportNotice, match=r"joint 'b' should follow 'a' \(× -1.5 \+ 0.1\)"):
        model = read_urdf(MIMIC, mimic=False)
    assert model.imported["mimic"] == {"b": Mimic("a", -1.5, 0.1)}
    assert not model.couplings


def test_a_joint_that_mimics_itself_moves_freely_and_is_warned_about() -> None:
    text = robot(links("l0", "l1") + joint("a", "l0", "l1", more='<mimic joint="a"/>'))
    with pytest.warns(ImportNotice, match="'a' should follow itself; it moves freely"):
        assert not read_urdf(text).couplings


def test_what_is_not_read_is_counted_without_a_warning() -> None:
    text = robot(
        """<link name="l0"><visual/><visual/><collision/></link><transmission name="t"/>
        <gazebo/><material name="red"/>"""
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notes = read_urdf(text).imported["notes"]
    assert notes == ("Not read: 1 transmission, 1 gazebo, 2 visual, 1 collision.",)


def test_names_that_we_forbid_are_mapped_and_said() -> None:
    text = robot(
        links("ground", "a/b", "a_b", "time") + joint("j/1", "ground", "a/b")
        + joint("j2", "ground", "a_b") + joint("j:3", "a_b", "time")
    )  # fmt: skip
    model = read_urdf(text)
    assert list(model.bodies) == ["ground 2", "a_b 2", "a_b", "time_"]
    assert list(model.joints) == ["root", "j_1", "j2", "j_3"]
    assert model.joints["j_1"].child.body == "a_b 2"
    assert "Link 'a/b' is called 'a_b 2' here." in model.imported["notes"]


def test_an_impossible_inertia_is_taken_as_it_stands_and_warned_about() -> None:
    text = robot(
        """<link name="l0"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="9"/></inertial></link>"""
    )
    with pytest.warns(ImportNotice, match="'l0'.*triangle inequality"):
        model = read_urdf(text)
    assert model.bodies["l0"].inertia == (1.0, 1.0, 9.0, 0.0, 0.0, 0.0)


def test_limits_the_wrong_way_round_are_left_out_with_a_warning() -> None:
    more = '<limit lower="2" upper="-1"/>'
    with pytest.warns(ImportNotice, match="lower limit 2.0 is above its upper limit -1.0"):
        model = read_urdf(robot(links("l0", "l1") + joint("a", "l0", "l1", more=more)))
    assert model.joints["a"].limits == ()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (links("l0", "l1"), r"2 links are carried by no joint: 'l0', 'l1'.*one root link"),
        (links("l0") + joint("a", "lx", "l0"), r"joint 'a': its parent link 'lx' is not in the"),
        (links("l0") + '<joint name="a" type="fixed"/>', r"joint 'a' needs <parent link=…/>"),
        (
            links("l0", "l1", "l2") + joint("a", "l1", "l2") + joint("b", "l2", "l1"),
            r"links 'l1', 'l2' carry each other in a circle",
        ),
        (links("l0") + joint("a", "l0", "l0"), r"links 'l0' carry each other in a circle"),
        (
            links("l0", "l1", "l2") + joint("a", "l0", "l2") + joint("b", "l1", "l2"),
            r"joint 'b': link 'l2' is already carried by joint 'a'",
        ),
        (links("l0", "l0"), r"there is a link 'l0' already, in line 1"),
        (links("l0", "l1") + joint("a", "l0", "l1", "ball"), r"type 'ball'; known: revolute, "),
        (
            links("l0", "l1") + joint("a", "l0", "l1", more='<axis xyz="0 0 0"/>'),
            r"joint 'a': its axis is 0 0 0",
        ),
        (
            links("l0", "l1") + joint("a", "l0", "l1", more='<origin xyz="0 nan 0"/>'),
            r"<origin xyz>: 'nan' is not a finite number",
        ),
        (
            links("l0", "l1") + joint("a", "l0", "l1", more='<origin xyz="0 0"/>'),
            r"<origin xyz='0 0'>: 3 numbers are expected, got 2",
        ),
        (
            links("l0", "l1") + joint("a", "l0", "l1", more='<dynamics damping="-1"/>'),
            r"joint 'a': damping is -1.0; it must not be negative",
        ),
        (
            '<link name="l0"><inertial><mass value="-2"/></inertial></link>',
            r"body 'l0': its mass is -2.0 kg",
        ),
        ('<link name="l0"><inertial/></link>', r"link 'l0': <inertial> needs <mass value=…/>"),
        ("<link/>", r"<link> needs an attribute name"),
        ('<xacro:macro name="m"/>', r"is a macro; expand the file first"),
    ],
)
def test_a_file_that_describes_no_robot_is_refused_by_name(content: str, complaint: str) -> None:
    with pytest.raises(ModelError, match=r"URDF text, line \d+: .*" + complaint):
        read_urdf(robot(content))


def test_an_error_names_the_file_and_its_line(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text('<robot name="r">\n<link name="l0">\n<inertial><mass value="heavy"/>\n'
                    "</inertial></link></robot>")  # fmt: skip
    with pytest.raises(ModelError, match=r"arm\.urdf, line 3: <mass value>: 'heavy' is not"):
        read_urdf(path)


LIMIT = '<limit lower="-1.5" upper="2" effort="87" velocity="2.175"/>'


def test_limits_and_ratings_are_shown_with_what_holds_them() -> None:
    text = robot(links("l0", "l1") + joint("a", "l0", "l1", more=LIMIT))
    for options, held in (({}, "default stop"), ({"stops": False}, "nothing stops it there")):
        shown = " ".join(repr(read_urdf(text, **options)).split())
        assert f"limits a -1.5 … 2 {held} rated for effort 87, velocity 2.175" in shown


def test_a_continuous_joint_has_no_limits() -> None:
    """The format says so, whatever numbers an exporter leaves there."""
    content = joint("a", "l0", "l1", kind="continuous", more=LIMIT)
    assert read_urdf(robot(links("l0", "l1") + content)).joints["a"].limits == ()


def test_the_readers_option_leaves_stops_away(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(robot(links("l0", "l1") + joint("a", "l0", "l1", more=LIMIT)))
    held, bare = (read(path, stops=stops).compile() for stops in (True, False))
    assert held.joint_efforts([2.5], [0.0]) < 0.0 == bare.joint_efforts([2.5], [0.0])


def test_links_have_the_colours_of_their_materials() -> None:
    """A material's own, that of another of its name, or none; what is no colour is none."""
    shape = '<geometry><sphere radius="1"/></geometry>'
    links = "".join(
        f'<link name="{name}"><visual>{shape}<material name="{name}">{colour}</material></visual>'
        "</link>"
        for name, colour in (
            ("own", '<color rgba="1 0.5 0 1"/>'), ("shared", ""), ("unknown", ""),
            ("odd", '<color rgba="red"/>'),
        )
    )  # fmt: skip
    model = read_urdf(
        robot(
            '<material name="shared"><color rgba="0 0 1 1"/></material>'
            + links
            + "".join(
                f'<joint name="{x}" type="fixed"><parent link="own"/><child link="{x}"/></joint>'
                for x in ("shared", "unknown", "odd")
            )
        )
    )
    assert {name: look.colour for name, look in model.shapes.items()} == {
        "own": "#ff8000", "shared": "#0000ff", "unknown": "", "odd": "",
    }  # fmt: skip
