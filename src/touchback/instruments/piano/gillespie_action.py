"""Gillespie's nine-coordinate piano action with four phases (1996, §3.5).

Angles q₁, q₂, q₃, q₅ and q₆ turn key, hammer, repetition lever, whippen and jack; q₄ is how far the
spring k₄ in the jack is pressed in; q₇, q₈ and q₉ are where sliders are: S1 on the whippen, S2 on
the dolly's line E, S3 on the hammer. A slider is two equations. Where one is missing, artificial
constraints keep its coordinate where it would be (his Table 3.1, its sliders put right): six
equations in every phase, three freedoms. x points away from the player, z up.

Tables 3.3 to 3.5 are the specification. The figure that names the lengths (3.7 d) is lost. What
stands here of them is *inferred*: each assignment has its reason, and those without one are left
out. Where the three pivots are isn't taken from the table at all: they follow from closing his
loops at the angles of Table 3.5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np

from touchback import (
    Expr,
    Frame,
    JointEffort,
    JointKind,
    Model,
    Prismatic,
    Revolute,
    Run,
    Signal,
    cos,
    maximum,
    select,
    simulate,
    sin,
)
from touchback.model import BodyHandle, Value

# ---- specification -------------------------------------------------------------------------------

#: Table 3.3 [m]. The row of L27 is empty in the text.
LENGTHS = {
    f"L{i + 1}": value
    for i, value in enumerate((
        0.0262, 0.2286, 0.1260, 0.0386, 0.0223, 0.1001, 0.0025, 0.0250, 0.0508, 0.0129, 0.0879,
        0.0170, 0.0493, 0.0366, 0.0354, 0.0351, 0.0208, 0.0556, 0.0117, 0.0988, 0.0922, 0.0544,
        0.0135, 0.0521, 0.0066, 0.0064,
    ))
}  # fmt: skip


@dataclass(frozen=True)
class LengthRole:
    """What a length of the table is taken for, by its field, and why."""

    role: str
    length: str
    what: str
    why: str


#: Which part each of his lengths is, as inferred, and why.
ASSIGNED = (
    LengthRole(
        "key_mass", "L1", "key pin to key mass, behind the pin",
        "a key falls back by itself; the first of the table, before L2 and L3",
    ),
    LengthRole(
        "front", "L2", "key pin to key front",
        "nine inches; no other length is a key's",
    ),
    LengthRole(
        "capstan", "L3", "key pin to capstan, along the key",
        "after L2; the hammer then gains 4.95 on the key front (about 5, he says). With L6, and"
        " L3 for the hammer, the hammer turns back 41 mrad before the string",
    ),
    LengthRole(
        "capstan_height", "L4", "capstan over the line of the key",
        "after L3; next to nothing hangs on it",
    ),
    LengthRole(
        "hammer", "L6", "hammer pin to hammer mass",
        "a head of 10 g at 130 mm on a shank of 4 g have their centre at 111 mm. L6 and L20 may"
        " change places: strike at 0.208 s",
    ),
    LengthRole(
        "jack_pin", "L20", "whippen pin to jack pin",
        "with L21 the hammer turns back 44 mrad before the string, and its pin is 107.6 mm from"
        " the whippen's",
    ),
    LengthRole(
        "jack", "L13", "jack pin to jack head",
        "of the lengths of a jack (49 to 56 mm) the one that brings hammer and whippen pin "
        "nearest to the usual 112 to 112.5 mm: 113.0. With L9, L22 or L24 the hammer turns back"
        " 57 to 89 mrad before the string",
    ),
    LengthRole(
        "knuckle", "L10", "line of the knuckle below that of the shank",
        "a knuckle's size; L19 and L23 would do as well (strike at 0.204 and 0.214 s)",
    ),
    LengthRole(
        "toe", "L14", "jack pin to jack toe",
        "with L1, L5, L8 or L17 the hammer turns back 11 to 34 mrad before the string; L15 and "
        "L16 would do as well",
    ),
    LengthRole(
        "button", "L7", "jack toe below the dolly E, at rest",
        "with L25 or L26 the toe meets E at 0.17 s, far from both of his times",
    ),
    LengthRole(
        "slipped", "L19", "q₉ at which the jack's head is off the knuckle",
        "q₉ begins at 16.5 mm. With L10 or L23 the jack slips at 0.156 or 0.152 s, with L25 or "
        "L26 only when the hammer is through the string",
    ),
    LengthRole(
        "lever_pin", "L24", "whippen pin to lever pin, along the whippen",
        "with L15 and L16 the lever's end meets the line of the knuckle at rest, to 0.04 mm",
    ),
    LengthRole(
        "lever_height", "L15", "lever pin over the line of the whippen",
        "as L24",
    ),
    LengthRole(
        "lever", "L16", "lever pin to lever end",
        "as L24",
    ),
    LengthRole(
        "lever_bed", "L17", "lever pin to its bed RW, which bears m₃",
        "follows L16; next to nothing hangs on it",
    ),
)  # fmt: skip
#: Table 3.5 [rad, m].
INITIAL: dict[str, float] = {
    "q1": -0.03473, "q2": -0.35622, "q3": -0.38572, "q4": 0.0, "q5": -0.03684, "q6": -0.389557,
    "q7": 0.06223, "q8": -0.0000254, "q9": 0.01649,
}  # fmt: skip


def _length(role: str) -> float:
    return LENGTHS[next(each.length for each in ASSIGNED if each.role == role)]


@dataclass(frozen=True)
class GillespieSpecification:
    """His action: lengths [m], stiffnesses, dampings, masses [kg], and where it begins.

    Table 3.4 heads stiffnesses [N/m] and dampings [N/m/s]. k₁, b₁ (between manipulandum and key)
    and k₅, b₅ (repetition spring) are torsional here [N m/rad, N m s/rad]: the text says so of the
    first (§3.5.1), the size of the others. With `torsional` false k₁ and b₁ act at the key front
    [N/m, N s/m]."""

    front: float = _length("front")
    hammer: float = _length("hammer")
    capstan: float = _length("capstan")
    capstan_height: float = _length("capstan_height")
    jack_pin: float = _length("jack_pin")
    jack: float = _length("jack")
    knuckle: float = _length("knuckle")
    toe: float = _length("toe")
    button: float = _length("button")
    slipped: float = _length("slipped")
    lever_pin: float = _length("lever_pin")
    lever_height: float = _length("lever_height")
    lever: float = _length("lever")
    lever_bed: float = _length("lever_bed")
    key_mass: float = _length("key_mass")
    k1: float = 200.0
    k2: float = 80.0
    k3: float = 600.0
    k4: float = 2000.0
    k5: float = 0.35
    k6: float = 600.0
    b1: float = 0.82
    b4: float = 0.2
    b5: float = 0.06
    b7: float = 0.001
    b8: float = 8.0
    m1: float = 0.014
    m2: float = 0.120
    m3: float = 0.010
    m4: float = 0.050
    start: dict[str, float] = field(default_factory=lambda: dict(INITIAL))
    torsional: bool = True
    dip: float = 10e-3  # m at the key front, where its bed is: ours, and his run doesn't reach it
    lever_moment: float = 0.05  # N m of the repetition spring at rest: ours, just bears the hammer

    @property
    def points(self) -> Points:
        """Where the pivots of ground are, and the dolly."""
        return Points.of(self)

    @property
    def coupler(self) -> tuple[float, float]:
        """k₁ and b₁ about the key's pin [N m/rad, N m s/rad]."""
        at = 1.0 if self.torsional else self.front**2
        return at * self.k1, at * self.b1


