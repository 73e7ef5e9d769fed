"""A free body spun about its middle axis turns over again and again (Dzhanibekov's effect)."""

from touchback import AngularVelocity, Direction, Energy, Free, Model
from touchback.gallery.entry import Entry, Experiment


def make() -> Model:
    """A flat body without gravity; y is its middle axis."""
    m = Model("gyroscope", gravity=(0, 0, 0))
    racket = m.body("racket", mass=0.3, inertia=(3e-4, 1.5e-3, 1.8e-3))
    m.joint("flight", Free(), m.ground, racket)
    m.sensor("middle axis", Direction(racket.at(0, 0, 0), "y"))
    m.sensor("spin", AngularVelocity(racket.at(0, 0, 0)))
    m.sensor("energy", Energy())
    return m


ENTRY = Entry(
    "gyroscope",
    "a free body spun about its middle axis turns over again and again (tennis racket effect)",
    make,
    Experiment(
        8.0, rates={"flight.wx": 0.01, "flight.wy": 6.0}, signals=("flight.wy", "middle axis.y")
    ),
    sentences=(
        "A body without weight or pivot is spun about its middle axis of inertia.",
        "That axis is unstable: it turns over, stays for a while, and turns over again, with "
        "no torque at all.",
        "Grab a corner, give it another spin, and find the two axes about which it stays.",
    ),
)
