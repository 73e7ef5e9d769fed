"""A heavy symmetric top on its tip: it precesses, and nods while it does."""

import math

from touchback import Box, Cylinder, Direction, Energy, Model, Spherical
from touchback.gallery.entry import Entry, Experiment

TILT, SPIN = 0.4, 150.0  # rad, rad/s


def make() -> Model:
    """The tip stands on the ground's origin; the top's own axis is its z axis."""
    m = Model("spinning top")
    top = m.body("top", mass=0.5, com=(0, 0, 0.08), inertia=(5e-4, 5e-4, 6e-4))
    m.joint("tip", Spherical(), m.ground, top)
    m.shape("disc", top.at(0, 0, 0.08), Cylinder(0.049, 0.014))  # which has the moment about z
    m.shape("axle", top.at(0, 0, 0.065), Cylinder(0.004, 0.13))
    m.shape("mark", top.at(0.036, 0, 0.088), Box((0.02, 0.006, 0.002)))  # to see it spin
    m.sensor("axis", Direction(top.at(0, 0, 0), "z"))
    m.sensor("energy", Energy())
    return m


ENTRY = Entry(
    "spinning-top",
    "a heavy top on its tip: precession and nutation with a quaternion",
    make,
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
