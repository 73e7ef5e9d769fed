"""A moored float under water: buoyancy, drag in a current, and a rope that can only pull."""

from touchback.gallery.entry import Entry, Experiment
from touchback.model import Model
from touchback.model.forces import Buoyancy, Drag, LinkForce
from touchback.model.joints import Free
from touchback.model.sensors import Distance, Position, Signal
from touchback.symbolic.functions import maximum

MASS, VOLUME, AREA, COEFFICIENT, WATER = 25.0, 0.04, 0.15, 0.9, 1025.0
ROPE, STIFFNESS, LOSS = 6.0, 4000.0, 300.0  # m, N/m, N s/m
ROD = 0.4  # m, from the shackle to the top of the float


def make() -> Model:
    """The ground's origin is the anchor; the current flows along x."""
    m = Model("buoy")
    current = m.parameter("current", 0.8, unit="m/s", min=0.0, max=3.0)
    buoy = m.body("float", mass=MASS, com=(0, 0, 0.1), inertia=(0.6, 0.6, 0.5))
    m.joint("sea", Free(), m.ground, buoy, position=(0.5, 0, ROPE, 1, 0, 0, 0))
    m.force("buoyancy", Buoyancy(buoy.at(0, 0, ROD / 2), VOLUME, WATER))
    for name, height in (("low drag", 0.0), ("high drag", ROD)):
        m.force(name, Drag(buoy.at(0, 0, height), AREA / 2, COEFFICIENT, WATER, (current, 0, 0)))

    rope, rope_rate = m.sensor("rope", Distance(m.ground.at(0, 0, 0), buoy.at(0, 0, 0)))
    tension = maximum(STIFFNESS * (rope - ROPE) + LOSS * rope_rate, 0.0)
    m.force("rope", LinkForce(m.ground.at(0, 0, 0), buoy.at(0, 0, 0), tension))
    m.sensor("float position", Position(buoy.at(0, 0, 0)))
    m.sensor("float top", Position(buoy.at(0, 0, ROD)))
    m.sensor("tension", Signal(tension, "N"))
    return m


ENTRY = Entry(
    "buoy",
    "a moored float under water: buoyancy, drag in a current, a rope that can only pull",
    make,
    Experiment(60.0, signals=("float position.x", "float position.z", "tension")),
    sentences=(
        "A float is moored by a rope and drifts in a current.",
        "Buoyancy lifts it, drag carries it along, and the rope, which can only pull, holds it.",
        'Turn "current" up and see the rope lean until the float dives.',
    ),
)
