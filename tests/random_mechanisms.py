"""Random trees of bodies, described apart from any engine, and their Touchback models.

Conventions of a description: `parent_place` and `child_place` are (position, three angles about the
moving axes z, x, y) of the joint's frames in the parent body and in the child body.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import Phase, settings, strategies as st
from scipy.spatial.transform import Rotation

import touchback as tb

KINDS = (
    "fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical",
    "free",
)  # fmt: skip


def examples(count: int) -> settings:
    """Settings of a test over `count` random mechanisms.

    Seeds don't shrink to simpler mechanisms, so only generation is asked for.
    """
    return settings(max_examples=count, phases=[Phase.generate])


Place = tuple[np.ndarray, np.ndarray]


@dataclass
class JointData:
    """One joint and the body it carries. `parent` is the number of the parent body, −1: ground."""

    kind: str
    parent: int
    parent_place: Place
    child_place: Place
    axes: tuple[np.ndarray, ...]
    pitch: float
    normal: str
    armature: float
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # about the centre of mass, body axes

    @property
    def touchback_kind(self) -> tb.JointKind:
        axes = [tuple(map(float, axis)) for axis in self.axes]
        return {
            "fixed": lambda: tb.Fixed(),
            "revolute": lambda: tb.Revolute(axes[0]),
            "prismatic": lambda: tb.Prismatic(axes[0]),
            "screw": lambda: tb.Screw(axes[0], self.pitch),
            "cylindrical": lambda: tb.Cylindrical(axes[0]),
            "universal": lambda: tb.Universal(axes[0], axes[1]),
            "planar": lambda: tb.Planar(self.normal),
            "spherical": lambda: tb.Spherical(),
            "free": lambda: tb.Free(),
        }[self.kind]()


@dataclass
class Mechanism:
    """Joints, parents before children, and gravity."""

    joints: list[JointData]
    gravity: np.ndarray
    seed: int
    rng: np.random.Generator = field(repr=False)

    def __repr__(self) -> str:
        tree = ", ".join(f"{joint.parent}:{joint.kind}" for joint in self.joints)
        return f"Mechanism(seed={self.seed}, {tree})"

    def model(self, live: bool = False) -> tb.Model:
        """The Touchback model: bodies b0, b1, …, joints j0, j1, …; `live`: with parameters."""
        m = tb.Model("random", gravity=tuple(self.gravity))
        choose = np.random.default_rng(self.seed)

        def value(x: float) -> Any:
            """Every other number as a live parameter."""
            if not live or choose.random() < 0.5:
                return float(x)
            return m.parameter(f"p{len(m.parameters)}", float(x))

        def values(numbers: np.ndarray) -> Any:
            return tuple(map(value, numbers)) if numbers.ndim == 1 else numbers

        def place(given: Place) -> Place:
            whole = choose.random() < 0.3  # a place all of numbers: the frame pass may touch it
            return given if whole else (values(given[0]), values(given[1]))  # type: ignore[return-value]

        bodies = [
            m.body(f"b{i}", value(j.mass), values(j.com), values(j.inertia))
            for i, j in enumerate(self.joints)
        ]
        for i, joint in enumerate(self.joints):
            parent = m.ground if joint.parent < 0 else bodies[joint.parent]
            m.joint(
                f"j{i}",
                joint.touchback_kind,
                frame(parent, place(joint.parent_place)),
                frame(bodies[i], place(joint.child_place)),
                armature=value(joint.armature) if joint.kind != "fixed" else None,
            )
        return m

    def child_frame(self, i: int) -> tb.Frame:
        """The child-side frame of joint i."""
        return frame(_Named(f"b{i}"), self.joints[i].child_place)

    def state(self, system: tb.System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Random q (unit quaternions), v and a."""
        q = self.rng.standard_normal(system.sizes[0])
        names = system.coordinates
        for i, name in enumerate(names):
            if name.endswith(".qw"):
                q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
        nv = system.sizes[1]
        return q, self.rng.standard_normal(nv), self.rng.standard_normal(nv)

    def depth_first(self) -> list[int]:
        """Joint numbers, depth first."""
        order: list[int] = []

        def visit(parent: int) -> None:
            for i, joint in enumerate(self.joints):
                if joint.parent == parent:
                    order.append(i)
                    visit(i)

        visit(-1)
        return order


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, x: float, y: float, z: float, turn: object) -> tb.Frame:
        turns = tuple((axis, float(angle)) for axis, angle in turn)  # type: ignore[attr-defined]
        return tb.Frame(self.name, (float(x), float(y), float(z)), turns)


