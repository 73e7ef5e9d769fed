"""Axles as linkages with loops, and the rig that measures them."""

from touchback.vehicle.suspension.axle import AxleKind, Corner, Wheel, add_axle
from touchback.vehicle.suspension.double_wishbone import DoubleWishbone
from touchback.vehicle.suspension.macpherson import MacPherson
from touchback.vehicle.suspension.mounts import Mounts
from touchback.vehicle.suspension.report import AxleReport, measure_axle
from touchback.vehicle.suspension.rigid_axle import AxleLink, RigidAxle
from touchback.vehicle.suspension.strut import AntiRollBar, Strut, StrutTables
from touchback.vehicle.suspension.trailing_arm import TrailingArm

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
