"""Random mechanisms as USD stages, and the same for Pinocchio from the same numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio
import pytest

pytest.importorskip("pxr", reason="needs usd-core")
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from touchback.interop import read_usd

SE3 = pinocchio.SE3
KINDS = ("Revolute", "Prismatic", "Spherical")

RIGID = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
SOLID = """float physics:mass = 2
    float3 physics:diagonalInertia = (.25, .375, .5)
    point3f physics:centerOfMass = (0, 0, 0)"""


def scene(inside: str, head: str = "metersPerUnit = 1") -> str:
    return f'#usda 1.0\n(\n{head}\nupAxis = "Z"\n)\ndef PhysicsScene "scene" {{}}\n{inside}\n'


def single(draw: np.random.Generator, size: int, low: float, high: float) -> np.ndarray:
    """Numbers that single precision has, in which USD keeps joints and masses."""
    return draw.uniform(low, high, size).astype(np.float32).astype(float)


def turn(draw: np.random.Generator) -> tuple[Gf.Quatf, np.ndarray]:
    """A quaternion in single precision, and the rotation that it means."""
    w, x, y, z = (float(part) for part in draw.normal(size=4).astype(np.float32))
    return Gf.Quatf(w, x, y, z), pinocchio.Quaternion(w, x, y, z).normalized().toRotationMatrix()


@dataclass
class Twice:
    """A mechanism on a stage and for Pinocchio, with where it begins in the latter's
    coordinates. `poses` of bodies are in the stage's axes, `inside` from a body to its joint."""

    draw: np.random.Generator
    stage: Usd.Stage
    metre: float
    kilogram: float
    upright: SE3
    group: SE3
    other: pinocchio.Model = field(default_factory=pinocchio.Model)
    start: list[float] = field(default_factory=list)
    poses: list[SE3] = field(default_factory=list)
    scales: list[np.ndarray] = field(default_factory=list)
    inside: list[SE3] = field(default_factory=list)

    def place(self, path: str, pose: SE3, scale: np.ndarray) -> UsdGeom.Xform:
        """By translate, orient and scale, in double precision."""
        xform = UsdGeom.Xform.Define(self.stage, path)
        xform.AddTranslateOp().Set(Gf.Vec3d(*(pose.translation / self.metre)))
        x, y, z, w = pinocchio.Quaternion(pose.rotation).coeffs()
        xform.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(w, x, y, z))
        xform.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*scale))
        return xform

    def end(self, scale: np.ndarray) -> tuple[np.ndarray, Gf.Quatf, SE3]:
        """A joint's place and turn on a body as written, and what they mean."""
        spot, (told, R) = single(self.draw, 3, -1.0, 1.0), turn(self.draw)
        return spot, told, SE3(R, self.metre * scale * spot)

    def free_root(self) -> int:
        """A body that no joint carries."""
        pose = SE3(turn(self.draw)[1], single(self.draw, 3, -1.0, 1.0))
        self.poses.append(pose)
        self.inside.append(SE3.Identity())
        self.start += [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        return self.other.addJoint(0, pinocchio.JointModelFreeFlyer(), self.upright * pose, "root")

    def joint(self, k: int, carrier: int) -> int:
        """Some joint at some angle; where it names its child first, its coordinate turns round."""
        draw = self.draw
        kind, axis, reverse = str(draw.choice(KINDS)), int(draw.integers(3)), bool(draw.integers(2))
        outer = self.end(np.ones(3) if carrier < 0 else self.scales[carrier])
        inner = self.end(self.scales[k])
        vector = (-1.0 if reverse else 1.0) * np.eye(3)[axis]
        if kind == "Spherical":
            model, step = pinocchio.JointModelSpherical(), SE3(turn(draw)[1], np.zeros(3))
            q = pinocchio.Quaternion(step.rotation).coeffs().tolist()
        else:
            model = getattr(pinocchio, f"JointModel{kind}Unaligned")(vector)
            q = [float(draw.uniform(-1.5, 1.5))]
            step = SE3(pinocchio.exp3(q[0] * vector), np.zeros(3))
            if kind == "Prismatic":
                step = SE3(np.eye(3), q[0] * vector)
        self.start += q
        carrying = SE3.Identity() if carrier < 0 else self.poses[carrier]
        self.poses.append(carrying * outer[2] * step * inner[2].inverse())
        self.inside.append(inner[2])
        usd = getattr(UsdPhysics, f"{kind}Joint").Define(self.stage, f"/joint_{k}")
        if kind != "Spherical":
            usd.CreateAxisAttr("XYZ"[axis])
        bodies = (None if carrier < 0 else f"/group/body_{carrier}", f"/group/body_{k}")
        for side, which in (("0", reverse), ("1", not reverse)):
            spot, told, _ = (outer, inner)[which]
            if bodies[which] is not None:
                getattr(usd, f"CreateBody{side}Rel")().SetTargets([bodies[which]])
            getattr(usd, f"CreateLocalPos{side}Attr")(Gf.Vec3f(*spot))
            getattr(usd, f"CreateLocalRot{side}Attr")(told)
        before = self.upright if carrier < 0 else self.inside[carrier].inverse()
        return self.other.addJoint(carrier + 1, model, before * outer[2], f"joint {k}")

    def body(self, k: int, index: int) -> None:
        """The prim at its pose, and what it weighs."""
        draw = self.draw
        body = self.place(f"/group/body_{k}", self.group.inverse() * self.poses[k], self.scales[k])
        mass, com = float(single(draw, 1, 0.1, 3.0)[0]), single(draw, 3, -1.0, 1.0)
        moments, (axes, R) = single(draw, 3, 1.0, 1.9), turn(draw)
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        told = UsdPhysics.MassAPI.Apply(body.GetPrim())
        told.CreateMassAttr(mass)
        told.CreateCenterOfMassAttr(Gf.Vec3f(*com))
        told.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
        told.CreatePrincipalAxesAttr(axes)
        J = R @ np.diag(moments) @ R.T * self.kilogram * self.metre**2
        place = self.metre * self.scales[k] * com
        weight = pinocchio.Inertia(mass * self.kilogram, place, J)
        self.other.appendBodyToJoint(index, weight, self.inside[k].inverse())


def random_mechanism(seed: int) -> Twice:
    """A tree of up to six bodies, free or on the ground, in any units and with either axis up."""
    draw = np.random.default_rng(seed)
    metre, kilogram = float(draw.choice([1.0, 0.01, 0.0254])), float(draw.choice([1.0, 0.001]))
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, metre)
    UsdPhysics.SetStageKilogramsPerUnit(stage, kilogram)
    up = str(draw.choice(["Y", "Z"]))
    UsdGeom.SetStageUpAxis(stage, up)
    R = np.round(pinocchio.rpy.rpyToMatrix(np.pi / 2, 0, 0)) if up == "Y" else np.eye(3)
    UsdPhysics.Scene.Define(stage, "/scene")
    group = SE3(turn(draw)[1], single(draw, 3, -1.0, 1.0))
    made = Twice(draw, stage, metre, kilogram, SE3(R, np.zeros(3)), group)
    made.place("/group", group, np.ones(3))
    free, path = bool(draw.integers(2)), [-1]
    for k in range(int(draw.integers(1, 7))):
        path = path[: int(draw.integers(len(path))) + 1]  # Pinocchio wants branch after branch
        if free and k and path == [-1]:
            path = [-1, 0]
        carrier, path = path[-1], [*path, k]
        made.scales.append(single(draw, 3, 0.5, 2.0))
        made.body(k, made.free_root() if free and not k else made.joint(k, carrier))
    return made


