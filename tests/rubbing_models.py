"""Mechanisms whose constraints rub, shared by tests."""

import numpy as np

import touchback as tb
from touchback.symbolic.math_functions import sin, sqrt

G = 9.81


def hoop(sign: float, slip_speed: float = 1e-6) -> tb.Model:
    """A bead on a hoop of 1 m without weight; the hoop's force pulls (1) or pushes (−1)."""
    m = tb.Model("bead on a hoop", gravity=(0, 0, 0))
    m.body("carriage", mass=0.0)
    m.body("bead", mass=0.1)
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage", position=1.0)
    m.joint("y", tb.Prismatic("y"), "carriage", "bead")
    x, y = m.coordinate("x"), m.coordinate("y")
    r = sqrt(x * x + y * y)
    slides = (x * m.rate("y") - y * m.rate("x")) / r
    mu = m.parameter("mu", 0.3, min=0.0)
    m.constrain(
        "hoop", sign * (r - 1.0), unit="m", friction=mu, slides=slides, slip_speed=slip_speed
    )
    return m


def leaning_rod(gravity: float = -G) -> tb.Model:
    """A rod of 1 kg and 1 m in a plane, its tip (0.5, 0, 0) on the ground, leaning by 1 rad."""
    m = tb.Model("rod", gravity=(0, 0, gravity))
    m.body("carriage", mass=0.0)
    m.body("lift", mass=0.0)
    m.body("rod", mass=1.0, inertia=(0.0, 1.0 / 12.0, 1.0 / 12.0))
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage")
    m.joint("z", tb.Prismatic("z"), "carriage", "lift", position=0.5 * np.sin(1.0))
    m.joint("lean", tb.Revolute("y"), "lift", "rod", position=1.0)
    return m


def rod(mu: float, sign: float = 1.0, gravity: float = -G, held: int = 0) -> tb.System:
    """Painlevé's rod, its tip kept on the ground by a constraint that rubs; beside it a weight that
    is `held` so many times."""
    m = leaning_rod(gravity)
    for k in range(held):
        if not k:
            m.body("weight", mass=2.0)
            m.joint("hangs", tb.Prismatic("z"), m.ground, "weight")
        m.constrain(f"rope {k}", (k + 1.0) * m.coordinate("hangs"), unit="m")
    lean = m.coordinate("lean")
    height = m.coordinate("z") - 0.5 * sin(lean)
    slides = m.rate("x") - 0.5 * sin(lean) * m.rate("lean")
    m.constrain("tip", sign * height, unit="m", friction=mu, slides=slides, slip_speed=1e-6)
    return m.compile()
