"""ROS 2: a live run as a node, and devices as another."""

from touchback.interop.ros2.device_node import DeviceNode
from touchback.interop.ros2.model_node import ModelNode
from touchback.interop.ros2.transport import Transport, open_transport

__all__ = ["DeviceNode", "ModelNode", "Transport", "open_transport"]
