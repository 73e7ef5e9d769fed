"""Checks of a whole model, by numbers: at default parameters and the initial position."""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from touchback.dynamics import Instant, Link, Tree, float_instant, is_numeric, world_poses
from touchback.errors import ModelError, SolveError, TouchbackError
from touchback.model import Body, Model, check_body, check_names, limits_of
from touchback.symbolic import Operators
from touchback.system.active_equations import At
from touchback.system.constraint_functions import Terms
from touchback.system.degrees_of_freedom import SHARED, null_space, rank_of
from touchback.system.system import System
from touchback.system.undetermined_forces import warn_of_undetermined

_NOTHING = 1e-12  # what is this much smaller than what it is a difference of counts as zero


_SOLID = 1e-6  # least eigenvalue of a scaled pseudo-inertia that is no matter of rounding


def check_model(model: Model) -> Instant:
    """Refuse a model that can't work: names, the tree, numbers, signals, and inertia. Gives the
    instant at which it was checked."""
    check_names(model)
    instant = float_instant(model)
    check_numbers(instant)
    check_limits(instant.model)
    check_signals(instant)
    flat = instant.model
    if flat.closures or flat.couplings or flat.constraints or flat.drives:
        return instant  # constraints may move what has no inertia
    try:
        check_inertia(instant)
    except ModelError as error:
        if "format" not in flat.imported:
            raise
        # files of others hold such joints; everything but their accelerations is well defined
        warnings.warn(f"{flat.name}: {error}", RuntimeWarning, stacklevel=3)
    return instant


def check_inertia(instant: Instant) -> None:
    """Refuse a joint that moves something without inertia: its acceleration would be undefined.

    The pivots of the articulated-body elimination (Featherstone 1983) are the inertias that the
    joints feel with everything beyond them free to move; one that vanishes names its joint. It has
    to vanish at the initial position and at another one: at a single position it may in a good
    model, as that of a bob that can slide onto its pivot."""
    if _all_solid(instant.tree):
        return
    try:
        _check_inertia(instant)
    except ModelError:
        moved = [x + 0.37 + 0.11 * math.sin(i) for i, x in enumerate(instant.at.q)]
        _check_inertia(float_instant(instant.model, moved))


def _all_solid(tree: Tree) -> bool:
    """Whether every link resists all motions by itself, so that no pivot can vanish: its
    pseudo-inertia, entries scaled to a unit diagonal, is well inside the positive definite."""
    if any(link.live is not None for link in tree.links):
        return False
    P = np.array([link.numbers for link in tree.links]).reshape(-1, 4, 4)
    diagonal = np.einsum("nii->ni", P)
    if not np.all(diagonal > 0.0):
        return False
    roots = np.sqrt(diagonal)  # whose products, unlike those of tiny moments, are numbers
    scaled = P / (roots[:, :, None] * roots[:, None, :])
    return bool(np.all(np.linalg.eigvalsh(scaled)[:, 0] > _SOLID))


def check_numbers(instant: Instant) -> None:
    """Refuse bodies whose expressions give impossible numbers. (Plain numbers were checked when
    the body was described, or taken as they stand from a file that says otherwise.)"""
    for name, body in instant.model.bodies.items():
        if is_numeric(body):
            continue
        numbers: dict[str, Any] = {
            "mass": float(instant.value(body.mass)),
            "com": tuple(float(instant.value(x)) for x in body.com),
            "inertia": tuple(float(instant.value(x)) for x in body.inertia),
        }
        for word, given in numbers.items():
            if not np.all(np.isfinite(given)):
                raise ModelError(
                    f"Body '{name}': its {word} is {given} at the default parameters; "
                    "check its expression."
                )
        try:
            check_body(name, Body(**numbers))
        except ModelError as error:
            raise ModelError(f"{error} These are numbers at the default parameters.") from None


def check_limits(model: Model) -> None:
    """Refuse limits whose expressions give a lower one above its upper one. (Plain numbers were
    checked when the joint was described.)"""
    defaults = np.array([each.default for each in model.parameters.values()])
    for limit in limits_of(model):
        if said := limit.crossed(defaults):
            raise ModelError(f"{said} These are numbers at the default parameters.")


def check_signals(instant: Instant) -> None:
    """Refuse laws, rates and sensors that depend on each other in a circle or on what they
    cause."""
    instant.efforts()
    for name, state in instant.model.states.items():
        with _labelled(f"State '{name}'"):
            instant.value(state.rate)
    for name, control in instant.model.controls.items():
        with _labelled(f"Control '{name}'"):
            for target in control.drives:
                instant.value(instant.model.signal(target))
    for name, kind in instant.model.sensors.items():
        if kind.kinematic():
            with _labelled(f"Sensor '{name}'"):
                instant.measure(name)


@contextmanager
def _labelled(label: str) -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{label}: {error}") from None


Bounded = tuple[np.ndarray, np.ndarray]  # a spatial inertia, and a bound of its error


