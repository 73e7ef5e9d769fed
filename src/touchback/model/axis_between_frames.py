"""One axis between two frames, along which or about which something moves and is pushed."""

from touchback.model.frame import Frame
from touchback.model.joints.base import Axis, axis_vector
from touchback.model.mechanics_protocol import Forces, Mechanics
from touchback.numbers import Scalar, Vector

_ALMOST_OPPOSITE = 1e-6  # of 1 + d·e: beyond 179.9° of swing there is no angle about an axis


def axis_displacement(
    mechanics: Mechanics, frame: Frame, reference: Frame, axis: Axis
) -> tuple[Scalar, Scalar]:
    """Where the frame's origin is along an axis of the reference, x = d·r [m] with r from the
    reference's origin, and ẋ = d·(ṙ − ω × r) [m/s], as seen from the reference."""
    vectors = mechanics.vectors
    d = _axis_of(mechanics, reference, axis)
    r, seen = _relative_motion(mechanics, frame, reference)
    return vectors.dot(d, r), vectors.dot(d, seen)


def push_along(
    mechanics: Forces, frame: Frame, reference: Frame, axis: Axis, effort: Scalar
) -> None:
    """A force [N] along the axis at the frame's origin, and its reaction on the reference at the
    same point: their power is effort × ẋ, however the reference moves."""
    vectors = mechanics.vectors
    force = vectors.scale(effort, _axis_of(mechanics, reference, axis))
    r, _ = _relative_motion(mechanics, frame, reference)
    mechanics.push(frame, force)
    mechanics.push(reference, vectors.neg(force), vectors.neg(vectors.cross(r, force)))


def axis_rotation(
    mechanics: Mechanics, frame: Frame, reference: Frame, axis: Axis
) -> tuple[Scalar, Scalar]:
    """How far the frame has turned about an axis of the reference, from −π to π [rad], and the rate
    of that angle [rad/s].

    It is the twist of the rotation R from reference to frame when what remains is a swing about a
    line across the axis: φ = atan2(d·Σ e_i × R e_i, tr R − d·R d). It doesn't depend on the swing's
    plane, and φ̇ = n·ω with n = (d + R d)/(1 + d·R d): the law of a constant-velocity joint. Where
    only the axis turns, n is the axis."""
    k, vectors = mechanics.k, mechanics.vectors
    d, normal = (
        _axis_of(mechanics, reference, axis),
        _bisecting_axis(mechanics, frame, reference, axis),
    )
    R, S = mechanics.rotation(reference), mechanics.rotation(frame)
    sine: Scalar = 0
    trace: Scalar = 0
    for i in range(3):
        old, new = [row[i] for row in R], [row[i] for row in S]
        sine = k.add(sine, vectors.dot(d, vectors.cross(old, new)))
        trace = k.add(trace, vectors.dot(old, new))
    cosine = k.sub(trace, vectors.dot(d, _axis_of(mechanics, frame, axis)))
    turning = vectors.sub(mechanics.angular_velocity(frame), mechanics.angular_velocity(reference))
    return k.atan2(sine, cosine), vectors.dot(normal, turning)


def push_about(
    mechanics: Forces, frame: Frame, reference: Frame, axis: Axis, effort: Scalar
) -> None:
    """A torque [N m] on the frame's body and its reaction on the reference's, along the n of
    `about`: their power is effort × φ̇, whatever else turns."""
    vectors = mechanics.vectors
    torque = vectors.scale(effort, _bisecting_axis(mechanics, frame, reference, axis))
    nothing: Vector = [0, 0, 0]
    mechanics.push(frame, nothing, torque)
    mechanics.push(reference, nothing, vectors.neg(torque))


def _axis_of(mechanics: Mechanics, frame: Frame, axis: Axis) -> Vector:
    """An axis of a frame, along world axes."""
    unit = [mechanics.k.const(float(share)) for share in axis_vector(axis)]
    return mechanics.vectors.apply(mechanics.rotation(frame), unit)


def _bisecting_axis(mechanics: Mechanics, frame: Frame, reference: Frame, axis: Axis) -> Vector:
    """n = (d + e)/(1 + d·e), between the axis in the reference and the same one in the frame."""
    k, vectors = mechanics.k, mechanics.vectors
    d, e = _axis_of(mechanics, reference, axis), _axis_of(mechanics, frame, axis)
    both = k.maximum(k.add(1, vectors.dot(d, e)), k.const(_ALMOST_OPPOSITE))
    return vectors.scale(k.div(1, both), vectors.add(d, e))


def _relative_motion(mechanics: Mechanics, frame: Frame, reference: Frame) -> tuple[Vector, Vector]:
    """The frame's origin from the reference's, and its velocity as seen from there."""
    vectors = mechanics.vectors
    r = vectors.sub(mechanics.position(frame), mechanics.position(reference))
    relative = vectors.sub(mechanics.velocity(frame), mechanics.velocity(reference))
    return r, vectors.sub(relative, vectors.cross(mechanics.angular_velocity(reference), r))
