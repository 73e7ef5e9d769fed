"""Rows of skates and rolling discs: velocities of one body relative to another.

The disc has its centre C at B's origin, its axis e fixed in B; the plane goes through A's origin
and has the normal n. Up along the disc points u = (n − σ e)/s with σ = n·e and s = √(1 − σ²), so
that the lowest point lies at c = −r u from C, at the height n·d − r s with d = p_AC.
"""

from dataclasses import dataclass

from touchback.dynamics.instant import Instant
from touchback.dynamics.loops import Seen, between
from touchback.dynamics.row import Effect, Row
from touchback.model.closure_equations import Direction, DiscOnPlane, Grip, Still
from touchback.spatial.vectors import ZERO, Scalar, Vector


@dataclass
class _Lowest:
    """The lowest point of a disc: its height, its lever c from the centre, and ċ."""

    height: Scalar
    lever: Vector
    lever_rate: Vector


def still(
    instant: Instant, name: str, equation: Still, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    """φ = t·w, w = v_B − v_A − ω_A × d, t fixed in B: γ = t·ẇ + (ω_B × t)·w."""
    k, vectors = instant.k, instant.vectors
    t = vectors.apply(B.R, [k.const(x) for x in equation.direction])
    return _held(instant, name, None, t, B.omega, A, B, ZERO, ZERO)


def touch(
    instant: Instant, name: str, equation: DiscOnPlane, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    """h = n·d − r s; its rate is the velocity of the lowest point along n, which moves along the
    rim only where the rim is level."""
    lowest, n = _lowest(instant, equation, A, B), _fixed_in(instant, A, equation.normal)
    return _held(instant, name, lowest.height, n, A.omega, A, B, lowest.lever, lowest.lever_rate)


def grip(
    instant: Instant, name: str, equation: Grip, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    """φ = s·w with w the velocity of the lowest point relative to A, s fixed in A."""
    lowest, s = _lowest(instant, equation.disc, A, B), _fixed_in(instant, A, equation.direction)
    return _held(instant, name, None, s, A.omega, A, B, lowest.lever, lowest.lever_rate)


def _held(
    instant: Instant,
    name: str,
    h: Scalar | None,
    s: Vector,
    omega: Vector,
    A: Seen,
    B: Seen,
    c: Vector,
    c_rate: Vector,
) -> tuple[Row, Effect, Effect]:
    """The point of B at c from its origin has no velocity relative to A along s, a direction that
    turns with `omega`: φ = s·w, w = v_B + ω_B × c − v_A − ω_A × (d + c)."""
    k, vectors = instant.k, instant.vectors
    d, d_rate = between(instant, A, B), vectors.sub(B.v, A.v)
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


def _fixed_in(instant: Instant, seen: Seen, direction: Direction) -> Vector:
    return instant.vectors.apply(seen.R, [instant.k.const(x) for x in direction])


def _lowest(instant: Instant, disc: DiscOnPlane, A: Seen, B: Seen) -> _Lowest:
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
    height = k.sub(vectors.dot(n, between(instant, A, B)), k.mul(r, s))
    return _Lowest(height, vectors.scale(-r, u), vectors.scale(-r, u_rate))
