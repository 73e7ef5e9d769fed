"""Where an omni wheel stands: the roller in the contact sector, and its point on the floor.

Which roller it is follows from the wheel's angle alone, in each evaluation anew: there is no
modes. In the axes of a sector, t forwards, k along the axle and r from the roller's centre to
the wheel's, all rollers look alike. Three trackers give the same point P:

`explicit`  Kosenko 2015, § 5.2, without his assumption that the wheel is upright: the gradient of
            the roller's support. With sin q = n·i/cos ψ, P = O_B − (R₁ tan q/cos ψ) i −
            (R − R₁/cos q) n and the gap is n·O_B − R + R₁ cos q.
`section`   his § 5.1, for an upright wheel: P lies R below the wheel's centre and as far along the
            axle as puts it into the vertical section through the roller's axis.
`implicit`  his system (5) for the roller's surface and the floor, by Newton's method. A pointed
            roller has no normal at its very tip, hence (5) no solution, and next to it Newton's
            method goes astray: there the explicit point stands in.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from touchback.contact.surface_tracking import Side, Tracking
from touchback.contact.surfaces import Plane, Roller
from touchback.gallery.omni.shape import WheelShape
from touchback.model.mechanics import Mechanics
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial.vectors import transpose as columns_of

# Steps of Newton's method from the guess nearly to rounding (one more follows): most wheels, and
# those whose contact wanders far, tan α tan ψ > 1: few rollers, much inclined.
NEWTON_STEPS, FAR_STEPS = 4, 8
THIN = 0.01  # the part of a roller's thickness below which it counts as its tip


@dataclass(frozen=True)
class Floor:
    """The floor's axes and origin, along world axes."""

    R: Matrix
    p: Vector

    @property
    def normal(self) -> Vector:
        return columns_of(self.R)[2]


@dataclass(frozen=True)
class Sector:
    """The roller over the floor: its number; t, k and r; its axis i and its centre O_B; the
    wheel's centre O_A. Along world axes."""

    index: Scalar
    t: Vector
    k: Vector
    r: Vector
    axis: Vector
    centre: Vector
    wheel: Vector


@dataclass(frozen=True)
class Footing:
    """The sector, the point P of its roller that is nearest to the floor, and the gap [m]."""

    sector: Sector
    point: Vector
    gap: Scalar


def sector_over(
    mechanics: Mechanics, shape: WheelShape, R: Matrix, wheel: Vector, floor: Floor
) -> Sector:
    """The sector that the floor's normal points into. A wheel's axle is the y axis of R_WD."""
    k, vectors = mechanics.k, mechanics.vectors
    X, Y, Z = columns_of(R)
    n = floor.normal
    angle = k.atan2(vectors.dot(n, X), vectors.dot(n, Z))
    share = k.mul(k.const(0.5 / shape.half_sector), angle)
    number = k.floor(k.add(share, k.const(0.5)))
    sine, cosine = k.sincos(k.mul(k.const(2 * shape.half_sector), number))
    t = vectors.sub(vectors.scale(cosine, X), vectors.scale(sine, Z))
    r = vectors.add(vectors.scale(sine, X), vectors.scale(cosine, Z))
    index = k.select(k.less(number, 0), k.add(number, k.const(float(shape.rollers))), number)
    psi = shape.inclination
    axis = vectors.add(
        vectors.scale(k.const(math.cos(psi)), t), vectors.scale(k.const(math.sin(psi)), Y)
    )
    centre = vectors.sub(wheel, vectors.scale(k.const(shape.off), r))
    return Sector(index, t, Y, r, axis, centre, wheel)


