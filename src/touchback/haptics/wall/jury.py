"""Jury's stability test: are all roots of a polynomial inside the unit circle?

For order two it has three conditions. Gillespie 1996 uses one of them, "last coefficient = 1" (eq.
6.5 and 6.13), which misses roots that leave through z = −1.
"""

from collections.abc import Sequence

import numpy as np


def characteristic_polynomial(matrix: np.ndarray) -> np.ndarray:
    """det(zI − M), highest power first, by Faddeev and LeVerrier: no eigenvalues are computed."""
    size = len(matrix)
    coefficients = np.empty(size + 1)
    coefficients[0] = 1.0
    running = np.eye(size)
    for k in range(1, size + 1):
        product = matrix @ running
        coefficients[k] = -np.trace(product) / k
        running = product + coefficients[k] * np.eye(size)
    return coefficients


def jury_conditions(polynomial: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Each condition's margin, positive when it holds; stable when all are positive.

    The polynomial's highest power comes first; its leading coefficient becomes one.
    """
    a = np.asarray(polynomial, dtype=float) / polynomial[0]
    order = len(a) - 1
    signs = (-1.0) ** np.arange(order + 1)
    margins = {
        "p(1) > 0": float(a.sum()),
        "(−1)ⁿ p(−1) > 0": float(a @ signs),
        "|last coefficient| < 1": 1.0 - abs(float(a[-1])),
    }
    row = a
    for number in range(1, order - 1):
        row = row[0] * row[:-1] - row[-1] * row[:0:-1]
        margins[f"row {number} of the table"] = abs(float(row[0])) - abs(float(row[-1]))
    return margins


def jury_margin(polynomial: Sequence[float] | np.ndarray) -> float:
    """The smallest margin of all conditions."""
    return min(jury_conditions(polynomial).values())
