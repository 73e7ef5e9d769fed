"""A chain of equal rods hanging from a nail, let go from the horizontal."""

import math

from touchback import Energy, Model, Position, Revolute
from touchback.errors import InputError
from touchback.gallery.entry import Entry, Experiment


def make(links: int = 12, length: float = 1.0, mass: float = 1.0) -> Model:
    """`links` rods share the length [m] and mass [kg]; they hang along −z at zero angles."""
    if links < 1:
        raise InputError(f"A chain needs at least one link, got {links}.")
    m = Model("hanging chain")
    each, weight = length / links, mass / links
    moment = weight * each**2 / 12
    previous = m.ground.at(0, 0, 0)
    for i in range(1, links + 1):
        rod = m.body(f"link {i}", mass=weight, com=(0, 0, -each / 2), inertia=(moment, moment, 0))
        m.joint(f"link {i}", Revolute("y"), previous, rod)
        previous = rod.at(0, 0, -each)
    m.sensor("end", Position(previous))
    m.sensor("energy", Energy())
    return m


ENTRY = Entry(
    "hanging-chain",
    "a chain of n rods let go from the horizontal (12 unless told otherwise)",
    make,
    Experiment(3.0, positions={"link 1": -math.pi / 2}, signals=("end.x", "end.z")),
    sentences=(
        "A chain of twelve rods hangs from a nail and is let go from the horizontal.",
        "Each link is one more coordinate, and all of them are one program of machine code.",
        "Drag its end in a circle and let a wave run up the chain.",
    ),
)
