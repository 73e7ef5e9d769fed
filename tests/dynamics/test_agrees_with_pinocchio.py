"""Every kind of joint, as root and as leaf of random trees, against Pinocchio.

Both engines round differently along at most six joints; 1e-12 of the largest number compared is
some hundred times the rounding that was seen.
"""

import numpy as np
import pytest
from hypothesis import given

import touchback as tb
from random_mechanisms import KINDS, Mechanism, examples, mechanisms, scale

pin = pytest.importorskip("pinocchio")
from pinocchio_peer import Peer, build  # noqa: E402

TOLERANCE = 1e-12


def close(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    error = float(np.abs(np.asarray(ours) - theirs).max(initial=0.0))
    assert error <= TOLERANCE * scale(theirs), f"{what}: {error:.3g} off"


@pytest.mark.parametrize("place", ["root", "leaf"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_agrees(kind: str, place: str) -> None:
    @examples(3)
    @given(mechanisms(**{place: kind}))
    def agrees(mechanism: Mechanism) -> None:
        system = mechanism.model().compile()
        if system.sizes[1] == 0:
            return
        peer = build(mechanism, system)
        state = mechanism.state(system)
        dynamics_agree(system, peer, *state)
        motion_agrees(mechanism, system, peer, *state)
        totals_agree(system, peer, *state[:2])

    agrees()


def mass_matrix(peer: Peer, q_theirs: np.ndarray) -> np.ndarray:
    """Pinocchio fills the upper triangle only, and flattens a matrix of one entry."""
    n = peer.model.nv
    M = np.triu(np.array(pin.crba(peer.model, peer.data, q_theirs)).reshape(n, n))
    return np.asarray(M + np.triu(M, 1).T)


def dynamics_agree(
    system: tb.System, peer: Peer, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> None:
    model, data = peer.model, peer.data
    q_p, v_p, a_p = peer.q(q), peer.v(v), peer.v(a)
    M = mass_matrix(peer, q_p)
    order = np.ix_(peer.v_of, peer.v_of)
    close(system.mass_matrix(q), M[order], "mass matrix")
    close(system.bias(q, v), pin.nonLinearEffects(model, data, q_p, v_p)[peer.v_of], "bias")
    tau = pin.rnea(model, data, q_p, v_p, a_p)[peer.v_of]
    close(system.inverse_dynamics(q, v, a), tau, "inverse dynamics")
    # Accelerations lose digits with the condition of M, so the residual is what can be demanded.
    found = system.forward_dynamics(q, v, tau=tau)
    residual = np.abs(M[order] @ found + system.bias(q, v) - tau).max()
    size = np.abs(M).max() * np.abs(found).max() + scale(tau, system.bias(q, v))
    assert residual <= 1e-13 * size, f"forward dynamics: residual {residual / size:.3g}"


def motion_agrees(
    mechanism: Mechanism,
    system: tb.System,
    peer: Peer,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
) -> None:
    model, data = peer.model, peer.data
    pin.forwardKinematics(model, data, peer.q(q), peer.v(v), peer.v(a))
    pin.computeJointJacobians(model, data, peer.q(q))
    world = pin.LOCAL_WORLD_ALIGNED
    for i in (0, len(mechanism.joints) - 1):
        joint = peer.joint_of[i]
        if joint == 0:
            continue
        body = tb.Frame(f"b{i}")
        # a frame of theirs at the origin of our body
        number = model.addFrame(
            pin.Frame(f"b{i}", joint, pin.SE3(peer.home[i]), pin.FrameType.OP_FRAME)
        )
        fresh = model.createData()
        pin.forwardKinematics(model, fresh, peer.q(q), peer.v(v), peer.v(a))
        pose = pin.updateFramePlacement(model, fresh, number)
        R, p = system.pose(body, q)
        close(R, pose.rotation, "rotation")
        close(p, pose.translation, "position")
        velocity = pin.getFrameVelocity(model, fresh, number, world)
        close(system.velocity(body, q, v), np.r_[velocity.angular, velocity.linear], "velocity")
        acceleration = pin.getFrameClassicalAcceleration(model, fresh, number, world)
        close(
            system.acceleration(body, q, v, a),
            np.r_[acceleration.angular, acceleration.linear],
            "acceleration",
        )
        J = pin.computeFrameJacobian(model, fresh, peer.q(q), number, world)
        close(system.jacobian(body, q), np.r_[J[3:], J[:3]][:, peer.v_of], "Jacobian")


def totals_agree(system: tb.System, peer: Peer, q: np.ndarray, v: np.ndarray) -> None:
    model, data = peer.model, peer.data
    q_p, v_p = peer.q(q), peer.v(v)
    kinetic, potential = system.energy(q, v)
    # not computeKineticEnergy: Pinocchio 4.1 counts the rotors of some joint models there only
    close(np.array(kinetic), 0.5 * v_p @ mass_matrix(peer, q_p) @ v_p, "kinetic energy")
    fixed = model.inertias[0]  # to the universe, which Pinocchio leaves out
    theirs = pin.computePotentialEnergy(model, data, q_p)
    theirs -= fixed.mass * model.gravity.linear @ fixed.lever
    close(np.array(potential), theirs, "potential energy")
    com = pin.centerOfMass(model, data, q_p)
    close(system.centre_of_mass(q), com, "centre of mass")
    h = pin.computeCentroidalMomentum(model, data, q_p, v_p)
    about_origin = h.angular + np.cross(com, h.linear)
    close(system.momentum(q, v), np.array([h.linear, about_origin]), "momentum")
