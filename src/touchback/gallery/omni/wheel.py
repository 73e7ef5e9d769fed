"""A disc with its rollers, added to a model."""

import math

from touchback import Model, Revolute
from touchback.gallery.omni.floor import RollerPlace, WheelOnFloor
from touchback.gallery.omni.shape import WheelShape
from touchback.model.frame import BodyHandle

DENSITY = 1100.0  # of rollers, rubber [kg/m³]


def add_rollers(
    m: Model, disc: BodyHandle, shape: WheelShape, tracker: str = "explicit", damping: float = 0.0
) -> WheelOnFloor:
    """Rollers on a disc whose axle is its y axis, the first at −z; each spins freely about its own
    axis, but for `damping` [N m s] in its bearing."""
    mass, along, across = shape.roller_inertia(DENSITY)
    places = []
    for i in range(shape.rollers):
        angle = 2 * i * shape.half_sector
        name = f"{disc.name} roller {i + 1}"
        roller = m.body(name, mass, inertia=(along, across, across))
        seat = disc.at(
            -shape.off * math.sin(angle), 0, -shape.off * math.cos(angle),
            turn=[("y", angle), ("z", shape.inclination)],
        )  # fmt: skip
        m.joint(name, Revolute("x"), seat, roller, damping=damping)
        places.append(RollerPlace(name, roller.at(0, 0, 0)))
    return WheelOnFloor(disc.at(0, 0, 0), tuple(places), shape, tracker=tracker)


def total_mass(disc: float, shape: WheelShape) -> float:
    """Of a disc with its rollers [kg]."""
    return disc + shape.rollers * shape.roller_inertia(DENSITY)[0]
