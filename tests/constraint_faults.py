"""The table of faulty constraints, of which `docs/errors_tables.inc` is made, and the models
that nothing is wrong with until a fault is put in.

`faulty_closures.py`, `faulty_drives.py`, `faulty_constraints.py`, `faulty_assembly.py` and
`faulty_friction.py` fill it.
"""

import functools

import touchback as tb
from faults import Fault, fault as any_fault

CONSTRAINT_FAULTS: list[Fault] = []
SECTIONS = (
    "Closures",
    "Couplings and drives",
    "User constraints",
    "Assembly",
    "Allowed, and reported by `freedoms`",
    "Friction of constraints",
)
fault = functools.partial(any_fault, table=CONSTRAINT_FAULTS)
said = functools.partial(any_fault, table=CONSTRAINT_FAULTS, said=True)


def two_arms() -> tb.Model:
    """Two arms that hinge on the ground, 1 m apart, each 0.5 m long."""
    m = tb.Model("arms")
    for name, x in (("left", 0.0), ("right", 1.0)):
        m.body(name, mass=1.0, com=(0.25, 0.0, 0.0), inertia=(0.01, 0.02, 0.02))
        m.joint(name, tb.Revolute("y"), m.ground.at(x, 0.0, 0.0), name)
    return m


def slider_crank(rod: float = 0.4) -> tb.Model:
    """Crank of 0.1 m and rod of 0.4 m."""
    m = tb.Model("slider-crank")
    m.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.body("rod", mass=0.5, com=(0.2, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, "crank", position=0.3)
    m.joint("rod", tb.Revolute("y"), tb.Frame("crank", (0.1, 0.0, 0.0)), "rod")
    m.joint("slider", tb.Prismatic("x"), m.ground, "slider")
    m.close("pin", tb.PointInPlane("xz"), tb.Frame("rod", (rod, 0.0, 0.0)), "slider")
    return m


def four_bar(coupler: float = 1.0) -> tb.Model:
    """Bars of 1 m in a square, or with another coupler."""
    m = tb.Model("four-bar")
    previous: object = m.ground
    for name, length, angle in (("in", 1.0, -1.57), ("coupler", coupler, 1.57), ("out", 1.0, 1.57)):
        m.body(name, mass=1.0, com=(length / 2, 0.0, 0.0), inertia=(0.0, 0.1, 0.1))
        m.joint(name, tb.Revolute("y"), previous, name, position=angle)
        previous = tb.Frame(name, (length, 0.0, 0.0))
    m.close("pin", tb.PointInPlane("xz"), previous, m.ground.at(1.0, 0.0, 0.0))
    return m
