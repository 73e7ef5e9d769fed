"""Mechanisms that are described in relative and in natural coordinates, with their start."""

import numpy as np

import touchback as tb
from touchback.system import System

FOUR_BAR = {"crank": 0.1, "coupler": 0.4, "rocker": 0.3, "ground": 0.35}  # lengths [m]


def bar(length: float, mass: float) -> dict[str, object]:
    """A slender bar along x."""
    across = mass * length**2 / 12
    return {"mass": mass, "com": (length / 2, 0, 0), "inertia": (1e-3 * across, across, across)}


def four_bar() -> tuple[System, tb.State]:
    m = tb.Model("four-bar")
    crank, coupler, rocker = (
        m.body(name, **bar(FOUR_BAR[name], mass))
        for name, mass in (("crank", 0.5), ("coupler", 1.0), ("rocker", 0.8))
    )
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("coupler", tb.Revolute("y"), crank.at(FOUR_BAR["crank"], 0, 0), coupler)
    m.joint("rocker", tb.Revolute("y"), m.ground.at(FOUR_BAR["ground"], 0, 0), rocker)
    ends = coupler.at(FOUR_BAR["coupler"], 0, 0), rocker.at(FOUR_BAR["rocker"], 0, 0)
    m.close("pin", tb.PointInPlane("xz"), *ends)
    system = m.compile()
    guess = {"coupler": -0.9, "rocker": -1.5}
    return system, system.assemble(crank=-0.4, rates={"crank": 8.0}, guess=guess)


def slider_crank() -> tuple[System, tb.State]:
    m = tb.Model("slider-crank")
    crank, rod = m.body("crank", **bar(0.1, 1.0)), m.body("rod", **bar(0.4, 0.5))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(0.1, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    system = m.compile()
    return system, system.assemble(crank=0.3, rates={"crank": 10.0}, guess={"slider": 0.5})


def spatial_slider_crank() -> tuple[System, tb.State]:
    """A crank whose plane is square to the guide: hinge, ball, ball, slide (RSSP); the rod is a
    symmetric body whose spin about itself is a freedom of its own."""
    m = tb.Model("spatial slider-crank")
    crank = m.body("crank", **bar(0.1, 1.0))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("crank", tb.Revolute("x"), m.ground.at(0, 0.05, 0.1), crank.at(0, 0, 0, ("z", 0.3)))
    m.joint("rod", tb.Spherical(), crank.at(0.1, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("ball", tb.Spherical(), rod.at(0.4, 0, 0), slider)
    system = m.compile()
    return system, system.assemble(crank=0.3, rates={"crank": 10.0}, guess={"slider": 0.35})


def bennett() -> tuple[System, tb.State]:
    """Four hinges in space whose axes neither meet nor are parallel: movable since
    a / sin α = b / sin β (Bennett 1903), with three constraints that are redundant."""
    a, alpha, b = 0.3, 0.6, 0.5
    beta = float(np.arcsin(b * np.sin(alpha) / a))
    m = tb.Model("Bennett linkage")
    links = [
        m.body(name, mass=mass, com=(length / 2, 0, 0.01), inertia=(2e-3, 9e-3, 8e-3))
        for name, mass, length in (("one", 0.7, b), ("two", 0.9, a), ("three", 0.6, b))
    ]
    one, two, three = links
    m.joint("one", tb.Revolute("z"), m.ground.at(a, 0, 0, ("x", alpha)), one)
    m.joint("two", tb.Revolute("z"), one.at(b, 0, 0, ("x", beta)), two)
    m.joint("three", tb.Revolute("z"), two.at(a, 0, 0, ("x", alpha)), three)
    m.close("last", tb.Revolute("z"), three.at(b, 0, 0, ("x", beta)), m.ground)
    system = m.compile()
    guess = {"two": -2.0, "three": 1.0}
    return system, system.assemble(one=1.0, rates={"one": 3.0}, guess=guess)


def double_pendulum() -> tuple[System, tb.State]:
    """An open chain whose axes are skew."""
    m = tb.Model("skew double pendulum")
    upper = m.body("upper", mass=1.0, com=(0.2, 0.01, 0), inertia=(1e-3, 2e-2, 2e-2))
    lower = m.body("lower", mass=0.7, com=(0.15, 0, 0.02), inertia=(2e-3, 1e-2, 1e-2))
    m.joint("upper", tb.Revolute("y"), m.ground, upper)
    m.joint("lower", tb.Revolute((0.3, 1.0, 0.2)), upper.at(0.4, 0, 0), lower)
    system = m.compile()
    return system, system.assemble(upper=0.4, lower=0.8, rates={"upper": 1.0, "lower": -2.0})


MECHANISMS = {
    each.__name__: each
    for each in (four_bar, slider_crank, spatial_slider_crank, bennett, double_pendulum)
}