def along(angle: float) -> np.ndarray:
    """A direction of the plane (x away from the player, z up)."""
    return np.array([np.cos(angle), np.sin(angle)])


def across(angle: float) -> np.ndarray:
    """The direction a quarter turn on."""
    return np.array([-np.sin(angle), np.cos(angle)])


@dataclass(frozen=True)
class Points:
    """Pivots of key, whippen and hammer, P₁ at the origin; height of the dolly's line and where
    along it q₈ counts from [m]."""

    p2: np.ndarray
    p3: np.ndarray
    dolly: np.ndarray

    @classmethod
    def of(cls, s: GillespieSpecification) -> Points:
        """Closes the loops at rest: key, S1, whippen; whippen, jack, S3, hammer; toe and S2."""
        q = s.start
        capstan = s.capstan * along(q["q1"]) + s.capstan_height * across(q["q1"])
        p2 = capstan + q["q7"] * along(q["q5"])
        pin = p2 - s.jack_pin * along(q["q5"])
        head = pin + s.jack * across(q["q6"])
        p3 = head - q["q9"] * along(q["q2"]) + s.knuckle * across(q["q2"])
        toe = pin - s.toe * along(q["q6"])
        return cls(p2, p3, toe + np.array([-q["q8"], s.button]))


def gillespie_specification(torsional: bool = True) -> GillespieSpecification:
    """His tables, with the lengths as `ASSIGNED` takes them; `torsional` says how k₁ and b₁ are
    read."""
    return GillespieSpecification(torsional=torsional)


