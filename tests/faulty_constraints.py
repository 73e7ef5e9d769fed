"""Faulty constraints, and what is said about them."""

import functools

import touchback as tb
from faults import Fault
from faults import fault as any_fault

CONSTRAINT_FAULTS: list[Fault] = []
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


# ---- closures ------------------------------------------------------------------------------------


@fault(
    "bars too short to close",
    "Closures",
    "Closure 'tips': its two points are 0.3 m apart at best, 0.7 at the guess. Give a guess"
    " nearer to closure, or check the lengths.",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Spherical(), tb.Frame("left", (0.5, 0, 0)), tb.Frame("right", (0.2, 0, 0)))
    m.compile()


@fault(
    "rod that can't reach",
    "Closures",
    "Closure 'rod': its error is 0.83 m at best, 1.3 at the guess. Give a guess nearer to "
    "closure, or check the lengths.",
)
def _() -> None:
    m = two_arms()
    m.close("rod", tb.Rod(3.0), tb.Frame("left", (0.5, 0, 0)), tb.Frame("right", (0.5, 0, 0)))
    m.compile()


@fault(
    "loop that one driven joint keeps open",
    "Closures",
    "Constraints contradict each other. At best, Closure 'pin': its two points are 0.22 m "
    "apart; Drive 'slider': its error is 0.28. Remove or mend one of them, or give a guess "
    "from which all can be met.",
)
def _() -> None:
    m = slider_crank()
    m.drive("slider", 1.0)
    m.compile()


@fault(
    "both frames on one rigid body",
    "Closures",
    "Closure 'ring': both its frames are on the same rigid link ('left' and 'hand'); it "
    "closes nothing.",
)
def _() -> None:
    m = two_arms()
    m.body("hand", mass=0.1)
    m.joint("grip", tb.Fixed(), "left", "hand")
    m.close("ring", tb.Spherical(), "left", "hand")
    m.compile()


@fault(
    "frame of an unknown body",
    "Closures",
    "Closure 'tips': there is no body 'rihgt'; did you mean 'right'?",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Spherical(), "left", "rihgt")
    m.compile()


@fault(
    "joint kind that can't close a loop",
    "Closures",
    "Closure 'tips': Screw can't close a loop. Closures are Spherical (ball), Revolute, "
    "Prismatic, Cylindrical, Universal, Planar, Fixed, Rod, PointInPlane, PointOnPlane, "
    "PointOnLine, Skate and Rolling.",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Screw("z", 0.1), "left", "right")


@fault(
    "free joint as a closure",
    "Closures",
    "Closure 'tips': Free can't close a loop. Closures are Spherical (ball), Revolute, "
    "Prismatic, Cylindrical, Universal, Planar, Fixed, Rod, PointInPlane, PointOnPlane, "
    "PointOnLine, Skate and Rolling.",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Free(), "left", "right")


@fault(
    "coupling as a closure",
    "Closures",
    "Closure 'tips': a closure such as tb.Spherical() is expected, got Gear(first='left', "
    "second='right', ratio=-1.0, offset=0.0, active=True).",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Gear("left", "right"), "left", "right")


@fault(
    "closure whose frame is a point",
    "Closures",
    "Closure 'tips': b: a body or a frame (`body.at(x, y, z)`) is expected, got (0.5, 0.0, 0.0).",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Spherical(), "left", (0.5, 0.0, 0.0))


@fault(
    "universal closure with slanted axes",
    "Closures",
    "Closure 'cross': Universal: as a closure its axes must be square to each other, got "
    "'x' and (1.0, 1.0, 0.0).",
)
def _() -> None:
    m = two_arms()
    m.close("cross", tb.Universal("x", (1.0, 1.0, 0.0)), "left", "right")


@fault(
    "rod of length zero",
    "Closures",
    "Rod: its length is 0.0 m; it must be positive. Points that coincide are tied by "
    "tb.Spherical().",
)
def _() -> None:
    tb.Rod(0.0)


