"""A slider-crank with a motor, a spring and a live crank radius."""

from touchback import (
    Energy,
    JointEffort,
    Model,
    PointInPlane,
    Position,
    Prismatic,
    Reaction,
    Revolute,
    SpringDamper,
)
from touchback.gallery.entry import Entry, Experiment, Shown

ROD = 0.4  # m


def make() -> Model:
    """The crank turns about y at the origin, the slider moves along x."""
    m = Model("slider-crank")
    r = m.parameter("crank radius", 0.10, unit="m", min=0.02, max=0.2)
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(ROD / 2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    pin = slider.at(0, 0, 0)
    m.joint("crank", Revolute("y"), m.ground, crank)
    m.joint("rod", Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", Prismatic("x"), m.ground, slider, position=0.5)
    m.close("pin", PointInPlane("xz"), rod.at(ROD, 0, 0), pin)
    m.force("spring", SpringDamper(m.ground.at(1, 0, 0), pin, 200, 2, length=0.5))
    m.force("motor", JointEffort("crank", m.input("motor torque", unit="N m")))
    m.sensor("slider position", Position(pin))
    m.sensor("pin force", Reaction("pin"))
    m.sensor("energy", Energy())
    return m


PULSES = (0.0, 0.2, 0.201, 2.0), (3.0, 3.0, 0.0, 0.0)  # s, N m: kept going, yet slow enough to see

ENTRY = Entry(
    "slider-crank",
    "crank, rod and slider with a spring: the force in the pin is that of the loop's closure",
    make,
    Experiment(
        2.0,
        positions={"crank": 0.3},
        rates={"crank": 25.0},
        inputs={"motor torque": 0.5},
        signals=("slider position.x", "pin force.fx"),
    ),
    sentences=(
        "Crank, rod and slider turn a rotation into a stroke, as every piston engine does in "
        "reverse.",
        "The force in the pin is what the closed loop asks for; it peaks where the slider "
        "turns back.",
        'Change "crank radius" while it runs: the stroke changes and the loop stays closed.',
    ),
    shown=Shown(
        make,
        Experiment(
            2.0,
            {"crank": 0.3},
            {"crank": 25.0},
            {"motor torque": PULSES},
            ("slider position.x", "pin force.fx"),
        ),
    ),
)
