"""Pinocchio's own numbers of robots from URDF files, to compare imported models with."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from touchback.dynamics.kinematic_tree import coordinate_starts
from touchback.interop import ImportNotice, read_urdf
from touchback.model import Model

pin = pytest.importorskip("pinocchio")
BROKEN = {"falcon.urdf": "Z_propeller", "ur3.urdf": "no links"}  # Pinocchio refuses both


def robot_files() -> list[Path]:
    root = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    return sorted(root.rglob("*.urdf"))


def read_quietly(path: Path, floating_base: bool = False) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportNotice)
        return read_urdf(path, floating_base, mimic=False, meshes=False)


def matching_indices(model: Model, other: Any) -> tuple[list[int], list[tuple[int, int]]]:
    """Pinocchio's index of each of our velocities; for each joint its start in our q and its id."""
    q_starts, v_starts = coordinate_starts(model)
    velocities = [0] * other.nv
    positions = []
    for j in range(1, other.njoints):
        name = "root" if other.names[j] == "root_joint" else other.names[j]
        positions.append((q_starts[name], j))
        for offset in range(other.joints[j].nv):
            velocities[v_starts[name] + offset] = other.joints[j].idx_v + offset
    return velocities, positions


def our_positions(q: np.ndarray, other: Any, positions: list[tuple[int, int]]) -> np.ndarray:
    """Pinocchio's q in our order: angles for its (cos, sin) pairs, quaternions with w first."""
    ours: dict[int, float] = {}
    for start, j in positions:
        joint = other.joints[j]
        own = q[joint.idx_q : joint.idx_q + joint.nq]
        if joint.nq == 2:
            own = [np.arctan2(own[1], own[0])]
        elif joint.nq == 7:
            own = [*own[:3], own[6], *own[3:6]]
        ours.update({start + offset: float(number) for offset, number in enumerate(own)})
    return np.array([ours[i] for i in range(len(ours))])


def random_positions(rng: np.random.Generator, other: Any) -> np.ndarray:
    return pin.integrate(other, pin.neutral(other), rng.uniform(-1.5, 1.5, other.nv))


def difference(model: Model, other: Any, seed: int) -> dict[str, float]:
    """At a random state: the largest differences, of the largest entry."""
    rng = np.random.default_rng(seed)
    v, a = rng.uniform(-1, 1, (2, other.nv))
    q = random_positions(rng, other)
    order, positions = matching_indices(model, other)
    assert sum(joint.kind.nv for joint in model.joints.values()) == other.nv
    system, here = model.compile(), our_positions(q, other, positions)
    data = other.createData()
    M = pin.crba(other, data, q, pin.Convention.WORLD)
    M = np.triu(M) + np.triu(M, 1).T
    pairs = {
        "mass matrix": (system.mass_matrix(here), M[np.ix_(order, order)]),
        "bias": (system.bias(here, v[order]), pin.nonLinearEffects(other, data, q, v)[order]),
        "inverse dynamics": (
            system.inverse_dynamics(here, v[order], a[order]),
            pin.rnea(other, data, q, v, a)[order],
        ),
    }
    found = {}
    for what, (ours, theirs) in pairs.items():
        largest = max(float(np.abs(theirs).max(initial=0.0)), 1e-300)
        found[what] = float(np.abs(ours - theirs).max(initial=0.0)) / largest
    return found