@fault(
    "rod of negative length",
    "Closures",
    "Rod: its length is -0.5 m; it must be positive. Points that coincide are tied by "
    "tb.Spherical().",
)
def _() -> None:
    tb.Rod(-0.5)


@fault(
    "rod whose length has a unit",
    "Closures",
    "Closure 'rod': length: a number or an expression is expected, got '1 m'.",
)
def _() -> None:
    m = two_arms()
    m.close("rod", tb.Rod("1 m"), "left", "right")


@fault(
    "plane of one axis",
    "Closures",
    "PointInPlane: a plane such as 'xz' is expected, got 'xx'.",
)
def _() -> None:
    tb.PointInPlane("xx")


@fault("line along no axis", "Closures", "PointOnLine: 'x', 'y' or 'z' is expected, got 'w'.")
def _() -> None:
    tb.PointOnLine("w")


@fault("wheel without a radius", "Closures", "Rolling: its radius is 0.0 m; it must be positive.")
def _() -> None:
    tb.Rolling(0.0)


@fault(
    "skate along no axis",
    "Closures",
    "Skate: its axis must be 'x', 'y', 'z', '-x', '-y', '-z' or three numbers that aren't "
    "all zero, got 'sideways'.",
)
def _() -> None:
    tb.Skate("sideways")


@fault(
    "disc that lies flat",
    "Closures",
    "Closure 'rolls': its slopes are not finite at the guess; begin elsewhere (a disc that "
    "lies flat can't roll).",
)
def _() -> None:
    m = tb.Model("coin")
    m.body("coin", mass=0.01, inertia=(1e-6, 2e-6, 1e-6))
    m.joint("free", tb.Free(), m.ground, "coin")
    m.close("rolls", tb.Rolling(0.01, axis="z"), m.ground, "coin")
    m.compile()


@fault(
    "length of another model",
    "Closures",
    "Closure 'rod': it uses the expression length of another model; use parameters and "
    "signals of 'arms' (in parts: `bind` and `share`).",
)
def _() -> None:
    m = two_arms()
    length = tb.Model("other").parameter("length", 1.0)
    m.close("rod", tb.Rod(length), "left", "right")


@fault(
    "two closures of one name",
    "Closures",
    "Closure 'tips': there is a closure of this name already; closures, couplings, "
    "constraints and drives share their names.",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Spherical(), "left", "right")
    m.close("tips", tb.Rod(0.5), "left", "right")


@fault(
    "closure with the name of a drive",
    "Closures",
    "Closure 'left': there is a drive of this name already; closures, couplings, "
    "constraints and drives share their names.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", 0.1)
    m.close("left", tb.Spherical(), "left", "right")


@fault(
    "closure with the name of another's row",
    "Closures",
    "Closure 'tips.2': this is the name of a row of closure 'tips'.",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Spherical(), "left", "right")
    m.close("tips.2", tb.Rod(1.0), "left", "right")


@fault(
    "closure with a forbidden name",
    "Closures",
    "Closure 'left/right': a name must not contain '/'; use letters, digits, spaces, '.', "
    "'-' and '_'.",
)
def _() -> None:
    m = two_arms()
    m.close("left/right", tb.Spherical(), "left", "right")


@fault(
    "closure in a part that names what isn't there",
    "Closures",
    "Closure 'first leg/foot': there is no body 'first leg/toe'; did you mean 'first "
    "leg/left' or 'first leg/right'?",
)
def _() -> None:
    leg = two_arms()
    leg.close("foot", tb.Spherical(), "left", "toe")
    m = tb.Model("walker")
    m.add(leg, name="first leg")
    m.compile()


@fault(
    "switch that is a number",
    "Closures",
    "Closure 'tips': active: True or False is expected, got 1.",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Spherical(), "left", "right", active=1)


