"""Mechanisms that live runs are tested on."""

import pytest

import touchback as tb


def cart_model() -> tb.Model:
    """A cart pushed by a force that it also echoes; a root turns into NaN below zero."""
    m = tb.Model("cart", gravity=(0, 0, 0))
    mass = m.parameter("mass", 2.0, unit="kg", min=0.5, max=50.0)
    stiffness = m.parameter("stiffness", 8.0, unit="N/m", min=0.0)
    cart = m.body("cart", mass=mass)
    m.joint("slide", tb.Prismatic("x"), m.ground, cart, position=(0.1,))
    force = m.input("force", unit="N")
    level = m.input("level", default=1.0)
    spring = -stiffness * m.coordinate("slide")
    m.force("push", tb.JointEffort("slide", force + spring + tb.sqrt(level) - 1.0))
    m.sensor("place", tb.Position(cart))
    m.sensor("echo", tb.Signal(force, "N"))
    m.sensor("second echo", tb.Signal(2.0 * force, "N"))
    return m


def slider_crank_model() -> tb.Model:
    """A crank whose radius may change, a rod and a slider: one closed loop."""
    m = tb.Model("slider-crank", gravity=(0, 0, -9.81))
    r = m.parameter("crank radius", 0.10, unit="m", min=0.02, max=0.6)
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    torque = m.input("motor torque")
    m.force("motor", tb.JointEffort("crank", tb.sqrt(torque)))
    m.sensor("slider position", tb.Position(slider))
    m.sensor("pin force", tb.Multiplier("pin.1"))
    return m


def four_bar_model() -> tb.Model:
    """Pivots 0.5 m apart, a crank of 0.1 m, a rocker of 0.3 m, and a coupler that may change."""
    m = tb.Model("four-bar", gravity=(0, 0, -9.81))
    length = m.parameter("coupler length", 0.4, unit="m", min=0.01)
    crank = m.body("crank", mass=1.0, com=(0.05, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    coupler = m.body("coupler", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    rocker = m.body("rocker", mass=0.5, com=(0.15, 0, 0), inertia=(1e-4, 4e-3, 4e-3))
    m.joint("crank", tb.Revolute("y"), m.ground, crank, position=(-0.5,))
    m.joint("coupler", tb.Revolute("y"), crank.at(0.1, 0, 0), coupler, position=(0.3,))
    m.joint("rocker", tb.Revolute("y"), m.ground.at(0.5, 0, 0), rocker, position=(-1.5,))
    m.close("pin", tb.PointInPlane("xz"), coupler.at(length, 0, 0), rocker.at(0.3, 0, 0))
    return m


@pytest.fixture(scope="session")
def four_bar() -> tb.System:
    return four_bar_model().compile()


@pytest.fixture(scope="session")
def cart() -> tb.System:
    return cart_model().compile()


@pytest.fixture(scope="session")
def slider_crank() -> tb.System:
    return slider_crank_model().compile()


@pytest.fixture(scope="session")
def turning(slider_crank: tb.System) -> tb.State:
    """The slider-crank with its slider in front, turning."""
    return slider_crank.assemble(crank=0.3, guess={"slider": 0.5}, rates={"crank": 10.0})
