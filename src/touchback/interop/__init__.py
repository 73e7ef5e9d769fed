"""Mechanisms from other programs' files: URDF robots and ROBOTRAN multibody systems."""

from touchback.interop.mbs import read_mbs
from touchback.interop.mbs_loops import Cut, PointLink
from touchback.interop.notes import ImportNotice
from touchback.interop.urdf import read_urdf
from touchback.interop.urdf_joints import Mimic
from touchback.model.read import register_reader

__all__ = ["Cut", "ImportNotice", "Mimic", "PointLink", "read_mbs", "read_urdf"]

register_reader(".urdf", read_urdf)
register_reader(".mbs", read_mbs)
