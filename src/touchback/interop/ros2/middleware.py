"""Chooses and opens the middleware that a node of ROS 2 speaks."""

from __future__ import annotations

from enum import StrEnum
from importlib.util import find_spec

from touchback.errors import InputError
from touchback.interop.ros2.node_transport import Transport


class Middleware(StrEnum):
    """What a node speaks: ROS 2's own where it is sourced and else Zenoh, or one of them."""

    AUTO, ZENOH, DDS = "auto", "zenoh", "dds"


def open_transport(
    node: str, domain: int, connect: list[str], listen: list[str],
    middleware: Middleware = Middleware.AUTO,
) -> Transport:  # fmt: skip
    """Through ROS 2 itself where it is sourced (rclpy) and nothing else is said, else through
    Zenoh, which speaks to nodes that run rmw_zenoh; or DDS, to those that run rmw_cyclonedds."""
    if middleware == Middleware.DDS:
        if connect or listen:
            raise InputError(
                f"{(connect + listen)[0]!r} is an endpoint of Zenoh; DDS is on this machine alone, "
                "or as CYCLONEDDS_URI says."
            )
        from touchback.interop.ros2.dds_transport import DdsTransport

        return DdsTransport(node, domain)
    given = connect or listen or middleware == Middleware.ZENOH
    if not given and find_spec("rclpy") is not None:
        from touchback.interop.ros2.rclpy_transport import RclpyTransport

        return RclpyTransport(node, domain)
    from touchback.interop.ros2.zenoh_transport import ZenohTransport

    return ZenohTransport(node, domain, connect, listen)
