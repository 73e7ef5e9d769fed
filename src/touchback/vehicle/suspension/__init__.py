"""Axles as linkages with loops, and the rig that measures them."""

from touchback.vehicle.suspension.axle import AxleKind, Corner, Wheel, add_axle
from touchback.vehicle.suspension.axle_kinds import (
    AxleLink,
    DoubleWishbone,
    MacPherson,
    RigidAxle,
    TrailingArm,
)
from touchback.vehicle.suspension.axle_report import AxleReport, measure_axle
from touchback.vehicle.suspension.suspension_parts import AntiRollBar, Mounts, Strut, StrutTables

AnyAxle = DoubleWishbone | MacPherson | TrailingArm | RigidAxle
# what a vehicle's file knows

__all__ = [
    "AntiRollBar",
    "AxleKind",
    "AxleLink",
    "AxleReport",
    "Corner",
    "DoubleWishbone",
    "MacPherson",
    "Mounts",
    "RigidAxle",
    "Strut",
    "StrutTables",
    "TrailingArm",
    "Wheel",
    "add_axle",
    "measure_axle",
]
