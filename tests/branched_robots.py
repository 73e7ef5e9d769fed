"""Robots with isomorphic and almost isomorphic branches."""

import numpy as np
import pytest

import touchback as tb
from touchback.codegen import kinematic_branch_simd
from touchback.codegen.emit_machine_code import TARGETS
from touchback.codegen.host_cpu import host_target

HOST = host_target()[0]
RUNNING = [name for name in TARGETS if HOST is not None and HOST.startswith(name)]
HALF_TURN = np.pi


def pack_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Branches go side by side, whether it pays or not."""
    monkeypatch.setattr(
        kinematic_branch_simd, "GAIN", dict.fromkeys(kinematic_branch_simd.GAIN, 0.0)
    )
    monkeypatch.setattr(kinematic_branch_simd, "FEWEST", 0)


_LEG = (  # axis, where the next joint is, mass, centre of mass, moments of inertia: a dog's size
    ("x", (0.0, 0.08, 0.0), 0.7, (0.005, 0.01, 0.0), (5e-4, 6e-4, 5e-4)),
    ("y", (0.0, 0.0, -0.2), 1.0, (-0.003, -0.02, -0.03), (5e-3, 5e-3, 1e-3)),
    ("y", (0.0, 0.0, -0.2), 0.2, (0.006, 0.0, -0.1), (3e-3, 3e-3, 3e-5)),
)


def quadruped() -> tb.Model:
    """Left legs mirror right ones, fore and hind ones are the same."""
    m = tb.Model("quadruped", gravity=(0, 0, -9.81))
    trunk = m.body("trunk", 10.0, (0.01, 0, 0.02), (0.1, 0.2, 0.25))
    m.joint("floating", tb.Free(), m.ground, trunk)
    for fore, side in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        above = trunk.at(0.2 * fore, 0.05 * side, 0)
        leg = f"{'fore' if fore > 0 else 'hind'} {'left' if side > 0 else 'right'}"
        for j, (axis, (x, y, z), mass, com, inertia) in enumerate(_LEG):
            body = m.body(f"{leg} {j}", mass, (com[0], side * com[1], com[2]), inertia)
            m.joint(f"{leg} {j}", tb.Revolute(axis), above, body)
            above = body.at(x, side * y, z)
    return m


def random_robot(seed: int) -> tb.Model:
    """Branches of the same kinds of joints on a trunk; axes, places and inertias are alike or at
    random; branches have springs, efforts and parameters of their own, some to each other."""
    rng = np.random.default_rng(seed)
    m = tb.Model(f"robot {seed}", gravity=(0.1, 0, -9.81))
    trunk = m.body("trunk", 5.0, tuple(rng.normal(size=3) * 0.1), (0.1, 0.2, 0.25))
    m.joint("trunk", tb.Free() if rng.random() < 0.7 else tb.Revolute("z"), m.ground, trunk)
    kinds = rng.choice(["turn", "turn", "turn", "slide", "universal", "ball"], rng.integers(2, 5))
    feet = []
    for branch in range(int(rng.choice((2, 3, 4, 5, 6)))):
        above = trunk.at(*_place(rng), turn=("z", float(rng.normal())))
        for j, kind in enumerate(kinds):
            scale = m.parameter(f"mass {branch} {j}", 0.5 + rng.random(), min=0.1)
            mass = scale if rng.random() < 0.2 else 0.5 + 0.1 * j
            com = _place(rng) if rng.random() < 0.8 else (0.0, 0.0, 0.0)
            body = m.body(f"body {branch} {j}", mass, com, (0.01, 0.012, 0.015))
            m.joint(f"joint {branch} {j}", _joint(kind, rng), above, body)
            above = body.at(*_place(rng), turn=("x", float(rng.choice((0.0, 0.3, HALF_TURN / 2)))))
        feet.append(above)
        pull = m.input(f"pull {branch}")
        m.force(f"spring {branch}", tb.SpringDamper(m.ground.at(branch, 0, 0), above,
                stiffness=20.0 + branch, damping=pull, length=0.5))  # fmt: skip
    if rng.random() < 0.5:
        m.force("between", tb.SpringDamper(feet[0], feet[1], stiffness=30.0, damping=1.0))
    return m


def _place(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = np.where(rng.random(3) < 0.4, rng.choice((0.0, 0.1, -0.1), 3), rng.normal(size=3))
    return float(x), float(y), float(z)


def _joint(kind: str, rng: np.random.Generator) -> tb.JointKind:
    axes = "xyz" if rng.random() < 0.2 else "zxy"
    if kind == "slide":
        return tb.Prismatic(axes[0])
    if kind == "universal":
        return tb.Universal(axes[0], axes[1])
    return tb.Spherical() if kind == "ball" else tb.Revolute(axes[0])
