"""Bodies and constraints as objects that meet at ports (Kosenko 2015, §2): a body shows its twist,
a constraint answers with a wrench on it.

Wrenches of joints come from the recursion over the tree, those of closures from their multipliers,
twists from the bodies' motion, and each body's rate of momentum from differentiating its momentum
on the tape: so balances of what meets at ports check how the equations of motion were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from touchback.dynamics.constraint_row import Row
from touchback.dynamics.constraints import apply_multipliers
from touchback.dynamics.forward_dynamics import configuration_rate
from touchback.dynamics.mechanism_instant import Instant, link_momenta, passive_effort
from touchback.model import Frame
from touchback.numbers import Scalar, Vector
from touchback.spatial import ZERO
from touchback.symbolic import Tape, jvp


@dataclass(frozen=True)
class BodyPort:
    """What a constraint or force does to a body at a point: its wrench there, and the body's twist
    there, along world axes."""

    owner: str
    body: str
    point: Vector
    force: Vector
    torque: Vector
    omega: Vector
    velocity: Vector

    def scalars(self) -> list[Scalar]:
        """All of it in a row."""
        parts = (self.point, self.force, self.torque, self.omega, self.velocity)
        return [x for part in parts for x in part]


@dataclass(frozen=True)
class CoordinatePort:
    """What acts in one coordinate of a joint: an effort, and the coordinate's rate."""

    owner: str
    joint: str
    effort: Scalar
    rate: Scalar

    def scalars(self) -> list[Scalar]:
        """Both."""
        return [self.effort, self.rate]


@dataclass(frozen=True)
class BodyMotion:
    """How a body moves: twist at a point of it, both momenta about that point with what they ask
    for there (a force and a moment), and the weight with its moment. One that is `immersed` carries
    fluid along, which asks for more."""

    body: str
    immersed: bool
    point: Vector
    omega: Vector
    velocity: Vector
    linear: Vector
    angular: Vector
    force: Vector
    moment: Vector
    weight: Vector
    weight_moment: Vector

    def scalars(self) -> list[Scalar]:
        """All of it in a row."""
        parts = (
            self.point, self.omega, self.velocity, self.linear, self.angular, self.force,
            self.moment, self.weight, self.weight_moment,
        )  # fmt: skip
        return [x for part in parts for x in part]


@dataclass(frozen=True)
class PortExchange:
    """Everything that bodies and constraints exchange at an instant; `demanded` is the power λ b
    that constraints which move by themselves are to bring, by name, and `ideal` are those that
    stand still, rub nowhere and aren't kept by a motor."""

    bodies: list[BodyPort]
    coordinates: list[CoordinatePort]
    motions: list[BodyMotion]
    demanded: dict[str, Scalar]
    ideal: frozenset[str]


def port_exchange(
    tape: Tape, instant: Instant, rows: Sequence[Row], multipliers: Sequence[Scalar]
) -> PortExchange:
    """All ports at an instant over a tape whose rigid joints are kept, with its accelerations
    `instant.a` and the multipliers of its constraint rows."""
    instant.efforts()  # applied forces first, then those of closures
    apply_multipliers(instant, list(rows), multipliers)
    meter = _PortMeter(instant)
    for name, kind in instant.model.forces.items():
        meter.owner = f"force {name}"
        kind.apply(meter)
    owners = {row: name for name, own in _constraint_owners(instant).items() for row in own}
    demanded: dict[str, Scalar] = {}
    ideal = {f"joint {name}" for name in instant.model.joints}
    ideal |= {owners[row.name] for row in rows}
    for row, multiplier in zip(rows, multipliers, strict=True):
        meter.owner = owners[row.name]
        if row.b or row.through or row.friction is not None:
            ideal.discard(meter.owner)
        meter.constrain(row, multiplier)
        if row.b:
            given = demanded.get(meter.owner, 0)
            demanded[meter.owner] = instant.k.add(given, instant.k.mul(multiplier, row.b))
    for name in instant.model.joints:
        meter.owner = f"joint {name}"
        meter.join(name)
    motions = list(_motions(tape, instant))
    return PortExchange(meter.bodies, meter.coordinates, motions, demanded, frozenset(ideal))


def _constraint_owners(instant: Instant) -> dict[str, tuple[str, ...]]:
    """Rows by the constraint they belong to, with its kind."""
    model = instant.model
    kinds = {
        name: kind
        for kind in ("closure", "coupling", "constraint", "drive")
        for name in getattr(model, f"{kind}s")
    }
    return {f"{kinds[name]} {name}": rows for name, rows in model.constraint_rows().items()}


