"""A compiled model with constraints: assembly, accelerations and multipliers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.codegen import Backend
from touchback.dynamics.constraints import constraint_rows
from touchback.dynamics.forward import configuration_rate
from touchback.errors import InputError, SolveError
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.model.switching import active_constraints, switched
from touchback.native import ConstrainedFunctions, RateSlopes
from touchback.symbolic.count import Counts
from touchback.system.assembly import (
    OpenLoop,
    assemble_positions,
    assemble_velocities,
    null_space,
)
from touchback.system.begin import begun
from touchback.system.branches import check_branches
from touchback.system.calls import Way, components, filled, hot, written
from touchback.system.constrained import (
    ConstraintLayout,
    Terms,
    derive_constraints,
    derive_stiffness,
    solve_accelerations,
    split_terms,
)
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.freedoms import Freedoms, freedoms_of
from touchback.system.function import Function
from touchback.system.function_set import FunctionSet
from touchback.system.functions import Recipe, update_equations
from touchback.system.layout import fill
from touchback.system.motion import Motion
from touchback.system.once import derived_once
from touchback.system.plan import Plan
from touchback.system.state import State
from touchback.system.system import System

_OF_A_MODE = ("constrained", "constrained_with_stiffness", "equations")  # cached for each
_NEARBY = 1e-3  # a step to a neighbouring position [rad, m]
_ASIDE = (0.0, 0.05, -0.3, 1.0, -2.0)  # how far guesses are turned aside when they lead nowhere


@dataclass(frozen=True)
class ConstrainedSet:
    """What a solver of constrained motion needs, on one parameter block."""

    layout: ConstraintLayout
    functions: FunctionSet


class ConstrainedSystem(System):
    """A system whose coordinates are tied: M a = f + Wᵀλ, h(q, t) = 0, J v = b, J a + γ = 0."""

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        super().__init__(model, plan, backend)
        self._sets: dict[tuple[tuple[str, ...], bool], ConstrainedSet] = {}

    @derived_once
    def constrained(self) -> ConstrainedSet:
        """`terms`, `positions`, `configuration rate` and `outputs`."""
        return self._known_set(with_stiffness=False)

    @derived_once
    def constrained_with_stiffness(self) -> ConstrainedSet:
        """The same with `stiffness`, for the implicit formulations."""
        return self._known_set(with_stiffness=True)

    def _known_set(self, with_stiffness: bool) -> ConstrainedSet:
        """Each set of active constraints is a mode: its equations are derived once."""
        key = (self.active, with_stiffness)
        if key not in self._sets:
            self._sets[key] = self._derive_constrained(with_stiffness)
        return self._sets[key]

    def _derive_constrained(self, with_stiffness: bool) -> ConstrainedSet:
        d = self.derive(self._extra())
        equations = derive_constraints(d)
        wanted = {"terms": equations.terms, "positions": equations.positions}
        wanted["velocity level"] = equations.velocity_level
        wanted["configuration rate"] = configuration_rate(d.instant)
        if with_stiffness:
            wanted["stiffness"] = derive_stiffness(d, equations.f)
        d.solved(equations.rows)
        wanted["outputs"] = d.outputs()
        wanted["updates"] = update_equations(d)
        return ConstrainedSet(equations.layout, d.functions(wanted))

    def _extra(self) -> tuple[str, ...]:
        """Further arguments of functions that know accelerations and multipliers."""
        rows = self.model.constraint_rows()
        names = [row for name in active_constraints(self.model) for row in rows[name]]
        return solved_arguments(self.layout, names)

    # ---- switching ------------------------------------------------------------------------------

    @property
    def active(self) -> tuple[str, ...]:
        """Names of the constraints that act."""
        return active_constraints(self.model)

    def activate(self, *names: str) -> None:
        """Let constraints act; positions and velocities that break them are then mended by
        `assemble`."""
        self._switch(names, True)

    def deactivate(self, *names: str) -> None:
        """Let constraints rest: their rows vanish, their multipliers are zero."""
        self._switch(names, False)

    def _switch(self, names: tuple[str, ...], active: bool) -> None:
        known = self.model.constraint_rows()
        for name in names:
            if name not in known:
                raise InputError(str(unknown("constraint", name, known)))
        with self.deriving:
            self._now(switched(self.model, names, active))

    def _now(self, model: Model) -> None:
        """Takes on a model with other constraints; what hangs on them is asked for again."""
        self.model = model
        for word in _OF_A_MODE:
            self.__dict__.pop(word, None)
        self._forget_calls()

    def consistent(
        self, x: np.ndarray, t: float = 0.0, inputs: Any = None
    ) -> tuple[np.ndarray, float]:
        """The state nearest to x = [q, v, z] that the active constraints allow at time `t` with
        these `inputs`, and the energy that is lost: positions change least, velocities by the
        constraints' impulses, v⁺ = v + M⁻¹ Jᵀ Λ, J v⁺ = b."""
        nq, n, _ = self.sizes
        q, v, z = np.split(np.array(x, dtype=float), [nq, nq + n])
        q_new = self._closed_from(q, [], t, inputs)
        terms = self.terms(q_new, v, inputs, t, z)
        spread = np.linalg.solve(terms.M, terms.J.T)
        impulse = np.linalg.lstsq(terms.J @ spread, terms.b - terms.J @ v, rcond=1e-12)[0]
        v_new = v + spread @ impulse
        lost = sum(self.energy(q, v, t, z)) - sum(self.energy(q_new, v_new, t, z))
        return np.concatenate([q_new, v_new, z]), float(lost)

    # ---- what a run needs -----------------------------------------------------------------------

    def constrained_functions(
        self, stiffness: bool = False, known: ConstrainedSet | None = None
    ) -> ConstrainedFunctions:
        """What a formulation of constrained motion needs (native/constrained); `known`: of another
        set of constraints than the active ones."""
        if known is None:
            known = self.constrained_with_stiffness if stiffness else self.constrained
        layout, functions = known.layout, known.functions
        moving = any(functions["velocity level"].second.outputs)
        elsewhere = layout.W
        return ConstrainedFunctions(
            self.sizes,
            layout.names,
            functions["terms"].compiled,
            functions["positions"].compiled,
            functions["velocity level"].compiled if moving else None,
            None if self.plan.plain_coordinates else functions["configuration rate"].compiled,
            layout.J.rows,
            layout.J.columns,
            layout.M.rows,
            layout.M.columns,
            layout.holonomic,
            None if elsewhere is None else elsewhere.rows,
            None if elsewhere is None else elsewhere.columns,
            functions["stiffness"].compiled if stiffness else None,
            layout.twins(),
        )

    def constrained_block(
        self, overrides: Mapping[str, float] | None = None, stiffness: bool = False
    ) -> np.ndarray:
        """The parameter block that those functions share."""
        return self.constrained_function(stiffness).block_for(self._with(overrides or {}))

    def constrained_function(self, stiffness: bool = False) -> Function:
        """`terms`, whose parameter stage is that of all of them."""
        known = self.constrained_with_stiffness if stiffness else self.constrained
        return known.functions["terms"]

    def rate_jacobian(
        self, overrides: Mapping[str, Any] | None = None
    ) -> tuple[RateSlopes, np.ndarray]:
        """What ∂ẋ/∂x is made of, whatever the formulation, and its parameter block."""
        function, pattern = self.equations.rate_slopes
        block = function.block_for(self._with(overrides or {}))
        return RateSlopes(function.compiled, pattern.rows, pattern.columns), block

    @property
    def _run(self) -> FunctionSet:
        return self.constrained.functions

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraint rows, in the order of the multipliers."""
        return self.constrained.layout.names

    # ---- functions on arrays --------------------------------------------------------------------

    def terms(self, q: Any, v: Any, u: Any = None, t: float = 0.0, z: Any = None) -> Terms:
        """h, b, γ, J, W, M and f at a state, as dense arrays."""
        out = self._evaluate(self.constrained.functions["terms"], q, v, u, t, z=z)
        return split_terms(out, self.constrained.layout, len(self.layout.v))

    @hot(Way("motion by tau", "tau", part="v"), Way("motion", part="v"))
    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        u: Any = None,
        t: Any = 0.0,
        z: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Accelerations that keep the constraints. Without `tau` the model's own joint efforts act;
        with it `tau` replaces them."""
        nq, n, _ = self.sizes
        return written(self._solve(q, v, tau, u, t, z)[..., nq : nq + n], out)

    def multipliers(
        self, q: Any, v: Any, tau: Any = None, u: Any = None, t: Any = 0.0, z: Any = None
    ) -> dict[str, Any]:
        """The force, torque or effort that keeps each constraint row: a number, or an array over
        the states."""
        solved = self._solve(q, v, tau, u, t, z)[..., sum(self.sizes) :]
        return dict(zip(self.constraint_names, components(solved), strict=True))

    @hot(Way("motion", part="x"))
    def state_rate(
        self, q: Any, v: Any, u: Any = None, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """dx/dt of x = [q, v, z]."""
        return written(self._solve(q, v, None, u, t, z)[..., : sum(self.sizes)], out)

    def _solve(self, q: Any, v: Any, tau: Any, u: Any, t: Any, z: Any) -> np.ndarray:
        """[dq/dt, a, dz/dt, λ]."""
        if tau is None:
            motion = self._call("motion", q, v, u, t, z=z)
        else:
            tau = self._velocity("tau", tau)
            motion = self._call("motion by tau", q, v, u, t, tau, z)
        refused = motion[..., -1] != 0.0
        if refused.any():
            self._solve_hard(motion, refused, q, v, tau, u, t, z)
        return motion[..., :-1]

    def _solve_hard(
        self,
        motion: np.ndarray,
        refused: np.ndarray,
        q: Any,
        v: Any,
        tau: np.ndarray | None,
        u: Any,
        t: Any,
        z: Any,
    ) -> None:
        """Redundant rows share their load with least norm, and friction may leave no answer."""
        layout, lead = self.layout, refused.shape
        nq, n, nz = self.sizes
        given = [
            np.broadcast_to(array, (*lead, array.shape[-1]))
            for array in (
                filled("q", q, layout.q, self._start.q),
                filled("v", v, layout.v, np.zeros(n)),
                filled("u", u, layout.inputs, self.input_defaults),
                filled("z", z, layout.z, self._start.z),
                np.zeros(n) if tau is None else tau,
            )
        ]
        times = np.broadcast_to(np.asarray(t, dtype=float), lead)
        for at in np.ndindex(lead):
            if refused[at]:
                q_at, v_at, u_at, z_at, tau_at = (array[at] for array in given)
                terms = self.terms(q_at, v_at, u_at, float(times[at]), z_at)
                if tau is not None:
                    terms.f = tau_at - self.bias(q_at, v_at, u_at, float(times[at]), z_at)
                a, multipliers = solve_accelerations(terms)
                motion[at][nq : nq + n] = a
                motion[at][nq + n + nz : -1] = multipliers

    def _callable(self, name: str) -> Function | Motion:
        if name not in ("motion", "motion by tau"):
            return super()._callable(name)
        bias = super().function("bias") if name == "motion by tau" else None
        terms = self.constrained.functions["terms"]
        return Motion(self.constrained_functions(), terms, bias, len(self.layout.inputs))

    def _solved(self, q: Any, v: Any, u: Any, t: Any, z: Any) -> tuple[np.ndarray, np.ndarray]:
        """a and λ under the model's own efforts."""
        motion, (nq, n, nz) = self._solve(q, v, None, u, t, z), self.sizes
        return motion[..., nq : nq + n], motion[..., nq + n + nz :]

    def sensors(
        self, q: Any = None, v: Any = None, u: Any = None, t: Any = 0.0, z: Any = None
    ) -> dict[str, Any]:
        """What every sensor shows: a number, or an array over the states."""
        extra = np.concatenate(self._solved(q, v, u, t, z), axis=-1)
        outputs = self.constrained.functions["outputs"]
        return self._shown(self._evaluate(outputs, q, v, u, t, extra, z))

    def reaction(
        self,
        joint: str,
        q: Any,
        v: Any,
        a: Any = None,
        u: Any = None,
        t: Any = 0.0,
        z: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Force (3) and moment (3) that the parent exerts on the child, at and along the joint's
        child frame; of a closure, that a's body exerts on b's, at and along frame b.

        Without `a` the accelerations are those of the forward dynamics; with it, the multipliers
        still are."""
        every = {**self.model.joints, **self.model.closures}
        if joint not in every:
            raise unknown("joint or closure", joint, every)
        key = ("reaction", joint, self.active)
        recipe = Recipe(lambda d: self._reaction_equations(d, joint), (6,), self._extra(), True)
        function = self._derived(key, lambda: recipe)
        solved, multipliers = self._solved(q, v, u, t, z)
        given = solved if a is None else self._velocity("a", a)
        lead = np.broadcast_shapes(given.shape[:-1], multipliers.shape[:-1])
        known = np.concatenate(
            [np.broadcast_to(part, (*lead, part.shape[-1])) for part in (given, multipliers)], -1
        )
        return self._evaluate(function, q, v, u, t, known, z, out)

    def _reaction_equations(self, d: Derivation, joint: str) -> list[int]:
        d.instant.a = d.accelerations
        rows = constraint_rows(d.instant)
        d.instant.efforts()  # applied forces first, then those of closures
        d.solved(rows)
        force, moment = d.instant.reaction(joint)
        return [*force, *moment]

    def constraint_error(self, q: Any, t: float = 0.0, u: Any = None) -> np.ndarray:
        """h of every row (zero for rows on velocities only)."""
        return self._evaluate(self.constrained.functions["positions"], q, None, u, t)[
            ..., : self._m
        ]

    def freedoms(self, q: Any = None, t: float = 0.0, inputs: Any = None) -> Freedoms:
        """Degrees of freedom, independent coordinates, redundant constraints and singularity at a
        position (default: the assembled initial one)."""
        assembled = self.assemble(t=t, inputs=inputs).q if q is None else q
        at = fill("q", assembled, self.layout.q, self._start.q)
        J = self._positions(at, t, inputs)[1]

        def nearby(velocity: np.ndarray) -> np.ndarray | None:
            try:
                there = self._closed_from(self._moved(at, _NEARBY * velocity), [], t, inputs)
            except SolveError:
                return None  # nothing moves from here
            return self._positions(there, t, inputs)[1]

        return freedoms_of(J, self.constrained.layout, self.layout.v, nearby)

    def function(self, name: str) -> Function:
        """A function by name: "terms", "positions", "inverse dynamics", "mass matrix", …"""
        name = name.replace("_", " ")
        if name == "rate":
            raise InputError(
                f"{self.name}: with constraints the rate depends on the formulation; 'terms' has "
                "the equations that all of them solve."
            )
        known = self.constrained.functions
        return known[name] if name in known else super().function(name)

    def counts(self, name: str = "terms") -> Counts:
        """Operations per call of a function."""
        return super().counts(name)

    def __repr__(self) -> str:
        nq, nv, nz = self.sizes
        lines = [
            f"{self.name}: {len(self.model.bodies)} bodies, {len(self.model.joints)} joints",
            f"  positions {nq}, velocities {nv}, constraint rows {self._m}, extra states {nz}, "
            f"inputs {len(self.layout.inputs)}, sensors {len(self.layout.outputs)}, "
            f"live parameters {len(self.layout.parameters)}",
            f"  coordinates: {', '.join(self.layout.q[:12])}{'…' if nq > 12 else ''}",
            f"  constrained terms: {self.counts()}",
        ]
        try:
            found = str(self.freedoms())
        except SolveError as error:
            found = str(error)
        return "\n".join([*lines, *(f"  {line}" for line in found.splitlines())])

    # ---- assembly -------------------------------------------------------------------------------

    def assemble(
        self,
        positions: Mapping[str, float] | None = None,
        rates: Mapping[str, float] | None = None,
        states: Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None,
        t: float = 0.0,
        inputs: Any = None,
        **named: float,
    ) -> State:
        """A consistent state. `positions` (a mapping, or keywords) and `rates` are kept; the others
        start from the model's initial ones, or from `guess`, which chooses the branch, and change
        least. What is driven or written is met at time `t` with these `inputs`."""
        start, layout = self._described(), self.layout
        kept = {**(positions or {}), **named}
        q = fill("coordinate", dict(guess or {}), layout.q, start.q)
        q = fill("coordinate", kept, layout.q, q).copy()
        v = fill("velocity", dict(rates or {}), layout.v, start.v).copy()
        q = self._closed(q, [layout.q.index(name) for name in kept], t, inputs)
        z = begun(self.model, q, start.z, self.parameters)
        z = fill("state", dict(states or {}), layout.z, z).copy()
        check_branches(self.model, q, self.parameters)
        terms = self.terms(q, v, inputs, t, z)
        given = [layout.v.index(name) for name in rates or {}]
        return State(q, self._met(v, given, terms), z)

    def _met(self, v: np.ndarray, kept: list[int], terms: Terms) -> np.ndarray:
        """Velocities that meet the constraints; those in `kept` stay."""
        return assemble_velocities(v, kept, terms.J, terms.b, self._rows)

    def _closed(self, q: np.ndarray, kept: list[int], t: float, u: Any) -> np.ndarray:
        """Positions that meet the constraints; the coordinates in `kept` stay. A guess where every
        step would be sideways, as bars in one line, is left by small and then larger turns."""
        tried: list[OpenLoop] = []
        for aside in _ASIDE:
            try:
                return self._closed_from(self._turned(q, kept, aside), kept, t, u)
            except OpenLoop as error:
                tried.append(error)
        best = min(tried, key=lambda error: error.gap)
        if kept:
            self._refuse_kept(q, kept, t, u, best)
        raise best

    def _closed_from(self, q: np.ndarray, kept: list[int], t: float, u: Any) -> np.ndarray:
        return assemble_positions(
            q, [], len(self.layout.v), self._rows, lambda at: self._positions(at, t, u),
            self._moved,
            held=(lambda at: self._increments(at)[kept]) if kept else None,
        )  # fmt: skip

    def _turned(self, q: np.ndarray, kept: list[int], angle: float) -> np.ndarray:
        """The guess with all that isn't kept turned or slid by some of an angle or length."""
        if not angle:
            return q
        n = len(self.layout.v)
        Z = null_space(self._increments(q)[kept]) if kept else np.eye(n)
        return self._moved(q, Z @ Z.T @ (angle * np.cos(np.arange(1.0, n + 1.0))))

    def _refuse_kept(
        self, q: np.ndarray, kept: list[int], t: float, u: Any, error: OpenLoop
    ) -> None:
        try:
            closed = self._closed_from(q, [], t, u)
        except SolveError:
            return
        names = ", ".join(f"'{self.layout.q[i]}'" for i in kept)
        left = freedoms_of(self._positions(closed, t, u)[1], self._rows, self.layout.v).freedoms
        raise SolveError(
            f"{error.told}, with {names} kept. It closes when nothing is kept, with {left} "
            f"{'freedom' if left == 1 else 'freedoms'} left: keep fewer coordinates, or others."
        ) from error

    def _increments(self, q: np.ndarray) -> np.ndarray:
        """N of dq = N δ, nq × nv."""
        n = len(self.layout.v)
        if self.plan.plain_coordinates:
            return np.eye(n)
        function = self.constrained.functions["configuration rate"]
        return np.stack([self._evaluate(function, q, e, None, 0.0) for e in np.eye(n)], axis=1)

    def _positions(self, q: Any, t: float, u: Any = None) -> tuple[np.ndarray, np.ndarray]:
        out = self._evaluate(self.constrained.functions["positions"], q, None, u, t)
        J = self._rows.J.dense(out[self._m :], (self._m, len(self.layout.v)))
        return out[: self._m], J

    def _moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Positions moved by an increment in velocity coordinates."""
        function = self.constrained.functions["configuration rate"]
        return q + self._evaluate(function, q, step, None, 0.0)

    @property
    def _rows(self) -> ConstraintLayout:
        return self.constrained.layout

    @property
    def _m(self) -> int:
        return len(self.constrained.layout.names)
