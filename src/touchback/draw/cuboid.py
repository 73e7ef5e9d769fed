"""What a body looks like of which only the inertia is known."""

import numpy as np

_THIN, _WATER = 0.02, 1000.0  # of the longest side: it can be seen; kg/m³


def cuboid(mass: float, *moments: float, most: float = np.inf) -> tuple[float, float, float]:
    """Half the sides [m] of the cuboid with a mass [kg] and three moments of inertia [kg m²],
    a_x² = 3 (I_y + I_z − I_x)/(2 m). A plate is as thick as can be seen; a point is a cube that
    would be as heavy as water, or with half sides of `most` [m]."""
    squares = 1.5 * (sum(moments) - 2.0 * np.array(moments)) / (mass or np.inf)
    halves = np.sqrt(np.maximum(squares, 0.0))
    least = _THIN * halves.max() or min(0.5 * (max(mass, 0.0) / _WATER) ** (1 / 3), most)
    x, y, z = np.maximum(halves, least).tolist()
    return x, y, z
