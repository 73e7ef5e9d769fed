"""ROS 2: a live run as a node, and devices as another."""

from touchback.interop.ros2.device_node import DeviceNode
from touchback.interop.ros2.middleware import open_transport
from touchback.interop.ros2.model_node import ModelNode
from touchback.interop.ros2.node_transport import Transport

__all__ = ["DeviceNode", "ModelNode", "Transport", "open_transport"]
