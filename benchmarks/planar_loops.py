"""Planar mechanisms with loops, as data that every engine builds from.

All moves in the xy plane: hinges turn about z, slides go along x of their parent. A link's frame is
at its joint; pins tie points of two links (−1: the ground).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import touchback as tb
from benchmarks.timing import Floats
from validation.reference import numbers

Point = tuple[float, float]
GROUND = -1


@dataclass(frozen=True)
class Link:
    """A body on a joint at a point of its parent."""

    parent: int
    at: Point
    mass: float
    com: Point
    inertia: float  # about the com, about z
    slide: bool = False


@dataclass(frozen=True)
class Pin:
    """A point of link a meets a point of link b."""

    a: int
    at_a: Point
    b: int
    at_b: Point


@dataclass(frozen=True)
class Spring:
    """From a point of the ground to a point of a link."""

    ground: Point
    link: int
    at: Point
    stiffness: float
    length: float


@dataclass(frozen=True)
class PlanarLoops:
    """A mechanism and where it starts: known coordinates and rates, and a guess of all others."""

    name: str
    links: Sequence[Link]
    pins: Sequence[Pin]
    guess: Sequence[float]
    known: dict[int, float]
    rates: dict[int, float]
    gravity: float = 9.81  # along −y
    springs: Sequence[Spring] = ()
    torques: dict[int, float] = field(default_factory=dict)  # on joints

    def model(self) -> tb.Model:
        """Ours."""
        m = tb.Model(self.name, gravity=(0, -self.gravity, 0))
        bodies: list[Any] = []
        for i, link in enumerate(self.links):
            moments = (link.inertia / 2, link.inertia / 2, link.inertia)
            body = m.body(f"link {i}", link.mass, (*link.com, 0), moments)
            parent = m.ground if link.parent == GROUND else bodies[link.parent]
            kind = tb.Prismatic("x") if link.slide else tb.Revolute("z")
            start = [float(self.guess[i])]
            m.joint(f"q{i}", kind, parent.at(*link.at, 0), body, position=start)
            bodies.append(body)
        for k, pin in enumerate(self.pins):
            a, b = (m.ground if i == GROUND else bodies[i] for i in (pin.a, pin.b))
            m.close(f"pin {k}", tb.PointInPlane("xy"), a.at(*pin.at_a, 0), b.at(*pin.at_b, 0))
        for k, spring in enumerate(self.springs):
            ends = m.ground.at(*spring.ground, 0), bodies[spring.link].at(*spring.at, 0)
            law = tb.SpringDamper(*ends, stiffness=spring.stiffness, length=spring.length)
            m.force(f"spring {k}", law)
        for i, torque in self.torques.items():
            m.force(f"torque {i}", tb.JointEffort(f"q{i}", torque))
        return m

    def start(self, system: Any) -> tuple[Floats, Floats]:
        """Consistent coordinates and rates of all joints, for every engine."""
        x0 = system.assemble(
            rates={f"q{i}": rate for i, rate in self.rates.items()},
            **{f"q{i}": value for i, value in self.known.items()},
        )
        return x0.q, x0.v


def bar(parent: int, at: Point, length: float, mass: float = 1.0) -> Link:
    """A slender bar along its own x."""
    return Link(parent, at, mass, (length / 2, 0.0), mass * length**2 / 12)


def crank_rocker() -> PlanarLoops:
    """Bars of 0.2, 0.5 and 0.4 m on a base of 0.6 m; the crank starts at 10 rad/s."""
    links = [bar(GROUND, (0, 0), 0.2), bar(0, (0.2, 0), 0.5), bar(GROUND, (0.6, 0), 0.4)]
    pins = [Pin(2, (0.4, 0), 1, (0.5, 0))]
    return PlanarLoops("crank-rocker", links, pins, [0.8, -0.2, 1.5], {0: 0.8}, {0: 10.0})


def slider_crank() -> PlanarLoops:
    """A crank of 0.1 m, a rod of 0.4 m and a slider; the crank starts at 10 rad/s."""
    slider = Link(GROUND, (0, 0), 0.8, (0, 0), 1e-3, slide=True)
    links = [bar(GROUND, (0, 0), 0.1), bar(0, (0.1, 0), 0.4, 0.5), slider]
    pins = [Pin(2, (0, 0), 1, (0.4, 0))]
    return PlanarLoops("slider-crank", links, pins, [0.3, -0.37, 0.5], {0: 0.3}, {0: 10.0})


def four_bars(count: int) -> PlanarLoops:
    """IFToMM A02: a row of parallelograms of 1 m and 1 kg, upright, the first top at 1 m/s."""
    up = np.pi / 2
    cranks = [bar(GROUND, (float(i), 0), 1.0) for i in range(count + 1)]
    couplers = [bar(i, (1.0, 0), 1.0) for i in range(count)]
    pins = [Pin(i + 1, (1.0, 0), count + 1 + i, (1.0, 0)) for i in range(count)]
    guess = [up] * (count + 1) + [-up] * count
    links = [*cranks, *couplers]
    return PlanarLoops(f"{count} four-bars", links, pins, guess, {0: up}, {0: -1.0})


def andrews() -> PlanarLoops:
    """Andrews' squeezer (IVP test set)."""
    case = numbers("andrews")
    d = case["parameters"]
    start = dict(zip(case["angles"], case["start"]["q"], strict=True))
    a, b = (d["xa"], d["ya"]), (d["xb"], d["yb"])

    def link(parent: int, at: Point, i: int, x: float, y: float) -> Link:
        return Link(parent, at, d[f"m{i}"], (x, y), d[f"I{i}"])

    links = [
        link(GROUND, (0, 0), 1, d["ra"], 0),
        link(0, (d["rr"], 0), 2, -d["da"], 0),
        link(GROUND, b, 3, d["sb"], -d["sa"]),
        link(GROUND, a, 5, d["tb"], -d["ta"]),
        link(3, (d["zt"], 0), 4, 0, d["ea"] - d["e"]),
        link(GROUND, a, 7, d["ub"], -d["ua"]),
        link(5, (0, -d["u"]), 6, d["zf"] - d["fa"], 0),
    ]
    tip = (-d["d"], 0.0)
    pins = [
        Pin(2, (0, -d["ss"]), 1, tip),
        Pin(4, (0, -d["e"]), 1, tip),
        Pin(6, (d["zf"], 0), 1, tip),
    ]
    angles = ("beta", "Theta", "gamma", "delta", "Phi", "epsilon", "Omega")
    guess = [start[name] for name in angles]
    spring = Spring((d["xc"], d["yc"]), 2, (d["sd"], -d["sc"]), d["c0"], d["l0"])
    return PlanarLoops(
        "Andrews", links, pins, guess, {0: guess[0]}, {0: 0.0}, 0.0, [spring], {0: d["mom"]}
    )
