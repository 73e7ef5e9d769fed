"""How fast the bodies of USD begin, what keeps them apart, and what of a file ties or tells too
little or too much."""

import math

import pytest

pytest.importorskip("pxr", reason="usd-core isn't installed")

from touchback.errors import ModelError
from touchback.interop import ImportNotice, read_mjcf, read_sdf, read_usd
from touchback.model import Model

HEAD = """#usda 1.0
(
metersPerUnit = 0.01
upAxis = "Z"
)
def PhysicsScene "scene" {}
"""
RIGID = '"PhysicsRigidBodyAPI", "PhysicsMassAPI"'


def body(name: str, at: str = "(0, 0, 0)", more: str = "", inside: str = "") -> str:
    return f"""def Xform "{name}" (prepend apiSchemas = [{RIGID}]) {{
    float physics:mass = 2
    {more}
    double3 xformOp:translate = {at}
    uniform token[] xformOpOrder = ["xformOp:translate"]
    {inside}
}}
"""


def turning(velocity: str, degrees: float) -> str:
    return f"""float3 physics:diagonalInertia = (1, 1, 1)
    vector3f physics:velocity = {velocity}
    vector3f physics:angularVelocity = (0, 0, {degrees})"""


def joint(kind: str, name: str, one: str, two: str, more: str = "", schemas: str = "") -> str:
    carrier = f"rel physics:body0 = </{one}>" if one else ""
    return f"""def Physics{kind}Joint "{name}" {schemas} {{
    {carrier}
    rel physics:body1 = </{two}>
    {more}
}}
"""


AXIS = 'uniform token physics:axis = "Z"\n'
TURN = math.radians(90.0)  # of the arm, about z, a second


def hinged(speed: str) -> Model:
    """An arm of 1 m about the origin, whose frame is at its end, at a quarter turn a second; at its
    end a hand, at a twelfth, hinged the other way round; and on the arm a sledge."""
    text = (
        body("arm", "(100, 0, 0)", turning(speed, 90))
        + body("hand", "(100, 0, 0)", turning(speed, 30))
        + body("sledge", "(200, 0, 0)", turning(f"(70, {200 * TURN}, 0)", 90))
        + joint("Revolute", "a", "", "arm", AXIS + "point3f physics:localPos1 = (-100, 0, 0)")
        + joint("Revolute", "b", "hand", "arm", AXIS)
        + joint("Prismatic", "c", "arm", "sledge", 'uniform token physics:axis = "X"\n')
    )
    return read_usd(HEAD + text)


def test_joints_begin_at_the_rates_that_the_velocities_of_their_bodies_leave() -> None:
    """A coordinate is that of body 1 seen from body 0, whichever of them is carried."""
    system = hinged(f"(0, {100 * TURN}, 0)").compile()
    start = system.initial_state()
    rates = dict(zip(system.velocities, start.v, strict=True))
    assert rates == pytest.approx({"a": TURN, "b": math.radians(60.0), "c": 0.7}, rel=1e-6)


def test_velocities_that_a_joint_does_not_let_through_are_said() -> None:
    with pytest.warns(ImportNotice, match=r"/a: its bodies' velocities differ by 1.57 \(m/s"):
        hinged("(0, 0, 0)")


def test_what_ties_bodies_that_are_fixed_together_is_left_out_and_said() -> None:
    """Three links glued in a ring, or twice; a weld of two geoms of the world."""
    names = ("one", "two", "three")
    ring = "".join(joint("Fixed", f"j{i}", names[i], names[(i + 1) % 3]) for i in range(3))
    bodies = "".join(
        body(name, more="float3 physics:diagonalInertia = (1, 1, 1)") for name in names
    )
    links = "".join(f'<link name="{name}"/>' for name in names[:2])
    glue = "<parent>one</parent><child>two</child>"
    still = "".join(f'<body name="{name}"><geom size=".1"/></body>' for name in names[:2])
    for model, freedoms in (
        (read_usd(HEAD + bodies + ring), 6),
        (read_sdf(
            f'''<sdf version="1.9"><model name="m">{links}
            <joint name="a" type="fixed">{glue}</joint>
            <joint name="b" type="fixed">{glue}</joint></model></sdf>'''), 6),
        (read_mjcf(
            f'''<mujoco><worldbody>{still}</worldbody><equality><weld body1="one" body2="two"/>
            </equality></mujoco>'''), 0),
    ):  # fmt: skip
        assert any("are fixed together already" in note for note in model.imported["notes"])
        assert not model.closures and len(model.compile().velocities) == freedoms


@pytest.mark.parametrize("most", ["-3", "nan"])
def test_drives_whose_largest_force_is_none_are_refused(most: str) -> None:
    drive = f"""{AXIS}float drive:angular:physics:stiffness = 2
    float drive:angular:physics:maxForce = {most}"""
    schemas = '(prepend apiSchemas = ["PhysicsDriveAPI:angular"])'
    with pytest.raises(ModelError, match=f"/j: the largest force of its drive is {float(most)}"):
        read_usd(HEAD + body("part") + joint("Revolute", "j", "", "part", drive, schemas))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("float3 physics:diagonalInertia = (1, 2, 2.5)", "taken along the prim's own axes"),
        ("quatf physics:principalAxes = (.6, .8, 0, 0)", "without diagonalInertia are left out"),
    ],
)
def test_moments_without_axes_and_axes_without_moments_are_said(told: str, words: str) -> None:
    """USD's own library takes what is missing from the colliders, in an order of its own."""
    box = """def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    float3 xformOp:rotateXYZ = (10, 20, 30)
    float3 xformOp:scale = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:rotateXYZ", "xformOp:scale"]
}"""
    with pytest.warns(ImportNotice, match=words):
        read_usd(HEAD + body("part", more=told, inside=box))


BALL = """def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI"{}]) {{
    double radius = 10
    {}
}}"""
FLOORS = "".join(
    f"""def Plane "{name}" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
    uniform token axis = "Z"
}}
"""
    for name in ("floor", "mat")
)
SLIDE = AXIS + "point3f physics:localPos0 = (0, 0, 100)\n"
TOGETHER = SLIDE + "bool physics:collisionEnabled = 1"


@pytest.mark.parametrize(
    ("joined", "ball", "touching"),
    [
        (("", "part", SLIDE), ("", ""), ["floor", "mat"]),
        (("floor", "part", SLIDE), ("", ""), ["mat"]),
        (("floor", "part", TOGETHER), ("", ""), ["floor", "mat"]),
        (("other", "part", SLIDE), ("", ""), ["floor", "mat"]),
        (("other", "part", TOGETHER), ("", ""), ["floor", "mat", "other"]),
        (None, (', "PhysicsFilteredPairsAPI"', "rel physics:filteredPairs = </mat>"),
         ["floor", "other"]),
    ],
)  # fmt: skip
def test_only_the_pair_that_a_file_names_is_kept_apart(
    joined: tuple[str, str, str] | None, ball: tuple[str, str], touching: list[str]
) -> None:
    """A joint names two prims; one on the world itself names no collider (in PhysX it filters
    none), and one on a floor not the other floor."""
    told = turning("(0, 0, 0)", 0)
    text = HEAD + FLOORS + body("part", "(0, 0, 100)", told, BALL.format(*ball))
    if joined is None or joined[0] == "other":
        text += body("other", more=told, inside=BALL.format("", ""))
    if joined is not None:
        text += joint("Prismatic", "j", *joined)
    pairs = [set(name.split(" on ")) for name in read_usd(text).contacts]
    assert sorted(next(iter(pair - {"part"})) for pair in pairs if "part" in pair) == touching