def frame(body: object, place: Place) -> tb.Frame:
    """The frame of a body at a place."""
    position, angles = place
    turn = list(zip("zxy", angles, strict=True))
    return body.at(*position, turn=turn)  # type: ignore[attr-defined, no-any-return]


def matrix(place: Place) -> np.ndarray:
    """The 4×4 pose of a place."""
    X = np.eye(4)
    X[:3, :3] = Rotation.from_euler("ZXY", place[1]).as_matrix()
    X[:3, 3] = place[0]
    return X


def random_mechanism(seed: int, kinds: tuple[str, ...] = KINDS, root: str | None = None,
                     leaf: str | None = None, size: int = 5) -> Mechanism:  # fmt: skip
    """A tree of `size` bodies; `root` carries the first from the ground, `leaf` the last."""
    rng = np.random.default_rng(seed)
    joints = []
    for i in range(size):
        kind = kinds[rng.integers(len(kinds))]
        if i == 0 and root is not None:
            kind = root
        if i == size - 1 and leaf is not None:
            kind = leaf
        parent = -1 if i == 0 else int(rng.integers(max(-1, i - 3), i))
        joints.append(_joint(rng, kind, i - 1 if i == size - 1 else parent))
    return Mechanism(joints, rng.standard_normal(3) * 5.0, seed, rng)


def _joint(rng: np.random.Generator, kind: str, parent: int) -> JointData:
    points = rng.standard_normal((5, 3)) * 0.2  # a real distribution of mass
    weights = rng.uniform(0.1, 0.5, 5)
    com = weights @ points / weights.sum()
    arms = points - com
    inertia = sum(w * ((r @ r) * np.eye(3) - np.outer(r, r)) for w, r in zip(weights, arms))
    return JointData(
        kind, parent, _place(rng, 0.5), _place(rng, 0.3),
        _two_axes(rng), float(rng.uniform(-0.3, 0.3)),
        "xyz"[rng.integers(3)], float(rng.choice([0.0, 0.05])),
        float(weights.sum()), com, inertia,
    )  # fmt: skip


def _place(rng: np.random.Generator, size: float) -> Place:
    """General, or a plain shift, or quarter turns: each has its own path in the derivation."""
    style = rng.integers(4)
    angles = rng.uniform(-3.0, 3.0, 3)
    if style == 0:
        angles = np.zeros(3)
    elif style == 1:
        angles = rng.integers(-1, 3, 3) * np.pi / 2
    return rng.standard_normal(3) * size, angles


def _axis(rng: np.random.Generator) -> np.ndarray:
    """A coordinate axis, its opposite, or any direction (not of unit length)."""
    style = rng.integers(3)
    if style == 2:
        return rng.standard_normal(3)
    unit = np.zeros(3)
    unit[rng.integers(3)] = 1.0 if style == 0 else -1.0
    return unit


def _two_axes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two axes that are not nearly parallel: a universal joint needs both."""
    while True:
        one, two = _axis(rng), _axis(rng)
        cosine = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
        if abs(cosine) < 0.9:
            return one, two


def mechanisms(**options: object) -> st.SearchStrategy[Mechanism]:
    """Random mechanisms as a Hypothesis strategy."""
    seeds = st.integers(0, 2**32 - 1)
    return seeds.map(lambda seed: random_mechanism(seed, **options))  # type: ignore[arg-type]


def scale(*arrays: np.ndarray) -> float:
    """The size of what is compared, for relative tolerances."""
    return max(1.0, *(float(np.abs(array).max(initial=0.0)) for array in arrays))
