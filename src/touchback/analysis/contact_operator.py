"""The contact operator of a system at a configuration, and whether friction jams there."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.model import ContactKind
from touchback.numbers import Floats
from touchback.simulate import critical_friction, refuse
from touchback.system import ContactEquations, System, Values


def contact_operator(
    system: System, contacts: Mapping[str, ContactKind], q: Values = None, t: float = 0.0
) -> Floats:
    """G = W M⁻¹ Wᵀ: relative velocities (normal, then tangents, then rolling, contact by contact)
    for unit impulses; rows of the mechanism's own constraints come first."""
    refuse("tb.contact_operator", system)
    equations = ContactEquations(system, contacts)
    return _operator(equations, _state(system, q), t)


@dataclass(frozen=True)
class Painleve:
    """The critical friction for sliding along the tangent (`forward`) and against it
    (`backward`), and the contact's own coefficient."""

    forward: float
    backward: float
    friction: float

    @property
    def inconsistent(self) -> bool:
        """Whether sliding in some direction has no solution with finite forces, or several."""
        return self.friction >= min(self.forward, self.backward)

    def __str__(self) -> str:
        word = "inconsistent" if self.inconsistent else "consistent"
        return (
            f"friction {self.friction:g} is {word}: sliding forward jams from {self.forward:g}, "
            f"backward from {self.backward:g}"
        )


def painleve(system: System, contact: ContactKind, q: Values = None, t: float = 0.0) -> Painleve:
    """Whether a sliding contact meets Painlevé's paradox at a configuration q (an array or a dict
    by name)."""
    refuse("tb.painleve", system)
    equations = ContactEquations(system, {"contact": contact})
    if equations.layout.rows != 2:
        raise InputError(
            "painleve: the contact must have one tangent; give `slip_speed`, or `tangents` 'x' or "
            "'y'."
        )
    x = _state(system, q)
    G = _operator(equations, x, t)
    friction = float(equations.at("smooth", x, _inputs(system, t))[3][0])
    return Painleve(critical_friction(G, 1.0), critical_friction(G, -1.0), friction)


def _operator(equations: ContactEquations, x: Floats, t: float) -> Floats:
    M, _, W, own, _ = equations.at("kinematics", x, _inputs(equations.system, t))
    effect = np.vstack([own, W[len(own) :]])
    return W @ np.linalg.solve(M, effect.T)


def _inputs(system: System, t: float) -> Floats:
    return np.concatenate([[t], system.input_defaults])


def _state(system: System, q: Values) -> Floats:
    start = system.initial_state()
    if isinstance(q, dict):
        return system.assemble(**q).x
    if q is not None:
        given = np.asarray(q, dtype=np.float64)
        if given.shape != start.q.shape:
            raise InputError(
                f"{system.name}: it has {len(start.q)} positions, got an array of shape "
                f"{given.shape}; give them in the order of `system.coordinates`, or by name."
            )
        start.q[:] = given
    return start.x
