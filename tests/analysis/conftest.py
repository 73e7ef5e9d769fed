"""The mechanisms that analyses are tested on."""

from typing import Any

import pytest

import touchback as tb

G = 9.81
CRANK, ROD = 0.1, 0.4
FOUR_BAR = {"ground": 1.0, "crank": 0.3, "coupler": 0.9, "rocker": 0.6}


@pytest.fixture(scope="package")
def pendulum() -> Any:
    """A point mass of 2 kg below the ground, with a motor at its joint."""
    m = tb.Model("pendulum")
    length = m.parameter("length", 1.3, unit="m")
    bob = m.body("bob", mass=2.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    m.force("motor", tb.JointEffort("swing", m.input("torque", unit="N m")))
    m.sensor("bob", tb.Position(bob.at(0, 0, -1.0)))
    return m.compile()


@pytest.fixture(scope="package")
def cart_pole() -> Any:
    """A pole on a cart, upright at zero, pushed by an input."""
    m = tb.Model("cart-pole")
    cart = m.body("cart", mass=1.0)
    pole = m.body("pole", mass=0.2, com=(0, 0, 0.5), inertia=(0.02, 0.02, 0.0))
    m.joint("cart", tb.Prismatic("x"), m.ground, cart)
    m.joint("pole", tb.Revolute("y"), cart, pole)
    m.force("motor", tb.JointEffort("cart", m.input("push", unit="N")))
    m.sensor("tip", tb.Position(pole.at(0, 0, 1.0)))
    m.sensor("hinge", tb.Reaction("pole"))
    return m.compile()


def slider_crank_model() -> tb.Model:
    m = tb.Model("slider-crank")
    radius = m.parameter("crank radius", CRANK, unit="m")
    crank = m.body("crank", mass=1.0, com=(radius / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(ROD / 2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(radius, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("pin", tb.PointInPlane("xz"), rod.at(ROD, 0, 0), slider)
    m.force("motor", tb.JointEffort("crank", m.input("torque", unit="N m")))
    m.force("piston", tb.JointEffort("slider", m.input("gas", unit="N")))
    m.sensor("guide", tb.Reaction("slider"))
    m.sensor("energy", tb.Energy())
    return m


@pytest.fixture(scope="package")
def slider_crank() -> Any:
    return slider_crank_model().compile()


@pytest.fixture(scope="package")
def four_bar() -> Any:
    """A crank-rocker in the vertical plane with a damped rocker."""
    bars = FOUR_BAR
    m = tb.Model("four-bar")
    made = {
        name: m.body(
            name,
            mass=bars[name],
            com=(bars[name] / 2, 0, 0),
            inertia=(0.0, bars[name] ** 3 / 12, bars[name] ** 3 / 12),
        )
        for name in ("crank", "coupler", "rocker")
    }
    m.joint("crank", tb.Revolute("y"), m.ground, made["crank"])
    m.joint("coupler", tb.Revolute("y"), made["crank"].at(bars["crank"], 0, 0), made["coupler"])
    m.joint(
        "rocker",
        tb.Revolute("y"),
        m.ground.at(bars["ground"], 0, 0),
        made["rocker"],
        damping=m.parameter("damping", 0.0),
    )
    m.close(
        "pin",
        tb.PointInPlane("xz"),
        made["coupler"].at(bars["coupler"], 0, 0),
        made["rocker"].at(bars["rocker"], 0, 0),
    )
    m.sensor("tip", tb.Position(made["coupler"].at(0.5, 0, 0.2)))
    return m.compile()


@pytest.fixture(scope="package")
def free_loop() -> Any:
    """Everything at once: a free body tied by a rod to a ball-jointed arm, a servo with a lag, a
    bushing, and a spring."""
    m = tb.Model("free loop")
    stiffness = m.parameter("stiffness", 40.0)
    length = m.parameter("rod", 0.8)
    arm = m.body("arm", mass=1.0, com=(0.2, 0, -0.3), inertia=(0.03, 0.04, 0.02))
    box = m.body("box", mass=2.0, inertia=(0.05, 0.06, 0.07))
    flap = m.body("flap", mass=0.3, com=(0.1, 0, 0), inertia=(0.001, 0.002, 0.003))
    m.joint("ball", tb.Spherical(), m.ground, arm, position=(0.9, 0.3, 0.1, 0.2), damping=0.2)
    m.joint(
        "box", tb.Free(), m.ground, box, position=(1.0, 0.3, -0.4, 0.8, 0.1, -0.3, 0.2), damping=0.5
    )
    m.joint("flap", tb.Revolute("x"), box.at(0.1, 0.1, 0), flap, spring=2.0, position=0.2)
    m.close("rod", tb.Rod(length), arm.at(0.4, 0, 0), box.at(0.1, 0, 0.2))
    current = m.state("current", 0.3)
    voltage = m.input("voltage")
    m.set_rate("current", 5.0 * (voltage - current) - 0.3 * m.rate("flap"))
    m.force("motor", tb.JointEffort("flap", 0.4 * current))
    m.force(
        "spring",
        tb.SpringDamper(m.ground.at(1, 0, 1), box, stiffness=stiffness, damping=1.0, length=0.4),
    )
    m.force(
        "lines",
        tb.SpringDamper(m.ground.at(0, 1, 1), box.at(0, 0.2, 0), stiffness=60.0, length=0.5),
    )
    m.sensor("box", tb.Position(box.at(0.1, 0.2, 0.3)))
    m.sensor("flap joint", tb.Reaction("flap"))
    m.sensor("energy", tb.Energy())
    return m.compile()
