"""Mechanisms that are taken in hand, and how a page asks: in JSON."""

import json
from collections.abc import Callable
from typing import Any

import touchback as tb
from touchback.realtime.control import CommandServer, Exposed
from touchback.workbench.manipulate import Manipulators

MASS, G = 2.0, 9.81


class Asked:
    """A run, its command server and its manipulators."""

    def __init__(self, live: tb.realtime.Live, exposed: Exposed | None = None) -> None:
        self.live, self.commands = live, CommandServer(live, exposed)
        self.manipulators = Manipulators(self.commands)

    def ask(self, client: str = "me", **message: object) -> dict[str, Any]:
        """The facts of an answer; fails where it is a refusal."""
        answer = self.commands.handle(json.dumps(message).encode(), client)
        assert answer.ok, answer.error
        return dict(answer.facts)

    def refused(self, client: str = "me", **message: object) -> str:
        """The words of a refusal."""
        answer = self.commands.handle(json.dumps(message).encode(), client)
        assert not answer.ok, answer.facts
        return answer.error


Start = Callable[..., Asked]  # of a model; what the fixture `start` gives


def floating(gravity: float = 0.0) -> tb.Model:
    """A free body of 2 kg, its centre of mass at its origin."""
    m = tb.Model("floating", gravity=(0, 0, -gravity))
    body = m.body("block", MASS, inertia=(0.1, 0.2, 0.25))
    m.joint("free", tb.Free(), m.ground, body)
    return m


def four_bar(
    scale: float = 1.0, gravity: float = G, place: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tb.Model:
    """A crank, a coupler and a rocker, whose bodies have inertia in all directions; larger, and
    elsewhere."""
    m = tb.Model("four-bar", gravity=(0, 0, -gravity))
    x, y, z = place
    bodies = [
        m.body(name, mass, (scale * middle, 0, 0), tuple(scale**2 * x for x in inertia))
        for name, mass, middle, inertia in (
            ("crank", 1.0, 0.05, (1e-4, 1e-3, 1e-3)),
            ("coupler", 0.5, 0.2, (1e-4, 7e-3, 7e-3)),
            ("rocker", 0.5, 0.15, (1e-4, 4e-3, 4e-3)),
        )
    ]
    crank, coupler, rocker = bodies
    m.joint("crank", tb.Revolute("y"), m.ground.at(x, y, z), crank, position=-0.5)
    m.joint("coupler", tb.Revolute("y"), crank.at(0.1 * scale, 0, 0), coupler, position=0.3)
    pivot = m.ground.at(x + 0.5 * scale, y, z)
    m.joint("rocker", tb.Revolute("y"), pivot, rocker, position=-1.5)
    pin = coupler.at(0.4 * scale, 0, 0), rocker.at(0.3 * scale, 0, 0)
    m.close("pin", tb.PointInPlane("xz"), *pin)
    m.force("motor", tb.JointEffort("crank", m.input("torque", unit="N m")))
    return m


def arm(length: float = 0.5) -> tb.Model:
    """A pendulum of 2 kg with a motor and a law."""
    m = tb.Model("arm", gravity=(0, 0, 0))
    body = m.body("arm", MASS, com=(0, 0, -length), inertia=(0.01, 0.02, 0.01))
    m.joint("hinge", tb.Revolute("y"), m.ground, body)
    m.force("motor", tb.JointEffort("hinge", m.input("torque", unit="N m")))
    m.control("hold", lambda q, v: -4 * q - v, of=["q:hinge", "v:hinge"], to="torque")
    m.sensor("tip", tb.Position(body.at(0, 0, -2 * length)))
    return m


def chain(count: int) -> tb.Model:
    """So many links of 1 kg, turning about all axes in turn."""
    m = tb.Model("chain")
    last = m.ground
    for i in range(count):
        link = m.body(f"link {i}", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
        m.joint(f"joint {i}", tb.Revolute("xyz"[i % 3]), last.at(0.2 * (i > 0), 0.01, 0.02), link)
        last = link
    return m
