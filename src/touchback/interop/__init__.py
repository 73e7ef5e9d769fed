"""Mechanisms from files of any format: our own, URDF robots, models of MuJoCo and
Gazebo, USD scenes and ROBOTRAN's multibody systems; and dynamics as operations of jax, torch and
casadi."""

from touchback.interop.c_project.web_assembly import WebModel as WebModel, web_model as web_model
from touchback.interop.export_targets import TARGETS as TARGETS, generate
from touchback.interop.import_formats import FORMATS as FORMATS, read
from touchback.interop.import_notes import ImportNotice
from touchback.interop.mbs.mbs_points_and_links import Cut, PointLink
from touchback.interop.mbs.mbs_reader import read_mbs
from touchback.interop.meshes.mesh_file import MESH_ENDINGS as MESH_ENDINGS, read_mesh
from touchback.interop.mjcf import read_mjcf
from touchback.interop.operations import to_casadi, to_jax, to_torch
from touchback.interop.operations.casadi_function import rk4_step as rk4_step
from touchback.interop.operations.differentiable_operation import needed as needed
from touchback.interop.ros2.device_node import (
    DeviceNode as DeviceNode,
    device_model as device_model,
    guards as guards,
)
from touchback.interop.ros2.middleware import (
    Middleware as Middleware,
    open_transport as open_transport,
)
from touchback.interop.ros2.model_node import MAX_AGE as MAX_AGE, ModelNode as ModelNode
from touchback.interop.ros2.node_transport import (
    Transport as Transport,
    check_domain as check_domain,
    check_node as check_node,
    node_name as node_name,
)
from touchback.interop.sdf import read_sdf
from touchback.interop.urdf.urdf_joints import Mimic
from touchback.interop.urdf.urdf_reader import read_urdf
from touchback.interop.urdf.urdf_writer import urdf_text as urdf_text
from touchback.interop.usd import read_usd

__all__ = [
    "Cut", "ImportNotice", "Mimic", "PointLink", "generate", "read", "read_mbs", "read_mesh",
    "read_mjcf", "read_sdf", "read_urdf", "read_usd", "to_casadi", "to_jax", "to_torch",
]  # fmt: skip
