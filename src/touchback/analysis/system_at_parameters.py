"""A system with its parameters and inputs fixed: what every analysis evaluates."""

from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from touchback.errors import SolveError
from touchback.names import unknown_name
from touchback.simulate import Where, read_state
from touchback.system import At, Blocks, Point, State, System, Values, fill, finite_elements

_TANGENT_RANK = 1e-9  # singular values this much below the largest count as zero


def rank_of(J: np.ndarray) -> int:
    """The number of independent rows."""
    singular = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    return int(np.sum(singular > _TANGENT_RANK * singular.max(initial=0.0)))


def independent_columns(J: np.ndarray, wanted: Collection[int] = ()) -> list[int]:
    """Coordinates that fix all others by J δ = 0: those `wanted` as far as they can be, the others
    by pivoting (the largest left becomes dependent)."""
    rest, rank = J.astype(float).copy(), rank_of(J)
    n = J.shape[1]
    dependent: list[int] = []
    least = 10.0 * _TANGENT_RANK * np.abs(J).max(initial=0.0)
    for candidates in ([i for i in range(n) if i not in wanted], list(wanted)):
        while candidates and len(dependent) < rank:
            norms = np.linalg.norm(rest[:, candidates], axis=0)
            chosen = candidates[int(np.argmax(norms))]
            if norms.max() <= least:
                break
            dependent.append(chosen)
            candidates.remove(chosen)
            direction = rest[:, chosen] / norms.max()
            rest = rest - np.outer(direction, direction @ rest)
    return [i for i in range(n) if i not in dependent]


class Tangent:
    """All δ with J δ = r: δ = B δ_independent + P r, with the identity in B at the independent
    rows and zeros in P there."""

    def __init__(self, J: np.ndarray, wanted: Collection[int] = ()) -> None:
        n = J.shape[1]
        self.independent = independent_columns(J, wanted)
        dependent = [i for i in range(n) if i not in self.independent]
        inverse = np.linalg.pinv(J[:, dependent], rcond=_TANGENT_RANK)
        self.B = np.zeros((n, len(self.independent)))
        self.B[self.independent] = np.eye(len(self.independent))
        self.B[dependent] = -inverse @ J[:, self.independent]
        self.P = np.zeros((n, J.shape[0]))
        self.P[dependent] = inverse


_RANK = 1e-13  # of the largest singular value: below it rows are redundant


