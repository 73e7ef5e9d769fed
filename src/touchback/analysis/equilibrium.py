"""Static equilibrium: the configuration in which a mechanism, left alone, stays at rest.

With v = 0, a = 0 the equations of `system/implicit_equations.py` are, for positions q, multipliers
λ and extra states z,

    c(q) − τ(q, z, u) − Wᵀ(q) λ = e,   h(q, t) = 0,   ż(q, z, u) = 0,

where e is the effort that holds kept coordinates, and zero elsewhere. Newton's method on
increments of q with exact derivatives, curvature ∂(Wᵀλ)/∂q included, goes on by
Levenberg–Marquardt steps where a plain step does not reduce the imbalance.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from touchback.analysis.system_at_parameters import Instance, Tangent, state_of
from touchback.errors import SolveError
from touchback.simulate import Where, refuse
from touchback.system import Blocks, Point, State, System, Values

_SETTLING_STEPS = 2000
_LONGEST_SETTLING = 0.2  # of a step [rad, m]
_NEAR = 1e-7  # of the largest effort or stiffness met: Newton's method takes over
_NUDGE = 1e-3  # off a saddle [rad, m]


# Where a mechanism comes to rest: a heavily damped motion followed to its end.
#
# M δ/Δt + F(q) = Wᵀλ, h = 0 is stepped by the linearly implicit Euler method with the stiffness K =
# ∂F/∂δ (pseudo-transient continuation: Kelley and Keyes 1998). Steps grow as the imbalance falls,
# but only while M/Δt + K is positive on the motions that the constraints allow, so that the way
# leads downhill, to a stable equilibrium, never to a saddle.
def settle_by_damping(instance: Instance, kept: list[int], at: Point) -> Point:
    """The point near rest that a heavily damped motion from `at` leads to."""
    step_length = 1e-3
    scale = 0.0
    for _ in range(_SETTLING_STEPS):
        derivatives, effort = instance.derivatives(at), instance.values(at)["effort"]
        open_by = np.abs(instance.values(at)["position"]).max(initial=0.0)
        tangent = _tangent(instance, derivatives, kept)
        pushed = derivatives["effort", "multiplier"] @ at.multipliers
        unbalanced = np.abs(effort - pushed).max(initial=0.0)
        force = tangent.B.T @ effort
        mass, stiffness = (
            tangent.B.T @ derivatives["effort", column] @ tangent.B
            for column in ("acceleration", "position")
        )
        scale = max(scale, float(unbalanced), float(np.abs(stiffness).max(initial=0.0)))
        lowest, direction = _lowest_eigenvalue(mass, stiffness)
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
        step_length *= 2.0 if longest < 0.5 * _LONGEST_SETTLING else 0.7
        step *= min(1.0, _LONGEST_SETTLING / max(longest, 1e-300))
        at = _balance_multipliers(instance, at.moved(q=instance.moved(at, step)), kept)
    return at


def _tangent(instance: Instance, derivatives: Blocks, kept: list[int]) -> Tangent:
    return Tangent(np.vstack([derivatives["position", "position"], np.eye(instance.n)[kept]]))


def _lowest_eigenvalue(mass: np.ndarray, stiffness: np.ndarray) -> tuple[float, np.ndarray]:
    """The lowest eigenvalue of K x = λ M x, and x of largest entry 1."""
    if not stiffness.size:
        return 0.0, np.zeros(0)
    symmetric = 0.5 * (stiffness + stiffness.T)
    least = 1e-9 * np.trace(mass) * np.eye(len(mass))  # spins of massless lines
    L = np.linalg.cholesky(mass + least)
    values, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, symmetric).T))
    x = np.linalg.solve(L.T, vectors[:, 0])
    return float(values[0]), x / np.abs(x).max()


def _balance_multipliers(instance: Instance, at: Point, kept: list[int]) -> Point:
    """The point with the multipliers that balance it best, and extra states at their rest."""
    derivatives, values = instance.derivatives(at), instance.values(at)
    free = [i for i in range(instance.n) if i not in kept]
    change = np.linalg.lstsq(
        derivatives["effort", "multiplier"][free], -values["effort"][free], rcond=1e-12
    )[0]
    rest = np.linalg.lstsq(derivatives["state", "state"], -values["state"], rcond=1e-12)[0]
    return at.moved(multipliers=at.multipliers + change, z=at.z + rest)


_STEPS = 200
_LONGEST = 0.5  # of a step [rad, m]
_MET = 1e-9  # of the scaled imbalance
_DAMPINGS = (0.0, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2)
_NEUTRAL = 1e-9  # of the largest eigenvalue of the stiffness


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest.

    `efforts` [N, N m] hold kept and driven coordinates in place; `residual` is the largest effort
    that stays unbalanced; `stiffness` belongs to the `independent` coordinates. `stability` follows
    from it: "stable" (positive definite: the energy is least), "unstable", "neutral", or
    "undecided" where forces don't derive from an energy or extra states act (see
    `tb.vibrations`)."""

    state: State
    multipliers: dict[str, float]
    efforts: dict[str, float]
    residual: float
    stiffness: np.ndarray
    independent: tuple[str, ...]
    stability: str
    steps: int

    def __str__(self) -> str:
        lines = [
            f"{self.stability} equilibrium after {self.steps} steps, "
            f"largest unbalanced effort {self.residual:.2g}"
        ]
        lines += [f"  {name}: held by {effort:.6g}" for name, effort in self.efforts.items()]
        return "\n".join(lines)


