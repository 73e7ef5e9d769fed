"""Faulty closures, and what is said about them."""

import touchback as tb
from constraint_faults import fault, slider_crank, two_arms
from touchback.model.closures import closing_kinds
from touchback.model.io import model_from_text

_CLOSURES = f"Closures are {', '.join(closing_kinds()[:-1])} and {closing_kinds()[-1]}."


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
    "apart; Drive 'slider': its error is 0.28 m. Remove or correct one of them, or give a guess "
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
    f"Closure 'tips': Screw can't close a loop. {_CLOSURES}",
)
def _() -> None:
    m = two_arms()
    m.close("tips", tb.Screw("z", 0.1), "left", "right")


@fault(
    "free joint as a closure",
    "Closures",
    f"Closure 'tips': Free can't close a loop. {_CLOSURES}",
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
    model_from_text(
        "touchback: 1\nname: a\nclosures:\n  rod: {kind: rod, lenght: 1, a: ground, b: ground}\n",
        source="loop.yaml",
    )
