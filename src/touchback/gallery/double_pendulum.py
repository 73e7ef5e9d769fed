"""Two rods, one hanging from the other: the simplest mechanism whose motion is chaotic."""

from touchback import Energy, Model, Position, Revolute
from touchback.gallery.entry import Entry, Experiment


def make() -> Model:
    """Both rods hang along −z at zero angles; the lower angle is relative to the upper rod."""
    m = Model("double pendulum")
    previous = m.ground.at(0, 0, 0)
    for name, length, mass in (("upper", 1.0, 1.0), ("lower", 0.8, 0.7)):
        moment = mass * length**2 / 12
        rod = m.body(name, mass=mass, com=(0, 0, -length / 2), inertia=(moment, moment, 0))
        m.joint(name, Revolute("y"), previous, rod)
        previous = rod.at(0, 0, -length)
    m.sensor("tip", Position(previous))
    m.sensor("energy", Energy())
    return m


ENTRY = Entry(
    "double-pendulum",
    "two rods, one hanging from the other: chaos from two angles",
    make,
    Experiment(10.0, positions={"upper": 2.2, "lower": 0.4}, signals=("upper", "lower")),
    sentences=(
        "Two rods, one hanging from the other, are let go from high up.",
        "Two angles are enough for chaos: starts that differ by a hair part within seconds, "
        "while the energy stays what it was.",
        "Reset it twice, touching the lower rod lightly the second time, and compare.",
    ),
)
