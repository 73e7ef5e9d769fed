"""A quarter of a car: double wishbones, a spring and damper, and a tyre that can leave the road."""

import math
from dataclasses import replace

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown

ARM, POST = 0.4, 0.25  # wishbones and the knuckle between them [m]
RADIUS, CAMBER = 0.31, 0.03  # of the wheel [m, rad]
WIDTH = 0.19  # of the tyre [m]
TYRE = 180e3  # N/m


def make() -> tb.Model:
    """Everything moves in the y–z plane but for the wheel, which turns about its axle. The camber
    is driven: its effort is the moment that holds the wheel upright."""
    m = tb.Model("suspension")
    chassis = m.body("chassis", mass=300.0)
    upper = m.body("upper arm", mass=3.0, com=(0, ARM / 2, 0), inertia=(0.04, 0.01, 0.04))
    lower = m.body("lower arm", mass=4.0, com=(0, ARM / 2, 0), inertia=(0.06, 0.01, 0.06))
    knuckle = m.body("knuckle", mass=12.0, com=(0, 0, POST / 2), inertia=(0.1, 0.1, 0.1))
    hub = m.body("hub")
    wheel = m.body("wheel", mass=15.0, inertia=(0.4, 0.7, 0.4))
    m.joint("chassis", tb.Prismatic("z"), m.ground, chassis, position=0.45)
    m.joint("upper arm", tb.Revolute("x"), chassis.at(0, 0.25, 0), upper, position=-0.1)
    m.joint("lower arm", tb.Revolute("x"), chassis.at(0, 0.25, -POST), lower, position=-0.1)
    m.joint("knuckle", tb.Revolute("x"), lower.at(0, ARM, 0), knuckle, position=0.1)
    m.joint("camber", tb.Revolute("x"), knuckle.at(0, 0.1, POST / 2), hub)
    m.joint("wheel", tb.Revolute("y"), hub, wheel)
    m.shape("tyre", wheel.at(0, 0, 0, turn=("x", math.pi / 2)), tb.Cylinder(RADIUS, WIDTH))
    m.close("ball", tb.PointInPlane("yz"), upper.at(0, ARM, 0), knuckle.at(0, 0, POST))
    m.drive("camber", CAMBER)
    strut = (chassis.at(0, 0.25, 0.15), lower.at(0, 0.25, 0))
    m.force("strut", tb.SpringDamper(*strut, stiffness=80e3, damping=6e3, length=0.56))
    m.sensor("strut", tb.Distance(*strut))
    _, _, z = m.sensor("wheel centre", tb.Position(wheel.at(0, 0, 0)))
    gap = z - RADIUS * math.cos(CAMBER) - m.input("road", unit="m")
    m.force("tyre", tb.Wrench(hub.at(0, 0, 0), force=(0, 0, -TYRE * tb.minimum(gap, 0.0))))
    return m


DROPPED = Experiment(
    2.0, positions={"chassis": 0.55, "upper arm": -0.1},
    signals=("chassis", "wheel centre.z", "strut.length"),
)  # fmt: skip
BUMPS = ((0.0, 1.5, 1.52, 3.0, 3.02, 3.1), (0.0, 0.0, 0.04, 0.04, 0.0, 0.0))  # s, m

ENTRY = Entry(
    "suspension",
    "a quarter of a car on double wishbones, dropped on the road",
    make,
    DROPPED,
    sentences=(
        "A quarter of a car drops on the road and meets steps of 4 cm: double wishbones, a spring "
        "with its damper, and a tyre.",
        "The wheel's camber changes as the arms swing, and the tyre may leave the road.",
        'Set "road" to a step of some centimetres and watch how often the body bounces.',
    ),
    shown=Shown(make, replace(DROPPED, duration=BUMPS[0][-1], inputs={"road": BUMPS})),
)  # fmt: skip
