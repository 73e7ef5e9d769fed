"""Rows of closures, written recursively in the axes of the closest common body."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from touchback.dynamics.constraint_row import Action, Effect, Row
from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.dynamics.link_accelerations import combined
from touchback.dynamics.mechanism_instant import Instant
from touchback.errors import ModelError
from touchback.model import (
    GROUND,
    Closure,
    CoincidentComponent,
    Direction,
    DiscOnPlane,
    Equation,
    FixedDistance,
    Frame,
    NoSlip,
    NoVelocityAlong,
    Perpendicular,
    ZeroOffsetAlong,
)
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import IDENTITY, ZERO, Rotation

# Kinematics of two branches of the tree as seen from their closest common link, for closures.
#
# Positions, velocities and bias accelerations (those for zero joint accelerations), all along the
# axes of the common link as if it stood still. Relative to it everything above cancels, so the
# equations of a loop involve its own joints only.


@dataclass
class RelativeKinematics:
    """A link or frame seen from the common link: pose, velocity, bias acceleration, and unit
    velocities by freedom. Its origin is at `start` + `p`: of two branches the fixed places where
    they start are subtracted first, which costs nothing."""

    R: Matrix
    start: Vector
    p: Vector
    omega: Vector
    v: Vector
    alpha: Vector
    a: Vector
    columns: dict[int, tuple[Vector, Vector]]  # freedom → (angular, velocity of the origin)
    axes: Matrix = IDENTITY  # of the common body, along those of the common link


_STILL = RelativeKinematics(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, {})


def offset_between(instant: Instant, A: RelativeKinematics, B: RelativeKinematics) -> Vector:
    """p_AB along the axes of the common link."""
    vectors = instant.vectors
    return vectors.add(vectors.sub(B.start, A.start), vectors.sub(B.p, A.p))


def common_link(tree: Tree, first: int, second: int) -> int:
    """The closest link that carries both, −1 for the ground."""
    above = {link.index for link in tree.path(first)}
    return next((link.index for link in tree.path(second) if link.index in above), -1)


def seen_from(instant: Instant, frame: Frame, common: int) -> RelativeKinematics:
    """A frame as seen from a link that carries it."""
    home = instant.attachment(frame)
    path = takewhile(lambda link: link.index != common, instant.tree.path(home.link))
    seen = _STILL
    for link in reversed(list(path)):
        seen = _child_link_seen(instant, seen, link)
    found = _frame_seen(instant, seen, home.pose.scalars(instant.k), home.pose.rotation(instant.k))
    if common >= 0:  # whose link may have another frame than its body
        carrier = instant.attachment(_carrier_frame(instant, common)).pose
        found.axes = carrier.rotation(instant.k).times(instant.k, IDENTITY)
    return found


def _child_link_seen(
    instant: Instant, parent: RelativeKinematics, link: Link
) -> RelativeKinematics:
    """A link from its parent, both seen from the common link."""
    k, vectors = instant.k, instant.vectors
    R = link.rotation.times(k, parent.R)
    place, slid = vectors.apply(parent.R, link.p), vectors.apply(R, link.d)
    lever = vectors.add(place, slid)
    spin, slide = (vectors.apply(R, x) for x in combined(link, k, instant.at.v))
    omega = vectors.add(parent.omega, spin)
    alpha = vectors.add(parent.alpha, vectors.cross(parent.omega, spin))
    swing = vectors.cross(parent.omega, lever)
    v = vectors.add(vectors.add(parent.v, swing), slide)
    a = vectors.add(parent.a, vectors.cross(parent.alpha, lever))
    a = vectors.add(a, vectors.cross(parent.omega, swing))
    a = vectors.add(a, vectors.cross(vectors.add(parent.omega, omega), slide))
    columns: dict[int, tuple[Vector, Vector]] = {
        freedom: (angular, vectors.add(linear, vectors.cross(angular, lever)))
        for freedom, (angular, linear) in parent.columns.items()
    }
    for offset, (s_ang, s_lin) in enumerate(link.columns):
        columns[link.v_index + offset] = vectors.apply(R, s_ang), vectors.apply(R, s_lin)
    start, p = (place, slid) if parent is _STILL else (parent.start, vectors.add(parent.p, lever))
    return RelativeKinematics(R, start, p, omega, v, alpha, a, columns)


def _frame_seen(
    instant: Instant, link: RelativeKinematics, p: Sequence[Scalar], rotation: Rotation
) -> RelativeKinematics:
    """A frame fixed to a link."""
    k, vectors = instant.k, instant.vectors
    lever = vectors.apply(link.R, p)
    swing = vectors.cross(link.omega, lever)
    turn = vectors.add(vectors.cross(link.alpha, lever), vectors.cross(link.omega, swing))
    return RelativeKinematics(
        rotation.times(k, link.R),
        lever if link is _STILL else link.start,
        ZERO if link is _STILL else vectors.add(link.p, lever),
        link.omega,
        vectors.add(link.v, swing),
        link.alpha,
        vectors.add(link.a, turn),
        {
            freedom: (angular, vectors.add(linear, vectors.cross(angular, lever)))
            for freedom, (angular, linear) in link.columns.items()
        },
    )


# Rows of skates and rolling discs: velocities of one body relative to another.
#
# The disc has its centre C at B's origin, its axis e fixed in B; the plane goes through A's origin
# and has the normal n. Up along the disc points u = (n − σ e)/s with σ = n·e and s = √(1 − σ²), so
# that the lowest point lies at c = −r u from C, at the height n·d − r s with d = p_AC.


@dataclass
class _LowestPoint:
    """The lowest point of a disc: its height, its lever c from the centre, and ċ."""

    height: Scalar
    lever: Vector
    lever_rate: Vector


def no_velocity_row(
    instant: Instant,
    name: str,
    equation: NoVelocityAlong,
    A: RelativeKinematics,
    B: RelativeKinematics,
) -> tuple[Row, Effect, Effect]:
    """φ = t·w, w = v_B − v_A − ω_A × d, t fixed in B: γ = t·ẇ + (ω_B × t)·w."""
    k, vectors = instant.k, instant.vectors
    t = vectors.apply(B.R, [k.const(x) for x in equation.direction])
    return _velocity_row(instant, name, None, t, B.omega, A, B, ZERO, ZERO)


def disc_on_plane_row(
    instant: Instant, name: str, equation: DiscOnPlane, A: RelativeKinematics, B: RelativeKinematics
) -> tuple[Row, Effect, Effect]:
    """h = n·d − r s; its rate is the velocity of the lowest point along n, which moves along the
    rim only where the rim is level."""
    lowest, n = _lowest_point(instant, equation, A, B), _fixed_in(instant, A, equation.normal)
    return _velocity_row(
        instant, name, lowest.height, n, A.omega, A, B, lowest.lever, lowest.lever_rate
    )


def no_slip_row(
    instant: Instant, name: str, equation: NoSlip, A: RelativeKinematics, B: RelativeKinematics
) -> tuple[Row, Effect, Effect]:
    """φ = s·w with w the velocity of the lowest point relative to A, s fixed in A."""
    lowest, s = (
        _lowest_point(instant, equation.disc, A, B),
        _fixed_in(instant, A, equation.direction),
    )
    return _velocity_row(instant, name, None, s, A.omega, A, B, lowest.lever, lowest.lever_rate)


def _velocity_row(
    instant: Instant,
    name: str,
    h: Scalar | None,
    s: Vector,
    omega: Vector,
    A: RelativeKinematics,
    B: RelativeKinematics,
    c: Vector,
    c_rate: Vector,
) -> tuple[Row, Effect, Effect]:
    """The point of B at c from its origin has no velocity relative to A along s, a direction that
    turns with `omega`: φ = s·w, w = v_B + ω_B × c − v_A − ω_A × (d + c)."""
    k, vectors = instant.k, instant.vectors
    d, d_rate = offset_between(instant, A, B), vectors.sub(B.v, A.v)
    lever = vectors.add(d, c)
    on_b, on_a = vectors.cross(c, s), vectors.cross(lever, s)
    J = {
        freedom: k.add(vectors.dot(s, linear), vectors.dot(angular, on_b))
        for freedom, (angular, linear) in B.columns.items()
    }
    for freedom, (angular, linear) in A.columns.items():
        J[freedom] = -k.add(vectors.dot(s, linear), vectors.dot(angular, on_a))
    w = vectors.sub(vectors.add(d_rate, vectors.cross(B.omega, c)), vectors.cross(A.omega, lever))
    ahead = vectors.add(vectors.cross(B.alpha, c), vectors.cross(B.omega, c_rate))
    behind = vectors.add(
        vectors.cross(A.alpha, lever), vectors.cross(A.omega, vectors.add(d_rate, c_rate))
    )
    w_rate = vectors.add(vectors.sub(B.a, A.a), vectors.sub(ahead, behind))
    gamma = k.add(vectors.dot(s, w_rate), vectors.dot(vectors.cross(omega, s), w))
    row = Row(name, "m" if h is not None else "m/s", h, J, 0, gamma)
    return row, (vectors.neg(s), vectors.neg(on_a)), (s, on_b)


def _fixed_in(instant: Instant, seen: RelativeKinematics, direction: Direction) -> Vector:
    return instant.vectors.apply(seen.R, [instant.k.const(x) for x in direction])


def _lowest_point(
    instant: Instant, disc: DiscOnPlane, A: RelativeKinematics, B: RelativeKinematics
) -> _LowestPoint:
    k, vectors = instant.k, instant.vectors
    r = instant.value(disc.radius)
    n, e = _fixed_in(instant, A, disc.normal), _fixed_in(instant, B, disc.axis)
    sigma = vectors.dot(n, e)
    s = k.sqrt(k.sub(1, k.mul(sigma, sigma)))
    inverse = k.div(1, s)
    u = vectors.scale(inverse, vectors.sub(n, vectors.scale(sigma, e)))
    n_rate, e_rate = vectors.cross(A.omega, n), vectors.cross(B.omega, e)
    sigma_rate = k.add(vectors.dot(n_rate, e), vectors.dot(n, e_rate))
    turned = vectors.add(vectors.scale(sigma_rate, e), vectors.scale(sigma, e_rate))
    stretched = vectors.scale(k.mul(k.mul(sigma, sigma_rate), inverse), u)
    u_rate = vectors.scale(inverse, vectors.add(vectors.sub(n_rate, turned), stretched))
    height = k.sub(vectors.dot(n, offset_between(instant, A, B)), k.mul(r, s))
    return _LowestPoint(height, vectors.scale(-r, u), vectors.scale(-r, u_rate))


def closure_rows(instant: Instant, name: str, closure: Closure) -> list[Row]:
    """The rows of a closure."""
    first, second = instant.attachment(closure.a).link, instant.attachment(closure.b).link
    if first == second:
        raise ModelError(
            f"Closure '{name}': both its frames are on the same rigid link ('{closure.a.body}' and "
            f"'{closure.b.body}'); it closes nothing."
        )
    common = common_link(instant.tree, first, second)
    A, B = seen_from(instant, closure.a, common), seen_from(instant, closure.b, common)
    equations = closure.kind.equations()
    many = len(equations) > 1
    rows = []
    for i, equation in enumerate(equations):
        row, on_a, on_b = _write_row(instant, f"{name}.{i + 1}" if many else name, equation, A, B)
        row.actions = [
            Action(closure.a, common, *on_a),
            Action(closure.b, common, *on_b),
        ]
        if isinstance(equation, CoincidentComponent):
            # its direction turns with the common body, which so takes the couple of the two forces
            couple = instant.vectors.cross(on_b[0], offset_between(instant, A, B))
            row.actions.insert(0, Action(_carrier_frame(instant, common), common, ZERO, couple))
        rows.append(row)
    return rows


def _carrier_frame(instant: Instant, link: int) -> Frame:
    """A frame on a link that carries others."""
    if link < 0:
        return Frame(GROUND)
    return Frame(instant.model.joints[instant.tree.links[link].joint].child.body)


def _write_row(
    instant: Instant, name: str, equation: Equation, A: RelativeKinematics, B: RelativeKinematics
) -> tuple[Row, Effect, Effect]:
    if type(equation) not in _WRITERS:
        raise ModelError(
            f"{name}: nothing writes rows for equations {type(equation).__name__}; add a function "
            "to `_WRITERS` of touchback.dynamics.loop_closures."
        )
    return _WRITERS[type(equation)](instant, name, equation, A, B)


def _opposite_forces(instant: Instant, force: Vector) -> tuple[Effect, Effect]:
    """A force on B at its origin, and its opposite on A at A's."""
    return (instant.vectors.neg(force), ZERO), (force, ZERO)


