"""Planar linkages: a crank-rocker, a four-bar whose shortest bar turns round while the opposite one
swings; a slider-crank with a motor, a spring and a live crank radius; a row of N four-bars with
equal bars, N loops that move as one (IFToMM benchmark A02); and other classics: a Scotch yoke,
Peaucellier's straight line, Jansen's leg, a scissor lift and a Geneva drive, which touches instead.

Angles of the latter count from x towards z. Their bars are solids of one density, so that they can
be drawn on as what was drawn on the page."""

import math
from typing import NamedTuple

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown
from touchback.model import BodyHandle, Place
from touchback.numbers import whole_within

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


# ---- the classics --------------------------------------------------------------------------------

DENSITY, STEEL, WIDTH, DEPTH = 1000.0, 7800.0, 0.02, 0.01  # kg/m³, m: of bars
Point = tuple[float, float]  # x and z [m]


class _Solid(NamedTuple):
    """A solid of a body: its middle x, z [m] and its turn from x towards z [rad]."""

    middle: Point
    angle: float
    solid: tb.Box | tb.Cylinder


def _between(start: Point, end: Point, width: float = WIDTH) -> _Solid:
    """A bar from one point of a body to another."""
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    return _Solid(middle, _direction(start, end), tb.Box((math.dist(start, end), DEPTH, width)))


def _disc(radius: float) -> _Solid:
    """A disc about the origin."""
    return _Solid((0.0, 0.0), 0.0, tb.Cylinder(radius, DEPTH))


def _body(m: tb.Model, name: str, *solids: _Solid, density: float = DENSITY) -> BodyHandle:
    """A body of solids in its x–z plane, which weigh what their volumes do; of its inertia what
    counts in the plane."""
    masses, moments = [], []
    for _, _, solid in solids:
        if (found := solid.mass_properties()) is not None:
            masses.append(density * found.volume)
            normal = 2 if isinstance(solid, tb.Cylinder) else 1  # which of its axes is along y
            moments.append(density * float(found.inertia[normal, normal]))
    mass, middles = math.fsum(masses), [solid.middle for solid in solids]
    x, z = (math.fsum(w * at[i] for w, at in zip(masses, middles)) / mass for i in (0, 1))
    beside = (w * math.dist(at, (x, z)) ** 2 for w, at in zip(masses, middles))
    moment = math.fsum([*moments, *beside])
    x, z, mass, moment = (float(f"{number:.6g}") for number in (x, z, mass, moment))
    body = m.body(name, mass, com=(x, 0, z), inertia=(0, moment, 0))
    for count, ((x, z), angle, solid) in enumerate(solids, start=1):
        turn = ("x", math.pi / 2) if isinstance(solid, tb.Cylinder) else ("y", -angle)
        label = name if len(solids) == 1 else f"{name} {count}"
        m.shape(label, body.at(x, 0, z, turn=turn if turn[1] else None), solid)
    return body


def _bar(m: tb.Model, name: str, length: float) -> BodyHandle:
    """A bar from its origin along x."""
    return _body(m, name, _between((0.0, 0.0), (length, 0.0)))


def _plate(m: tb.Model, name: str, *corners: Point) -> BodyHandle:
    """Bars from each corner to the next, and from the last to the first."""
    return _body(m, name, *map(_between, corners, (*corners[1:], corners[0])))


def _meet(a: Point, ra: float, b: Point, rb: float, left: bool) -> Point:
    """Where circles about two points meet, left or right of the way from a to b."""
    (x, z), apart = (b[0] - a[0], b[1] - a[1]), math.dist(a, b)
    along = (ra**2 - rb**2 + apart**2) / (2 * apart)
    aside = math.sqrt(ra**2 - along**2) * (1 if left else -1)
    return a[0] + (along * x - aside * z) / apart, a[1] + (along * z + aside * x) / apart


def _direction(a: Point, b: Point) -> float:
    """The angle of the way from a to b [rad]."""
    return math.atan2(b[1] - a[1], b[0] - a[0])


def _spatial(point: Point) -> tuple[float, float, float]:
    return point[0], 0.0, point[1]


def _hinge(m: tb.Model, name: str, parent: Place, child: Place, angle: float = 0.0) -> None:
    """A revolute joint whose angle counts from x towards z."""
    m.joint(name, tb.Revolute("-y"), parent, child, position=float(f"{angle:.9g}"))


