"""Where a mechanism comes to rest: a heavily damped motion followed to its end.

M δ/Δt + F(q) = Wᵀλ, h = 0 is stepped by the linearly implicit Euler method with the stiffness
K = ∂F/∂δ (pseudo-transient continuation: Kelley and Keyes 1998). Steps grow as the imbalance falls,
but only while M/Δt + K is positive on the motions that the constraints allow, so that the way leads
downhill, to a stable equilibrium, never to a saddle.
"""

import numpy as np

from touchback.analysis.instance import Instance
from touchback.analysis.tangent import Tangent
from touchback.system.equations import Blocks, Point

_STEPS = 2000
_LONGEST = 0.2  # of a step [rad, m]
_NEAR = 1e-7  # of the largest effort or stiffness met: Newton's method takes over
_NUDGE = 1e-3  # off a saddle [rad, m]


def settled(instance: Instance, kept: list[int], at: Point) -> Point:
    """The point near rest that a heavily damped motion from `at` leads to."""
    step_length = 1e-3
    scale = 0.0
    for _ in range(_STEPS):
        slopes, effort = instance.slopes(at), instance.values(at)["effort"]
        open_by = np.abs(instance.values(at)["position"]).max(initial=0.0)
        tangent = _tangent(instance, slopes, kept)
        pushed = slopes["effort", "multiplier"] @ at.multipliers
        unbalanced = np.abs(effort - pushed).max(initial=0.0)
        force = tangent.B.T @ effort
        mass, stiffness = (
            tangent.B.T @ slopes["effort", column] @ tangent.B
            for column in ("acceleration", "position")
        )
        scale = max(scale, float(unbalanced), float(np.abs(stiffness).max(initial=0.0)))
        lowest, direction = _lowest(mass, stiffness)
        if np.abs(force).max(initial=0.0) <= _NEAR * scale and open_by <= _NEAR:
            if lowest >= -_NEAR * np.abs(stiffness).max(initial=0.0):
                return at
            force = force - mass @ direction * _NUDGE / step_length
        if lowest < 0.0:
            step_length = min(step_length, -0.5 / lowest)
        K = mass / step_length + stiffness
        free = tangent.B @ np.linalg.lstsq(K, -force, rcond=1e-14)[0]
        step = free - tangent.P @ np.append(instance.values(at)["position"], np.zeros(len(kept)))
        longest = np.abs(step).max(initial=0.0)
        step_length *= 2.0 if longest < 0.5 * _LONGEST else 0.7
        step *= min(1.0, _LONGEST / max(longest, 1e-300))
        at = _advanced(instance, at.moved(q=instance.moved(at, step)), kept)
    return at


def _tangent(instance: Instance, slopes: Blocks, kept: list[int]) -> Tangent:
    return Tangent(np.vstack([slopes["position", "position"], np.eye(instance.n)[kept]]))


def _lowest(mass: np.ndarray, stiffness: np.ndarray) -> tuple[float, np.ndarray]:
    """The lowest eigenvalue of K x = λ M x, and x of largest entry 1."""
    if not stiffness.size:
        return 0.0, np.zeros(0)
    symmetric = 0.5 * (stiffness + stiffness.T)
    least = 1e-9 * np.trace(mass) * np.eye(len(mass))  # spins of massless lines
    L = np.linalg.cholesky(mass + least)
    values, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, symmetric).T))
    x = np.linalg.solve(L.T, vectors[:, 0])
    return float(values[0]), x / np.abs(x).max()


def _advanced(instance: Instance, at: Point, kept: list[int]) -> Point:
    """The point with the multipliers that balance it best, and extra states at their rest."""
    slopes, values = instance.slopes(at), instance.values(at)
    free = [i for i in range(instance.n) if i not in kept]
    change = np.linalg.lstsq(
        slopes["effort", "multiplier"][free], -values["effort"][free], rcond=1e-12
    )[0]
    rest = np.linalg.lstsq(slopes["state", "state"], -values["state"], rcond=1e-12)[0]
    return at.moved(multipliers=at.multipliers + change, z=at.z + rest)
