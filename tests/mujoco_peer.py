"""The same mechanism in MuJoCo, and the map between its coordinates and ours.

MuJoCo's conventions: a body's frame is our child-side frame; several joints in one body act in
order, parent side first; quaternions are (w, x, y, z), as ours; a ball's velocity is in the child's
frame, as ours. A free joint stands only under the world, its position and *linear velocity are in
world axes*, its angular velocity in the child's frame. There is no screw.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import touchback as tb
from random_mechanisms import JointData, Mechanism, matrix

KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "spherical")


@dataclass
class Peer:
    """A MuJoCo model at one instant, in our coordinates."""

    M: np.ndarray
    bias: np.ndarray
    tau: np.ndarray


def evaluate(
    mechanism: Mechanism, system: tb.System, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> Peer:
    """Mass matrix, bias and inverse dynamics by MuJoCo.

    With v_theirs = T v and τ = Tᵀ τ_theirs:  M = Tᵀ M_theirs T,  a_theirs = T a + Ṫ v."""
    model = mujoco.MjModel.from_xml_string(mjcf(mechanism))
    data = mujoco.MjData(model)
    q_theirs, T, drift = _theirs(mechanism, system, model, q, v)
    data.qpos[:], data.qvel[:] = q_theirs, T @ v
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    bias = data.qfrc_bias.copy() + M @ drift
    data.qacc[:] = T @ a + drift
    mujoco.mj_inverse(model, data)
    return Peer(T.T @ M @ T, T.T @ bias, T.T @ data.qfrc_inverse)


def _theirs(
    mechanism: Mechanism, system: tb.System, model: mujoco.MjModel, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Their positions, the matrix T and Ṫ v."""
    q_theirs, T, drift = np.zeros(model.nq), np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    row_q = row_v = 0
    for i in mechanism.depth_first():
        joint = mechanism.joints[i]
        at_q = [k for k, name in enumerate(system.coordinates) if name.split(".")[0] == f"j{i}"]
        at_v = [k for k, name in enumerate(system.velocities) if name.split(".")[0] == f"j{i}"]
        own = q[at_q]
        block = np.eye(len(at_v))
        if joint.kind == "free":
            X = matrix(joint.parent_place)
            placed = Rotation.from_matrix(X[:3, :3])
            turn = placed * Rotation.from_quat(own[[4, 5, 6, 3]])
            x, y, z, w = turn.as_quat()
            own = np.r_[X[:3, :3] @ own[:3] + X[:3, 3], w, x, y, z]
            R = turn.as_matrix()
            block[:3, :3] = R
            linear, angular = v[at_v[:3]], v[at_v[3:]]
            drift[row_v : row_v + 3] = R @ np.cross(angular, linear)
        q_theirs[row_q : row_q + len(at_q)] = own
        T[row_v : row_v + len(at_v), at_v] = block
        row_q, row_v = row_q + len(at_q), row_v + len(at_v)
    return q_theirs, T, drift


def mjcf(mechanism: Mechanism) -> str:
    """The mechanism as MJCF, depth first."""

    def bodies(parent: int, X_parent: np.ndarray) -> str:
        text = ""
        for i, joint in enumerate(mechanism.joints):
            if joint.parent == parent:
                to_body = np.linalg.inv(matrix(joint.child_place))
                text += (
                    f'<body name="b{i}" {_pose(X_parent @ matrix(joint.parent_place))}>'
                    f"{_joints(joint)}{_inertial(joint, to_body)}{bodies(i, to_body)}</body>"
                )
        return text

    return (
        f'<mujoco><compiler angle="radian" inertiafromgeom="false" autolimits="false"/>'
        f'<option gravity="{_numbers(mechanism.gravity)}"/>'
        f"<worldbody>{bodies(-1, np.eye(4))}</worldbody></mujoco>"
    )


def _joints(joint: JointData) -> str:
    n = "xyz".index(joint.normal)
    unit = np.eye(3)
    chain = {
        "fixed": [],
        "revolute": [("hinge", joint.axes[0])],
        "prismatic": [("slide", joint.axes[0])],
        "cylindrical": [("slide", joint.axes[0]), ("hinge", joint.axes[0])],
        "universal": [("hinge", joint.axes[0]), ("hinge", joint.axes[1])],
        "planar": [
            ("slide", unit[(n + 1) % 3]),
            ("slide", unit[(n + 2) % 3]),
            ("hinge", unit[n]),
        ],
        "spherical": [("ball", unit[0])],
        "free": [("free", unit[0])],
    }[joint.kind]
    return "".join(
        f'<joint type="{kind}"/>'
        if kind == "free"
        else f'<joint type="{kind}" axis="{_numbers(axis)}" armature="{joint.armature!r}"/>'
        for kind, axis in chain
    )


def _inertial(joint: JointData, X: np.ndarray) -> str:
    """Principal moments, so that MuJoCo has nothing to diagonalise."""
    moments, axes = np.linalg.eigh(joint.inertia)
    axes = axes if np.linalg.det(axes) > 0 else -axes
    at = np.eye(4)
    at[:3, :3], at[:3, 3] = axes, joint.com
    return f'<inertial mass="{joint.mass!r}" {_pose(X @ at)} diaginertia="{_numbers(moments)}"/>'


def _pose(X: np.ndarray) -> str:
    x, y, z, w = Rotation.from_matrix(X[:3, :3]).as_quat()
    return f'pos="{_numbers(X[:3, 3])}" quat="{_numbers([w, x, y, z])}"'


def _numbers(numbers: object) -> str:
    return " ".join(repr(float(x)) for x in numbers)  # type: ignore[attr-defined]