def ours(other: pinocchio.Model, q: np.ndarray) -> np.ndarray:
    """Quaternions have w first here."""
    found = q.copy()
    for joint in other.joints:
        if joint.nq > joint.nv:
            last = joint.idx_q + joint.nq
            found[last - 4 : last] = q[[last - 1, last - 4, last - 3, last - 2]]
    return found


def difference(made: Twice, seed: int) -> dict[str, float]:
    """At a random state: how far mass matrix and accelerations are from Pinocchio's, of the largest
    entry; and where the file begins."""
    other, data = made.other, made.other.createData()
    system = read_usd(made.stage.ExportToString()).compile()
    begins = abs(ours(other, np.array(made.start))) - abs(system.initial_state().q)  # q is −q
    draw = np.random.default_rng(seed)
    q = pinocchio.integrate(other, np.array(made.start), draw.normal(size=other.nv))
    v = draw.normal(size=other.nv)
    M = pinocchio.crba(other, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    a = pinocchio.aba(other, data, q, v, np.zeros(other.nv))
    mass = system.mass_matrix(ours(other, q)) - M
    acceleration = system.forward_dynamics(ours(other, q), v) - a
    return {
        "mass matrix": float(abs(mass).max() / abs(M).max()),
        "accelerations": float(abs(acceleration).max() / abs(a).max()),
        "start": float(abs(begins).max()),
    }
