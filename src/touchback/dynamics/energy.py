"""Energies, momenta and centre of mass, with real inertial parameters (never regrouped ones)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from touchback.dynamics.added import fluid_energy
from touchback.dynamics.efforts import passive_potential
from touchback.spatial.vectors import Scalar, Vector

if TYPE_CHECKING:
    from touchback.dynamics.instant import Instant
    from touchback.dynamics.tree import Link


def energy(instant: Instant, which: str) -> Scalar:
    """'kinetic', 'potential' or 'total' [J]."""
    parts = []
    if which in ("kinetic", "total"):
        parts.append(kinetic_energy(instant))
    if which in ("potential", "total"):
        parts.append(instant.k.add(potential_energy(instant), passive_potential(instant)))
    return parts[0] if len(parts) == 1 else instant.k.add(parts[0], parts[1])


def _everything(instant: Instant) -> Iterator[tuple[int, Link]]:
    """All links, and what is fixed to the ground as number −1."""
    yield from enumerate(instant.tree.links)
    yield -1, instant.tree.ground


def _moving(instant: Instant) -> Iterator[tuple[int, Link]]:
    """All links, and what is fixed to the ground where that moves."""
    return _everything(instant) if instant.ground.moves else enumerate(instant.tree.links)


def kinetic_energy(instant: Instant) -> Scalar:
    """T = Σ ½ m v·v + v·(ω × h) + ½ ω·J ω over links, plus ½ armature v² and the energy
    of fluid that is carried along [J]."""
    k, vectors = instant.k, instant.vectors
    total: Scalar = 0
    half = k.const(0.5)
    for i, link in _moving(instant):
        R = instant.link_pose(i)[0]
        omega_W, v_W = instant.link_velocity(i)
        omega, v = vectors.apply_transposed(R, omega_W), vectors.apply_transposed(R, v_W)
        own = link.inertia
        linear = k.mul(own.m, vectors.dot(v, v))
        angular = vectors.dot(omega, vectors.apply(own.tensor(k), omega))
        mixed = vectors.dot(v, vectors.cross(omega, own.h))
        total = k.add(total, k.add(k.mul(half, k.add(linear, angular)), mixed))
    for rotor, v in zip(instant.armature(), instant.at.v, strict=True):
        total = k.add(total, k.mul(k.mul(half, rotor), k.mul(v, v)))
    return k.add(total, fluid_energy(instant))


def potential_energy(instant: Instant) -> Scalar:
    """U = −Σ g·(m p + R h) of all bodies, also those fixed to the ground, which another structure
    may let go: zero when all mass is at the world's origin [J]."""
    return -instant.vectors.dot(instant.gravity(), first_moment(instant, _everything(instant)))


def first_moment(instant: Instant, links: Iterator[tuple[int, Link]]) -> Vector:
    """Σ m p_com about the world's origin [kg m]."""
    vectors = instant.vectors
    total: Vector = [0, 0, 0]
    for i, link in links:
        R, p = instant.link_pose(i)
        moment = vectors.add(vectors.scale(link.inertia.m, p), vectors.apply(R, link.inertia.h))
        total = vectors.add(total, moment)
    return total


def total_mass(instant: Instant) -> Scalar:
    """Σ m of everything that moves [kg]."""
    total: Scalar = 0
    for _, link in _moving(instant):
        total = instant.k.add(total, link.inertia.m)
    return total


def centre_of_mass(instant: Instant) -> Vector:
    """p_com [m]."""
    moment = first_moment(instant, _moving(instant))
    return instant.vectors.scale(instant.k.div(1, total_mass(instant)), moment)


def momentum(instant: Instant) -> tuple[Vector, Vector]:
    """Linear momentum [kg m/s] and angular momentum about the world's origin [kg m²/s]."""
    vectors = instant.vectors
    linear: Vector = [0, 0, 0]
    angular: Vector = [0, 0, 0]
    for i, link in _moving(instant):
        own, spin, _ = link_momenta(instant, i, link)
        linear = vectors.add(linear, own)
        position = instant.link_pose(i)[1]
        angular = vectors.add(angular, vectors.add(spin, vectors.cross(position, own)))
    return linear, angular


def link_momenta(instant: Instant, i: int, link: Link) -> tuple[Vector, Vector, Vector]:
    """Linear momentum of a link, angular momentum and first moment of mass about its origin, along
    world axes."""
    k, vectors = instant.k, instant.vectors
    R, (omega, v) = instant.link_pose(i)[0], instant.link_velocity(i)
    h = vectors.apply(R, link.inertia.h)
    linear = vectors.add(vectors.scale(link.inertia.m, v), vectors.cross(omega, h))
    turned = vectors.apply(link.inertia.tensor(k), vectors.apply_transposed(R, omega))
    return linear, vectors.add(vectors.apply(R, turned), vectors.cross(h, v)), h