def _check_inertia(instant: Instant) -> None:
    """The pivots, each against what rounding leaves of it. Errors of a spatial inertia are bounded
    by a matrix, −E ≤ ΔI ≤ E in the sense of quadratic forms, which an elimination carries on: to
    first order I − U Uᵀ/D, U = I s, D = sᵀ I s, changes by P ΔI Pᵀ with P = 1 − U sᵀ/D. So a
    pivot is small by what it is a difference of, wherever in the tree that was taken."""
    tree = instant.tree
    poses = [_floats(pose) for pose in world_poses(tree, instant.k)]
    armature = [float(rotor) for rotor in instant.armature()]
    inertias = [_spatial_inertia(link, R) for link, (R, _) in zip(tree.links, poses, strict=True)]

    def settle(link: Link, total: Bounded) -> Bounded:
        (inertia, error), R = total, poses[link.index][0]
        for offset in reversed(range(len(link.columns))):
            index = link.v_index + offset
            s = np.concatenate([R @ np.array(x, dtype=float) for x in link.columns[offset]])
            U = inertia @ s
            D = s @ U + armature[index]
            if not s @ error @ s < D:
                raise _no_inertia(instant.model, link, index)
            P = np.eye(6) - np.outer(U, s) / D
            error = P @ error @ P.T + _rounding(inertia)
            inertia = inertia - np.outer(U, U) / D
        return inertia, error

    def gather(link: Link, above: Bounded, own: Bounded) -> Bounded:
        lever = np.eye(6)
        lever[:3, 3:] = _skew(poses[link.index][1] - poses[link.parent][1])
        moved = lever @ own[0] @ lever.T
        return above[0] + moved, above[1] + lever @ own[1] @ lever.T + _rounding(moved)

    tree.inward([(inertia, _rounding(inertia)) for inertia in inertias], gather, settle)


def _rounding(inertia: np.ndarray) -> np.ndarray:
    """A bound of the rounding of a positive matrix, whose entries are at most √(I_ii I_jj)."""
    return np.diag(_NOTHING * np.abs(np.diag(inertia)))


def _floats(pose: Any) -> tuple[np.ndarray, np.ndarray]:
    R, p = pose
    return np.array(R, dtype=float), np.array(p, dtype=float)


def _spatial_inertia(link: Link, R: np.ndarray) -> np.ndarray:
    """6×6 inertia (moments first) of a link about its origin, along world axes (Featherstone 2008,
    §2.13)."""
    own = link.inertia
    h = _skew(R @ np.array(own.h, dtype=float))
    J = R @ np.array(own.tensor(Operators()), dtype=float) @ R.T
    return np.block([[J, h], [h.T, float(own.m) * np.eye(3)]])


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _no_inertia(model: Model, link: Link, index: int) -> ModelError:
    names = [name for joint in model.joints for name in model.joints[joint].velocity_names(joint)]
    joint = model.joints[link.joint]
    several = f" along '{names[index]}'" if names[index] != link.joint else ""
    return ModelError(
        f"Joint '{link.joint}': nothing resists its motion{several}, because body "
        f"'{joint.child.body}' and what it carries have no inertia there; its acceleration would "
        "be undefined. Give the body a mass or an inertia, or the joint an `armature`, or use "
        "tb.Fixed."
    )


_NO_INFLUENCE = 1e-12  # of the largest: an inertia or an influence this small counts as none


def check_modes(system: System) -> None:
    """Refuse modes whose constraints contradict each other or leave motion without inertia, where
    their initial configuration can be assembled."""
    for mode in system.dynamics.modes.every:
        own = system.independent_copy()
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
    _check_free_inertia(system, terms)
    _check_authority(system, terms)
    _check_shares(system, terms, start.q)
    if system.layout.outputs and rank_of(terms.J)[0] < len(terms.h):
        at, outputs = At(start.q, start.v, z=start.z), system.calls.by_name("outputs")
        warn_of_undetermined(
            system.dynamics, system.calls, at, "sensors", system.layout.outputs,
            lambda given: system.call_function(
                outputs, at, system.dynamics.for_outputs(system.key, given)
            ),
        )  # fmt: skip


def _check_finite(system: System, terms: Terms) -> None:
    for label, value in zip(system.acting.rows.labels, terms.gamma, strict=True):
        if not np.isfinite(value):
            raise ModelError(
                f"{label}: the acceleration that it demands is {value} at the start; check its "
                "expression at t = 0."
            )
    for row in np.flatnonzero(terms.has_friction & ~np.isfinite(terms.W).all(axis=1)):
        raise ModelError(
            f"Constraint '{terms.names[row]}': its friction is no number at the start; check its "
            "coefficient, and that its slip_speed is positive."
        )


def _check_free_inertia(system: System, terms: Terms) -> None:
    """On the motions that the constraints allow, the mass matrix must be positive."""
    Z = null_space(terms.J) if terms.J.size else np.eye(len(terms.f))
    if not Z.size or np.any((terms.W != terms.J)[~terms.has_friction]):
        return
    values, vectors = np.linalg.eigh(Z.T @ terms.M @ Z)
    if values[0] <= _NO_INFLUENCE * max(np.abs(terms.M.diagonal()).max(), 1e-300):
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
    friction_rows = np.flatnonzero(terms.has_friction)
    if not friction_rows.size or rank_of(terms.J)[0] == len(terms.h) or system.freedoms(q).singular:
        return
    shares = np.abs(null_space(terms.J.T))
    for row in friction_rows:
        place = shares[row].argmax()
        if shares[row, place] > SHARED:
            others = np.delete(np.arange(len(shares)), row)
            other = others[shares[others, place].argmax()]
            raise ModelError(
                f"Constraint '{terms.names[row]}': its force has friction, but "
                f"'{terms.names[other]}' holds the same, so that their shares of the force, and "
                "the friction, are undetermined. Leave one of them away, or its friction."
            )
