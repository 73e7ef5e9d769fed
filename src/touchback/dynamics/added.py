"""Fluid that bodies carry along: inertia without weight, another one in each direction.

An ideal fluid at rest far away gives a body that moves in it the momenta P = A v, L = B ω along its
own axes (Kirchhoff 1870; Lamb, Hydrodynamics §124), v measured from the fluid, and resists with
F = −(Ṗ + ω × P),  N = −(L̇ + ω × L + v × P).
What is linear in accelerations is an inertia of the link; the rest is pushed here, and with it what
the trick that makes gravity an acceleration of the ground would give the fluid for a weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.model.forces.base import CarriedFluid
from touchback.spatial import Articulated
from touchback.spatial.vectors import Matrix, Scalar, Vector

if TYPE_CHECKING:
    from touchback.dynamics.instant import Instant
    from touchback.dynamics.pushes import Pushes
    from touchback.dynamics.tree import Tree
    from touchback.model.mechanics import ValueOf
    from touchback.model.model import Model
    from touchback.symbolic.scalars import Scalars


def add_fluids(tree: Tree, model: Model, k: Scalars, value: ValueOf) -> list[CarriedFluid]:
    """Give links the fluid that the model's forces say they carry along."""
    carried = [each for kind in model.forces.values() for each in kind.carries(k, value)]
    for each in carried:
        home = tree.attachment(k, each.frame, value)
        if home.link < 0:
            continue
        own = Articulated.diagonal(each.mass, each.inertia)
        moved = own.turned_up(k, home.pose.rotation(k)).shifted(k, home.pose.scalars(k))
        link = tree.links[home.link]
        link.added = moved if link.added is None else link.added.plus(k, moved)
    return carried


def push_fluids(instant: Instant, pushes: Pushes) -> None:
    """What velocities alone ask of the fluid, and no weight of it."""
    vectors = instant.vectors
    cross, add, sub = vectors.cross, vectors.add, vectors.sub
    for each in instant.fluids:
        R, v, omega, P, L = _momenta(instant, each)
        # the link's acceleration, to which its inertia is applied, is that of its own origin
        _, origin = instant.link_velocity(instant.attachment(each.frame).link)
        own = vectors.apply_transposed(R, sub(origin, each.flow))
        weight = _times(instant, each.mass, vectors.apply_transposed(R, instant.gravity()))
        turned = sub(cross(omega, P), _times(instant, each.mass, cross(omega, own)))
        F = vectors.neg(add(turned, weight))
        N = vectors.neg(add(cross(omega, L), cross(v, P)))
        pushes.push(each.frame, vectors.apply(R, F), vectors.apply(R, N))


def fluid_energy(instant: Instant) -> Scalar:
    """½ A v² + ½ B ω² + P · u of all fluid that is carried along, u its flow: what the body gives
    to a fluid that flows by itself is not lost, but moves on with it [J]."""
    k, vectors, total = instant.k, instant.vectors, 0
    half = k.const(0.5)
    for each in instant.fluids:
        R, v, omega, P, L = _momenta(instant, each)
        own = k.add(vectors.dot(P, v), vectors.dot(L, omega))
        flow = vectors.dot(P, vectors.apply_transposed(R, each.flow))
        total = k.add(total, k.add(k.mul(half, own), flow))
    return total


def _momenta(instant: Instant, each: CarriedFluid) -> tuple[Matrix, Vector, Vector, Vector, Vector]:
    """R_WF; velocity from the fluid, angular velocity and both momenta, in the frame's axes."""
    vectors = instant.vectors
    R = instant.rotation(each.frame)
    through = vectors.sub(instant.velocity(each.frame), each.flow)
    v = vectors.apply_transposed(R, through)
    omega = vectors.apply_transposed(R, instant.angular_velocity(each.frame))
    return R, v, omega, _times(instant, each.mass, v), _times(instant, each.inertia, omega)


def _times(instant: Instant, a: Vector, b: Vector) -> Vector:
    return [instant.k.mul(x, y) for x, y in zip(a, b, strict=True)]