def _add_motor(m: tb.Model, joint: str, speed: float, gain: float) -> None:
    """A motor that holds a speed [rad/s], a live parameter, by a torque of `gain` [N m s/rad] times
    what is missing: a hand at the crank feels it."""
    wanted = m.parameter("speed", speed, unit="rad/s", min=-10.0, max=10.0)
    m.force("motor", tb.JointEffort(joint, gain * (wanted - m.rate(joint))))


YOKE_CRANK = 0.08  # m


def make_scotch_yoke() -> tb.Model:
    """A pin on a crank slides in the slot of a yoke, which slides along x: x = r cos θ. What slides
    in the slot is a body, the block."""
    m, r, end = tb.Model("scotch-yoke"), YOKE_CRANK, 1.25 * YOKE_CRANK
    crank = _body(m, "crank", _disc(1.15 * r))
    rails = [_between((x, -end), (x, end), 0.01) for x in (-0.02, 0.02)]
    caps = [_between((-0.025, z), (0.025, z), 0.01) for z in (-end, end)]
    rods = [_between((x, 0.0), (x + 0.2, 0.0), 0.01) for x in (-0.225, 0.025)]
    yoke = _body(m, "yoke", *rails, *caps, *rods)
    block = _body(m, "block", _Solid((0.0, 0.0), 0.0, tb.Box((0.03, 2 * DEPTH, 0.03))))
    _hinge(m, "crank", m.ground, crank)
    m.joint("yoke", tb.Prismatic("x"), m.ground, yoke, position=r)
    m.joint("block", tb.Prismatic("z"), yoke, block)
    m.close("pin", tb.PointInPlane("xz"), crank.at(r, 0, 0), block)
    _add_motor(m, "crank", 3.0, 0.5)
    m.sensor("pin", tb.Position(crank.at(r, 0, 0)))
    m.sensor("yoke end", tb.Position(yoke.at(0.225, 0, 0)))
    m.sensor("pin force", tb.Reaction("pin"))
    return m


SCOTCH_YOKE = Entry(
    "scotch-yoke",
    "a pin in a slot turns a rotation into a stroke that is exactly a sine",
    make_scotch_yoke,
    Experiment(6.0, rates={"crank": 3.0}, signals=("yoke", "block", "pin force.fx")),
    sentences=(
        "A pin on a crank slides in the slot of a yoke, and takes it to and fro.",
        "The yoke follows the pin's shadow: its way is r cos θ, without the overtones of a "
        "slider-crank.",
        'Turn "speed" up and see the force in the pin grow with its square.',
    ),
)

ARM, SIDE, CIRCLE = 0.4, 0.15, 0.16  # m: arms, sides of the rhombus, and the crank


def make_peaucellier() -> tb.Model:
    """Peaucellier's cell (1864): arms L from a fixed point O hold two corners of a rhombus of sides
    l, whose other corners P and B invert each other, |OP| |OB| = L² − l². A crank r moves P on a
    circle through O, hence B along a straight line, x = (L² − l²)/(2 r)."""
    m, origin, near = tb.Model("peaucellier"), (0.0, 0.0), (2 * CIRCLE, 0.0)
    far = (ARM**2 - SIDE**2) / near[0], 0.0
    crank, ends = _bar(m, "crank", CIRCLE), {}
    _hinge(m, "crank", m.ground.at(CIRCLE, 0, 0), crank)
    for which in ("upper", "lower"):
        corner = _meet(origin, ARM, near, SIDE, left=which == "upper")
        arm, angle = _bar(m, f"{which} arm", ARM), _direction(origin, corner)
        _hinge(m, f"{which} arm", m.ground, arm, angle)
        for word, goal in (("inner", near), ("outer", far)):
            side = _bar(m, f"{which} {word} side", SIDE)
            turned = math.remainder(_direction(corner, goal) - angle, math.tau)
            _hinge(m, f"{which} {word} side", arm.at(ARM, 0, 0), side, turned)
            ends[which, word] = side.at(SIDE, 0, 0)
    for which in ("upper", "lower"):
        m.close(f"{which} pin", tb.PointInPlane("xz"), crank.at(CIRCLE, 0, 0), ends[which, "inner"])
    m.close("pen", tb.PointInPlane("xz"), ends["upper", "outer"], ends["lower", "outer"])
    m.shape("line", m.ground.at(far[0], 0, 0), tb.Box((0.002, 0.002, 4 * CIRCLE)))
    swing = m.parameter("swing", 1.0, unit="rad", min=0.0, max=1.2)
    aim = swing * tb.sin(2.0 * m.time)
    torque = 40.0 * (aim - m.coordinate("crank")) - 4.0 * m.rate("crank")
    m.force("motor", tb.JointEffort("crank", torque))
    m.sensor("pen", tb.Position(ends["upper", "outer"]))
    m.sensor("pin", tb.Position(crank.at(CIRCLE, 0, 0)))
    return m