def gain(s: GillespieSpecification, step: float = 1e-5) -> float:
    """How much farther the hammer's mass goes than the key front as the key sets out, the jack
    being stiff: he says about 5."""
    at, q = s.points, s.start

    def hammer(key: float) -> float:
        capstan = s.capstan * along(key) + s.capstan_height * across(key)
        whippen = float(np.arctan2(*(at.p2 - capstan)[::-1]))
        head = at.p2 - s.jack_pin * along(whippen) - at.p3
        head = head + s.jack * across(whippen + q["q6"] - q["q5"])
        return float(np.arctan2(head[1], head[0]) + np.arcsin(s.knuckle / np.hypot(*head)))

    turned = (hammer(q["q1"] + step) - hammer(q["q1"] - step)) / (2 * step)
    return turned * s.hammer / s.front


def left_out() -> list[str]:
    """Lengths of the table that nothing here stands for."""
    used = {each.length for each in ASSIGNED}
    return [name for name in LENGTHS if name not in used]


# ---- model ---------------------------------------------------------------------------------------

Pair: TypeAlias = tuple[Value, Value]
PHASES = ("A acceleration", "B let-off", "C catch", "D reset")
LIGHT = 1e-5  # kg of a slider: he gives them none
NEAR = 1e-4  # m between jack head and knuckle at which reset ends (his "tolerance")
STRIKES = "hammer strikes string"
BEGIN, END, DRIVEN = 0.10, 0.18, (-0.0335, -0.0055)  # s; rad: his ramp of D


def _pair(point: np.ndarray) -> Pair:
    x, z = map(float, point)
    return x, z


@dataclass(frozen=True)
class _Plane:
    """Points of the action as expressions of its coordinates."""

    m: Model
    spec: GillespieSpecification

    def turned(self, angle: Value, x: Value, z: Value, pivot: Pair) -> Pair:
        c, s = cos(angle), sin(angle)
        return pivot[0] + c * x - s * z, pivot[1] + s * x + c * z

    @property
    def angles(self) -> dict[str, Value]:
        q = self.m.coordinate
        whippen = q("whippen")
        return {
            "q1": q("key"), "q2": q("hammer"), "q3": whippen + q("lever"), "q5": whippen,
            "q6": whippen + q("jack"),
        }  # fmt: skip

    @property
    def p2(self) -> Pair:
        return _pair(self.spec.points.p2)

    @property
    def p3(self) -> Pair:
        return _pair(self.spec.points.p3)

    def capstan(self) -> Pair:
        s = self.spec
        return self.turned(self.angles["q1"], s.capstan, s.capstan_height, (0.0, 0.0))

    def on_whippen(self, x: Value, z: Value = 0.0) -> Pair:
        """`x` from P₂ towards the player."""
        return self.turned(self.angles["q5"], -x, z, self.p2)

    def toe(self) -> Pair:
        return self.turned(
            self.angles["q6"], -self.spec.toe, 0.0, self.on_whippen(self.spec.jack_pin)
        )

    def head(self, pressed: Value) -> Pair:
        pin = self.on_whippen(self.spec.jack_pin)
        return self.turned(self.angles["q6"], 0.0, self.spec.jack - pressed, pin)

    def lever_end(self) -> Pair:
        pin = self.on_whippen(self.spec.lever_pin, self.spec.lever_height)
        return self.turned(self.angles["q3"], -self.spec.lever, 0.0, pin)

    def under_knuckle(self, x: Value) -> Pair:
        """On the knuckle's line, `x` from the hammer's pin."""
        return self.turned(self.angles["q2"], x, -self.spec.knuckle, self.p3)

    def on_hammer(self, point: Pair) -> Pair:
        """A point as the hammer sees it: along the knuckle's line, and above it."""
        c, s = cos(self.angles["q2"]), sin(self.angles["q2"])
        x, z = point[0] - self.p3[0], point[1] - self.p3[1]
        return c * x + s * z, c * z - s * x + self.spec.knuckle


def nine_coordinate_action(specification: GillespieSpecification | None = None) -> Model:
    """His model. Inputs "D" and "D rate" move the manipulandum [rad, rad/s]; sensors "q1" to "q9"
    tell his coordinates, "gAB" and "gBC" his indicators [m], "coupler force" what is felt at the
    key front and "jack force" k₄ q₄ [N]."""
    spec = specification or gillespie_specification()
    m = Model("Gillespie piano action")
    _bodies(m, spec)
    plane = _Plane(m, spec)
    _forces(m, spec, plane)
    _phases(m, spec, plane)
    return m