class Instance:
    """The equations of a system for given parameters and inputs."""

    def __init__(
        self, system: System, u: Values = None, parameters: Mapping[str, float] | None = None
    ) -> None:
        self.system, self.layout = system, system.layout
        self.p = system.parameter_values(parameters)
        self.u = fill("u", u, self.layout.inputs, system.input_defaults)

    @property
    def parameters(self) -> dict[str, float]:
        """The values of all parameters by name."""
        return dict(zip(self.layout.parameters, map(float, self.p), strict=True))

    @property
    def n(self) -> int:
        """Velocity coordinates."""
        return len(self.layout.v)

    @property
    def m(self) -> int:
        """Constraint rows."""
        return len(self.system.constraint_names)

    def point(self, state: State, t: float = 0.0) -> Point:
        """A state with zero accelerations and multipliers."""
        zeros = np.zeros(self.n), np.zeros(self.m)
        return Point(state.q, state.v, state.z, self.u, t, *zeros)

    def values(self, at: Point) -> dict[str, np.ndarray]:
        """The blocks of the equations."""
        return self.system.equations.values(at, self.p)

    def derivatives(self, at: Point) -> Blocks:
        """Their derivatives."""
        return self.system.equations.derivatives(at, self.p)

    def parameter_derivatives(self, at: Point) -> Blocks:
        """Their derivatives by the parameters."""
        return self.system.equations.parameter_derivatives(at, self.p)

    def increments(self, at: Point) -> tuple[np.ndarray, np.ndarray]:
        """N of dq = N δ, and D of δ̇ = δv + D δ."""
        return self.system.equations.increments(at, self.p)

    def moved(self, at: Point, step: np.ndarray) -> np.ndarray:
        """Positions moved by an increment; quaternions keep their length and turn by its whole
        angle."""
        if self.system.plan.plain_coordinates:
            return at.q + step
        way = self.increments(at)[0] @ step
        found = at.q + way
        for own in self._quaternions():
            length, tangent = np.linalg.norm(at.q[own]), np.linalg.norm(way[own])
            if tangent > 0.0:  # along the great circle
                angle = tangent / length
                found[own] = np.cos(angle) * at.q[own] + np.sin(angle) / angle * way[own]
        return found

    def step_to(self, q: np.ndarray, at: Point) -> np.ndarray:
        """The increment from a point's positions to others, the inverse of `moved`: of attitudes
        the rotation between them, whichever sign their quaternions have."""
        way = q - at.q
        if self.system.plan.plain_coordinates:
            return way
        for own in self._quaternions():
            a, b = at.q[own] / np.linalg.norm(at.q[own]), q[own] / np.linalg.norm(q[own])
            b = b if a @ b >= 0.0 else -b
            across = b - (a @ b) * a
            sine = np.linalg.norm(across)
            angle = np.arctan2(sine, a @ b)
            way[own] = np.linalg.norm(at.q[own]) * across * (angle / sine if sine > 0.0 else 1.0)
        return np.linalg.lstsq(self.increments(at)[0], way, rcond=None)[0]

    def with_lengths(self, q: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Positions whose quaternions get the lengths of others."""
        for own in self._quaternions():
            q[own] *= np.linalg.norm(like[own]) / np.linalg.norm(q[own])
        return q

    def _quaternions(self) -> Iterator[list[int]]:
        """Where they are among the positions."""
        start = 0
        for joint in self.system.model.joints.values():
            for motion in joint.kind.motions():
                places = motion.quaternion(range(start, start + motion.nq))
                if places is not None:
                    yield list(places)
                start += motion.nq

    @property
    def has_friction(self) -> np.ndarray:
        """True for constraint rows whose forces rub."""
        return self.system.dynamics.rows(self.system.key).has_friction

    def with_accelerations(self, at: Point, pull: np.ndarray | float = 0.0) -> Point:
        """The same point with the accelerations and multipliers that the equations demand:
        M a = f + Wᵀλ, J a + γ + pull = 0; of least norm where constraints are redundant."""
        if self.has_friction.any():  # frictions are turned where forces pull
            here = At(at.q, at.v, at.u, at.t, at.z, self.parameters)
            pulls = np.broadcast_to(np.asarray(pull, dtype=float), (self.m,))
            solved = np.concatenate(self.system.dynamics.solve(self.system.calls, here, pull=pulls))
        else:
            still = at.moved(a=np.zeros(self.n), multipliers=np.zeros(self.m))
            values = self.values(still)
            rest = np.concatenate([-values["effort"], -(values["acceleration"] + pull)])
            solved = self.solve(self.derivatives(still), rest)
        return at.moved(a=solved[: self.n], multipliers=solved[self.n :])

    def solve(self, derivatives: Blocks, rest: np.ndarray) -> np.ndarray:
        """[a, λ] of M a − Wᵀλ = rest (efforts), J a = rest (constraints)."""
        system = np.zeros((self.n + self.m,) * 2)
        system[: self.n, : self.n] = derivatives["effort", "acceleration"]
        system[: self.n, self.n :] = derivatives["effort", "multiplier"]
        system[self.n :, : self.n] = derivatives["acceleration", "acceleration"]
        if not self.m:
            try:
                return np.linalg.solve(system, rest)
            except np.linalg.LinAlgError:
                raise self._massless(system) from None
        return np.linalg.lstsq(system, rest, rcond=_RANK)[0]

    def _massless(self, M: np.ndarray) -> SolveError:
        worst = int(np.argmax(np.abs(np.linalg.svd(M)[2][-1])))
        return SolveError(
            f"{self.system.name}: the mass matrix is singular: '{self.layout.v[worst]}' moves no "
            "mass; give its body an inertia, or the joint an armature."
        )

    def freedoms(self, names: Iterable[str], word: str) -> list[int]:
        """Places in v of named coordinates; the name of a joint stands for all of its own."""
        joints, found = self.system.model.joints, []
        for name in [names] if isinstance(names, str) else names:
            if name in self.layout.v:
                found.append(self.layout.v.index(name))
            elif name in joints:
                found += [self.layout.v.index(own) for own in joints[name].velocity_names(name)]
            else:
                raise unknown_name(word, name, [*self.layout.v, *joints])
        return found


def state_of(system: System, x: Where) -> State:
    """A state from a state, something that has one, an array [q, v, z], or nothing: the initial
    one, assembled."""
    if x is None:
        return system.assemble()
    nq, nv, _ = system.sizes
    elements = finite_elements(system.name, system.state_names, read_state(system, x))
    q, v, z = np.split(elements, [nq, nq + nv])
    return State(q, v, z, tuple(system.state_names))
