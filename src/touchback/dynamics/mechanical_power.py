"""Powers [W] of everything that acts in a mechanism: forces, joints, constraints, a moving ground.

Forces are asked to act on a meter instead of on the mechanism: it multiplies what they push with
the speeds there. So the powers know nothing of how the equations of motion are written, and energy
energy balances made of them check those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from touchback.dynamics.constraint_row import Row
from touchback.dynamics.link_accelerations import ground_motion, link_motions
from touchback.dynamics.mechanism_instant import Instant, momentum, passive_effort
from touchback.dynamics.rnea import link_wrenches, required_wrench
from touchback.model import ForceKind, Frame
from touchback.numbers import Scalar, Vector


class PowerMeter:
    """The mechanism as a force sees it, which adds up the power of what the force does. Pushes on
    the ground count with the ground's speed; `ground` is their part."""

    def __init__(self, instant: Instant) -> None:
        self._instant = instant
        self.power: Scalar = 0
        self.ground: Scalar = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instant, name)

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """F·v + N·ω of the frame."""
        instant = self._instant
        k, vectors = instant.k, instant.vectors
        power = vectors.dot(force, instant.velocity(frame))
        if torque is not None:
            power = k.add(power, vectors.dot(torque, instant.angular_velocity(frame)))
        self.power = k.add(self.power, power)
        if instant.attachment(frame).link < 0:
            self.ground = k.add(self.ground, power)

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """Effort times the joint's speed."""
        k = self._instant.k
        self.power = k.add(self.power, k.mul(effort, self._instant.rate(joint, index)))


def force_meter(instant: Instant, kind: ForceKind) -> PowerMeter:
    """The power of a force."""
    meter = PowerMeter(instant)
    kind.apply(meter)
    return meter


def joint_power(instant: Instant, name: str) -> Scalar:
    """The power of what acts in a joint by itself: springs, damping, friction, stops."""
    meter = PowerMeter(instant)
    joint = instant.model.joints[name]
    for i in range(joint.kind.nv):
        meter.add_effort(name, i, passive_effort(instant, name, joint, i))
    return meter.power


def row_power(instant: Instant, row: Row, multiplier: Scalar) -> Scalar:
    """λ W v of a constraint row without its friction: zero where an ideal constraint that stands
    still is kept."""
    k = instant.k
    speed: Scalar = 0
    for freedom, entry in (row.through or row.J).items():
        speed = k.add(speed, k.mul(entry, instant.at.v[freedom]))
    return k.mul(multiplier, speed)


def rubbing_powers(instant: Instant, row: Row, multiplier: Scalar) -> tuple[Scalar, Scalar]:
    """What the friction F of a row takes, −F u of the sliding velocity u, and what surfaces that
    slide by themselves do through it, −F u₁ of their part of u."""
    k, friction = instant.k, row.friction
    if friction is None:
        return 0, 0
    force = k.mul(friction.share, k.abs(multiplier))
    return -k.mul(force, friction.slip), -k.mul(force, friction.moving)


def gravity_power(instant: Instant) -> Scalar:
    """g·p, p the linear momentum."""
    return instant.vectors.dot(instant.gravity(), momentum(instant)[0])


def base_power(instant: Instant, rows: Sequence[Row], multipliers: Sequence[Scalar]) -> Scalar:
    """What a moving ground does through the joints and closures that stand on it, and through
    forces against it; after `apply_multipliers`, with the accelerations `instant.a`."""
    k, vectors = instant.k, instant.vectors
    tree, base = instant.tree, instant.base()
    omega, velocity = instant.link_velocity(-1)
    wrenches = link_wrenches(
        tree, k, link_motions(tree, k, instant.at.v, instant.a, base), instant.external()
    )
    on_ground = [(i, wrench) for i, wrench in enumerate(wrenches) if tree.links[i].parent < 0]
    on_ground.append((-1, required_wrench(tree.ground, k, ground_motion(k, base))))
    total: Scalar = 0
    for i, (F, N) in on_ground:
        R, p = instant.link_pose(i)
        lever = vectors.sub(p, instant.ground.p)
        carried = vectors.add(velocity, vectors.cross(omega, lever))
        total = k.add(total, vectors.dot(vectors.apply(R, F), carried))
        total = k.add(total, vectors.dot(vectors.apply(R, N), omega))
    for kind in instant.model.forces.values():
        total = k.sub(total, force_meter(instant, kind).ground)
    for row, multiplier in zip(rows, multipliers, strict=True):
        total = k.sub(total, k.mul(multiplier, _on_ground(instant, row)))
    return total


def _on_ground(instant: Instant, row: Row) -> Scalar:
    """The power of a unit multiplier on the ground."""
    meter = PowerMeter(instant)
    for action in row.actions:
        if instant.attachment(action.frame).link < 0:
            R = instant.link_pose(action.common)[0]
            apply = instant.vectors.apply
            meter.push(action.frame, apply(R, action.force), apply(R, action.torque))
    return meter.ground
