"""A Stewart platform: six legs of universal, sliding and ball joints carry a plate."""

import math

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown

BASE, TOP, HEIGHT = 0.5, 0.3, 0.7  # radii of the two rings and their distance [m]
MASS, LEG = 20.0, 2.0  # of the plate, and of each half of a leg [kg]


def make() -> tb.Model:
    """18 joints: the balls close the loops and leave 6 freedoms of 24. Legs bear the plate's weight
    by springs; each has a force input beside."""
    m = tb.Model("stewart platform")
    plate = m.body("plate", MASS, inertia=(0.5, 0.5, 0.9))
    m.joint("plate", tb.Free(), m.ground, plate, position=(0, 0, HEIGHT, 1, 0, 0, 0))
    for i in range(6):
        foot = _ring(BASE, 60 * i + (20 if i % 2 else -20) + 30)
        head = _ring(TOP, 60 * i + (-20 if i % 2 else 20) + 30)
        away = (head[0] - foot[0], head[1] - foot[1], HEIGHT)
        length = math.hypot(*away)
        first, second = math.atan2(-away[1], away[2]), math.asin(away[0] / length)
        lower = m.body(f"lower {i + 1}", LEG, com=(0, 0, 0.2), inertia=(0.03, 0.03, 0.002))
        upper = m.body(f"upper {i + 1}", LEG, com=(0, 0, -0.2), inertia=(0.03, 0.03, 0.002))
        m.joint(f"foot {i + 1}", tb.Universal("x", "y"), m.ground.at(*foot, 0), lower,
                position=(first, second))  # fmt: skip
        m.joint(f"leg {i + 1}", tb.Prismatic("z"), lower, upper, spring=8000, rest=length + 0.005,
                damping=100, position=length)  # fmt: skip
        m.close(f"head {i + 1}", tb.Spherical(), upper, plate.at(*head, 0))
        force = m.input(f"force {i + 1}", unit="N")
        m.force(f"motor {i + 1}", tb.JointEffort(f"leg {i + 1}", force))
    m.sensor("plate position", tb.Position(plate.at(0, 0, 0)))
    m.sensor("energy", tb.Energy())
    return m


def _ring(radius: float, degrees: float) -> tuple[float, float]:
    angle = math.radians(degrees)
    return radius * math.cos(angle), radius * math.sin(angle)


TIMES = np.linspace(0.0, 2.0, 41)
ROUND = {  # N: the plate goes round
    "force 1": (TIMES, 300.0 * np.sin(math.pi * TIMES)),
    "force 3": (TIMES, 300.0 * np.cos(math.pi * TIMES)),
}

ENTRY = Entry(
    "stewart-platform",
    "six sprung legs carry a plate: six loops in space, 24 coordinates, 6 freedoms",
    make,
    Experiment(
        1.5,
        rates={"plate.vx": 0.5, "plate.wz": 1.0},
        inputs={"force 1": 100.0},
        signals=("plate position.x", "plate position.z"),
    ),
    sentences=(
        "Six sprung legs carry a plate that can move in all six freedoms.",
        "Each leg closes a loop in space: 24 coordinates, of which 6 remain.",
        'Push one leg with its "force" and see the plate shift and tilt together.',
    ),
    shown=Shown(
        make, Experiment(2.0, inputs=ROUND, signals=("plate position.x", "plate position.z"))
    ),
)