def _coincident_row(
    instant: Instant,
    name: str,
    equation: CoincidentComponent,
    A: RelativeKinematics,
    B: RelativeKinematics,
) -> tuple[Row, Effect, Effect]:
    vectors, along = instant.vectors, [components[equation.axis] for components in A.axes]
    J = _jacobian_entries(instant, A, B, lambda ang, lin: vectors.dot(along, lin))
    h = vectors.dot(along, offset_between(instant, A, B))
    row = Row(name, "m", h, J, 0, vectors.dot(along, vectors.sub(B.a, A.a)))
    return row, *_opposite_forces(instant, along)


def _zero_offset_row(
    instant: Instant,
    name: str,
    equation: ZeroOffsetAlong,
    A: RelativeKinematics,
    B: RelativeKinematics,
) -> tuple[Row, Effect, Effect]:
    """h = s·d, d = p_B − p_A, s = R_A e: ḣ = s·(ḋ − ω_A × d)."""
    k, vectors = instant.k, instant.vectors
    s = vectors.apply(A.R, [k.const(x) for x in equation.direction])
    d, d_rate = offset_between(instant, A, B), vectors.sub(B.v, A.v)
    turning = vectors.cross(d, s)  # s·(ω × d) = ω·(d × s)
    J = {freedom: vectors.dot(s, lin) for freedom, (_, lin) in B.columns.items()}
    for freedom, (ang, lin) in A.columns.items():
        J[freedom] = -k.add(vectors.dot(s, lin), vectors.dot(ang, turning))
    s_rate, s_bias = _direction_rates(instant, A, s)
    gamma = k.add(
        k.add(
            vectors.dot(s, vectors.sub(B.a, A.a)), k.mul(k.const(2.0), vectors.dot(s_rate, d_rate))
        ),
        vectors.dot(s_bias, d),
    )
    row = Row(name, "m", vectors.dot(s, d), J, 0, gamma)
    return row, (vectors.neg(s), vectors.neg(turning)), (s, ZERO)