def equilibrium(
    system: System,
    x0: Where = None,
    u: Values = None,
    keep: Iterable[str] = (),
    parameters: Mapping[str, float] | None = None,
    *,
    settle: bool = False,
    t: float = 0.0,
) -> Equilibrium:
    """The equilibrium near `x0` (default: the initial state, which needn't be assembled).

    Coordinates or joints in `keep` stay where `x0` has them; the efforts which that takes come
    back. Raises `SolveError` with the imbalance that is left where no equilibrium is found.
    Several may exist, unstable ones too: Newton's method takes one near `x0`. With `settle`, and
    where Newton's method finds none, the mechanism first sinks from `x0` in a heavily damped
    motion, to a stable one."""
    refuse("tb.equilibrium", system)
    instance = Instance(system, u, parameters)
    start = system.initial_state() if x0 is None else state_of(system, x0)
    kept = instance.freedoms(keep, "coordinate to keep")
    at = instance.point(start, t).moved(v=np.zeros(instance.n))
    if settle:
        at = settle_by_damping(instance, kept, at)
    try:
        at, steps = _solve(_Balance(instance, kept, at), at)
    except SolveError as error:
        if settle:
            raise
        at, steps = _solve_after_settling(instance, kept, at, error)
    effort = instance.values(at)["effort"]
    efforts = {system.velocities[i]: float(effort[i]) for i in kept}
    multipliers = dict(zip(system.constraint_names, map(float, at.multipliers)))
    for name, drive in system.model.drives.items():
        coordinate = system.model.joints[drive.joint].velocity_names(drive.joint)[drive.index]
        efforts[coordinate] = multipliers[name]
    stiffness, tangent, conservative = _stiffness(instance, kept, at)
    return Equilibrium(
        State(at.q, at.v, at.z, tuple(system.state_names)),
        multipliers,
        efforts,
        float(np.abs(np.delete(effort, kept)).max(initial=0.0)),
        stiffness,
        tuple(system.velocities[i] for i in tangent),
        _stability(stiffness) if conservative else "undecided",
        steps,
    )


def _solve_after_settling(
    instance: Instance, kept: list[int], at: Point, error: SolveError
) -> tuple[Point, int]:
    """Newton's method from where a heavily damped motion ends; contacts that open and close on the
    way stop it from `at` itself. Raises the first error where this fails too."""
    try:
        at = settle_by_damping(instance, kept, at)
        return _solve(_Balance(instance, kept, at), at)
    except (SolveError, np.linalg.LinAlgError):
        raise error from None


class _Balance:
    """The scaled equations and their derivatives: efforts by the largest at the start."""

    def __init__(self, instance: Instance, kept: list[int], at: Point) -> None:
        self.instance = instance
        self.free = [i for i in range(instance.n) if i not in kept]
        derivatives = instance.derivatives(at)
        self.scale = max(
            np.abs(instance.values(at)["effort"]).max(initial=0.0),
            1e-3 * np.abs(derivatives["effort", "position"]).max(initial=0.0),
        )
        self.scale = self.scale or 1.0

    def residual(self, at: Point) -> np.ndarray:
        values = self.instance.values(at)
        return np.concatenate(
            [values["effort"][self.free] / self.scale, values["position"], values["state"]]
        )

    def derivatives(self, at: Point) -> np.ndarray:
        """By increments of the free coordinates, extra states and scaled multipliers."""
        derivatives, free = self.instance.derivatives(at), self.free
        m, nz = self.instance.m, len(at.z)
        efforts = [
            derivatives["effort", "position"][np.ix_(free, free)] / self.scale,
            derivatives["effort", "state"][free] / self.scale,
            derivatives["effort", "multiplier"][free],
        ]
        positions = [derivatives["position", "position"][:, free], np.zeros((m, nz + m))]
        states = [
            derivatives["state", "position"][:, free], derivatives["state", "state"],
            np.zeros((nz, m)),
        ]  # fmt: skip
        return np.vstack([np.hstack(efforts), np.hstack(positions), np.hstack(states)])

    def moved(self, at: Point, step: np.ndarray) -> Point:
        n, nz = len(self.free), len(at.z)
        increment = np.zeros(self.instance.n)
        increment[self.free] = step[:n]
        return at.moved(
            q=self.instance.moved(at, increment),
            z=at.z + step[n : n + nz],
            multipliers=at.multipliers + self.scale * step[n + nz :],
        )