class _PortMeter:
    """The mechanism as forces and constraints see it, which notes what they do and where."""

    def __init__(self, instant: Instant) -> None:
        self._instant = instant
        self.owner = ""
        self.bodies: list[BodyPort] = []
        self.coordinates: list[CoordinatePort] = []
        self._joints = {
            instant.freedom(name, i): name
            for name, joint in instant.model.joints.items()
            for i in range(joint.kind.nv)
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instant, name)

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Notes a wrench on the frame's body at its origin."""
        instant = self._instant
        self.bodies.append(
            BodyPort(
                self.owner, frame.body, instant.position(frame), force,
                ZERO if torque is None else torque,
                instant.angular_velocity(frame), instant.velocity(frame),
            )
        )  # fmt: skip

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """Notes an effort in a coordinate."""
        self._act(self._instant.freedom(joint, index), effort)

    def _act(self, freedom: int, effort: Scalar) -> None:
        if effort:
            rate = self._instant.at.v[freedom]
            self.coordinates.append(CoordinatePort(self.owner, self._joints[freedom], effort, rate))

    def constrain(self, row: Row, multiplier: Scalar) -> None:
        """What a constraint row does: a closure's to bodies, another's in coordinates."""
        k, vectors = self._instant.k, self._instant.vectors
        for action in row.actions:
            R = self._instant.link_pose(action.common)[0]
            force, torque = (
                vectors.apply(R, [k.mul(multiplier, x) for x in part])
                for part in (action.force, action.torque)
            )
            self.push(action.frame, force, torque)
        if row.actions:
            return
        for freedom, entry in (row.through or row.J).items():
            self._act(freedom, k.mul(multiplier, entry))
        if row.friction is not None:
            drag = k.mul(row.friction.share, k.abs(multiplier))
            for freedom, slope in row.friction.slopes.items():
                self._act(freedom, k.mul(slope, drag))

    def join(self, name: str) -> None:
        """The wrench in a joint on both its bodies, and what acts in it by itself: springs,
        friction, stops and its rotor."""
        instant, k, vectors = self._instant, self._instant.k, self._instant.vectors
        joint, acceleration = instant.model.joints[name], instant.a
        R, at = instant.rotation(joint.child), instant.position(joint.child)
        F, N = (vectors.apply(R, part) for part in instant.reaction(name))
        self.push(joint.child, F, N)
        parent = instant.attachment(joint.parent).link
        omega, velocity = instant.link_velocity(parent)
        lever = vectors.sub(at, instant.link_pose(parent)[1])
        carried = vectors.add(velocity, vectors.cross(omega, lever))
        self.bodies.append(
            BodyPort(
                self.owner, joint.parent.body, at, vectors.neg(F), vectors.neg(N), omega, carried
            )
        )
        rotors = instant.armature()
        for i in range(joint.kind.nv):
            freedom = instant.freedom(name, i)
            effort = passive_effort(instant, name, joint, i)
            if acceleration is not None:
                effort = k.sub(effort, k.mul(rotors[freedom], acceleration[freedom]))
            self._act(freedom, effort)


def _motions(tape: Tape, instant: Instant) -> Iterator[BodyMotion]:
    """Momenta of each body about its link's origin O, and their rates by the tape: dp/dt, and
    dL_O/dt + v_O × p."""
    vectors, gravity = instant.vectors, instant.gravity()
    flow = dict(zip(instant.at.q, configuration_rate(instant), strict=True))
    flow |= dict(zip(instant.at.v, instant.a or (), strict=True)) | {instant.at.time: 1}
    for body, home in instant.tree.bodies.items():
        if home.link < 0:
            continue
        link = instant.tree.links[home.link]
        p, L, h = link_momenta(instant, link.index, link)
        origin = instant.link_pose(link.index)[1]
        omega, velocity = instant.link_velocity(link.index)
        p_rate, L_rate = jvp(tape, list(p), flow), jvp(tape, list(L), flow)
        yield BodyMotion(
            body, link.added is not None, origin, omega, velocity, p, L, p_rate,
            vectors.add(L_rate, vectors.cross(velocity, p)),
            vectors.scale(link.inertia.m, gravity), vectors.cross(h, gravity),
        )  # fmt: skip
