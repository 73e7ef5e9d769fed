"""USD scenes. Mechanisms are written by USD's own library, and built for Pinocchio from the same
numbers."""

import math
import warnings

import numpy as np
import pytest

import touchback as tb
from touchback.interop import ImportNotice, read_usd
from usd_stages import (
    RIGID,
    SOLID,
    Gf,
    Usd,
    UsdGeom,
    UsdPhysics,
    difference,
    random_mechanism,
    scene,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_move_as_pinocchios(seed) -> None:
    """What remains is the rounding of quaternions through six bodies."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImportNotice)
        found = difference(random_mechanism(seed), seed)
    assert max(found.values()) < 1e-10, found


def one_joint(kind: str, more: str = "", schemas: str = "", **options: bool) -> tb.Model:
    """A body of 2 kg with the moments .25, .375 and .5 on the ground."""
    applied = f"(prepend apiSchemas = [{schemas}])" if schemas else ""
    return read_usd(
        scene(
            f"""def Xform "part" ({RIGID}) {{
    {SOLID}
}}
def {kind} "joint" {applied} {{
    rel physics:body1 = </part>
    {more}
}}"""
        ),
        **options,
    )


def locked(*free: str) -> tuple[str, str]:
    """A general joint that moves along these."""
    names = [f"{what}{axis}" for what in ("trans", "rot") for axis in "XYZ"]
    bound = [name for name in names if name not in free]
    lines = [
        f"float limit:{name}:physics:low = 1\nfloat limit:{name}:physics:high = -1"
        for name in bound
    ]
    return "\n".join(lines), ", ".join(f'"PhysicsLimitAPI:{name}"' for name in bound)


@pytest.mark.parametrize(
    ("free", "diagonal"),
    [
        ((), []),
        (("rotY",), [0.375]),
        (("transX",), [2.0]),
        (("rotX", "rotY", "rotZ"), [0.25, 0.375, 0.5]),
        (("transZ", "rotZ"), [2.0, 0.5]),
        (("transX", "transY", "rotZ"), [2.0, 2.0, 0.5]),
        (("transX", "transY", "transZ", "rotX", "rotY", "rotZ"), [2.0] * 3 + [0.25, 0.375, 0.5]),
    ],
)
def test_a_general_joint_is_what_it_leaves_free(free, diagonal) -> None:
    more, schemas = locked(*free)
    model = one_joint("PhysicsJoint", more, schemas)
    if not diagonal:
        assert model.compile().velocities == ()
        return
    system = model.compile()
    M = system.mass_matrix(system.initial_state().q)
    np.testing.assert_allclose(M, np.diag(diagonal), atol=1e-14)


def test_a_general_joint_that_none_of_ours_is_leaves_its_body_free_and_says_so() -> None:
    with pytest.warns(ImportNotice, match="free in rotX, rotY is not read; what it carries is"):
        model = one_joint("PhysicsJoint", *locked("rotX", "rotY"))
    assert len(model.compile().velocities) == 6


def test_limits_and_drives_are_told_in_degrees() -> None:
    """Effort = k (target − q) + d (rate − q̇), in N m a degree there."""
    model = one_joint(
        "PhysicsRevoluteJoint",
        """uniform token physics:axis = "Y"
    float physics:lowerLimit = -90
    float physics:upperLimit = 45
    float drive:angular:physics:stiffness = 2
    float drive:angular:physics:damping = .5
    float drive:angular:physics:targetPosition = 30
    float drive:angular:physics:maxForce = 40""",
        '"PhysicsDriveAPI:angular"',
    )
    assert model.parameters["joint low"].default == pytest.approx(-math.pi / 2)
    assert model.parameters["joint high"].default == pytest.approx(math.pi / 4)
    system = model.compile()
    q, v = math.radians(20.0), math.radians(8.0)
    wanted = 2.0 * (30.0 - 20.0) + 0.5 * (0.0 - 8.0)
    assert system.joint_efforts([q], [v])[0] == pytest.approx(wanted, rel=1e-7)
    told = {"joint target": math.radians(50.0), "joint target rate": v}
    assert system.joint_efforts([q], [v], u=told)[0] == pytest.approx(40.0)  # at most


def test_masses_are_those_that_usds_own_library_computes() -> None:
    """A body's density, a collider's own mass and density, and a shape that is scaled and turned;
    the library computes in single precision."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 0.1)
    body = UsdGeom.Xform.Define(stage, "/body")
    api = UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
    UsdPhysics.MassAPI.Apply(body.GetPrim()).CreateDensityAttr(3.0)
    for name, told in {"a": {}, "b": {"Mass": 7.0}, "c": {"Density": 0.5}}.items():
        cube = UsdGeom.Cube.Define(stage, f"/body/{name}")
        cube.CreateSizeAttr(2.0)
        cube.AddTranslateOp().Set(Gf.Vec3d(*np.eye(3)["abc".index(name)] * 3))
        cube.AddRotateXYZOp().Set(Gf.Vec3f(10, 20, 30))
        cube.AddScaleOp().Set(Gf.Vec3f(1, 2, 3))
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        for word, number in told.items():
            getattr(UsdPhysics.MassAPI.Apply(cube.GetPrim()), f"Create{word}Attr")(number)

    def weigh(prim):
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        found.volume = 2.0 * 4.0 * 6.0
        moments = found.volume * np.array([16 + 36, 4 + 36, 4 + 16]) / 12.0  # of density 1
        found.inertia = Gf.Matrix3f(*np.diag(moments).ravel().tolist())
        found.centerOfMass = Gf.Vec3f(0)
        matrix = UsdGeom.Xformable(prim).GetLocalTransformation()
        found.localPos = Gf.Vec3f(matrix.ExtractTranslation())
        found.localRot = Gf.Quatf(matrix.RemoveScaleShear().ExtractRotationQuat())
        return found

    mass, moments, com, _ = api.ComputeMassProperties(weigh)
    found = read_usd(stage.ExportToString(), contacts=False).bodies["body"]
    assert found.mass == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(found.com, 0.1 * np.array(com), rtol=1e-5)
    xx, yy, zz, xy, xz, yz = found.inertia
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    np.testing.assert_allclose(np.linalg.eigvalsh(J), sorted(0.01 * np.array(moments)), rtol=1e-5)


def test_a_joint_beyond_the_tree_closes_a_loop() -> None:
    """Two links of a parallelogram carry a bar, which never turns: with the links' moment about
    their ends and the bar's m l², (2 I + m l²) a = −(m + m_link) g l cos q."""

    def body(name: str, at: str, mass: float) -> str:
        return f"""def Xform "{name}" ({RIGID}) {{
    float physics:mass = {mass}
    float3 physics:diagonalInertia = (.25, .25, .25)
    double3 xformOp:translate = {at}
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}"""

    def hinge(name: str, one: str, place: str, two: str, inner: str, more: str = "") -> str:
        carrier = f"rel physics:body0 = </{one}>" if one else ""
        return f"""def PhysicsRevoluteJoint "{name}" {{
    uniform token physics:axis = "Y"
    {carrier}
    rel physics:body1 = </{two}>
    point3f physics:localPos0 = {place}
    point3f physics:localPos1 = {inner}
    {more}
}}"""

    text = scene(
        body("left", "(.5, 0, 0)", 1.0) + "\n" + body("right", "(.5, 0, 2)", 1.0) + "\n"
        + body("bar", "(1, 0, 1)", 4.0) + "\n"
        + hinge("a", "", "(0, 0, 0)", "left", "(-.5, 0, 0)") + "\n"
        + hinge("b", "", "(0, 0, 2)", "right", "(-.5, 0, 0)") + "\n"
        + hinge("c", "left", "(.5, 0, 0)", "bar", "(0, 0, -1)") + "\n"
        + hinge("d", "right", "(.5, 0, 0)", "bar", "(0, 0, 1)",
                "bool physics:excludeFromArticulation = 1")
    )  # fmt: skip
    model = read_usd(text)
    assert list(model.joints) == ["a", "b", "c"] and list(model.closures) == ["d"]
    system = model.compile()
    start = system.initial_state().q
    assert np.abs(system.constraint_error(start)).max() < 1e-12
    inertia = 2 * (0.25 + 0.25) + 4.0
    a = system.forward_dynamics(start, np.zeros(3))
    fall = (4.0 + 1.0) * 9.81 / inertia  # turning about y lowers what lies along x
    np.testing.assert_allclose(a, [fall, fall, -fall], rtol=1e-12)


@pytest.mark.parametrize("metre", [1.0, 0.01])
def test_a_distance_that_is_held_is_a_rod_and_another_is_left_out(metre: float) -> None:
    """Lengths are in the stage's unit; a body on a rod has five freedoms."""

    def distance(low: float, high: float) -> str:
        return scene(
            f"""def Xform "b" ({RIGID}) {{
    {SOLID}
    double3 xformOp:translate = (0, 0, -3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
def PhysicsDistanceJoint "d" {{
    rel physics:body1 = </b>
    float physics:minDistance = {low}
    float physics:maxDistance = {high}
}}""",
            f"metersPerUnit = {metre}",
        )

    system = read_usd(distance(3.0, 3.0)).compile()
    start = system.initial_state().q
    assert len(system.velocities) - len(system.constraint_names) == 5
    assert np.abs(system.constraint_error(start)).max() < 1e-12
    with pytest.warns(ImportNotice, match="a distance from 1 to 3 is not held"):
        assert not read_usd(distance(1.0, 3.0)).closures


def test_colliders_touch_the_ground_with_the_mean_of_frictions() -> None:
    text = scene(
        """def Plane "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    uniform token axis = "Z"
}
def Material "slick" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
    float physics:dynamicFriction = .1
}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI",
    "MaterialBindingAPI"]) {
    double radius = 20
    rel material:binding:physics = </slick>
    double3 xformOp:translate = (0, 0, 50)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}""",
        "metersPerUnit = 0.01",
    )
    model = read_usd(text)
    (name,) = model.contacts
    assert name == "ball on floor"
    assert model.contacts[name].friction == pytest.approx(0.5 * (0.5 + 0.1), rel=1e-7)
    run = tb.simulate(model.compile(), duration=0.2, progress=False)
    assert run[f"{name} gap"][0] == pytest.approx(0.5 - 0.2, rel=1e-12)
    assert run[f"{name} gap"][-1] == pytest.approx(0.3 - 0.5 * 9.81 * 0.2**2, rel=1e-9)
    assert model.bodies["ball"].mass == pytest.approx(1000.0 * 4 / 3 * math.pi * 0.2**3)


def test_a_scene_that_is_only_drawn_has_no_bodies_and_says_so() -> None:
    with pytest.warns(ImportNotice, match="No prim has RigidBodyAPI"):
        assert not read_usd(scene('def Sphere "s" {}')).bodies
