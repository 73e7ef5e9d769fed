"""Random bodies that are thrown on a floor, and the laws that every run with them must keep.

What is checked is computed here, from momenta and from the geometry of the bodies: nothing of it is
read from the solver's own matrices. One free body of mass m feels gravity and the floor only, so
that m (Δv − g Δt) is the floor's impulse between any two instants, across events too; impulses that
obey Coulomb's law with one μ add up to one in the same (convex) cone.
"""

from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback.contact import ContactKind, DiscPlaneContact, SpherePlaneContact
from touchback.recording import EventRecord

G = 9.81
KINDS = ("point", "rod", "disc", "box", "ball", "coin", "dumbbell")  # the last three in space
PLANAR = ("body.x", "body.z", "body.turn")


@dataclass(frozen=True)
class Thrown:
    """A body of 1 kg above a floor: `spots` are points of it that touch, each of a `radius`."""

    kind: str
    system: tb.System
    contacts: dict[str, ContactKind]
    start: tb.State
    inertia: np.ndarray  # about its axes
    spots: np.ndarray
    radius: float
    friction: float
    restitution: float

    @property
    def flat(self) -> bool:
        """Whether it moves in a plane."""
        return self.kind in KINDS[:4]

    @property
    def central(self) -> bool:
        """Whether the floor's normal goes through the centre of mass."""
        return self.kind in ("point", "disc", "ball")


def thrown(kind: str, seed: int) -> Thrown:
    """A random one: e from 0 to 1, μ from 0 to 2, with speed along the floor and spin."""
    random = np.random.default_rng(seed)
    e = float(random.choice([0.0, 1.0, *random.uniform(0, 0.9, 4)]))
    mu = float(random.choice([0.0, *random.uniform(0.02, 2.0, 5)]))
    m = tb.Model(kind, gravity=(0, 0, -G))
    spots, radius, inertia = {
        "point": ([(0, 0, 0)], 0.0, (1e-3,) * 3),
        "rod": ([(-0.2, 0, 0), (0.2, 0, 0)], 0.0, (1e-4, 0.04 / 3, 0.04 / 3)),
        "disc": ([(0, 0, 0)], 0.1, (0.0025, 0.005, 0.0025)),
        "box": ([(x, 0, z) for x in (-0.1, 0.1) for z in (-0.05, 0.05)], 0.0, (0.004,) * 3),
        "ball": ([(0, 0, 0)], 0.1, (0.004,) * 3),
        "coin": ([(0, 0, 0)], 0.1, (0.0025, 0.0025, 0.005)),
        "dumbbell": ([(-0.15, 0, 0), (0.15, 0, 0)], 0.05, (0.001, 0.024, 0.024)),
    }[kind]
    body = m.body("body", 1.0, inertia=inertia)
    law = {"restitution": e, "friction": mu}
    contacts: dict[str, ContactKind] = {}
    flat = kind in KINDS[:4]
    for i, spot in enumerate(spots):
        if kind == "coin":
            contacts[f"c{i}"] = DiscPlaneContact(body, m.ground, radius, **law)
        else:
            contacts[f"c{i}"] = SpherePlaneContact(
                body.at(*spot), m.ground, radius, tangents="x" if flat else "xy", **law
            )
    m.joint("body", tb.Planar("y") if flat else tb.Free(), m.ground, body)
    system = m.compile()
    start = system.initial_state()
    height, along = 0.25 + random.uniform(0, 0.1), random.uniform(-5, 5)
    if flat:
        turn = 0.0 if kind == "point" else random.uniform(-3, 3)
        spin = (kind != "point") * random.uniform(-10, 10)
        start = system.assemble(
            **{"body.z": height, "body.turn": turn},
            rates={"body.x": along, "body.z": random.uniform(-1, 1), "body.turn": spin},
        )
    else:
        upright = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # a coin on its rim
        turn = random.normal(size=4) * 0.2 + (upright if kind == "coin" else (1, 0, 0, 0))
        start.q[:] = 0, 0, height, *(turn / np.linalg.norm(turn))
        start.v[:] = along, random.uniform(-2, 2), random.uniform(-1, 1), *random.uniform(-8, 8, 3)
    return Thrown(
        kind, system, contacts, start, np.array(inertia), np.array(spots, float), radius, mu, e
    )


@dataclass(frozen=True)
class Path:
    """What a body did: at each instant (twice where it jumps) its velocity, of its spots the gaps
    and normal speeds, and its energy."""

    time: np.ndarray
    velocity: np.ndarray
    gaps: np.ndarray
    normal_speeds: np.ndarray
    energy: np.ndarray


