"""The mechanisms under test: chains and trees of revolute joints with general placements."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import touchback as tb

Floats = NDArray[np.float64]

GRAVITY = (0.0, 0.0, -9.81)
AXES = "xyz"


@dataclass(frozen=True)
class Placement:
    """A point and three turns about moving axes."""

    at: tuple[float, float, float]
    turn: tuple[tuple[str, float], ...]

    def rotation(self) -> Floats:
        """R of the turns."""
        R = np.eye(3)
        for axis, angle in self.turn:
            R = R @ _turn(AXES.index(axis), angle)
        return R


@dataclass(frozen=True)
class Link:
    """A body and the revolute joint that carries it; `parent` −1 is the ground."""

    parent: int
    axis: str
    on_parent: Placement
    on_child: Placement
    mass: float
    com: Floats
    inertia: Floats  # 3 × 3, about the centre of mass


@dataclass(frozen=True)
class Mechanism:
    """Links, parents before children and depth first, as Pinocchio wants them."""

    shape: str
    links: tuple[Link, ...]

    @property
    def size(self) -> int:
        """Number of joints."""
        return len(self.links)

    def model(self) -> tb.Model:
        """The description for Touchback."""
        model = tb.Model(f"{self.shape} of {self.size}", gravity=GRAVITY)
        bodies = [
            model.body(f"body {i}", link.mass, list(link.com), list(link.inertia))
            for i, link in enumerate(self.links)
        ]
        for i, link in enumerate(self.links):
            parent = model.ground if link.parent < 0 else bodies[link.parent]
            model.joint(
                f"joint {i}",
                tb.Revolute(link.axis),
                parent.at(*link.on_parent.at, turn=link.on_parent.turn),
                bodies[i].at(*link.on_child.at, turn=link.on_child.turn),
            )
        return model


@dataclass(frozen=True)
class Arrays:
    """A mechanism as engines with one frame a joint want it: everything in joint frames.

    Rows of `placement`: R (by rows) and p in the parent's joint frame; of `inertia`: mass, centre
    of mass, xx, yy, zz, xy, xz, yz.
    """

    parent: NDArray[np.int64]
    axis: NDArray[np.int64]
    placement: Floats
    inertia: Floats


def in_joint_frames(mechanism: Mechanism) -> Arrays:
    """The mechanism with each body described in the child frame of its joint."""
    placement, inertia = [], []
    for link in mechanism.links:
        R, p = link.on_parent.rotation(), np.array(link.on_parent.at)
        if link.parent >= 0:
            above = mechanism.links[link.parent].on_child
            turned = above.rotation().T
            R, p = turned @ R, turned @ (p - above.at)
        placement.append([*R.ravel(), *p])
        own = link.on_child.rotation()
        J = own.T @ link.inertia @ own
        com = own.T @ (link.com - link.on_child.at)
        inertia.append([link.mass, *com, *np.diag(J), J[0, 1], J[0, 2], J[1, 2]])
    return Arrays(
        np.array([link.parent for link in mechanism.links], dtype=np.int64),
        np.array([AXES.index(link.axis) for link in mechanism.links], dtype=np.int64),
        np.array(placement),
        np.array(inertia),
    )


def make(shape: str, size: int) -> Mechanism:
    """A "chain", or a depth-first binary "tree"; the same one every time."""
    rng = np.random.default_rng(size)
    parents = list(range(-1, size - 1)) if shape == "chain" else _binary(size)
    return Mechanism(shape, tuple(random_link(rng, parent) for parent in parents))


def _binary(size: int) -> list[int]:
    """Parents of a balanced binary tree, numbered depth first."""
    parents: list[int] = []

    def grow(parent: int, count: int) -> None:
        if count == 0:
            return
        me = len(parents)
        parents.append(parent)
        grow(me, count // 2)
        grow(me, count - 1 - count // 2)

    grow(-1, size)
    return parents


def random_link(rng: np.random.Generator, parent: int) -> Link:
    """Five point masses make a body whose inertia some body has."""
    masses, points = rng.uniform(0.1, 0.5, 5), 0.2 * rng.standard_normal((5, 3))
    com = masses @ points / masses.sum()
    arms = points - com
    squares = np.einsum("i,ij,ik->jk", masses, arms, arms)
    inertia = np.trace(squares) * np.eye(3) - squares
    return Link(
        parent, AXES[rng.integers(3)], _random_placement(rng), _random_placement(rng),
        float(masses.sum()), com, inertia,
    )  # fmt: skip


def _random_placement(rng: np.random.Generator) -> Placement:
    x, y, z = (float(item) for item in 0.3 * rng.standard_normal(3))
    return Placement((x, y, z), tuple((axis, float(rng.uniform(-3, 3))) for axis in "zxy"))


def _turn(axis: int, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R
