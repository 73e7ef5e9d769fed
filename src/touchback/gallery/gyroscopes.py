"""A heavy symmetric top on its tip: it precesses, and nods while it does. A free body spun about
its middle axis: it turns over again and again (Dzhanibekov's effect)."""

import math

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment

TILT, SPIN = 0.4, 150.0  # rad, rad/s


def make_spinning_top() -> tb.Model:
    """The tip stands on the ground's origin; the top's own axis is its z axis."""
    m = tb.Model("spinning top")
    top = m.body("top", mass=0.5, com=(0, 0, 0.08), inertia=(5e-4, 5e-4, 6e-4))
    m.joint("tip", tb.Spherical(), m.ground, top)
    m.shape("disc", top.at(0, 0, 0.08), tb.Cylinder(0.049, 0.014))  # which has the moment about z
    m.shape("axle", top.at(0, 0, 0.065), tb.Cylinder(0.004, 0.13))
    m.shape("mark", top.at(0.036, 0, 0.088), tb.Box((0.02, 0.006, 0.002)))  # to see it spin
    m.sensor("axis", tb.Direction(top.at(0, 0, 0), "z"))
    m.sensor("energy", tb.Energy())
    return m


SPINNING_TOP = Entry(
    "spinning-top",
    "a heavy top on its tip: precession and nutation with a quaternion",
    make_spinning_top,
    Experiment(
        2.0,
        positions={"tip.qw": math.cos(TILT / 2), "tip.qx": math.sin(TILT / 2)},
        rates={"tip.wz": SPIN},
        signals=("axis.x", "axis.y", "axis.z"),
    ),
    sentences=(
        "A heavy top spins on its tip, tilted.",
        "Gravity would topple it, yet makes it go round: it precesses, and nods while it does.",
        "Push its rim gently and see it yield at right angles to your push.",
    ),
)


def make_gyroscope() -> tb.Model:
    """A flat body without gravity; y is its middle axis."""
    m = tb.Model("gyroscope", gravity=(0, 0, 0))
    racket = m.body("racket", mass=0.3, inertia=(3e-4, 1.5e-3, 1.8e-3))
    m.joint("flight", tb.Free(), m.ground, racket)
    m.sensor("middle axis", tb.Direction(racket.at(0, 0, 0), "y"))
    m.sensor("spin", tb.AngularVelocity(racket.at(0, 0, 0)))
    m.sensor("energy", tb.Energy())
    return m


GYROSCOPE = Entry(
    "gyroscope",
    "a free body spun about its middle axis turns over again and again (tennis racket effect)",
    make_gyroscope,
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