def _perpendicular_row(
    instant: Instant,
    name: str,
    equation: Perpendicular,
    A: RelativeKinematics,
    B: RelativeKinematics,
) -> tuple[Row, Effect, Effect]:
    """h = s·t: ḣ = (ω_A − ω_B)·(s × t)."""
    k, vectors = instant.k, instant.vectors
    s = vectors.apply(A.R, [k.const(x) for x in equation.of_a])
    t = vectors.apply(B.R, [k.const(x) for x in equation.of_b])
    across = vectors.cross(s, t)
    J = {freedom: vectors.dot(ang, across) for freedom, (ang, _) in A.columns.items()}
    for freedom, (ang, _) in B.columns.items():
        J[freedom] = -vectors.dot(ang, across)
    s_rate, s_bias = _direction_rates(instant, A, s)
    t_rate, t_bias = _direction_rates(instant, B, t)
    gamma = k.add(
        k.add(vectors.dot(s_bias, t), vectors.dot(s, t_bias)),
        k.mul(k.const(2.0), vectors.dot(s_rate, t_rate)),
    )
    row = Row(name, "-", vectors.dot(s, t), J, 0, gamma)
    return row, (ZERO, across), (ZERO, vectors.neg(across))


def _fixed_distance_row(
    instant: Instant,
    name: str,
    equation: FixedDistance,
    A: RelativeKinematics,
    B: RelativeKinematics,
) -> tuple[Row, Effect, Effect]:
    """h = (d·d − L²)/(2 L): ḣ = d·ḋ/L."""
    k, vectors = instant.k, instant.vectors
    length = instant.value(equation.length)
    inverse = k.div(1, length)
    d, d_rate = offset_between(instant, A, B), vectors.sub(B.v, A.v)
    n = vectors.scale(inverse, d)
    J = _jacobian_entries(instant, A, B, lambda ang, lin: vectors.dot(n, lin))
    h = k.mul(k.mul(k.const(0.5), inverse), k.sub(vectors.dot(d, d), k.mul(length, length)))
    gamma = k.add(
        k.mul(inverse, vectors.dot(d_rate, d_rate)), vectors.dot(n, vectors.sub(B.a, A.a))
    )
    return Row(name, "m", h, J, 0, gamma), *_opposite_forces(instant, n)


