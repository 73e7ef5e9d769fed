"""A robot with a GPS receiver drives round a block (Wang 2011, section 6)."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown
from touchback.gallery.omni_platforms import THREE_WHEELS_PLAN, make_platform
from touchback.numbers import InputData

# The robot starts at the origin, east is x. The block, and two houses across its streets: the
# southern and the eastern street are canyons 12 m wide, the other two have one side only.
BLOCK = tb.devices.gps.Building(26.0, 21.0, 40.0, 30.0, 18.0)
TOWN = (
    BLOCK,
    tb.devices.gps.Building(26.0, -16.0, 52.0, 20.0, 15.0),
    tb.devices.gps.Building(66.0, 21.0, 16.0, 46.0, 20.0),
)
# Round the block, and to an open place in the west [m].
LEGS = ((52.0, 0.0), (0.0, 42.0), (-52.0, 0.0), (0.0, -42.0), (-36.0, 0.0))
SPEED, BLEND = 4.0, 1.0  # m/s, and the seconds that a corner takes
SITE = tb.devices.gps.Site(39.98, 116.33, 50.0)  # in Beijing
START = datetime(2016, 3, 2, 4, 0, tzinfo=UTC)


def make() -> tb.Model:
    """The platform on three omni wheels, and the houses to look at."""
    m = make_platform("gps robot", THREE_WHEELS_PLAN)
    for i, house in enumerate(TOWN, 1):
        place = m.ground.at(house.x, house.y, house.height / 2, turn=("z", house.turn))
        m.shape(f"house {i}", place, tb.Box((house.length, house.width, house.height)))
    return m


def receiver(noise: float = 1.0) -> tb.devices.gps.Receiver:
    """The receiver that it carries, at noon in Beijing on 2 March 2016."""
    return tb.devices.gps.Receiver(SITE, START, TOWN, noise=noise)


def lap(legs: Sequence[tuple[float, float]] = LEGS) -> tuple[float, InputData]:
    """How long the whole way takes [s], and the commands for it."""
    times, velocities = [0.0], [np.zeros(2)]
    corner = BLEND / 2
    for leg in legs:
        velocity = SPEED * np.array(leg) / np.hypot(*leg)
        times += [corner + BLEND / 2, corner + np.hypot(*leg) / SPEED - BLEND / 2]
        velocities += [velocity, velocity]
        corner += float(np.hypot(*leg) / SPEED)
    times.append(corner + BLEND / 2)
    velocities.append(np.zeros(2))
    east, north = np.array(velocities).T
    return times[-1], {"command vx": (times, east), "command vy": (times, north)}


# A page repeats its experiment: there the robot comes home from the open place.
_ROUND = lap((*LEGS, (36.0, 0.0)))
ENTRY = Entry(
    "gps-robot",
    "a robot with a GPS receiver drives round a block, whose houses hide satellites from it",
    make,
    Experiment(1.5, inputs=lap()[1], signals=("position.x", "position.y"), substeps=4),
    sentences=(
        "A robot on omni wheels carries a GPS receiver round a block of houses in Beijing.",
        "Houses hide satellites and their walls reflect others, whose ranges are then too long.",
        'Steer it with "command vx" and "command vy" and compare streets with open places.',
    ),
    shown=Shown(make, Experiment(_ROUND[0], inputs=_ROUND[1], substeps=4)),
)