@fault(
    "closure in a file with an unknown key",
    "Closures",
    "loop.yaml, line 4, closures.rod.lenght: there is no such key here; did you mean 'length'?",
)
def _() -> None:
    tb.model.files.model_from_text(
        "touchback: 1\nname: a\nclosures:\n  rod: {kind: rod, lenght: 1, a: ground, b: ground}\n",
        source="loop.yaml",
    )


# ---- couplings and drives ------------------------------------------------------------------------


@fault(
    "coupling of an unknown joint",
    "Couplings and drives",
    "Coupling 'gears': there is no joint 'rigth'; did you mean 'right'?",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "rigth"))


@fault(
    "coupling of a quaternion",
    "Couplings and drives",
    "Coupling 'gears': joint 'socket' has a quaternion; couplings, drives and "
    "servo-constraints need plain coordinates.",
)
def _() -> None:
    m = two_arms()
    m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("socket", tb.Spherical(), m.ground, "ball")
    m.couple("gears", tb.Gear("left", "socket"))


@fault(
    "coupling of a joint with itself",
    "Couplings and drives",
    "Coupling 'gears': it names joint 'left' twice; name each once.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "left", ratio=2.0))


@fault(
    "gear of ratio zero",
    "Couplings and drives",
    "Gear: its ratio is 0, which would only lock a coordinate; a drive with a constant "
    "motion does that.",
)
def _() -> None:
    tb.Gear("left", "right", ratio=0.0)


@fault(
    "screw in a joint without a slide and a turn",
    "Couplings and drives",
    "Coupling 'thread': joint 'left' has 1 coordinate(s), numbered from 0; there is none "
    "numbered 1.",
)
def _() -> None:
    m = two_arms()
    m.couple("thread", tb.ScrewCoupling("left", pitch=0.01))


@fault(
    "joint as a coupling",
    "Couplings and drives",
    "Coupling 'gears': a coupling such as tb.Gear(…) is expected, got Revolute(axis='y').",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Revolute("y"))


@fault(
    "drive of an unknown joint",
    "Couplings and drives",
    "Drive 'elbow': there is no joint 'elbow'; known: 'left', 'right'.",
)
def _() -> None:
    m = two_arms()
    m.drive("elbow", tb.Sine(0.1))


@fault(
    "coordinate driven twice",
    "Couplings and drives",
    "Drive 'lock': coordinate 0 of joint 'left' is driven by drive 'left' already; a "
    "coordinate has one drive.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", tb.Sine(0.1))
    m.drive("left", 0.3, name="lock")


@fault(
    "drive of a coordinate that isn't there",
    "Couplings and drives",
    "Drive 'left': joint 'left' has 1 coordinate(s), numbered from 0; there is none numbered 1.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", 0.3, index=1)


@fault(
    "drive that is no motion",
    "Couplings and drives",
    "Drive 'left': motion: a number or an expression is expected, got 'sin(t)'.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", "sin(t)")


@fault(
    "drive that follows a coordinate",
    "Couplings and drives",
    "Drive 'left': its motion uses coordinates; a drive is a function of time and inputs. "
    "Use a coupling or model.constrain(…) instead.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", 2 * m.coordinate("right"))
    m.compile()


@fault(
    "drive that follows a state",
    "Couplings and drives",
    "Drive 'left': it uses the state 'wound up', whose second rate isn't known. Use "
    "positions, time, inputs and parameters (a drive: also give its velocity and "
    "acceleration).",
)
def _() -> None:
    m = two_arms()
    m.drive("left", m.state("wound up", 0.0, rate=1.0))
    m.compile()


@fault(
    "drive that is not a number at the start",
    "Couplings and drives",
    "Drive 'left': its error is inf at the guess; check its expression at that time and "
    "those positions.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", tb.log(m.time))
    m.compile()


@fault(
    "drive whose speed is infinite at the start",
    "Couplings and drives",
    "Drive 'left': the velocity that it demands is inf; check its expression at that time.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", tb.sqrt(m.time))
    m.compile()


@fault(
    "drives that contradict a gear",
    "Couplings and drives",
    "Constraints contradict each other. At best, Coupling 'gears': its error is 0.05; Drive"
    " 'left': its error is 0.1; Drive 'right': its error is 0.05. Remove or mend one of "
    "them, or give a guess from which all can be met.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-2.0))
    m.drive("left", 0.1)
    m.drive("right", 0.1)
    m.compile()


@fault(
    "drives whose speeds contradict a gear",
    "Couplings and drives",
    "Coupling 'gears', Drive 'left', Drive 'right': no velocities meet them, by 1; their "
    "rates contradict each other. Remove or mend one of them.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.drive("left", 2 * m.time)
    m.drive("right", m.time)
    m.compile()


@fault(
    "gears that contradict each other",
    "Couplings and drives",
    "Constraints contradict each other. At best, Coupling 'gears': its error is 0.1; "
    "Coupling 'belt': its error is 0.1. Remove or mend one of them, or give a guess from "
    "which all can be met.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.couple("belt", tb.Gear("left", "right", ratio=-1.0, offset=0.2))
    m.compile()


# ---- written constraints -------------------------------------------------------------------------


@fault(
    "constraint that is neither of the two",
    "Written constraints",
    "Constraint 'level': give either `position` or `velocity`, one of the two.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", unit="m")


@fault(
    "constraint that is a number",
    "Written constraints",
    "Constraint 'level': an expression of coordinates is expected, got 0.3.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=0.3)


@fault(
    "constraint that depends on no coordinate",
    "Written constraints",
    "Constraint 'clock': its expression doesn't depend on any coordinate.",
)
def _() -> None:
    m = two_arms()
    m.constrain("clock", position=m.time - 1.0)
    m.compile()


@fault(
    "position that uses a velocity",
    "Written constraints",
    "Constraint 'level': its position uses velocities; give it as `velocity`.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.rate("left"))
    m.compile()


@fault(
    "velocity that is not linear in the velocities",
    "Written constraints",
    "Constraint 'speed': it must be linear in the velocities.",
)
def _() -> None:
    m = two_arms()
    m.constrain("speed", velocity=m.rate("left") ** 2 - 1.0)
    m.compile()


@fault(
    "constraint that uses a state",
    "Written constraints",
    "Constraint 'follow': it uses the state 'wound up', whose second rate isn't known. Use "
    "positions, time, inputs and parameters (a drive: also give its velocity and "
    "acceleration).",
)
def _() -> None:
    m = two_arms()
    m.constrain("follow", position=m.coordinate("left") - m.state("wound up", 0.0, rate=1.0))
    m.compile()


@fault(
    "servo through a joint that isn't there",
    "Written constraints",
    "Constraint 'level': there is no joint 'motor'; known: 'left', 'right'.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.coordinate("left"), through="motor")


@fault(
    "servo without authority",
    "Written constraints",
    "Constraint 'level': the effort of coordinate 0 of joint 'right' has no influence on it"
    " at the initial configuration (J M⁻¹ Wᵀ is singular). Keep it through another joint, "
    "or begin elsewhere.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.coordinate("left") - 0.1, through="right")
    m.compile()


@fault(
    "constraints that nothing meets",
    "Written constraints",
    "Constraint 'far': its error is 1 at best, 1 at the guess. Give a guess nearer to "
    "closure, or check the lengths.",
)
def _() -> None:
    m = two_arms()
    m.constrain("far", position=m.coordinate("left") ** 2 + 1.0)
    m.compile()


# ---- assembly ------------------------------------------------------------------------------------


@fault(
    "too many coordinates kept",
    "Assembly",
    "Closure 'pin': its two points are 0.29 m apart at best, 0.31 at the guess, with "
    "'crank', 'slider' kept. It closes when nothing is kept, with 1 freedom left: keep "
    "fewer coordinates, or others.",
)
def _() -> None:
    slider_crank().compile().assemble(crank=0.3, slider=0.2)


@fault(
    "position beyond reach",
    "Assembly",
    "Closure 'pin': its two points are 0.4 m apart at best, 0.45 at the guess, with "
    "'slider' kept. It closes when nothing is kept, with 1 freedom left: keep fewer "
    "coordinates, or others.",
)
def _() -> None:
    slider_crank().compile().assemble(slider=0.9)


@fault(
    "rates that contradict each other",
    "Assembly",
    "Closure 'pin': the given rates contradict it by 5.3; give fewer rates, or consistent ones.",
)
def _() -> None:
    slider_crank().compile().assemble(crank=0.3, rates={"crank": 10.0, "slider": 5.0})


@fault("unknown coordinate", "Assembly", "There is no coordinate 'cranck'; did you mean 'crank'?")
def _() -> None:
    slider_crank().compile().assemble(cranck=0.3)


@fault(
    "guess on the wrong branch",
    "Assembly",
    "Closure 'hinge': it is met the wrong way round, with the axes of its frames opposite. "
    "Give a guess nearer to the branch that you want (`guess=`, or the initial positions of"
    " joints), or turn a frame of 'door' by half a turn.",
)
def _() -> None:
    m = tb.Model("door")
    m.body("door", mass=10.0, inertia=(1.0, 1.0, 1.0))
    m.joint("free", tb.Free(), m.ground, "door")
    m.close("hinge", tb.Revolute("z"), m.ground, "door")
    m.compile().assemble(guess={"free.qw": 0.1, "free.qx": 1.0})


@fault(
    "freedom without inertia",
    "Assembly",
    "slider-crank: nothing resists the motion of 'flag', which the constraints leave free: "
    "what moves has no inertia there. Give the bodies a mass or an inertia, or the joints "
    "an `armature`.",
)
def _() -> None:
    m = slider_crank()
    m.body("flag")
    m.joint("flag", tb.Revolute("y"), "rod", "flag")
    m.compile()


@fault(
    "multiplier of an unknown row",
    "Assembly",
    "Sensor 'pin force': there is no constraint row 'pin'; did you mean 'pin.2' or 'pin.1'?",
)
def _() -> None:
    m = slider_crank()
    m.sensor("pin force", tb.Multiplier("pin"))
    m.compile()


@fault(
    "switch of an unknown constraint",
    "Assembly",
    "There is no constraint 'pni'; did you mean 'pin'?",
)
def _() -> None:
    slider_crank().compile().deactivate("pni")


# ---- what is allowed, and said -------------------------------------------------------------------


@said(
    "redundant constraints",
    "Allowed, and said by `freedoms`",
    "1 freedom: rod\nredundant constraints: weld",
)
def _() -> None:
    m = slider_crank()
    m.close("weld", tb.PointOnPlane("y"), m.ground, "rod")
    print(m.compile().freedoms())


@said(
    "redundant gears",
    "Allowed, and said by `freedoms`",
    "1 freedom: right\nredundant constraints: belt",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.couple("belt", tb.Gear("right", "left", ratio=-1.0))
    print(m.compile().freedoms())


@said(
    "mechanism that can't move",
    "Allowed, and said by `freedoms`",
    "no freedom is left: nothing can move",
)
def _() -> None:
    m = slider_crank()
    m.drive("crank", 0.3)
    print(m.compile().freedoms())


@said(
    "singular position at the start",
    "Allowed, and said by `freedoms`",
    "2 freedoms: coupler, out\nsingular position: rows that add nothing here, but do nearby: pin.1",
)
def _() -> None:
    flat = {"in": 0.0, "coupler": 0.0, "out": 3.141592653589793}
    system = four_bar().compile()
    print(system.freedoms(flat))