_WRITERS: dict[type, Callable[..., tuple[Row, Effect, Effect]]] = {
    CoincidentComponent: _coincident_row,
    ZeroOffsetAlong: _zero_offset_row,
    Perpendicular: _perpendicular_row,
    FixedDistance: _fixed_distance_row,
    NoVelocityAlong: no_velocity_row,
    DiscOnPlane: disc_on_plane_row,
    NoSlip: no_slip_row,
}


def _jacobian_entries(
    instant: Instant,
    A: RelativeKinematics,
    B: RelativeKinematics,
    entry: Callable[[Vector, Vector], Scalar],
) -> dict[int, Scalar]:
    """Entries of a row that takes the difference of B and A."""
    J = {freedom: -entry(*column) for freedom, column in A.columns.items()}
    J.update({freedom: entry(*column) for freedom, column in B.columns.items()})
    return J


def _direction_rates(
    instant: Instant, seen: RelativeKinematics, s: Vector
) -> tuple[Vector, Vector]:
    """Rate ω × s of a direction fixed in a frame, and its bias acceleration α × s + ω × (ω × s)."""
    vectors = instant.vectors
    rate = vectors.cross(seen.omega, s)
    return rate, vectors.add(vectors.cross(seen.alpha, s), vectors.cross(seen.omega, rate))
