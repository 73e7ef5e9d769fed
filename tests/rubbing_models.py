"""Mechanisms whose constraints rub, shared by tests."""

import touchback as tb
from touchback.symbolic.functions import sqrt


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