def explicit(mechanics: Mechanics, shape: WheelShape, at: Sector, floor: Floor) -> Footing:
    """The support's gradient, in closed form."""
    k, vectors = mechanics.k, mechanics.vectors
    n, R, R1 = floor.normal, k.const(shape.radius), k.const(shape.off)
    over_cosine = k.const(1 / math.cos(shape.inclination))
    sine = k.mul(over_cosine, vectors.dot(n, at.axis))
    cosine = k.sqrt(k.sub(1, k.mul(sine, sine)))
    inverse = k.div(R1, cosine)
    along = k.mul(k.mul(over_cosine, sine), inverse)
    sunk = vectors.scale(k.sub(R, inverse), n)
    point = vectors.sub(vectors.sub(at.centre, vectors.scale(along, at.axis)), sunk)
    height = vectors.dot(n, vectors.sub(at.centre, floor.p))
    return Footing(at, point, k.add(k.sub(height, R), k.mul(R1, cosine)))


def section(mechanics: Mechanics, shape: WheelShape, at: Sector, floor: Floor) -> Footing:
    """P = O_A − R n + μ k with (P − O_B)·(i × n) = 0, for an upright wheel."""
    k, vectors = mechanics.k, mechanics.vectors
    n, R, R1 = floor.normal, k.const(shape.radius), k.const(shape.off)
    across = vectors.cross(at.axis, n)
    aside = -k.div(k.mul(R1, vectors.dot(at.r, across)), vectors.dot(at.k, across))
    below = vectors.sub(at.wheel, vectors.scale(R, n))
    gap = vectors.dot(n, vectors.sub(below, floor.p))
    return Footing(at, vectors.add(below, vectors.scale(aside, at.k)), gap)


def implicit(mechanics: Mechanics, shape: WheelShape, at: Sector, floor: Floor) -> Footing:
    """System (5), from the point of the floor under the roller's axis where the wheel's lowest
    point projects onto it."""
    k, vectors, n = mechanics.k, mechanics.vectors, floor.normal
    sine, cosine = math.sin(shape.inclination), math.cos(shape.inclination)
    other = vectors.sub(vectors.scale(k.const(cosine), at.k), vectors.scale(k.const(sine), at.t))
    surface = Roller(shape.radius, shape.off, shape.inclination)
    # from the wheel's centre: numbers of the size of the wheel, however far it has gone
    seat, p = vectors.sub(at.centre, at.wheel), vectors.sub(floor.p, at.wheel)
    roller = Side(surface, columns_of([at.axis, other, at.r]), seat)
    tracking = Tracking(k, mechanics.value, Side(Plane(), floor.R, p), roller)
    lean = vectors.dot(n, at.axis)
    along = -k.mul(k.const(shape.radius), lean)
    above = vectors.add(seat, vectors.scale(along, at.axis))
    down = vectors.sub(n, vectors.scale(lean, at.axis))
    fall = k.div(vectors.dot(n, vectors.sub(above, p)), k.sub(1, k.mul(lean, lean)))
    foot = vectors.sub(above, vectors.scale(fall, down))
    reach = shape.off * sine**2 / cosine + shape.radius * cosine
    found = tracking.guess(foot, foot, 0, k.mul(k.const(1 / reach), along))
    far = math.tan(shape.half_sector) * abs(math.tan(shape.inclination)) > 1.0
    for _ in range(FAR_STEPS if far else NEWTON_STEPS):
        found = tracking.newton(found)
    point = tracking.following(found).on_b
    footing = Footing(at, vectors.add(at.wheel, point), vectors.dot(n, vectors.sub(point, p)))
    thick = THIN * (shape.radius - shape.off)
    if shape.radius - shape.off / math.cos(shape.half_sector) > thick:
        return footing  # cut off before it is thin
    sine = k.mul(k.const(1 / cosine), lean)
    thinnest = k.const((shape.off / (shape.radius - thick)) ** 2)  # cos²q where it is so thick
    thin = k.less(k.sub(1, k.mul(sine, sine)), thinnest)
    tip = explicit(mechanics, shape, at, floor)
    both = zip(tip.point, footing.point, strict=True)
    point = [k.select(thin, closed, searched) for closed, searched in both]
    return Footing(at, point, k.select(thin, tip.gap, footing.gap))


TRACKERS: dict[str, Callable[[Mechanics, WheelShape, Sector, Floor], Footing]] = {
    "explicit": explicit,
    "section": section,
    "implicit": implicit,
}
