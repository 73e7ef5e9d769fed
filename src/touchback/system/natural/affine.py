"""Vectors that are linear in unknowns, and constraints that are quadratic in them.

With y = (1, x₁, x₂, …) a vector is an array (3, 1 + N) times y, and a constraint is h = ½ yᵀ Q y.
"""

from collections.abc import Iterable

import numpy as np

Floats = np.ndarray

_NOTHING = 1e-12  # of a constraint's largest coefficient: counts as zero


def dot(a: Floats, b: Floats, less: float = 0.0, per: float = 1.0) -> Floats:
    """Q of (a·b − less)/per."""
    Q: Floats = a.T @ b
    Q = Q + Q.T
    Q[0, 0] -= 2.0 * less
    return Q / per


def cross(constant: Floats, vector: Floats) -> Floats:
    """A vector of numbers (3,) times one that is linear in the unknowns."""
    return np.cross(constant, vector, axisa=0, axisb=0, axisc=0)


def known(constraints: Iterable[Floats]) -> dict[int, float]:
    """Unknowns that constraints of one unknown alone determine: their places in y, and values."""
    found = {}
    for Q in constraints:
        if largest(Q[1:, 1:]) <= _NOTHING * largest(Q):
            places = np.flatnonzero(np.abs(Q[0, 1:]) > _NOTHING * largest(Q)) + 1
            if len(places) == 1:
                found[int(places[0])] = float(-0.5 * Q[0, 0] / Q[0, places[0]])
    return found


def substitution(size: int, values: dict[int, float]) -> Floats:
    """T of y = T y', where y' is without the unknowns whose values are given."""
    T = np.delete(np.eye(size), list(values), axis=1)
    for place, value in values.items():
        T[place, 0] = value
    return T


def depends(Q: Floats, scale: float) -> bool:
    """Whether a constraint says anything about the unknowns."""
    return max(largest(Q[1:, 1:]), largest(Q[0, 1:])) > _NOTHING * scale


def same(Q: Floats, other: Floats) -> bool:
    """Whether two constraints are the same but for a factor."""
    place = np.unravel_index(np.argmax(np.abs(Q)), Q.shape)
    if other[place] == 0.0:
        return False
    return largest(Q / Q[place] - other / other[place]) < 1e-9


def largest(array: Floats) -> float:
    """The largest magnitude, 0 of nothing."""
    return float(np.abs(array).max(initial=0.0))
