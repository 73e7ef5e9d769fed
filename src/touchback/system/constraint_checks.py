"""Checks of a constrained system, by numbers: where its initial configuration can be assembled."""

import warnings

import numpy as np

from touchback.errors import ModelError, SolveError, TouchbackError
from touchback.system.constrained import Terms
from touchback.system.freedoms import SHARED, null_space, rank_of
from touchback.system.motions.acting import At
from touchback.system.system import System
from touchback.system.undetermined import warn_of_open

_NOTHING = 1e-12  # of the largest: an inertia or an influence this small counts as none


def check_modes(system: System) -> None:
    """Refuse modes whose constraints contradict each other or leave motion without inertia, where
    their initial configuration can be assembled."""
    for mode in system.motion.modes.every:
        own = system.apart()
        own.enter(*mode.names)
        try:
            own.assemble()
        except SolveError:
            if mode.names == system.key:
                raise
            continue  # a mode that begins elsewhere: runs find out
        check_constraints(own)


def check_constraints(system: System) -> None:
    """Refuse what can't close, contradicts itself, moves without inertia, has a servo without
    influence, or rubs by a share of a force that nobody knows. Other redundant constraints,
    singular positions and mechanisms that can't move are allowed: `system.freedoms()` tells of
    them. Files of others are taken as they stand, with a warning: what doesn't need accelerations
    is well defined."""
    try:
        _check(system)
    except TouchbackError as error:
        if "format" not in system.model.imported:
            raise
        warnings.warn(f"{system.name}: {error}", RuntimeWarning, stacklevel=4)


def _check(system: System) -> None:
    start = system.assemble()
    terms = system.terms(start.q, start.v, z=start.z)
    _check_finite(system, terms)
    _check_inertia(system, terms)
    _check_authority(system, terms)
    _check_shares(system, terms, start.q)
    if system.layout.outputs and rank_of(terms.J)[0] < len(terms.h):
        at, outputs = At(start.q, start.v, z=start.z), system.calls.by_name("outputs")
        warn_of_open(
            system, at, "sensors", system.layout.outputs,
            lambda given: system.evaluated(
                outputs, at, system.motion.for_outputs(system.key, given)
            ),
        )  # fmt: skip


def _check_finite(system: System, terms: Terms) -> None:
    for label, value in zip(system.acting.rows.labels, terms.gamma, strict=True):
        if not np.isfinite(value):
            raise ModelError(
                f"{label}: the acceleration that it demands is {value} at the start; check its "
                "expression at t = 0."
            )
    for row in np.flatnonzero(terms.rubs & ~np.isfinite(terms.W).all(axis=1)):
        raise ModelError(
            f"Constraint '{terms.names[row]}': its friction is no number at the start; check its "
            "coefficient, and that its slip_speed is positive."
        )


def _check_inertia(system: System, terms: Terms) -> None:
    """On the motions that the constraints allow, the mass matrix must be positive."""
    Z = null_space(terms.J) if terms.J.size else np.eye(len(terms.f))
    if not Z.size or np.any((terms.W != terms.J)[~terms.rubs]):
        return
    values, vectors = np.linalg.eigh(Z.T @ terms.M @ Z)
    if values[0] <= _NOTHING * max(np.abs(terms.M.diagonal()).max(), 1e-300):
        motion = np.abs(Z @ vectors[:, 0])
        moving = [
            f"'{name}'"
            for name, part in zip(system.velocities, motion, strict=True)
            if part > 0.1 * motion.max()
        ]
        raise ModelError(
            f"{system.name}: nothing resists the motion of {', '.join(moving)}, which the "
            "constraints leave free: what moves has no inertia there. Give the bodies a mass or an "
            "inertia, or the joints an `armature`."
        )


def _check_authority(system: System, terms: Terms) -> None:
    """A servo's effort must influence what it keeps: J M⁻¹ Wᵀ must lose no rank."""
    n, m = len(terms.f), len(terms.h)
    servos = {
        name: kept.through
        for name, kept in system.model.constraints.items()
        if kept.through is not None and kept.active
    }
    if not servos:
        return
    whole = np.zeros((n + m, n + m))
    whole[:n, :n], whole[:n, n:], whole[n:, :n] = terms.M, -terms.W.T, terms.J
    size = np.abs(whole).max(axis=1, initial=0.0)
    lost = n + m - rank_of(whole / np.where(size > 0.0, size, 1.0)[:, None])[0]
    if lost <= m - rank_of(terms.J)[0]:
        return
    shares = np.abs(np.linalg.svd(whole)[2][-lost:, n:]).max(axis=0)
    names = system.constraint_names
    worst = max(servos, key=lambda name: shares[names.index(name)])
    joint, index = servos[worst]
    raise ModelError(
        f"Constraint '{worst}': the effort of coordinate {index} of joint '{joint}' has no "
        "influence on it at the initial configuration (J M⁻¹ Wᵀ is singular). Keep it through "
        "another joint, or begin elsewhere."
    )


def _check_shares(system: System, terms: Terms, q: np.ndarray) -> None:
    """Redundant rows share their load as they like, which must not change the friction."""
    rubbing = np.flatnonzero(terms.rubs)
    if not rubbing.size or rank_of(terms.J)[0] == len(terms.h) or system.freedoms(q).singular:
        return
    shares = np.abs(null_space(terms.J.T))
    for row in rubbing:
        place = shares[row].argmax()
        if shares[row, place] > SHARED:
            others = np.delete(np.arange(len(shares)), row)
            other = others[shares[others, place].argmax()]
            raise ModelError(
                f"Constraint '{terms.names[row]}': its force rubs, but '{terms.names[other]}' ties "
                "the same, so that nobody can tell which of them carries how much, and how much "
                "friction there is. Leave one of them away, or its friction."
            )
