"""A mass over one wheel: the smallest car."""

import touchback as tb
from touchback.vehicle import (
    BUGGY_TYRE,
    BrushTyre,
    MagicFormula,
    PlaneRoad,
    Road,
    Tyre,
    TyreForces,
    TyreOnRoad,
    read_tir,
)

G, MASS, WHEEL, INERTIA = 9.81, 250.0, 15.0, 0.8
WEIGHT = (MASS + WHEEL) * G
DAMPED = 6000.0  # N s/m, so that the mass, which has no suspension, soon stops bouncing
MF = MagicFormula({**read_tir(BUGGY_TYRE).numbers, "VERTICAL_DAMPING": DAMPED})
BRUSH = BrushTyre(nominal_load=2500.0, vertical_damping=DAMPED)


def quarter_car(
    tyre: Tyre,
    road: Road | None = None,
    speed: float = 10.0,
    steer: float = 0.0,
    held: bool = False,
    spin: float | None = None,
    grip: float | None = None,
) -> tb.Model:
    """A mass that slides along x and z over one wheel, which turns about y or is held."""
    m = tb.Model("quarter car", gravity=(0, 0, -G))
    sledge, mass, hub = m.body("sledge"), m.body("mass", MASS), m.body("hub")
    wheel = m.body("wheel", WHEEL, inertia=(0.4, INERTIA, 0.4))
    ground = PlaneRoad() if road is None else road
    height = float(ground.at(0.0, 0.0).height) + tyre.free_radius() - 0.014
    rolling = float(tyre.rolling_radius(WEIGHT, 0.0, tyre.inflation()))
    m.joint("x", tb.Prismatic("x"), m.ground, sledge, velocity=[speed])
    m.joint("z", tb.Prismatic("z"), sledge, mass, position=[height])
    m.joint("steer", tb.Fixed(), mass.at(0, 0, 0, turn=("z", steer)), hub)
    if held:
        m.joint("spin", tb.Fixed(), hub, wheel)
    else:
        start = speed / rolling if spin is None else spin
        m.joint("spin", tb.Revolute("y"), hub, wheel, velocity=[start])
        m.force("motor", tb.JointEffort("spin", m.input("torque", unit="N m")))
    share = 1.0 if grip is None else m.parameter("grip", grip, min=0.05, max=2.0)
    m.force("tyre", TyreOnRoad(wheel=wheel, tyre=tyre, road=ground, grip=share))  # type: ignore[arg-type]
    m.sensor("t", TyreForces("tyre"))
    m.sensor("gap", tb.Gap("tyre"))
    return m
