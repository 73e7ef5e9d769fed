"""ROS 2 itself (rclpy), where it is sourced: any middleware that it runs on.

No machine of our tests has ROS 2, so that this file is checked by reading alone."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

from touchback.interop.ros2.node_transport import (
    Answer,
    Publish,
    Refuse,
    Take,
    call_safely,
    check_domain,
    check_node,
)


class RclpyTransport:
    """A node of rclpy that takes and gives bytes: publishers and subscriptions of rclpy do so by
    themselves, requests are turned by its own serialization."""

    def __init__(self, node: str, domain: int = 0) -> None:
        self._rclpy, self._context = (
            import_module("rclpy"),
            import_module("rclpy.context").Context(),
        )
        self._rclpy.init(context=self._context, domain_id=check_domain(domain))
        self._node = self._rclpy.create_node(
            check_node(node), context=self._context, start_parameter_services=False
        )
        executors = import_module("rclpy.executors")
        self._executor = executors.MultiThreadedExecutor(2, context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, name="touchback ros2")
        self._thread.daemon = True
        self._thread.start()

    def advertise(self, topic: str, kind: str, latched: bool = False) -> Publish:
        """A topic."""
        publisher = self._node.create_publisher(_type(kind), topic, self._quality(latched))
        return lambda data: publisher.publish(data)

    def _quality(self, latched: bool) -> Any:
        qos = import_module("rclpy.qos")
        durability = qos.DurabilityPolicy
        return qos.QoSProfile(
            depth=1 if latched else 1000,
            durability=durability.TRANSIENT_LOCAL if latched else durability.VOLATILE,
        )

    def subscribe(self, topic: str, kind: str, take: Take, refuse: Refuse) -> None:
        """Messages of a topic, as bytes."""

        def came(data: bytes) -> None:
            call_safely(lambda: take(data), f"a message on {topic} is refused", refuse)

        quality = self._quality(latched=False)
        self._node.create_subscription(_type(kind), topic, came, quality, raw=True)

    def serve(self, service: str, kind: str, answer: Answer, refuse: Refuse) -> None:
        """A service."""
        turned, known = import_module("rclpy.serialization"), _type(kind)

        def came(request: object, response: object) -> object:
            told = [response]  # an empty one, where it is refused

            def reply() -> None:
                data = answer(turned.serialize_message(request))
                told[0] = turned.deserialize_message(data, known.Response)

            call_safely(reply, f"a request of {service} is refused", refuse)
            return told[0]

        self._node.create_service(known, service, came)

    def report_problems_to(self, tell: Refuse) -> None:
        """Nothing of ours: ROS 2 warns by itself."""

    def unanswered(self) -> str:
        """Nothing of ours either."""
        return ""

    def close(self) -> None:
        """Leaves."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._rclpy.shutdown(context=self._context)


def _type(kind: str) -> Any:
    package, part, name = kind.split("/")
    return getattr(import_module(f"{package}.{part}"), name)
