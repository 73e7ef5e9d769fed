"""A pendulum on a slide that a drive moves: what a jump of the slide's rate does to it is known.

About the pivot (I + m l²) θ̇ − m l cos θ u stays: Δθ̇ = m l cos θ Δu / (I + m l²), with the angle
about y, for which a body that hangs has its centre at −l sin θ along x.
"""

from typing import Any

import numpy as np

import touchback as tb

MASS, LENGTH, INERTIA, G = 0.8, 0.5, 0.02, 9.81
AT, UNTIL = 0.02, 0.03  # s
KICK = MASS * LENGTH / (INERTIA + MASS * LENGTH**2)  # Δθ̇ / (cos θ Δu) [1/m]


def pendulum_on_slide(
    motion: Any, angle: float = 0.4, rate: float = 0.0, gravity: float = G
) -> tb.Model:
    m = tb.Model("slide", gravity=(0, 0, -gravity))
    slide = m.body("slide", mass=1.0)
    bob = m.body("bob", mass=MASS, com=(0, 0, -LENGTH), inertia=(INERTIA,) * 3)
    m.joint("x", tb.Prismatic("x"), m.ground, slide)
    m.joint("swing", tb.Revolute("y"), slide, bob, position=angle, velocity=rate)
    m.drive("x", motion(m))
    return m


def add_modes(m: tb.Model) -> tb.Model:
    """A second mode, which is never reached, in which the pendulum is locked."""
    m.drive("swing", 3.0, name="lock")
    m.mode("free")
    m.mode("locked", ["lock"])
    m.transition("lock", "free", "locked", when=3.0 - m.coordinate("swing"))
    return m


def ramp(speed: float, at: float = AT) -> Any:
    """Rest, then a constant speed."""
    return lambda m: speed * tb.maximum(0.0, m.time - at)


def ramp_by_parameters(m: tb.Model) -> tb.Expr:
    """A ramp whose "speed" [m/s] and instant, "at" [s], are parameters."""
    return m.parameter("speed", 1.0) * tb.maximum(0.0, m.time - m.parameter("at", AT))


def kick(run: tb.Run, at: float = AT) -> tuple[float, float]:
    """By how much the swing's rate jumps, and the cosine of its angle there."""
    after = int(np.searchsorted(run.time, at))
    jump = run["swing rate"][after] - run["swing rate"][after - 1]
    return float(jump), float(np.cos(run["swing"][after]))


def kinked(kind: str, at: float) -> Any:
    """Rest or −0.5 m/s, then 1 or 0.5 m/s from an instant on: a jump by 1 m/s, written in the ways
    that differ in what they give just there."""

    def motion(m: tb.Model) -> Any:
        late = m.time - at
        ways = {
            "abs": lambda: 0.5 * abs(late),
            "maximum": lambda: tb.maximum(0.0, late),
            "minimum": lambda: -tb.minimum(0.0, -late),
            "select<": lambda: tb.select(m.time < at, 0.0, late),
            "select<=": lambda: tb.select(m.time <= at, 0.0, late),
            "lookup": lambda: tb.lookup(
                m.table("way", [0.0, at, 9.0], [0.0, 0.0, 9.0 - at]), m.time
            ),
        }
        return ways[kind]()

    return motion


WAYS = ("abs", "maximum", "minimum", "select<", "select<=", "lookup")


def zigzag(count: int, end: float) -> Any:
    """So many straight lines up to an end, with slopes of ±0.1 m/s."""
    at = np.linspace(0.0, end, count + 1)
    return lambda m: tb.lookup(
        m.table("way", at, 0.1 * end / count * (np.arange(count + 1) % 2)), m.time
    )
