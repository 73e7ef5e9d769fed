"""Dilution of precision: how the satellites' directions turn errors of ranges into errors of the
position."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import SolveError


@dataclass(frozen=True)
class Dilution:
    """Standard deviations for a unit one of each range: of the place, horizontally, vertically, of
    the clock (PDOP, HDOP, VDOP, TDOP)."""

    position: float
    horizontal: float
    vertical: float
    time: float


def dilution(directions: Sequence[tuple[float, float]]) -> Dilution:
    """Of satellites at these elevations and azimuths [rad]: square roots of sums over the diagonal
    of (GᵀG)⁻¹, with a row (east, north, up, 1) of G for each."""
    rows = [
        (math.cos(e) * math.sin(a), math.cos(e) * math.cos(a), math.sin(e), 1.0)
        for e, a in directions
    ]
    if len(rows) < 4 or np.linalg.matrix_rank(rows, tol=1e-8) < 4:
        raise SolveError(
            f"GPS: {len(rows)} satellite(s) determine no place; four that stand apart are needed."
        )
    g = np.array(rows)
    east, north, up, time = np.diag(np.linalg.inv(g.T @ g))
    return Dilution(
        math.sqrt(east + north + up), math.sqrt(east + north), math.sqrt(up), math.sqrt(time)
    )
