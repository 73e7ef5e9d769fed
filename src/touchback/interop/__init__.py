"""Mechanisms from files of any format: our own, URDF robots, models of MuJoCo and
Gazebo, USD scenes and ROBOTRAN's multibody systems; and dynamics as operations of jax, torch and
casadi."""

from touchback.interop.formats import read
from touchback.interop.mbs import read_mbs
from touchback.interop.mbs_loops import Cut, PointLink
from touchback.interop.mesh_file import read_mesh
from touchback.interop.mjcf import read_mjcf
from touchback.interop.notes import ImportNotice
from touchback.interop.operations import to_casadi, to_jax, to_torch
from touchback.interop.sdf import read_sdf
from touchback.interop.targets import generate
from touchback.interop.urdf import read_urdf
from touchback.interop.urdf_joints import Mimic
from touchback.interop.usd import read_usd

__all__ = [
    "Cut", "ImportNotice", "Mimic", "PointLink", "generate", "read", "read_mbs", "read_mesh",
    "read_mjcf", "read_sdf", "read_urdf", "read_usd", "to_casadi", "to_jax", "to_torch",
]  # fmt: skip