PEAUCELLIER = Entry(
    "peaucellier",
    "seven bars draw a straight line: an inversor turns a circle inside out",
    make_peaucellier,
    Experiment(6.0, signals=("crank", "pen.x", "pen.z")),
    sentences=(
        "Seven bars guide a pen along a straight line, without anything straight that slides.",
        "The rhombus inverts circles about its fixed point: the crank's circle goes through "
        "that point, so its image is a line.",
        'Turn "swing" up: the line grows and stays straight.',
    ),
)

# Jansen's "holy numbers" [cm]: The Great Pretender, 010 Publishers, 2007
JANSEN = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7,
    "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0,
}  # fmt: skip


def make_jansen_linkage() -> tb.Model:
    """One leg of a Strandbeest: a crank m at a, l beside the hip moves eleven rods, the foot goes
    along the ground for half a turn and back above it. Rods b, d, e make a triangle at the hip,
    g, h, i one with the foot."""
    n = {name: length / 100 for name, length in JANSEN.items()}
    m, hip, centre = tb.Model("jansen-leg"), (0.0, 0.0), (n["a"], n["l"])
    pin = centre[0] + n["m"], centre[1]
    top = _meet(hip, n["b"], pin, n["j"], left=True)
    back = _meet(hip, n["d"], top, n["e"], left=True)
    low = _meet(hip, n["c"], pin, n["k"], left=False)
    knee = _meet(back, n["f"], low, n["g"], left=False)
    foot = _meet((0.0, 0.0), n["i"], (n["g"], 0.0), n["h"], left=True)  # of its triangle
    crank, rod_j, rod_k = (_bar(m, each, n[each[-1]]) for each in ("crank m", "rod j", "rod k"))
    _hinge(m, "crank", m.ground.at(*_spatial(centre)), crank)
    _hinge(m, "j", crank.at(n["m"], 0, 0), rod_j, _direction(pin, top))
    _hinge(m, "k", crank.at(n["m"], 0, 0), rod_k, _direction(pin, low))
    apex = _meet((0.0, 0.0), n["d"], (n["b"], 0.0), n["e"], left=True)
    thigh = _plate(m, "thigh", (0.0, 0.0), (n["b"], 0.0), apex)
    _hinge(m, "thigh", m.ground, thigh, _direction(hip, top))
    rod_c, rod_f = _bar(m, "rod c", n["c"]), _bar(m, "rod f", n["f"])
    _hinge(m, "c", m.ground, rod_c, _direction(hip, low))
    turned = _direction(back, knee) - _direction(hip, top)
    _hinge(m, "f", thigh.at(*_spatial(apex)), rod_f, math.remainder(turned, math.tau))
    shank = _plate(m, "shank", (0.0, 0.0), (n["g"], 0.0), foot)
    turned = _direction(low, knee) - _direction(hip, low)
    _hinge(m, "shank", rod_c.at(n["c"], 0, 0), shank, math.remainder(turned, math.tau))
    pins = {
        "top": (rod_j.at(n["j"], 0, 0), thigh.at(n["b"], 0, 0)),
        "low": (rod_k.at(n["k"], 0, 0), rod_c.at(n["c"], 0, 0)),
        "knee": (rod_f.at(n["f"], 0, 0), shank.at(n["g"], 0, 0)),
    }
    for name, (one, other) in pins.items():
        m.close(name, tb.PointInPlane("xz"), one, other)
    _add_motor(m, "crank", -3.0, 2.0)
    m.sensor("foot", tb.Position(shank.at(*_spatial(foot))))
    m.sensor("motor torque", tb.Signal(2.0 * (m.signal("speed") - m.rate("crank")), "N m"))
    return m


JANSEN_LEG = Entry(
    "jansen-leg",
    "Theo Jansen's leg: one crank, and the foot goes level over the ground and back above it",
    make_jansen_linkage,
    Experiment(6.0, rates={"crank": -3.0}, signals=("foot.x", "foot.z", "motor torque")),
    sentences=(
        "Eleven rods make a turning crank walk: the foot goes along the ground and back above it.",
        "Jansen's thirteen lengths are what keeps the foot level for half of each turn.",
        'Change the sign of "speed" and it walks the other way.',
    ),
)

