"""Energies, momenta and centre of mass, with real inertial parameters (never regrouped ones)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.spatial.vectors import Scalar, Vector

if TYPE_CHECKING:
    from touchback.dynamics.instant import Instant


def kinetic_energy(instant: Instant) -> Scalar:
    """T = Σ ½ m v·v + v·(ω × h) + ½ ω·J ω over links, plus ½ armature v²  [J]."""
    k, vectors = instant.k, instant.vectors
    total: Scalar = 0
    half = k.const(0.5)
    for i, link in enumerate(instant.tree.links):
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
    return total


def potential_energy(instant: Instant) -> Scalar:
    """U = −Σ g·(m p + R h): zero when all mass is at the ground's origin [J]."""
    k, vectors = instant.k, instant.vectors
    return (
        -vectors.dot(instant.gravity(), first_moment(instant))
        if instant.tree.links
        else k.const(0.0)
    )


def first_moment(instant: Instant) -> Vector:
    """Σ m p_com about the ground's origin [kg m]."""
    vectors = instant.vectors
    total: Vector = [0, 0, 0]
    for i, link in enumerate(instant.tree.links):
        R, p = instant.link_pose(i)
        moment = vectors.add(vectors.scale(link.inertia.m, p), vectors.apply(R, link.inertia.h))
        total = vectors.add(total, moment)
    return total


def total_mass(instant: Instant) -> Scalar:
    """Σ m of everything that moves [kg]."""
    total: Scalar = 0
    for link in instant.tree.links:
        total = instant.k.add(total, link.inertia.m)
    return total


def centre_of_mass(instant: Instant) -> Vector:
    """p_com [m]."""
    return instant.vectors.scale(instant.k.div(1, total_mass(instant)), first_moment(instant))


def momentum(instant: Instant) -> tuple[Vector, Vector]:
    """Linear momentum [kg m/s] and angular momentum about the ground's origin [kg m²/s]."""
    k, vectors = instant.k, instant.vectors
    linear: Vector = [0, 0, 0]
    angular: Vector = [0, 0, 0]
    for i, link in enumerate(instant.tree.links):
        R, p = instant.link_pose(i)
        omega_W, v = instant.link_velocity(i)
        omega = vectors.apply_transposed(R, omega_W)
        h = vectors.apply(R, link.inertia.h)
        own = vectors.add(vectors.scale(link.inertia.m, v), vectors.cross(omega_W, h))
        spin = vectors.add(
            vectors.apply(R, vectors.apply(link.inertia.tensor(k), omega)), vectors.cross(h, v)
        )
        linear = vectors.add(linear, own)
        angular = vectors.add(angular, vectors.add(spin, vectors.cross(p, own)))
    return linear, angular