def path(body: Thrown, run: tb.Run) -> Path:
    """The recorded instants of a run, and both sides of its events."""
    jumps = {event.time for event in run.events}  # rows there are on one side or the other
    columns = np.column_stack([run[name] for name in _names(body)])
    rows = [(t, 0, row) for t, row in zip(run.time, columns, strict=True) if t not in jumps]
    for event in run.events:
        rows += [(event.time, 1 + i, row) for i, row in enumerate(_sides(body, event))]
    rows.sort(key=lambda row: row[:2])
    return Path(np.array([t for t, _, _ in rows]), *_seen(body, np.array([x for *_, x in rows])))


def around(body: Thrown, event: EventRecord) -> Path:
    """Both sides of an event."""
    return Path(np.full(2, event.time), *_seen(body, _sides(body, event)))


def _names(body: Thrown) -> list[str]:
    flat = PLANAR[2] in body.system.state_names
    return [*PLANAR, *(f"{n} rate" for n in PLANAR)] if flat else list(body.system.state_names)


def _sides(body: Thrown, event: EventRecord) -> np.ndarray:
    sides = (event.state, event.after or event.state)
    return np.array([[side[name] for name in _names(body)] for side in sides])


def _seen(body: Thrown, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    q, v = np.split(x, [len(body.system.coordinates)], axis=1)
    zero, one = np.zeros(len(q)), np.ones(len(q))
    if q.shape[1] == 3:
        (along, z, turn), (vx, vz, rate) = q.T, v.T
        c, s = np.cos(turn), np.sin(turn)
        R = np.stack([np.stack([c, zero, s], 1), np.stack([zero, one, zero], 1),
                      np.stack([-s, zero, c], 1)], 1)  # fmt: skip
        centre, velocity = np.stack([along, zero, z], 1), np.stack([vx, zero, vz], 1)
        own = np.stack([zero, rate, zero], 1)
    else:
        centre, (w, i, j, k) = q[:, :3], (q[:, 3:] / np.linalg.norm(q[:, 3:], axis=1)[:, None]).T
        R = np.stack([
            np.stack([1 - 2 * (j * j + k * k), 2 * (i * j - k * w), 2 * (i * k + j * w)], 1),
            np.stack([2 * (i * j + k * w), 1 - 2 * (i * i + k * k), 2 * (j * k - i * w)], 1),
            np.stack([2 * (i * k - j * w), 2 * (j * k + i * w), 1 - 2 * (i * i + j * j)], 1),
        ], 1)  # fmt: skip
        velocity, own = np.einsum("tab,tb->ta", R, v[:, :3]), v[:, 3:]  # of body axes
    about = np.einsum("tab,tb->ta", R, own)  # body axes to the world's
    gaps, speeds = [], []
    for spot in body.spots:
        arm = R @ spot
        if body.kind == "coin":  # the rim's lowest point
            axis = R[:, :, 2]
            sine = np.sqrt(1 - axis[:, 2] ** 2)
            arm = body.radius * (axis[:, 2:] * axis - (0, 0, 1)) / sine[:, None]
        else:
            arm = arm - (0, 0, body.radius)
        gaps.append(centre[:, 2] + arm[:, 2])
        speeds.append(velocity[:, 2] + np.cross(about, arm)[:, 2])
    energy = 0.5 * (velocity**2).sum(1) + 0.5 * (body.inertia * own**2).sum(1) + G * centre[:, 2]
    return velocity, np.array(gaps), np.array(speeds), energy


def check_cone(body: Thrown, seen: Path, tolerance: float) -> None:
    """The floor pushes, and rubs with at most μ times that, between any two instants."""
    impulse = np.diff(seen.velocity, axis=0)
    impulse[:, 2] += G * np.diff(seen.time)
    assert impulse[:, 2].min() > -tolerance
    excess = np.hypot(impulse[:, 0], impulse[:, 1]) - body.friction * impulse[:, 2]
    assert excess.max() < tolerance


def check_signorini(body: Thrown, run: tb.Run, seen: Path, depth: float) -> None:
    """Nothing overlaps, nothing pulls, and nothing is pressed that is apart."""
    assert seen.gaps.min() > -depth
    word = "force" if "c0 force" in run else "impulse"
    for name in body.contacts:
        pressed = run[f"{name} {word}"]
        assert pressed.min() > -1e-9 * max(1.0, pressed.max())
        if word == "force":
            assert np.abs(run[f"{name} gap"][pressed > 1e-9]).max(initial=0.0) < 1e-9


def check_energy(run: tb.Run, seen: Path, tolerance: float) -> None:
    """It never rises, but where a remark says so: by Newton's restitution with friction it may."""
    if not any("raised the energy" in remark for remark in run.metadata["diagnostics"]):
        assert np.diff(seen.energy).max() < tolerance