MOST_STAGES = 100
STAGES, BAR, LOAD = 3, 0.5, 5.0  # of the lift: stages, length of bars [m], mass of the table [kg]


def make_scissor_lift(stages: int = STAGES) -> tb.Model:
    """Pairs of bars L that cross at their middles, n above each other; the table stands at the
    height n L sin θ. A jack at the lower right end, x = L cos θ, holds the load W by n W/tan θ
    (virtual work), and n²/tan θ times the weight of a bar besides."""
    stages = whole_within(
        f"stages: a scissor lift has from 1 to {MOST_STAGES} of them", stages, 1, MOST_STAGES
    )
    m, angle = tb.Model("scissor-lift"), math.pi / 6
    low, middle, high, swing, longest = (
        round(share * stages * BAR, 9) for share in (0.3, 0.5, 0.7, 0.15, 0.2)
    )
    height = m.parameter("height", middle, unit="m", min=low, max=high)
    stroke = m.parameter("stroke", swing, unit="m", min=0.0, max=longest)
    foot, table = _body(m, "foot", _disc(0.02)), m.body("table", LOAD, com=(BAR / 2, 0, 0.02))
    m.joint("foot", tb.Prismatic("x"), m.ground, foot, position=BAR * math.cos(angle))
    left, right, turned = m.ground.at(0, 0, 0), foot.at(0, 0, 0), angle
    for stage in range(1, stages + 1):
        rising, falling = _bar(m, f"rising {stage}", BAR), _bar(m, f"falling {stage}", BAR)
        _hinge(m, f"rising {stage}", left, rising, turned)
        _hinge(m, f"cross {stage}", rising.at(BAR / 2, 0, 0), falling.at(BAR / 2, 0, 0), -2 * angle)
        m.close(f"right {stage}", tb.PointInPlane("xz"), right, falling.at(BAR, 0, 0))
        left, right, turned = falling.at(0, 0, 0), rising.at(BAR, 0, 0), 2 * angle
    roller = _body(m, "roller", _disc(0.02))
    _hinge(m, "table", left, table, angle)
    m.joint("roller", tb.Prismatic("x"), table, roller, position=BAR * math.cos(angle))
    m.close("top", tb.PointInPlane("xz"), right, roller)
    m.shape("table", table.at(BAR / 2, 0, 0.02), tb.Box((1.1 * BAR, 2 * DEPTH, 0.02)))
    aim = tb.sqrt(BAR**2 - ((height + stroke * tb.sin(m.time)) / stages) ** 2)
    push = 1e5 * (aim - m.coordinate("foot")) - 5e3 * m.rate("foot")
    m.force("jack", tb.JointEffort("foot", push))
    m.sensor("table", tb.Position(table))
    m.sensor("jack force", tb.Signal(push, "N"))
    return m


SCISSOR_LIFT = Entry(
    "scissor-lift",
    "pairs of crossed bars: a short stroke of a jack becomes a high one, for a greater force",
    make_scissor_lift,
    Experiment(10.0, signals=("table.z", "foot", "jack force")),
    sentences=(
        "Crossed bars above each other lift a table, which a jack below draws together.",
        "What is gained in height is paid in force: n stages at the angle θ ask for n/tan θ "
        "times the load.",
        'Turn "height" down and see the force of the jack grow.',
    ),
)

SLOTS, CENTRES, LOCK, PIN, PLAY = 4, 0.2, 0.09, 0.008, 5e-4  # of the Geneva drive; lengths [m]
DRIVER = CENTRES * math.sin(math.pi / SLOTS)  # m: the pin's circle, which meets a slot along it
WHEEL = CENTRES * math.cos(math.pi / SLOTS)  # m: the mouths of the slots


