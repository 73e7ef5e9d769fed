"""The suite that every formulation runs: closed mechanisms whose motion is known otherwise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import touchback as tb

G = 9.81
STEP = 1e-3
IMPLICIT = ("linear-implicit", "augmented-lagrangian")
FORMULATIONS = ("partitioning", "multipliers", "baumgarte", "penalty", "projection", *IMPLICIT)

Error = Callable[[tb.Run], float]


@dataclass
class Prepared:
    """A system at its initial state, and how far a run of it is off."""

    system: Any
    x0: Any
    error: Error
    duration: float = 1.0
    energy: bool = True  # whether energy is kept
    release: str = ""  # a constraint that is let go after the duration, for as long again


@dataclass
class Outcome:
    """What a formulation made of a mechanism: the largest error of its motion, of its constraints
    [m], and of its energy as a part of the largest kinetic energy."""

    error: float
    closure: float
    energy: float
    statistics: dict[str, float]


def run_case(case: Prepared, formulation: str, step: float = STEP) -> Outcome:
    """A run at fixed steps, all instants recorded."""

    def run(x0: Any) -> tb.Run:
        return tb.simulate(
            case.system, x0, case.duration, constraints=formulation, step=step, progress=False,
            method=None if formulation in IMPLICIT else "rk4",
        )  # fmt: skip

    made = run(case.x0)
    if case.release:
        end = np.array([made[name][-1] for name in case.system.state_names])
        case.system.deactivate(case.release)
        try:
            return outcome(case, run(end))
        finally:
            case.system.activate(case.release)
    return outcome(case, made)


def outcome(case: Prepared, run: tb.Run) -> Outcome:
    """Measured on a run."""
    q = np.array([run[name] for name in case.system.coordinates]).T
    h = [case.system.constraint_error(row, t) for row, t in zip(q, run.time, strict=True)]
    drift = 0.0
    if case.energy:
        energy, kinetic = np.asarray(run["energy"]), np.asarray(run["kinetic"])
        drift = float(np.abs(energy - energy[0]).max() / kinetic.max())
    worst = float(np.abs(h).max())
    return Outcome(case.error(run), worst, drift, dict(run.metadata["statistics"]))


def _watch(m: tb.Model) -> tb.Model:
    m.sensor("energy", tb.Energy())
    m.sensor("kinetic", tb.Energy("kinetic"))
    return m


def _follow(rate: Callable[[float, np.ndarray], Any], y0: list[float], name: str) -> Error:
    """The error of one coordinate against an ordinary differential equation."""

    def error(run: tb.Run) -> float:
        exact = solve_ivp(
            rate, (0, run.time[-1]), y0, "DOP853", run.time, rtol=1e-12, atol=1e-13
        ).y[0]
        return float(np.abs(np.asarray(run[name]) - exact).max())

    return error


def _bar(m: tb.Model, name: str, length: float, mass: float = 1.0) -> Any:
    """A slender bar along x."""
    moment = mass * length**2 / 12
    return m.body(name, mass, (length / 2, 0, 0), (0, moment, moment))


# ---- redundant --------------------------------------------------------------------------------


def five_bars(angle: float = 0.9, speed: float = 0.0) -> Prepared:
    """Three equal cranks and a coupler with full hinges: ten equations, three of them needed."""
    m = tb.Model("five bars", gravity=(0, 0, -G))
    coupler = _bar(m, "coupler", 2.0)
    for i in range(3):
        crank = _bar(m, f"crank {i}", 1.0)
        m.joint(
            f"crank {i}", tb.Revolute("y"), m.ground.at(float(i), 0, 0), crank, position=[angle]
        )
        if i == 0:
            m.joint("coupler", tb.Revolute("y"), crank.at(1, 0, 0), coupler, position=[-angle])
        else:
            m.close(f"pin {i}", tb.Revolute("y"), coupler.at(float(i), 0, 0), crank.at(1, 0, 0))
    system = _watch(m).compile()
    x0 = system.assemble(rates={"crank 0": speed}, **{"crank 0": angle})
    pull = G * (3 * 0.5 + 1.0) / (3 / 3 + 1.0)

    def rate(_t: float, y: np.ndarray) -> list[float]:
        return [y[1], pull * np.cos(y[0])]

    return Prepared(system, x0, _follow(rate, [angle, speed], "crank 0"))


def bricard() -> Prepared:
    """Six bars along the edges of a cube; the angles between them obey a law (Baker 1980)."""
    edges = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]])
    m = tb.Model("Bricard", gravity=(0, -G, 0))
    end = m.ground.at(1, 0, 0)
    for i in range(1, 6):
        along = edges[i]
        bar = m.body(f"bar {i}", 1.0, along / 2, (1 - np.abs(along)) / 12)
        m.joint(f"hinge {i}", tb.Revolute("zxy"[(i - 1) % 3]), end, bar)
        end = bar.at(*map(float, along))
    m.close("last", tb.Revolute("y"), m.ground, end)
    system = _watch(m).compile()

    def error(run: tb.Run) -> float:
        first, second = -np.sin(run["hinge 1"]), -np.sin(run["hinge 2"])
        return float(np.abs(first + second + first * second).max())

    return Prepared(system, system.assemble(), error)


# ---- driven -----------------------------------------------------------------------------------


def slider_crank_model(crank: float = 0.1, rod: float = 0.4) -> tb.Model:
    """Its slider moves along x."""
    m = tb.Model("slider-crank", gravity=(0, 0, -G))
    first, second, slider = _bar(m, "crank", crank), _bar(m, "rod", rod, 0.5), m.body("slider", 0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, first)
    m.joint("rod", tb.Revolute("y"), first.at(crank, 0, 0), second)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=[crank + rod])
    m.close("pin", tb.PointInPlane("xz"), second.at(rod, 0, 0), slider)
    return _watch(m)


def driven() -> Prepared:
    """A slider-crank whose crank is driven."""
    m = slider_crank_model()
    m.drive("crank", tb.Sine(2.0, 1.0, offset=0.3), name="motor")
    system = m.compile()

    def error(run: tb.Run) -> float:
        turn = 0.3 + 2.0 * np.sin(2 * np.pi * np.asarray(run.time))
        place = 0.1 * np.cos(turn) + np.sqrt(0.4**2 - (0.1 * np.sin(turn)) ** 2)
        return float(np.abs(np.asarray(run["slider"]) - place).max())

    return Prepared(system, system.assemble(), error, energy=False)


def switched() -> Prepared:
    """A slider-crank whose drive lets go after 1 s, against one that never had a drive."""
    m = slider_crank_model()
    free = m.compile()
    m.drive("crank", tb.Ramp(6.0, 0.3), name="motor")
    system = m.compile()

    def error(run: tb.Run) -> float:
        x0 = free.assemble(crank=6.3, rates={"crank": 6.0})
        exact = tb.simulate(
            free, x0, run.time[-1], rtol=1e-12, atol=1e-13, output_step=STEP, progress=False
        )
        every = (len(exact.time) - 1) // (len(run.time) - 1)
        return float(np.abs(np.asarray(run["crank"]) - np.asarray(exact["crank"])[::every]).max())

    return Prepared(system, system.assemble(), error, release="motor")


def servo() -> Prepared:
    """Two bars in a plane without gravity; the effort of the first hinge keeps the direction of the
    second bar: sin(φ − θ) falls at a constant rate."""
    m = tb.Model("servo", gravity=(0, 0, 0))
    first, second = _bar(m, "first", 1.0), _bar(m, "second", 0.8)
    m.joint("first", tb.Revolute("z"), m.ground, first)
    m.joint("second", tb.Revolute("z"), first.at(1, 0, 0), second, position=[1.0])
    direction = m.coordinate("first") + m.coordinate("second") - 1.0
    m.constrain("direction", position=direction, through="first")
    system = _watch(m).compile()
    x0 = system.assemble(rates={"first": 0.8})

    def error(run: tb.Run) -> float:
        s = np.sin(1.0) - 0.8 * np.cos(1.0) * np.asarray(run.time)
        return float(np.abs(np.asarray(run["first"]) - (1.0 - np.arcsin(s))).max())

    return Prepared(system, x0, error, energy=False)


# ---- quaternions, velocities --------------------------------------------------------------------


def quaternion() -> Prepared:
    """A free body held by a ball and a rod, against the same body on a ball joint."""
    systems = []
    for free in (True, False):
        m = tb.Model("body on a ball and a rod", gravity=(0, 0, -G))
        body = m.body("body", 2.0, (0.1, 0.2, 0.3), (0.02, 0.03, 0.04))
        m.joint("joint", tb.Free() if free else tb.Spherical(), m.ground, body)
        if free:
            m.close("ball", tb.Spherical(), m.ground, body)
        m.close("rod", tb.Rod(0.8), m.ground.at(0.5, 0.6, -0.2), body.at(0.3, 0.1, 0.4))
        m.sensor("tip", tb.Position(body.at(0.5, 0.5, 0.5)))
        systems.append(_watch(m).compile())
    alone, jointed = systems
    start = jointed.assemble(
        rates={"joint.wx": 1.0}, guess={"joint.qx": 0.1, "joint.qy": 0.2, "joint.qz": 0.3}
    )
    x0 = np.concatenate([np.zeros(3), start.q, np.zeros(3), start.v])

    def error(run: tb.Run) -> float:
        exact = tb.simulate(
            jointed, start, run.time[-1], rtol=1e-12, atol=1e-13, output_step=STEP, progress=False
        )
        every = (len(exact.time) - 1) // (len(run.time) - 1)
        gaps = [
            np.abs(np.asarray(run[f"tip.{axis}"]) - np.asarray(exact[f"tip.{axis}"])[::every]).max()
            for axis in "xyz"
        ]
        return float(max(gaps))

    return Prepared(alone, x0, error)


def skate() -> Prepared:
    """A turning blade on an incline draws a cycloid (Neimark and Fufaev 1972, III.1)."""
    slope, turn = 3.0, 2.0
    m = tb.Model("skate", gravity=(slope, 0, 0))
    first, second = m.body("carriage x"), m.body("carriage y")
    blade = m.body("blade", 1.5, inertia=(0.1, 0.1, 0.2))
    m.joint("x", tb.Prismatic("x"), m.ground, first)
    m.joint("y", tb.Prismatic("y"), first, second)
    m.joint("turn", tb.Revolute("z"), second, blade)
    m.close("edge", tb.Skate("y"), m.ground, blade)
    system = _watch(m).compile()
    x0 = system.assemble(rates={"turn": turn, "x": 0.0, "y": 0.0})

    def error(run: tb.Run) -> float:
        t, scale = turn * np.asarray(run.time), slope / (2 * turn**2)
        x, y = scale * np.sin(t) ** 2, scale * (t - np.sin(2 * t) / 2)
        return float(max(np.abs(run["x"] - x).max(), np.abs(run["y"] - y).max()))

    return Prepared(system, x0, error)


# ---- singular -----------------------------------------------------------------------------------


def parallel_change_point() -> Prepared:
    """Equal bars that turn over: twice a turn all lie on one line. The branch taken is that of
    parallelograms."""
    return five_bars(np.pi / 2, 8.0)


def change_point() -> Prepared:
    """A four-bar whose longest and shortest bars are as long as the other two together: its bars
    fold onto one line. Which way it goes on isn't determined; energy is kept either way."""
    crank, coupler, rocker, base = 0.5, 1.2, 0.7, 1.0
    m = tb.Model("change point", gravity=(0, 0, -G))
    first, second = _bar(m, "crank", crank), _bar(m, "coupler", coupler)
    third = _bar(m, "rocker", rocker)
    m.joint("crank", tb.Revolute("y"), m.ground, first, position=[1.0])
    m.joint("coupler", tb.Revolute("y"), first.at(crank, 0, 0), second, position=[-1.0])
    m.joint("rocker", tb.Revolute("y"), m.ground.at(base, 0, 0), third, position=[1.2])
    m.close("pin", tb.PointInPlane("xz"), second.at(coupler, 0, 0), third.at(rocker, 0, 0))
    system = _watch(m).compile()
    x0 = system.assemble(crank=1.0, rates={"crank": 12.0})
    return Prepared(system, x0, lambda run: 0.0)


def dead_centre() -> Prepared:
    """A slider-crank with rod and crank of equal length: where they fold, the slider may stop and
    both turn as one, or go on. Either way energy is kept."""
    system = slider_crank_model(0.3, 0.3).compile()
    x0 = system.assemble(crank=0.6, rates={"crank": 6.0})
    return Prepared(system, x0, lambda run: 0.0)


CASES: dict[str, Callable[[], Prepared]] = {
    "redundant, planar": five_bars,
    "redundant, spatial": bricard,
    "driven": driven,
    "switched": switched,
    "servo": servo,
    "quaternions": quaternion,
    "velocities only": skate,
    "change point, parallelogram": parallel_change_point,
    "change point, four-bar": change_point,
    "dead centre": dead_centre,
}
