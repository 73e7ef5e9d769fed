"""A moored buoy: the buoyancy of what is wet of it, added mass, drag in a current, and a rope that
can only pull."""

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment

MASS, WATER, DEPTH = 25.0, 1025.0, 6.0  # kg, kg/m³, m of water over the anchor
HALVES = (0.2, 0.2, 0.24)  # m, of the float, an ellipsoid above its shackle
DRAG_AREA = 0.135  # m², coefficient times area
ROPE, STIFFNESS, LOSS = 6.4, 4000.0, 300.0  # m, N/m, N s/m


def make() -> tb.Model:
    """The ground's origin is the anchor; the current flows along x."""
    m = tb.Model("buoy")
    current = m.parameter("current", 0.8, unit="m/s", min=0.0, max=3.0)
    water = m.fluid("water", WATER, surface=DEPTH, current=(current, 0, 0))
    buoy = m.body("float", mass=MASS, com=(0, 0, 0.1), inertia=(0.6, 0.6, 0.5))
    m.joint("sea", tb.Free(), m.ground, buoy, position=(0.5, 0, DEPTH, 1, 0, 0, 0))
    centre = buoy.at(0, 0, HALVES[2])
    m.force(
        "water",
        tb.Immersed(
            centre, tb.Ellipsoid(HALVES), water,
            drag_area=(DRAG_AREA, DRAG_AREA, DRAG_AREA), angular_drag=(4.0, 4.0, 1.0),
        ),
    )  # fmt: skip

    rope, rope_rate = m.sensor("rope", tb.Distance(m.ground.at(0, 0, 0), buoy.at(0, 0, 0)))
    tension = tb.maximum(STIFFNESS * (rope - ROPE) + LOSS * rope_rate, 0.0)
    m.force("rope", tb.LinkForce(m.ground.at(0, 0, 0), buoy.at(0, 0, 0), tension))
    m.sensor("float position", tb.Position(buoy.at(0, 0, 0)))
    m.sensor("float centre", tb.Position(centre))
    m.sensor("float top", tb.Position(buoy.at(0, 0, 2 * HALVES[2])))
    m.sensor("tension", tb.Signal(tension, "N"))
    return m


ENTRY = Entry(
    "buoy",
    "a moored buoy: buoyancy of what is wet, added mass, drag in a current, a rope that can only "
    "pull",
    make,
    Experiment(60.0, signals=("float position.x", "float position.z", "tension")),
    sentences=(
        "A buoy floats in a current, moored by a rope to the ground.",
        "Water lifts what is wet of it, drags it and has to move with it; the rope can only pull.",
        'Turn "current" up and see it dive; make the water thinner ("water density") and it sinks.',
    ),
)
