"""The stops that hold joints at their limits where the description says nothing of them.

A default stop is a unilateral spring and damper with k = I ω² and d = 2 I ω. I is the inertia that
the coordinate moves while all others are free, 1/(M⁻¹)ᵢᵢ: the least one at the initial position and
some others within the limits, loops not counted. So a finger and a crane come to rest in the same
time, some 5/ω, and hardly bounce: what is critically damped and only pushed gives e⁻² of its speed
back. With n stops at work no rate exceeds 2 n ω; ω = 250 rad/s leaves room for steps of 1 ms.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from touchback.dynamics.forward_dynamics import mass_matrix_entries
from touchback.dynamics.mechanism_instant import Coordinates, Instant
from touchback.model import limit_numbers
from touchback.symbolic import Operators

if TYPE_CHECKING:
    from touchback.model import Model

RATE = 250.0  # rad/s: ω
_PLACES = 32  # positions at which I is looked for
_LOCKED = 0.01  # the share of the others that counts as locked, for M may be singular
_DIGITS = 3  # of k and d: readable, and the same whatever library inverts M

Pairs = tuple[tuple[float, float], ...]  # stiffness and damping of each coordinate

_known: WeakKeyDictionary[Model, tuple[list[object], dict[str, Pairs]]] = WeakKeyDictionary()


def default_stops(model: Model) -> dict[str, Pairs]:
    """Stiffness and damping of the joints of a flat model that have limits and no word on a stop;
    zero for a coordinate that moves no inertia. Looked for once, until the model changes."""
    parts: list[object] = [*model.joints.values(), *model.bodies.values()]
    parts += model.parameters.values()
    before, found = _known.get(model, ([], {}))
    if len(before) != len(parts) or any(a is not b for a, b in zip(before, parts, strict=True)):
        found = _found(model)
        _known[model] = parts, found
    return found


def initial_coordinates(model: Model) -> Coordinates:
    """Initial positions, velocities and states of a flat model, defaults of inputs and parameters,
    as floats."""
    joints = model.joints.values()
    return Coordinates(
        q=[x for joint in joints for x in joint.initial_position()],
        v=[x for joint in joints for x in joint.initial_velocity()],
        z={name: item.initial for name, item in model.states.items()},
        u={name: item.default for name, item in model.inputs.items()},
        time=0.0,
        parameters={name: item.default for name, item in model.parameters.items()},
    )


def _found(model: Model) -> dict[str, Pairs]:
    names = [name for name, joint in model.joints.items() if joint.limits and joint.stop is None]
    if not names:
        return {}
    at = initial_coordinates(model)
    at.q = _positions(model)
    instant = Instant(model, Operators(), at)
    inertia = _moved(instant)
    found = {}
    for name in names:
        J = [inertia[instant.freedom(name, i)] for i in range(model.joints[name].kind.nv)]
        found[name] = tuple((_short(own * RATE**2), _short(2.0 * own * RATE)) for own in J)
    return found


def _positions(model: Model) -> list[np.ndarray]:
    """Each coordinate at all places: the initial one, then, of joints with limits, others."""
    chance, found, limits = Random(0), [], limit_numbers(model)
    for name, joint in model.joints.items():
        names = joint.position_names(name)
        for coordinate, first in zip(names, joint.initial_position(), strict=True):
            lower, upper = limits.get(coordinate, (first, first))
            others = [lower + chance.random() * (upper - lower) for _ in range(_PLACES - 1)]
            found.append(np.array([first, *others]))
    return found


def _moved(instant: Instant) -> np.ndarray:
    """The least inertia that each coordinate moves while the others are free: of M = D C D with
    ones on the diagonal of C, D²/(C⁻¹)ᵢᵢ."""
    n = instant.tree.nv
    M = np.zeros((_PLACES, n, n))
    for (i, j), entry in mass_matrix_entries(instant).items():
        M[:, i, j] = entry
    D = np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 0.0))
    scale = np.where(D > 0.0, D, np.inf)
    C = (1.0 - _LOCKED) * M / (scale[:, :, None] * scale[:, None, :])
    C[:, range(n), range(n)] = 1.0
    inertia: np.ndarray = (D**2 / np.diagonal(np.linalg.inv(C), axis1=1, axis2=2)).min(axis=0)
    return inertia


def _short(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")