def _bodies(m: Model, s: GillespieSpecification) -> None:
    at, turns, begin = s.points, Revolute("-y"), start(s)
    key = m.body("key", mass=s.m2, com=(s.key_mass, 0, 0))
    whippen = m.body("whippen", mass=s.m4, com=(-s.jack_pin, 0, 0))
    lever = m.body("lever", mass=s.m3, com=(-s.lever_bed, 0, 0))
    hammer = m.body("hammer", mass=s.m1, com=(s.hammer, 0, 0))
    jack, head = m.body("jack", mass=LIGHT), m.body("head", mass=LIGHT)
    sliders = {name: m.body(name, mass=LIGHT) for name in ("S1", "S2", "S3")}
    pivots: dict[str, tuple[JointKind, Frame, BodyHandle]] = {
        "key": (turns, m.ground.at(0, 0, 0), key),
        "hammer": (turns, m.ground.at(at.p3[0], 0, at.p3[1]), hammer),
        "whippen": (turns, m.ground.at(at.p2[0], 0, at.p2[1]), whippen),
        "lever": (turns, whippen.at(-s.lever_pin, 0, s.lever_height), lever),
        "jack": (turns, whippen.at(-s.jack_pin, 0, 0), jack),
        "head": (Prismatic("-z"), jack.at(0, 0, s.jack), head),
        "S1": (Prismatic("-x"), whippen.at(0, 0, 0), sliders["S1"]),
        "S2": (Prismatic("x"), m.ground.at(at.dolly[0], 0, at.dolly[1]), sliders["S2"]),
        "S3": (Prismatic("x"), hammer.at(0, 0, -s.knuckle), sliders["S3"]),
    }
    for name, (kind, parent, child) in pivots.items():
        m.joint(name, kind, parent, child, position=begin[name])


def _forces(m: Model, s: GillespieSpecification, plane: _Plane) -> None:
    q, v = m.coordinate, m.rate
    rest = s.start
    stiffness, damping = s.coupler
    angle = m.input("D", default=DRIVEN[0], unit="rad")
    rate = m.input("D rate", unit="rad/s")
    coupler = stiffness * (angle - q("key")) + damping * (rate - v("key"))
    m.force("coupler", JointEffort("key", coupler))
    bottom = rest["q1"] + s.dip / s.front
    bed = maximum(rest["q1"] - q("key"), 0.0) - maximum(q("key") - bottom, 0.0)
    m.force("key bed", JointEffort("key", s.k2 * s.front**2 * bed))
    m.force("k4", JointEffort("head", -s.k4 * q("head") - s.b4 * v("head")))
    risen = q("lever") - (rest["q3"] - rest["q5"])  # falls where the lever goes up
    pressed = maximum(s.lever_moment / s.lever_bed**2 / s.k6 - risen, 0.0)
    moment = s.lever_bed**2 * s.k6 * pressed - s.lever_moment - s.k5 * risen - s.b5 * v("lever")
    m.force("repetition spring and bed", JointEffort("lever", moment))
    m.force("b7", JointEffort("S1", -s.b7 * v("S1")))
    end = plane.lever_end()
    reach, above = plane.on_hammer(end)
    push = s.k3 * maximum(above, 0.0)
    _push(m, plane, "k3", ("lever", s.lever_pin, s.lever_height), end, push)
    m.sensor("lever force", Signal(push, "N"))
    m.sensor("lever reach", Signal(reach, "m"))
    m.sensor("coupler force", Signal(coupler * (1.0 / s.front), "N"))
    m.sensor("jack force", Signal(s.k4 * q("head"), "N"))


def _push(
    m: Model, plane: _Plane, name: str, carried: tuple[str, float, float], at: Pair, push: Value
) -> None:
    """A force [N] of a body on the whippen against the hammer, normal to the knuckle's line."""
    joint, x, z = carried
    angle = plane.angles["q2"]
    f_x, f_z = -push * sin(angle), push * cos(angle)  # on the hammer
    arms = {"hammer": (plane.p3, 1.0), "whippen": (plane.p2, -1.0),
            joint: (plane.on_whippen(x, z), -1.0)}  # fmt: skip
    for turned, (pivot, side) in arms.items():
        moment = (at[0] - pivot[0]) * f_z - (at[1] - pivot[1]) * f_x
        m.force(f"{name} on {turned}", JointEffort(turned, side * moment))


