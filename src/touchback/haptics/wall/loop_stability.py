"""Plant, hold and linear wall law as one sampled matrix (Gillespie 1996, Fig. 6.1, 6.6), and Jury's
test: are all roots of its characteristic polynomial inside the unit circle?"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import Flow, Oscillator


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


Velocity = Literal["sensed", "differentiated"]


def check_delay(delay: float, period: float) -> None:
    """A force that comes later than the next sample is none of that sample's."""
    if not 0.0 <= delay <= period or period <= 0.0:
        raise InputError(
            f"A delay of {delay} s doesn't fit a period of {period} s: 0 ≤ delay ≤ period."
        )


def loop_matrix(
    plant: Oscillator,
    gains: tuple[float, float],
    period: float,
    *,
    velocity: Velocity = "sensed",
    delay: float = 0.0,
) -> np.ndarray:
    """x(k+1) = M x(k) of f = −k₁ y − k₂ v held over each period.

    x is (y, v), then the force still acting if there is a delay, then the position before if the
    velocity is differentiated. Without either, M = Φ − Γ k, whose characteristic polynomial is
    eq. 6.4 (no finger) or 6.12 (with one; 6.11 and 6.13 need e^(−2aT) and e^(−aT) cos bT).
    """
    check_delay(delay, period)
    early, rest = plant.flow(delay), plant.flow(period - delay)
    names = ["y", "v"]
    if delay:
        names.append("force")
    if velocity == "differentiated":
        names.append("before")
    size = len(names)
    answer = np.zeros(size)
    answer[0] = -gains[0]
    if velocity == "differentiated":
        answer[0] -= gains[1] / period
        answer[names.index("before")] = gains[1] / period
    else:
        answer[1] = -gains[1]
    matrix = np.zeros((size, size))
    matrix[:2, :2] = _phi(rest) @ _phi(early)
    if delay:
        matrix[:2, names.index("force")] = _phi(rest) @ [early.yf, early.vf]
        matrix[names.index("force")] = answer
    matrix[:2] += np.outer([rest.yf, rest.vf], answer)
    if velocity == "differentiated":
        matrix[names.index("before"), 0] = 1.0
    return matrix


def loop_margin(
    plant: Oscillator,
    gains: tuple[float, float],
    period: float,
    *,
    velocity: Velocity = "sensed",
    delay: float = 0.0,
) -> float:
    """The smallest Jury margin of the loop: positive when it is stable."""
    matrix = loop_matrix(plant, gains, period, velocity=velocity, delay=delay)
    return jury_margin(characteristic_polynomial(matrix))


def _phi(flow: Flow) -> np.ndarray:
    return np.array([[flow.yy, flow.yv], [flow.vy, flow.vv]])