def _solve(balance: _Balance, at: Point) -> tuple[Point, int]:
    r, steps = balance.residual(at), 0
    while steps < _STEPS:
        found = _damped_step(balance, at, r)
        if found is None:
            break
        steps += 1
        met = np.abs(r).max(initial=0.0) <= _MET
        slow = np.linalg.norm(found[1]) > 0.5 * np.linalg.norm(r)
        at, r = found
        if met and slow:
            break
    if not np.abs(r).max(initial=0.0) <= _MET:
        raise _failure(balance, r, steps)
    return at, steps


def _damped_step(balance: _Balance, at: Point, r: np.ndarray) -> tuple[Point, np.ndarray] | None:
    """The first step, with more and more damping, after which the imbalance is smaller."""
    size = np.linalg.norm(r)
    if size == 0.0 or not r.size:
        return None
    K = balance.derivatives(at)
    n = len(balance.free)
    strength = max(float(np.linalg.norm(K)), 1e-300)
    for damping in _DAMPINGS:
        if damping == 0.0:
            step = np.linalg.lstsq(K, -r, rcond=1e-12)[0]
        else:
            grown = np.vstack([K, damping * strength * np.eye(K.shape[1])])
            step = np.linalg.lstsq(grown, np.append(-r, np.zeros(K.shape[1])), rcond=None)[0]
        step = step * min(1.0, _LONGEST / max(np.abs(step[:n]).max(initial=0.0), 1e-300))
        for _ in range(4):
            moved = balance.moved(at, step)
            left = balance.residual(moved)
            if np.linalg.norm(left) < size * (1.0 - 1e-6):
                return moved, left
            step = 0.5 * step
    return None


def _failure(balance: _Balance, r: np.ndarray, steps: int) -> SolveError:
    system, n = balance.instance.system, len(balance.free)
    worst = int(np.argmax(np.abs(r)))
    if worst < n:
        name = system.velocities[balance.free[worst]]
        what = f"the effort of '{name}' stays out of balance by {abs(r[worst]) * balance.scale:.3g}"
        mend = (
            f"check that something carries its load, keep it (keep=['{name}']), or start nearer "
            "to the equilibrium (x0)"
        )
    elif worst < n + balance.instance.m:
        name = system.constraint_names[worst - n]
        what = f"constraint '{name}' stays open by {abs(r[worst]):.3g}"
        mend = "start nearer to closure (x0), keep fewer coordinates, or check the lengths"
    else:
        name = system.layout.z[worst - n - balance.instance.m]
        what = f"state '{name}' keeps changing at a rate of {abs(r[worst]):.3g}"
        mend = "check its rate, or start nearer to where it rests (x0)"
    return SolveError(f"{system.name}: no equilibrium after {steps} steps: {what}; {mend}.")


def _stiffness(
    instance: Instance, kept: list[int], at: Point
) -> tuple[np.ndarray, list[int], bool]:
    """Bᵀ ∂(c − τ − Wᵀλ)/∂δ B over the motions B that constraints and kept coordinates leave, extra
    states following; its coordinates; and whether it alone decides on stability."""
    derivatives = instance.derivatives(at)
    held = np.eye(instance.n)[kept]
    tangent = Tangent(np.vstack([derivatives["position", "position"], held]))
    K = derivatives["effort", "position"]
    by_states = derivatives["effort", "state"]
    acting = bool(np.any(by_states[[i for i in range(instance.n) if i not in kept]]))
    if acting:
        following = np.linalg.lstsq(
            derivatives["state", "state"], derivatives["state", "position"], rcond=None
        )[0]
        K = K - by_states @ following
    return tangent.B.T @ K @ tangent.B, tangent.independent, not acting


def _stability(stiffness: np.ndarray) -> str:
    size = np.abs(stiffness).max(initial=0.0)
    if np.abs(stiffness - stiffness.T).max(initial=0.0) > 1e-7 * size:
        return "undecided"
    values = np.linalg.eigvalsh(stiffness) if stiffness.size else np.ones(1)
    limit = _NEUTRAL * max(np.abs(values).max(), 1e-300)
    if values.min() > limit:
        return "stable"
    return "unstable" if values.min() < -limit else "neutral"