def _phases(m: Model, s: GillespieSpecification, plane: _Plane) -> None:
    q = m.coordinate
    rest, at = s.start, s.points
    toe, head = plane.toe(), plane.head(q("head"))
    pairs = {
        "S1": (plane.capstan(), plane.on_whippen(q("S1"))),
        "S2": (toe, (float(at.dolly[0]) + q("S2"), float(at.dolly[1]))),
        "S3": (head, plane.under_knuckle(q("S3"))),
    }
    for name, (one, other) in pairs.items():
        for i, axis in enumerate("xz"):
            m.constrain(f"{name} {axis}", cast(Expr, one[i] - other[i]), unit="m")
    sliders = {name: [f"{name} x", f"{name} z"] for name in pairs}
    locked = rest["q6"] - rest["q5"]
    free = plane.on_hammer(plane.head(0.0))
    would_be: dict[str, dict[str | tuple[str, int], Value]] = {
        "S2": {"S2": toe[0] - float(at.dolly[0]), "jack": locked},
        "S3": {"S3": free[0], "head": 0.0},
    }
    active = (("S1", "S3"), ("S1", "S2", "S3"), ("S1", "S2"), ("S1",))
    for name, present in zip(PHASES, active, strict=True):
        missing = [each for each in would_be if each not in present]
        tracking = {k: goal for each in missing for k, goal in would_be[each].items()}
        m.mode(name, [row for each in present for row in sliders[each]], tracking)
    left, over = float(at.dolly[1]) - toe[1], q("S3") - s.slipped
    swung = q("jack") - locked
    a, b, c, d = PHASES
    let_go = {"q:head": 0.0, "v:head": 0.0}
    m.transition("toe meets dolly", a, b, left)
    m.transition("jack back at its stop", b, a, swung)
    m.transition("jack slips", b, c, over, reset=let_go)
    m.transition("hammer leaves jack", b, c, q("head"), reset=let_go)
    m.transition("toe leaves dolly", c, d, swung)
    m.transition("knuckle on jack", d, a, -free[1] - NEAR)
    m.constrain("string", q("hammer"), unit="rad")
    m.transition(STRIKES, c, c, -q("hammer"), impact=["string"], restitution=1.0)
    m.sensor("gAB", Signal(left, "m"))
    m.sensor("gBC", Signal(over, "m"))
    _coordinates(m, plane)
    sliding = select(m.coordinate("head") > 0.0, s.b8 * m.rate("S3"), 0.0)
    m.force("b8", JointEffort("S3", -sliding))


def _coordinates(m: Model, plane: _Plane) -> None:
    """His q₁ to q₉ as sensors."""
    told = {**plane.angles, "q4": m.coordinate("head")}
    told |= {f"q{i}": m.coordinate(f"S{i - 6}") for i in (7, 8, 9)}
    for name in sorted(told):
        m.sensor(name, Signal(told[name], "m" if name in ("q4", "q7", "q8", "q9") else "rad"))


def start(specification: GillespieSpecification) -> dict[str, float]:
    """Table 3.5 as joints have it."""
    q = specification.start
    return {
        "key": q["q1"], "hammer": q["q2"], "whippen": q["q5"], "lever": q["q3"] - q["q5"],
        "jack": q["q6"] - q["q5"], "head": q["q4"], "S1": q["q7"], "S2": q["q8"], "S3": q["q9"],
    }  # fmt: skip


def stroke(specification: GillespieSpecification | None = None, duration: float = 0.4) -> Run:
    """His ramp (§3.6.3): D from −0.0335 rad at 0.1 s to −0.0055 rad at 0.18 s."""
    spec = specification or gillespie_specification()
    system = nine_coordinate_action(spec).compile()
    corner, speed = 1e-6, (DRIVEN[1] - DRIVEN[0]) / (END - BEGIN)
    times = np.array([0.0, BEGIN, BEGIN + corner, END, END + corner, duration + 1.0])
    angle = np.interp(times, [BEGIN, END], DRIVEN)
    rate = np.array([0.0, 0.0, speed, speed, 0.0, 0.0])
    return simulate(
        system, duration=duration, rtol=1e-7, atol=1e-10, output_step=2e-4,
        inputs={"D": (times, angle), "D rate": (times, rate)}, progress=False,
    )  # fmt: skip


__all__ = [
    "ASSIGNED",
    "LENGTHS",
    "GillespieSpecification",
    "LengthRole",
    "gillespie_specification",
    "nine_coordinate_action",
    "stroke",
]  # fmt: skip
