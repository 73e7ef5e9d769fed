"""Mechanisms from files of any format: our own, URDF robots, models of MuJoCo and
Gazebo, USD scenes and ROBOTRAN's multibody systems; and dynamics as operations of jax, torch and
casadi."""

from touchback.interop.formats import read
from touchback.interop.import_notes import ImportNotice
from touchback.interop.mbs.mbs_loops import Cut, PointLink
from touchback.interop.mbs.mbs_reader import read_mbs
from touchback.interop.meshes.mesh_file import read_mesh
from touchback.interop.mjcf import read_mjcf
from touchback.interop.operations import to_casadi, to_jax, to_torch
from touchback.interop.sdf import read_sdf
from touchback.interop.targets import generate
from touchback.interop.urdf.urdf_joints import Mimic
from touchback.interop.urdf.urdf_reader import read_urdf
from touchback.interop.usd import read_usd

__all__ = [
    "Cut", "ImportNotice", "Mimic", "PointLink", "generate", "read", "read_mbs", "read_mesh",
    "read_mjcf", "read_sdf", "read_urdf", "read_usd", "to_casadi", "to_jax", "to_torch",
]  # fmt: skip
