"""A mechanism to be touched: a four-bar that rests where it is left, and a cart on a spring whose
deflection weighs what pushes it."""

from __future__ import annotations

import numpy as np

import touchback as tb
from touchback.realtime import Live

STIFFNESS = 200.0  # N/m: of the cart's spring
CART = (0.0, 0.0, 0.0)  # the cart's middle in its own frame
ROCKER = (0.125, 0.0, 0.0)  # the rocker's middle


def table() -> tb.Model:
    """No gravity and damped joints: what isn't pushed is at rest."""
    m = tb.Model("table", gravity=(0, 0, 0))
    stiffness = m.parameter("stiffness", STIFFNESS, unit="N/m", min=50.0, max=1000.0)
    torque = m.input("motor torque", unit="N m")
    bars = {}
    for name, length in (("crank", 0.10), ("coupler", 0.35), ("rocker", 0.25)):
        mass, moment = 4.0 * length, 4.0 * length**3 / 12
        bars[name] = m.body(name, mass, com=(length / 2, 0, 0), inertia=(0, moment, moment))
    crank, coupler, rocker = bars.values()
    m.joint("crank", tb.Revolute("-y"), m.ground, crank, damping=0.02)
    m.joint("coupler", tb.Revolute("-y"), crank.at(0.10, 0, 0), coupler, position=0.7, damping=0.02)
    m.joint("rocker", tb.Revolute("-y"), m.ground.at(0.3, 0, 0), rocker, position=1.6, damping=0.02)
    m.close("pin", tb.PointInPlane("xz"), coupler.at(0.35, 0, 0), rocker.at(0.25, 0, 0))
    cart = m.body("cart", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("cart", tb.Prismatic("x"), m.ground.at(0.1, 0, -0.15), cart)
    m.force(
        "spring",
        tb.SpringDamper(
            m.ground.at(-0.15, 0, -0.15), cart, stiffness=stiffness, damping=14, length=0.25
        ),
    )
    m.force("motor", tb.JointEffort("crank", torque))
    m.control("brake", lambda rate: -0.05 * rate, of=[m.rate("crank")], to="motor torque")
    return m


def off(live: Live) -> float:
    """How far loops are open now [m], in the run's own state; drives, which follow states of their
    own, are left out."""
    system, now = live.system, live.snapshot()
    x = np.array([now[name] for name in system.state_names])
    known = system.model.constraint_rows()
    rows = {row for name in system.model.closures for row in known[name]}
    held = {name: live[name] for name in system.parameters}  # where a welded joint froze, too
    error = system.constraint_error(x[: system.sizes[0]], parameters=held)
    return max(abs(each) for row, each in zip(system.constraint_names, error) if row in rows)


def freedoms(live: Live) -> int:
    """How many freedoms the run's mechanism has where it is."""
    system, now = live.system, live.snapshot()
    x = np.array([now[name] for name in system.state_names])
    return system.freedoms(x[: system.sizes[0]]).freedoms