def make_geneva_drive() -> tb.Model:
    """A pin on a driver enters a slot of a wheel once a turn, takes it on by 2π/n and leaves it;
    meanwhile the rim of the driver's locking disc stands between two corners of the wheel. All of
    it is contact: the pin with the sides of slots, rounded corners with the rim, which is cut away
    where the pin is in. The play is half a millimetre."""
    m, step, opening = tb.Model("geneva-drive"), math.tau / SLOTS, math.pi / 2 - math.pi / SLOTS
    arm = _between((0.0, 0.0), (DRIVER, 0.0))
    driver = _body(m, "driver", _disc(LOCK / 2), arm, density=STEEL)
    sectors = [math.pi + step * each for each in range(SLOTS)]  # the first towards the driver
    spokes = [_between((0.0, 0.0), _polar(CENTRES - LOCK - PIN, angle)) for angle in sectors]
    wheel = _body(m, "wheel", *spokes, _disc(0.055), density=STEEL)
    _hinge(m, "driver", m.ground, driver, math.pi)
    turning = tb.Revolute("-y")
    m.joint("wheel", turning, m.ground.at(CENTRES, 0, 0), wheel, damping=0.01, friction=0.05)
    steel = tb.contact.UnilateralSpring(5e4, 50.0)
    pin = tb.contact.Circle(driver.at(DRIVER, 0, 0), PIN)
    rim = tb.contact.Arc(driver.at(0, 0, 0), LOCK, opening, math.tau - opening)
    inner, wide = CENTRES - DRIVER - 1.5 * PIN, PIN + PLAY
    x, z = _meet((CENTRES, 0.0), WHEEL - PIN / 2, (0.0, 0.0), LOCK + PLAY + PIN / 2, left=False)
    reach, beside = math.hypot(x - CENTRES, z), math.atan2(abs(z), CENTRES - x)
    sides = []
    for count, sector in enumerate(sectors, start=1):
        slot = sector + step / 2
        for start, aside, turn in ((inner, -wide, slot), (WHEEL, wide, slot + math.pi)):
            (x, z), (over_x, over_z) = _polar(start, slot), _polar(aside, slot + math.pi / 2)
            place = wheel.at(x + over_x, 0, z + over_z, turn=("y", -turn))
            sides.append(tb.contact.Line(place, WHEEL - inner, PIN))
        for word, angle in (("first", sector - beside), ("second", sector + beside)):
            corner = tb.contact.Circle(wheel.at(*_spatial(_polar(reach, angle))), PIN / 2)
            m.force(f"{word} corner {count}", tb.contact.ProfileContact(corner, rim, steel))
    plate = _geneva_sector(inner, wide, reach, beside)
    for count, sector in enumerate(sectors, start=1):
        m.shape(f"sector {count}", wheel.at(0, 0, 0, turn=("y", -sector)), plate)
    m.force("pin", tb.contact.ProfileContact(pin, tb.contact.Outline(tuple(sides)), steel))
    _add_motor(m, "driver", 2.0, 1.0)
    m.sensor("pin", tb.Position(driver.at(DRIVER, 0, 0)))
    m.sensor("pin force", tb.ContactForce("pin"))
    return m


def _geneva_sector(inner: float, wide: float, reach: float, beside: float) -> tb.Mesh:
    """What the wheel looks like between two slots, with its middle along x: along a slot's side,
    round the corner, and along the rim that locks it."""
    slot = math.pi / SLOTS
    corner = _polar(reach, beside)
    along = math.atan2(corner[1], CENTRES - corner[0])
    half = [
        *(
            (s * math.cos(slot) + wide * math.sin(slot), s * math.sin(slot) - wide * math.cos(slot))
            for s in (inner, WHEEL)
        ),
        _polar(WHEEL, beside),
        *(
            (CENTRES - (LOCK + PLAY) * math.cos(a), (LOCK + PLAY) * math.sin(a))
            for a in (along, along * 2 / 3, along / 3)
        ),
    ]
    rim = [(CENTRES - LOCK - PLAY, 0.0), *((x, -z) for x, z in reversed(half))]
    flat = [((inner + CENTRES - LOCK) / 2, 0.0), *half, *rim]  # from its first all are seen
    n, near = len(flat), -DEPTH / 2
    sides = [(k, k % (n - 1) + 1) for k in range(1, n)]
    return tb.Mesh.of(
        [(x, y, z) for y in (near, -near) for x, z in flat],
        [
            *((0, b, a) for a, b in sides),
            *((n, n + a, n + b) for a, b in sides),
            *(each for a, b in sides for each in ((a, b, n + b), (a, n + b, n + a))),
        ],
    )


def _polar(radius: float, angle: float) -> Point:
    return radius * math.cos(angle), radius * math.sin(angle)


GENEVA_DRIVE = Entry(
    "geneva-drive",
    "a pin takes a wheel on by a quarter turn and lets it rest: contact in slots and on a rim",
    make_geneva_drive,
    Experiment(
        2 * math.pi, rates={"driver": 2.0}, signals=("driver", "wheel", "pin force"), substeps=4
    ),
    sentences=(
        "A driver that turns evenly takes a slotted wheel on by a quarter turn, then lets it rest.",
        "Pin and slots, rim and corners touch and part: while the pin is out, the rim keeps the "
        "wheel where it is.",
        'Turn "speed" up, or hold the wheel: the pin pushes as hard as the motor can.',
    ),
)
