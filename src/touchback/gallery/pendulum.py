"""Pendulums: a bob on a light rod, whose length and mass are live; two rods, one hanging from the
other, the simplest mechanism whose motion is chaotic; and a chain of equal rods hanging from a
nail, let go from the horizontal."""

import math
from pathlib import Path

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment

FILE = Path(__file__).with_name("pendulum.yaml")  # the same mechanism as a model file


def make() -> tb.Model:
    """The rod hangs along −z at zero angle and turns about y."""
    m = tb.Model("pendulum")
    length = m.parameter("length", 1.0, unit="m", min=0.1, max=10.0)
    mass = m.parameter("mass", 1.0, unit="kg", min=0.01, max=100.0)
    bob = m.body("bob", mass=mass, com=(0, 0, -length))
    m.joint("pivot", tb.Revolute("y"), m.ground, bob)
    m.sensor("bob position", tb.Position(bob.at(0, 0, -length)))
    m.sensor("energy", tb.Energy())
    return m


ENTRY = Entry(
    "pendulum",
    "a bob on a light rod; its length and mass can be changed while it runs",
    make,
    Experiment(10.0, positions={"pivot": 1.0}, signals=("pivot", "bob position.x")),
    sentences=(
        "A bob hangs on a light rod from a pivot and swings under its own weight.",
        "Its period grows with the square root of the length and hardly with the swing; the "
        "mass plays no part.",
        'Drag the bob and let go, or turn "length" while it swings and watch the period follow.',
    ),
)


def make_double_pendulum() -> tb.Model:
    """Both rods hang along −z at zero angles; the lower angle is relative to the upper rod."""
    m = tb.Model("double pendulum")
    previous = m.ground.at(0, 0, 0)
    for name, length, mass in (("upper", 1.0, 1.0), ("lower", 0.8, 0.7)):
        moment = mass * length**2 / 12
        rod = m.body(name, mass=mass, com=(0, 0, -length / 2), inertia=(moment, moment, 0))
        m.joint(name, tb.Revolute("y"), previous, rod)
        previous = rod.at(0, 0, -length)
    m.sensor("tip", tb.Position(previous))
    m.sensor("energy", tb.Energy())
    return m


DOUBLE_PENDULUM = Entry(
    "double-pendulum",
    "two rods, one hanging from the other: chaos from two angles",
    make_double_pendulum,
    Experiment(10.0, positions={"upper": 2.2, "lower": 0.4}, signals=("upper", "lower")),
    sentences=(
        "Two rods, one hanging from the other, are let go from high up.",
        "Two angles are enough for chaos: starts that differ by a hair part within seconds, "
        "while the energy stays what it was.",
        "Reset it twice, touching the lower rod lightly the second time, and compare.",
    ),
)


def make_hanging_chain(links: int = 12, length: float = 1.0, mass: float = 1.0) -> tb.Model:
    """`links` rods share the length [m] and mass [kg]; they hang along −z at zero angles."""
    if links < 1:
        raise tb.InputError(f"A chain needs at least one link, got {links}.")
    m = tb.Model("hanging chain")
    each, weight = length / links, mass / links
    moment = weight * each**2 / 12
    previous = m.ground.at(0, 0, 0)
    for i in range(1, links + 1):
        rod = m.body(f"link {i}", mass=weight, com=(0, 0, -each / 2), inertia=(moment, moment, 0))
        m.joint(f"link {i}", tb.Revolute("y"), previous, rod)
        previous = rod.at(0, 0, -each)
    m.sensor("end", tb.Position(previous))
    m.sensor("energy", tb.Energy())
    return m


HANGING_CHAIN = Entry(
    "hanging-chain",
    "a chain of n rods let go from the horizontal (12 by default)",
    make_hanging_chain,
    Experiment(3.0, positions={"link 1": -math.pi / 2}, signals=("end.x", "end.z")),
    sentences=(
        "A chain of twelve rods hangs from a nail and is let go from the horizontal.",
        "Each link is one more coordinate, and all of them are one program of machine code.",
        "Drag its end in a circle and let a wave run up the chain.",
    ),
)
