"""Mechanisms that the laboratory is tested on."""

import touchback as tb
from touchback.system import System

OMEGA = 10.0  # of the oscillator [rad/s]
GRAVITY, LENGTH = 9.81, 1.0  # of the pendulum


def oscillator(damping: float = 0.0) -> System:
    m = tb.Model("oscillator", gravity=(0, 0, 0))
    m.joint(
        "x", tb.Prismatic("x"), m.ground, m.body("mass", mass=1.0),
        spring=OMEGA**2, damping=damping,
    )  # fmt: skip
    return m.compile()


def looped_pendulum() -> System:
    """A point mass that moves along x and z, and a massless rod that ties it to the origin."""
    m = tb.Model("pendulum as a loop", gravity=(0, 0, -GRAVITY))
    bob = m.body("bob", mass=1.0)
    carriage = m.body("carriage")
    m.joint("x", tb.Prismatic("x"), m.ground, carriage)
    m.joint("z", tb.Prismatic("z"), carriage, bob)
    m.close("rod", tb.Rod(LENGTH), m.ground, bob)
    return m.compile()


def engine() -> System:
    """A slider-crank whose slider is cut off: the piston is kept in its cylinder by a closure."""
    m = tb.Model("engine")
    crank = m.body("crank", mass=2.0, inertia=(2e-3, 2e-3, 2e-3))
    rod = m.body("rod", mass=0.5, com=(0.05, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    piston = m.body("piston", mass=0.4)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(0.04, 0, 0), rod)
    m.joint("pin", tb.Fixed(), rod.at(0.14, 0, 0), piston)
    m.close("cylinder", tb.PointOnPlane("z"), m.ground, piston)
    return m.compile()
