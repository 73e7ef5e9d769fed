"""What acts in joints by itself: springs, damping, regularised friction and stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.model.joints import Joint
from touchback.spatial.vectors import Scalar

if TYPE_CHECKING:
    from touchback.dynamics.instant import Instant


def passive_efforts(instant: Instant) -> None:
    """Add what acts in every joint by itself to its effort."""
    for name, joint in instant.model.joints.items():
        for i in range(joint.kind.nv):
            instant.add_effort(name, i, passive_effort(instant, name, joint, i))


def passive_effort(instant: Instant, name: str, joint: Joint, i: int) -> Scalar:
    """−k (q − rest) − c v − f v/√(v² + v_s²) and the stops' push."""
    k, value = instant.k, instant.value
    v = instant.rate(name, i)
    effort: Scalar = 0
    if joint.spring:
        effort = k.sub(effort, k.mul(value(joint.spring[i]), _stretch(instant, name, joint, i)))
    if joint.damping:
        effort = k.sub(effort, k.mul(value(joint.damping[i]), v))
    if joint.friction:
        scale = value(joint.friction_speed)
        smooth = k.div(v, k.sqrt(k.add(k.mul(v, v), k.mul(scale, scale))))
        effort = k.sub(effort, k.mul(value(joint.friction[i]), smooth))
    stop = instant.stop(name, i)
    if stop is not None:
        effort = k.add(effort, _push(instant, name, joint, i, *stop))
    return effort


def passive_potential(instant: Instant) -> Scalar:
    """Energy stored in joint springs, stops and described springs [J]."""
    k = instant.k
    total: Scalar = 0
    for name, joint in instant.model.joints.items():
        total = k.add(total, joint_potential(instant, name, joint))
    for kind in instant.model.forces.values():
        total = k.add(total, kind.potential(instant))
    return total


def joint_potential(instant: Instant, name: str, joint: Joint) -> Scalar:
    """Energy stored in a joint's springs and stops [J]."""
    k, value = instant.k, instant.value
    total: Scalar = 0
    half = k.const(0.5)
    for i in range(joint.kind.nv):
        if joint.spring:
            x = _stretch(instant, name, joint, i)
            total = k.add(total, k.mul(k.mul(half, value(joint.spring[i])), k.mul(x, x)))
        stop = instant.stop(name, i)
        if stop is not None:
            for depth in _depths(instant, name, joint, i):
                total = k.add(total, k.mul(k.mul(half, stop[0]), k.mul(depth, depth)))
    return total


def _stretch(instant: Instant, name: str, joint: Joint, i: int) -> Scalar:
    rest = instant.value(joint.rest[i]) if joint.rest else 0
    return instant.k.sub(instant.coordinate(name, i), rest)


def _depths(instant: Instant, name: str, joint: Joint, i: int) -> tuple[Scalar, Scalar]:
    """How far the coordinate is below its lower and above its upper limit; zero within."""
    k, q = instant.k, instant.coordinate(name, i)
    lower, upper = (instant.value(limit) for limit in joint.limits[i])
    return k.maximum(k.sub(lower, q), 0), k.maximum(k.sub(q, upper), 0)


def _push(
    instant: Instant, name: str, joint: Joint, i: int, stiffness: Scalar, damping: Scalar
) -> Scalar:
    """Unilateral spring and damper at either limit; a stop pushes, it never pulls."""
    k, v = instant.k, instant.rate(name, i)
    below, above = _depths(instant, name, joint, i)
    up = k.maximum(k.sub(k.mul(stiffness, below), k.mul(damping, v)), 0)
    down = k.maximum(k.add(k.mul(stiffness, above), k.mul(damping, v)), 0)
    return k.sub(k.select(k.less(0, below), up, 0), k.select(k.less(0, above), down, 0))
