"""Tables 3.3 to 3.5 of Gillespie (1996) as a specification.

The figure that names the lengths (3.7 d) is lost. What stands here of them is *inferred*: each
assignment has its reason, and those without one are left out. Where the three pivots are isn't
taken from the table at all: they follow from closing his loops at the angles of Table 3.5.
"""

from dataclasses import dataclass, field

import numpy as np

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
class Assigned:
    """What a length of the table is taken for, by its field, and why."""

    role: str
    length: str
    what: str
    why: str


#: Which part each of his lengths is, as inferred, and why.
ASSIGNED = (
    Assigned("key_mass", "L1", "key pin to key mass, behind the pin", "a key falls back by "
             "itself; the first of the table, before L2 and L3"),
    Assigned("front", "L2", "key pin to key front", "nine inches; no other length is a key's"),
    Assigned("capstan", "L3", "key pin to capstan, along the key", "after L2; the hammer then "
             "gains 4.95 on the key front (about 5, he says). With L6, and L3 for the hammer, the "
             "hammer turns back 41 mrad before the string"),
    Assigned("capstan_height", "L4", "capstan over the line of the key", "after L3; next to "
             "nothing hangs on it"),
    Assigned("hammer", "L6", "hammer pin to hammer mass", "a head of 10 g at 130 mm on a shank of "
             "4 g have their centre at 111 mm. L6 and L20 may change places: strike at 0.208 s"),
    Assigned("jack_pin", "L20", "whippen pin to jack pin", "with L21 the hammer turns back 44 mrad "
             "before the string, and its pin is 107.6 mm from the whippen's"),
    Assigned("jack", "L13", "jack pin to jack head", "of the lengths of a jack (49 to 56 mm) the "
             "one that brings hammer and whippen pin nearest to the usual 112 to 112.5 mm: 113.0. "
             "With L9, L22 or L24 the hammer turns back 57 to 89 mrad before the string"),
    Assigned("knuckle", "L10", "line of the knuckle below that of the shank", "a knuckle's size; "
             "L19 and L23 would do as well (strike at 0.204 and 0.214 s)"),
    Assigned("toe", "L14", "jack pin to jack toe", "with L1, L5, L8 or L17 the hammer turns back "
             "11 to 34 mrad before the string; L15 and L16 would do as well"),
    Assigned("button", "L7", "jack toe below the dolly E, at rest", "with L25 or L26 the toe meets "
             "E at 0.17 s, far from both of his times"),
    Assigned("slipped", "L19", "q₉ at which the jack's head is off the knuckle", "q₉ begins at "
             "16.5 mm. With L10 or L23 the jack slips at 0.156 or 0.152 s, with L25 or L26 only "
             "when the hammer is through the string"),
    Assigned("lever_pin", "L24", "whippen pin to lever pin, along the whippen", "with L15 and L16 "
             "the lever's end meets the line of the knuckle at rest, to 0.04 mm"),
    Assigned("lever_height", "L15", "lever pin over the line of the whippen", "as L24"),
    Assigned("lever", "L16", "lever pin to lever end", "as L24"),
    Assigned("lever_bed", "L17", "lever pin to its bed RW, which bears m₃", "follows L16; next to "
             "nothing hangs on it"),
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
    def points(self) -> "Points":
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
    def of(cls, s: GillespieSpecification) -> "Points":
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
