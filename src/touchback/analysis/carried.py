"""Extra states along a prescribed motion: ż = s(q(t), v(t), z, t) integrated between the instants.

Positions and velocities in between are cubic in time, from values and rates at the instants: states
are then of fourth order in the time between them.
"""

from collections.abc import Sequence

import numpy as np

from touchback.analysis.instance import Instance
from touchback.errors import SolveError
from touchback.system.equations import Point

_TOLERANCE = 1e-9


def with_states(instance: Instance, points: Sequence[Point]) -> list[Point]:
    """The points with the extra states that the motion leads to from those of the first."""
    if not points[0].z.size or len(points) == 1:
        return list(points)
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicHermiteSpline

    times = np.array([at.t for at in points])
    q, v, a = (np.array([getattr(at, part) for at in points]) for part in ("q", "v", "a"))
    q_rates = [instance.increments(at)[0] @ at.v for at in points]
    position, velocity = CubicHermiteSpline(times, q, q_rates), CubicHermiteSpline(times, v, a)

    def rate(t: float, z: np.ndarray) -> np.ndarray:
        at = points[0].moved(q=position(t), v=velocity(t), z=z, t=t)
        return instance.values(at)["state"]

    step = float(np.diff(times).min())  # a contact in between must not be stepped over
    done = solve_ivp(
        rate, (times[0], times[-1]), points[0].z, "LSODA", times, max_step=step,
        rtol=_TOLERANCE, atol=0.01 * _TOLERANCE,
    )  # fmt: skip
    if not done.success or not np.isfinite(done.y).all():
        names = ", ".join(f"'{name}'" for name in instance.layout.z[:5])
        raise SolveError(
            f"{instance.system.name}: the states {names} can't be followed along the motion "
            f"({done.message}); check their rates, or give times that lie closer."
        )
    return [at.moved(z=z) for at, z in zip(points, done.y.T, strict=True)]
