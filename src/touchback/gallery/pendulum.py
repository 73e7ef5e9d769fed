"""A pendulum with a bob on a light rod: length and mass are live."""

from pathlib import Path

from touchback import Energy, Model, Position, Revolute
from touchback.gallery.entry import Entry, Experiment

FILE = Path(__file__).with_name("pendulum.yaml")  # the same mechanism as a model file


def make() -> Model:
    """The rod hangs along −z at zero angle and turns about y."""
    m = Model("pendulum")
    length = m.parameter("length", 1.0, unit="m", min=0.1, max=10.0)
    mass = m.parameter("mass", 1.0, unit="kg", min=0.01, max=100.0)
    bob = m.body("bob", mass=mass, com=(0, 0, -length))
    m.joint("pivot", Revolute("y"), m.ground, bob)
    m.sensor("bob position", Position(bob.at(0, 0, -length)))
    m.sensor("energy", Energy())
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
