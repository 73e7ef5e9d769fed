"""Planar linkages: a crank-rocker, a four-bar whose shortest bar turns round while the opposite one
swings; a slider-crank with a motor, a spring and a live crank radius; and a row of N four-bars with
equal bars, N loops that move as one (IFToMM benchmark A02)."""

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown
from touchback.model import BodyHandle

GROUND, CRANK, COUPLER, ROCKER = 0.30, 0.10, 0.35, 0.25  # m; 0.10 + 0.35 < 0.30 + 0.25: Grashof


def make_crank_rocker() -> tb.Model:
    """Bars in the x–z plane; the crank turns about the origin, the rocker 0.3 m beside it."""
    m = tb.Model("crank-rocker")
    torque = m.input("motor torque", unit="N m")
    bars = {}
    for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)):
        mass = 4.0 * length
        moment = mass * length**2 / 12
        bars[name] = m.body(name, mass, com=(length / 2, 0, 0), inertia=(0, moment, moment))
    crank, coupler, rocker = bars.values()
    m.joint("crank", tb.Revolute("-y"), m.ground, crank)
    m.joint("coupler", tb.Revolute("-y"), crank.at(CRANK, 0, 0), coupler, position=0.7)
    m.joint("rocker", tb.Revolute("-y"), m.ground.at(GROUND, 0, 0), rocker, position=1.6)
    m.close("pin", tb.PointInPlane("xz"), coupler.at(COUPLER, 0, 0), rocker.at(ROCKER, 0, 0))
    m.force("motor", tb.JointEffort("crank", torque))
    m.sensor("coupler point", tb.Position(coupler.at(COUPLER / 2, 0, 0.1)))
    m.sensor("energy", tb.Energy())
    return m


CRANK_ROCKER = Entry(
    "crank-rocker",
    "a four-bar: one loop, whose crank turns round and whose rocker swings",
    make_crank_rocker,
    Experiment(
        3.0, positions={"crank": 0.5}, rates={"crank": 15.0}, signals=("rocker", "crank rate")
    ),
    sentences=(
        "Four bars close a loop: the short one turns round while the opposite one swings.",
        "One loop leaves one freedom, and the crank's speed varies in each turn as the others "
        "speed up and slow down.",
        'Give "motor torque" a value and see the two strokes of the rocker take different times.',
    ),
)
ROD = 0.4  # m


def make_slider_crank() -> tb.Model:
    """The crank turns about y at the origin, the slider moves along x."""
    m = tb.Model("slider-crank")
    r = m.parameter("crank radius", 0.10, unit="m", min=0.02, max=0.2)
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(ROD / 2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    pin = slider.at(0, 0, 0)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.5)
    m.close("pin", tb.PointInPlane("xz"), rod.at(ROD, 0, 0), pin)
    m.force("spring", tb.SpringDamper(m.ground.at(1, 0, 0), pin, 200, 2, length=0.5))
    m.force("motor", tb.JointEffort("crank", m.input("motor torque", unit="N m")))
    m.sensor("slider position", tb.Position(pin))
    m.sensor("pin force", tb.Reaction("pin"))
    m.sensor("energy", tb.Energy())
    return m


PULSES = (0.0, 0.2, 0.201, 2.0), (3.0, 3.0, 0.0, 0.0)  # s, N m: kept going, yet slow enough to see
SLIDER_CRANK = Entry(
    "slider-crank",
    "crank, rod and slider with a spring: the force in the pin is that of the loop's closure",
    make_slider_crank,
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
        make_slider_crank,
        Experiment(
            2.0,
            {"crank": 0.3},
            {"crank": 25.0},
            {"motor torque": PULSES},
            ("slider position.x", "pin force.fx"),
        ),
    ),
)


def make_four_bars(loops: int = 4) -> tb.Model:
    """2 N + 1 bars of 1 m and 1 kg. Cranks stand along z at zero angles, couplers lie along x. At a
    quarter turn all lie on one line, where the mechanism is singular and could fold otherwise."""
    if loops < 1:
        raise tb.InputError(f"A row of four-bars needs at least one loop, got {loops}.")
    m = tb.Model("four-bars")
    cranks: list[BodyHandle] = []
    for i in range(loops + 1):
        cranks.append(m.body(f"crank {i}", 1.0, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0)))
        m.joint(f"crank {i}", tb.Revolute("y"), m.ground.at(i, 0, 0), cranks[i])
    for i in range(loops):
        bar = m.body(f"coupler {i}", 1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
        m.joint(f"coupler {i}", tb.Revolute("y"), cranks[i].at(0, 0, 1), bar)
        m.close(f"pin {i}", tb.PointInPlane("xz"), cranks[i + 1].at(0, 0, 1), bar.at(1, 0, 0))
    m.sensor("first top", tb.Position(cranks[0].at(0, 0, 1)))
    m.sensor("energy", tb.Energy())
    return m


_LOOPS, _ANGLE = 4, 2.2
_START = {f"crank {i}": _ANGLE for i in range(_LOOPS + 1)}
FOUR_BARS = Entry(
    "four-bars",
    "N parallelograms in a row (4 by default), hanging: many loops, one freedom",
    make_four_bars,
    Experiment(
        4.0,
        positions={"crank 0": _ANGLE},
        guess={**_START, **{f"coupler {i}": -_ANGLE for i in range(_LOOPS)}},
        signals=("crank 0", "first top.x"),
    ),
    sentences=(
        "Four parallelograms in a row share their cranks and hang under their own weight.",
        "Many loops and one freedom: in two poses all bars lie along one line, where the loops "
        "could go on in two ways.",
        "Drag any bar and see all the others go with it.",
    ),
)
