"""Mechanisms whose inputs are planned, and what is wanted of them."""

import numpy as np

import touchback as tb

GOAL = {"x": 0.25, "y": 0.2, "z": 0.35}


def cart_pole() -> tb.System:
    """A pole that stands at zero angle on a cart which may be pushed with 15 N."""
    m = tb.Model("cart-pole")
    cart = m.body("cart", mass=1.0)
    pole = m.body("pole", mass=0.2, com=(0, 0, 0.5), inertia=(0.2 / 12, 0.2 / 12, 0))
    m.joint("cart", tb.Prismatic("x"), m.ground, cart)
    m.joint("pole", tb.Revolute("y"), cart, pole)
    push = m.input("push", unit="N", min=-15.0, max=15.0)
    m.force("motor", tb.JointEffort("cart", push))
    return m.compile()


def upright(r: tb.planning.Rollouts) -> np.ndarray:
    """What it costs to hang, to be elsewhere, to move and to push."""
    still = 0.05 * r["cart rate"] ** 2 + 0.1 * r["pole rate"] ** 2
    return 10.0 * (1.0 - np.cos(r["pole"])) + r["cart"] ** 2 + still + 1e-3 * r["push"] ** 2


def arm() -> tb.System:
    """Three joints whose motors follow wanted speeds; "hand" is its tip."""
    m = tb.Model("arm")
    at = m.ground.at(0, 0, 0)
    for i, (axis, length, mass) in enumerate((("z", 0.1, 2.0), ("y", 0.3, 1.5), ("y", 0.25, 1.0))):
        moment = mass * length**2 / 12 + 1e-3
        link = m.body(
            f"link {i}", mass=mass, com=(0, 0, length / 2), inertia=(moment, moment, 2e-3)
        )
        m.joint(f"joint {i}", tb.Revolute(axis), at, link, armature=0.1)
        wanted = m.input(f"speed {i}", unit="rad/s", min=-2.0, max=2.0)
        effort = 4.0 * (wanted - m.rate(f"joint {i}"))
        m.force(f"motor {i}", tb.JointEffort(f"joint {i}", effort))
        at = link.at(0, 0, length)
    m.sensor("hand", tb.Position(at))
    return m.compile()


def at_goal(r: tb.planning.Rollouts) -> np.ndarray:
    """How far the hand is from its goal, and what it costs to move."""
    far = sum((r[f"hand.{axis}"] - place) ** 2 for axis, place in GOAL.items())
    speed = sum(r[f"joint {i} rate"] ** 2 for i in range(3))
    return np.sqrt(far + 1e-4) + 0.01 * speed


def reaching(system: tb.System) -> tb.planning.MPPI:
    """A planner for the arm."""
    spread = {f"speed {i}": 0.4 for i in range(3)}
    return tb.planning.MPPI(
        system, at_goal, spread, horizon=0.5, knots=4, step=0.01, samples=128, temperature=0.1
    )
