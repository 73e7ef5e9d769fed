"""Rigid bodies that are dropped on corners, and what every run with them must keep."""

from dataclasses import dataclass
from itertools import product

import numpy as np

import touchback as tb

G = 9.81


@dataclass(frozen=True)
class Drop:
    """A compiled body of 1 kg with contacts at its corners, and where it starts."""

    system: tb.System
    corners: dict[str, tb.contact.ContactKind]
    start: tb.State
    inertia: tuple[float, ...]  # about its centre of mass, of the turning velocities in order

    def run(self, duration: float, **given: object) -> tb.Run:
        return tb.simulate(self.system, self.start, duration, contacts=self.corners, **given)  # type: ignore[arg-type]


def flat(
    corners: list[tuple[float, float]],
    inertia: float,
    where: tuple[float, float],
    rates: tuple[float, float] = (0.0, 0.0),
    **law: float,
) -> Drop:
    """A planar body with corners (x, z); `where` is z and turn, `rates` those of x and turn."""
    m = tb.Model("body", gravity=(0, 0, -G))
    body = m.body("body", 1.0, inertia=(inertia, inertia, inertia))
    m.joint("body", tb.Planar("y"), m.ground, body)
    system = m.compile()
    contacts = {
        f"c{i}": tb.contact.SpherePlaneContact(body.at(x, 0, z), m.ground, tangents="x", **law)
        for i, (x, z) in enumerate(corners)
    }
    start = system.assemble(
        **{"body.z": where[0], "body.turn": where[1]},
        rates={"body.x": rates[0], "body.turn": rates[1]},
    )
    return Drop(system, contacts, start, (inertia,))


def block(b: float, h: float, turn: float, above: float = 0.002, **law: float) -> Drop:
    """A block of the half width b and half height h, tilted, its lower corner `above` the floor."""
    z = h * np.cos(turn) + b * abs(np.sin(turn)) + above
    return flat([(-b, -h), (b, -h)], (b * b + h * h) / 3, (float(z), turn), **law)


def polygon(seed: int) -> Drop:
    """Three to six corners on a circle of 0.1 m, thrown with spin."""
    random = np.random.default_rng(seed)
    count, widest = int(random.integers(3, 7)), 7.0
    while widest > 2.6:  # the centre lies inside
        angles = np.sort(random.uniform(0, 2 * np.pi, count))
        widest = np.diff(np.append(angles, angles[0] + 2 * np.pi)).max()
    corners = [(0.1 * float(np.cos(a)), 0.1 * float(np.sin(a))) for a in angles]
    e, mu = float(random.choice([0, 0.2, 0.4, 0.7])), float(random.choice([0, 0.3, 0.8, 1.5]))
    where, rates = (0.15, random.uniform(0, 6)), (random.uniform(-1, 1), random.uniform(-8, 8))
    return flat(corners, 0.004, where, rates, restitution=e, friction=mu)


def box(seed: int, tilted: bool = True) -> Drop:
    """A box of 0.2 by 0.14 by 0.1 m on eight corners, dropped tilted or flat."""
    random = np.random.default_rng(seed)
    half = np.array([0.1, 0.07, 0.05])
    inertia = tuple(float(half @ half - own**2) / 3 for own in half)
    m = tb.Model("box", gravity=(0, 0, -G))
    body = m.body("body", 1.0, inertia=inertia)
    m.joint("body", tb.Free(), m.ground, body)
    e, mu = float(random.choice([0, 0.3])), float(random.choice([0, 0.3, 0.8]))
    corners: dict[str, tb.contact.ContactKind] = {
        "".join("-+"[side > 0] for side in sides): tb.contact.SpherePlaneContact(
            body.at(*(half * sides)), m.ground, friction=mu, restitution=e
        )
        for sides in product((-1, 1), repeat=3)
    }
    system = m.compile()
    start = system.initial_state()
    turn = random.normal(size=4) * (1, 0.15, 0.15, 0.5) if tilted else np.array([1.0, 0, 0, 0])
    start.q[:] = 0, 0, 0.14, *(turn / np.linalg.norm(turn))
    start.v[:] = random.uniform(-0.5, 0.5), 0, 0, *(tilted * random.uniform(-1, 1, 3))
    return Drop(system, corners, start, inertia)


def gaps_of(drop: Drop, run: tb.Run) -> np.ndarray:
    """A row for each corner."""
    return np.array([run[f"{name} gap"] for name in drop.corners])


def check(drop: Drop, run: tb.Run, name: str = "body") -> None:
    """Nothing sinks in, nothing pulls, no energy comes from nowhere, and the books close."""
    assert gaps_of(drop, run).min() > -1e-9
    assert min(run[f"{corner} force"].min() for corner in drop.corners) > -1e-6
    speeds = np.array(
        [run[f"{v} rate" if f"{v} rate" in run else v] for v in drop.system.velocities]
    )
    mass = np.ones(len(speeds))
    mass[-len(drop.inertia) :] = drop.inertia
    energy = 0.5 * mass @ speeds**2 + G * run[f"{name}.z"]
    assert np.diff(energy).max() < 1e-7
    assert abs(run.energy_balance.residual) < 1e-7


def rests(drop: Drop, run: tb.Run) -> bool:
    """Whether nothing moves at the end but along the floor."""
    last = {v: run[f"{v} rate" if f"{v} rate" in run else v][-1] for v in drop.system.velocities}
    return all(
        abs(speed) < 1e-7 for v, speed in last.items()
        if not v.endswith((".x", ".vx", ".vy", ".wz"))
    )  # fmt: skip
