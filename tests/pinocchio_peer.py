"""The same mechanism in Pinocchio, and the map between its coordinates and ours.

Pinocchio's conventions: joints are added depth first; a joint's frame is our child-side frame;
quaternions are (x, y, z, w); velocities of free and spherical joints are in the child's frame, as
ours; spatial vectors are (linear, angular), ours (angular, linear). Cylindrical, universal and
planar joints are chains of massless primitives. Rigid joints are not joints: bodies are appended.
"""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import touchback as tb
from random_mechanisms import JointData, Mechanism, matrix


@dataclass
class Peer:
    """A Pinocchio model; `q_of` and `v_of` give the index of theirs for each of our coordinates."""

    model: pin.Model
    data: pin.Data
    q_of: list[int]
    v_of: list[int]
    joint_of: list[int]  # their joint that moves each of our bodies
    home: list[np.ndarray]  # X_JB of each of our bodies in it

    def q(self, ours: np.ndarray) -> np.ndarray:
        theirs = pin.neutral(self.model)
        theirs[self.q_of] = ours
        return theirs

    def v(self, ours: np.ndarray) -> np.ndarray:
        theirs = np.zeros(self.model.nv)
        theirs[self.v_of] = ours
        return theirs


def build(mechanism: Mechanism, system: tb.System) -> Peer:
    """The Pinocchio model of a mechanism."""
    model = pin.Model()
    model.gravity.linear = mechanism.gravity
    joint_of = [0] * len(mechanism.joints)
    home = [np.eye(4)] * len(mechanism.joints)
    q_of = [0] * system.sizes[0]
    v_of = [0] * system.sizes[1]
    for i in mechanism.depth_first():
        joint = mechanism.joints[i]
        parent = 0 if joint.parent < 0 else joint_of[joint.parent]
        X = np.eye(4) if joint.parent < 0 else home[joint.parent]
        X = X @ matrix(joint.parent_place)
        numbers_q = [
            k for k, name in enumerate(system.coordinates) if name.split(".")[0] == f"j{i}"
        ]
        numbers_v = [k for k, name in enumerate(system.velocities) if name.split(".")[0] == f"j{i}"]
        for step, primitive in enumerate(primitives(joint)):
            parent = model.addJoint(parent, primitive, pin.SE3(X), f"j{i}.{step}")
            X = np.eye(4)
            q, v = _indices(model, parent)
            for k, index in zip(numbers_q, q):
                q_of[k] = index
            for k, index in zip(numbers_v, v):
                v_of[k] = index
            model.armature[v] = joint.armature
            numbers_q, numbers_v = numbers_q[len(q) :], numbers_v[len(v) :]
        joint_of[i], home[i] = parent, X @ np.linalg.inv(matrix(joint.child_place))
        inertia = pin.Inertia(joint.mass, joint.com, joint.inertia)
        model.appendBodyToJoint(parent, inertia, pin.SE3(home[i]))
    return Peer(model, model.createData(), q_of, v_of, joint_of, home)


def _indices(model: pin.Model, joint: int) -> tuple[list[int], list[int]]:
    """Their coordinates of a joint in the order of ours."""
    q0, v0 = model.joints[joint].idx_q, model.joints[joint].idx_v
    nq, nv = model.joints[joint].nq, model.joints[joint].nv
    q = list(range(q0, q0 + nq))
    if nq != nv:  # ours: w, x, y, z
        q = [*q[:-4], q[-1], *q[-4:-1]]
    return q, list(range(v0, v0 + nv))


def primitives(joint: JointData) -> list[object]:
    """Pinocchio's joint models of a joint, parent side first."""
    units = [axis / np.linalg.norm(axis) for axis in joint.axes]
    n = "xyz".index(joint.normal)
    unit = np.eye(3)
    return {
        "fixed": lambda: [],
        "revolute": lambda: [pin.JointModelRevoluteUnaligned(units[0])],
        "prismatic": lambda: [pin.JointModelPrismaticUnaligned(units[0])],
        "screw": lambda: [pin.JointModelHelicalUnaligned(units[0], joint.pitch)],
        "cylindrical": lambda: [
            pin.JointModelPrismaticUnaligned(units[0]),
            pin.JointModelRevoluteUnaligned(units[0]),
        ],
        "universal": lambda: [
            pin.JointModelRevoluteUnaligned(units[0]),
            pin.JointModelRevoluteUnaligned(units[1]),
        ],
        "planar": lambda: [
            pin.JointModelPrismaticUnaligned(unit[(n + 1) % 3]),
            pin.JointModelPrismaticUnaligned(unit[(n + 2) % 3]),
            pin.JointModelRevoluteUnaligned(unit[n]),
        ],
        "spherical": lambda: [pin.JointModelSpherical()],
        "free": lambda: [pin.JointModelFreeFlyer()],
    }[joint.kind]()
