"""Motion under constraints: M a = f + Wᵀλ, h(q, t) = 0, J v = b, J a + γ = 0."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

import numpy as np

from touchback import native
from touchback.codegen import Backend
from touchback.dynamics import configuration_rate
from touchback.errors import InputError, SolveError
from touchback.model import Model, active_constraints, switch_constraints
from touchback.names import unknown
from touchback.native import Assembly, ConstrainedFunctions, RateDerivatives, formulation_of
from touchback.system.active_equations import ActiveEquations, At, Key
from touchback.system.array_arguments import components
from touchback.system.compiled_function import Function
from touchback.system.constrained_accelerations import SolvedMotion, without_answer
from touchback.system.constraint_functions import (
    ConstraintLayout,
    Terms,
    derive_constraints,
    derive_stiffness,
    split_terms,
)
from touchback.system.degrees_of_freedom import Freedoms, freedoms_of, open_forces
from touchback.system.derivation import solved_arguments
from touchback.system.derivation_plan import Plan
from touchback.system.dynamics_kinds.base import DynamicsKind
from touchback.system.function_definitions import update_equations
from touchback.system.integration_problem import ConstrainedProblem, IntegrationProblem, ProblemSpec
from touchback.system.method_dispatch import Calls
from touchback.system.signal_layout import Values
from touchback.system.state_assembly import StateAssembler

_NEARBY = 1e-3  # a step to a neighbouring position [rad, m]


class ConstrainedDynamics(DynamicsKind):
    """What acts is a set of constraints: each set has equations of its own, derived once."""

    main, constrained = "terms", True
    own: ClassVar[tuple[str, ...]] = (
        "terms",
        "positions",
        "velocity level",
        "configuration rate",
        "outputs",
        "updates",
    )
    cannot: ClassVar = {
        "rate": "with constraints the rate depends on the formulation; 'terms' has the equations "
        "that all of them solve.",
        "rate jacobian": "with constraints the rate, and so its Jacobian, depends on the "
        "formulation; `tb.linearise` has that of the motion they allow.",
        "momentum rate": "with constraints the rate, and so that of momenta, depends on the "
        "formulation.",
        **{
            f"{name} {what}": "with constraints accelerations have no derivatives by positions "
            "that break them; `tb.linearise` has those of the motion they allow, "
            "`inverse_dynamics_derivatives` and `inverse_dynamics_by_parameters` those of the "
            "tree."
            for name in ("forward dynamics", "own dynamics")
            for what in ("derivatives", "by parameters")
        },
    }

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        super().__init__(model, plan, backend)
        self.first = active_constraints(model)

    # ---- what acts ------------------------------------------------------------------------------

    def model(self, key: Key) -> Model:
        """The model with these constraints active."""
        if key == self.first:
            return self.whole
        free = switch_constraints(self.whole, self.whole.constraint_rows(), False)
        return self.derive_once(("model", key), lambda: switch_constraints(free, key, True))

    def active(self, key: Key) -> tuple[str, ...]:
        """Names of the constraints that act."""
        return active_constraints(self.model(key))

    def key_with_constraints(self, key: Key, names: Collection[str], active: bool) -> Key:
        """The constraints that act when some are turned on or off."""
        self.refuse("switch")
        known = self.whole.constraint_rows()
        for name in names:
            if name not in known:
                raise InputError(str(unknown("constraint", name, known)))
        return active_constraints(switch_constraints(self.model(key), names, active))

    def active_equations(self, key: Key, stiffness: bool = False) -> ActiveEquations:
        """`terms`, `positions`, `velocity level`, `configuration rate`, `outputs`, `updates`, and
        `stiffness` for the implicit formulations."""
        return self.derive_once(("acting", key, stiffness), lambda: self._derive(key, stiffness))

    def _derive(self, key: Key, stiffness: bool) -> ActiveEquations:
        model = self.model(key)
        rows = model.constraint_rows()
        names = [row for name in key for row in rows[name]]
        d = self.derive(model, solved_arguments(self.layout, names))
        equations = derive_constraints(d)
        wanted = {"terms": equations.terms, "positions": equations.positions}
        wanted["velocity level"] = equations.velocity_level
        wanted["configuration rate"] = configuration_rate(d.instant)
        if stiffness:
            wanted["stiffness"] = derive_stiffness(d, equations)
        d.solved(equations.rows)
        wanted["outputs"] = d.outputs()
        wanted["updates"] = update_equations(d)
        return ActiveEquations(model, equations.layout, d.functions(wanted))

    def rows(self, key: Key) -> ConstraintLayout:
        """The rows of the active constraints."""
        return self.active_equations(key).rows

    # ---- functions on arrays --------------------------------------------------------------------

    def terms(self, calls: Calls, at: At) -> Terms:
        """Dense arrays from the output of `terms`."""
        acting = self.active_equations(calls.key)
        out = calls.call_function(acting.functions["terms"], at)
        return split_terms(out, acting.rows, len(self.layout.v))

    def callable(self, key: Key, name: str) -> Function | SolvedMotion:
        """Also "motion", "motion by tau" and "motion pulled", which the C code of runs solves."""
        if not name.startswith("motion"):
            return super().callable(key, name)
        bias = self.function(key, "bias") if name == "motion by tau" else None
        functions, own = self.constrained_functions(key), self.active_equations(key).functions
        rate = None if self.plan.plain_coordinates else own["configuration rate"]
        pulled = name == "motion pulled"
        return SolvedMotion(functions, own["terms"], rate, bias, len(self.layout.inputs), pulled)

    def _moving(
        self, calls: Calls, at: At, name: str = "motion", further: np.ndarray | None = None
    ) -> np.ndarray:
        """[dq/dt, a, dz/dt, λ]."""
        motion = calls.call_by_name(name, at, further)
        refused = motion[..., -1]
        if refused.any():
            names = self.rows(calls.key).names
            raise without_answer(names, refused)
        return motion[..., :-1]

    def solve(
        self,
        calls: Calls,
        at: At,
        tau: Values = None,
        pull: np.ndarray | None = None,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations that keep the constraints, and what keeps them."""
        if pull is not None:
            motion = self._moving(calls, at, "motion pulled", pull)
        elif tau is not None:
            motion = self._moving(calls, at, "motion by tau", calls.velocity_values("tau", tau))
        else:
            motion = self._moving(calls, at)
        nq, n, nz = self.layout.sizes
        return motion[..., nq : nq + n], motion[..., nq + n + nz :]

    def solved(self, calls: Calls, at: At) -> np.ndarray:
        """Accelerations and multipliers."""
        return np.concatenate(self.solve(calls, at), axis=-1)

    def state_rate(self, calls: Calls, at: At) -> np.ndarray:
        """dx/dt."""
        return self._moving(calls, at)[..., : sum(self.layout.sizes)]

    def positions(self, calls: Calls, at: At) -> tuple[np.ndarray, np.ndarray]:
        """h and J."""
        acting, n = self.active_equations(calls.key), len(self.layout.v)
        rows, m = acting.rows, len(acting.rows.names)
        out = calls.call_function(acting.functions["positions"], at._replace(v=None))
        return out[..., :m], rows.J.dense(out[..., m:], (m, n))

    def open_solutions(self, calls: Calls, at: At) -> tuple[np.ndarray, Sequence[str]]:
        """By rows that are redundant."""
        J = self.positions(calls, at)[1]
        if J.ndim > 2:
            J = J.reshape(-1, *J.shape[-2:])[0] if J.size else np.zeros(J.shape[-2:])
        shares = open_forces(J).T
        still = np.zeros((len(shares), len(self.layout.v)))
        return np.hstack([still, shares]), self.rows(calls.key).names

    def freedoms(self, calls: Calls, q: np.ndarray, at: At) -> Freedoms:
        """With singular positions told from redundant rows by looking nearby."""
        assembler = self.assembler(calls, at)

        def nearby(velocity: np.ndarray) -> np.ndarray | None:
            try:
                there = assembler.solve_positions_from(assembler.moved(q, _NEARBY * velocity), [])
            except SolveError:
                return None  # nothing moves from here
            return assembler.positions(there)[1]

        return freedoms_of(
            assembler.positions(q)[1],
            self.active_equations(calls.key).rows.names,
            self.layout.v,
            nearby,
        )

    # ---- states ---------------------------------------------------------------------------------

    def assembly(self, key: Key) -> Assembly:
        """What finds states that these constraints allow."""
        return self.derive_once(
            ("assembly", key), lambda: Assembly(self.constrained_functions(key))
        )

    def assembler(self, calls: Calls, at: At) -> StateAssembler:
        """What finds states of a system, at a time with inputs."""
        return self._assembler(calls, at)

    def _assembler(
        self, calls: Calls, at: At, tracks: Sequence[bool] = (), idle: Sequence[int] = ()
    ) -> StateAssembler:
        def positions(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return self.positions(calls, at._replace(q=q))

        own = self.active_equations(calls.key)
        return StateAssembler(
            self.assembly(calls.key), own, calls, at, self.start.z, positions, tracks, idle
        )

    def solve_positions(self, calls: Calls, q: np.ndarray, kept: list[int], at: At) -> np.ndarray:
        """Positions that meet the constraints."""
        return self.assembler(calls, at).solve_positions(q, kept)

    def solve_velocities(self, calls: Calls, v: np.ndarray, kept: list[int], at: At) -> np.ndarray:
        """Velocities that meet the constraints."""
        nq, n, _ = self.layout.sizes
        x = np.concatenate([at.q, v, at.z])
        return self.assembler(calls, at).solve_velocities(x, kept)[nq : nq + n]

    def consistent(self, calls: Calls, x: np.ndarray, at: At) -> tuple[np.ndarray, float]:
        """Positions change least, velocities by the constraints' impulses, v⁺ = v + M⁻¹ Jᵀ Λ,
        J v⁺ = b."""
        nq, n, _ = self.layout.sizes
        q, v, z = np.split(np.array(x, dtype=float), [nq, nq + n])
        assembler = self.assembler(calls, at._replace(z=z))
        x_new = assembler.apply_impulses(
            np.concatenate([assembler.solve_positions_from(q, []), v, z])
        )
        lost = self._energy_at(calls, At(q, v, t=at.t, z=z))
        lost -= self._energy_at(calls, At(x_new[:nq], x_new[nq : nq + n], t=at.t, z=z))
        return x_new, float(lost)

    def _energy_at(self, calls: Calls, at: At) -> float:
        kinetic, potential = components(calls.call_by_name("energy", at))
        return kinetic + potential

    # ---- what a run needs -----------------------------------------------------------------------

    def problem(self, key: Key, asked: ProblemSpec) -> IntegrationProblem:
        """With the constraints enforced as asked."""
        formulation = formulation_of(asked.constraints)
        acting = self.active_equations(key, formulation.step)
        solving = native.Constrained(self.for_c(acting), formulation)
        problem = solving.problem(asked.u, acting.functions.block_for(asked.values), asked.refresh)
        outputs = acting.functions["outputs"].compiled if self.layout.outputs else None
        updates = acting.functions["updates"].compiled if self.layout.memories else None
        return ConstrainedProblem(problem, outputs, updates, solving)

    def rate_jacobian(self, key: Key) -> tuple[Function, RateDerivatives]:
        """What ∂ẋ/∂x is made of, whatever the formulation."""
        function, pattern = self.equations(key).rate_jacobian
        return function, RateDerivatives(function.compiled, pattern.rows, pattern.columns)

    def constrained_functions(self, key: Key, stiffness: bool = False) -> ConstrainedFunctions:
        """Those of the active constraints."""
        return self.for_c(self.active_equations(key, stiffness))

    def for_c(self, acting: ActiveEquations) -> ConstrainedFunctions:
        """Functions and patterns of a set of constraints."""
        rows, functions = acting.rows, acting.functions
        moving = any(functions["velocity level"].second.outputs)
        plain = self.plan.plain_coordinates
        stiff = functions.get("stiffness")
        return ConstrainedFunctions(
            (len(self.layout.q), len(self.layout.v), len(self.layout.z)),
            rows.names,
            functions["terms"].compiled,
            functions["positions"].compiled,
            functions["velocity level"].compiled if moving else None,
            None if plain else functions["configuration rate"].compiled,
            rows.J.rows,
            rows.J.columns,
            rows.M.rows,
            rows.M.columns,
            rows.holonomic,
            None if rows.W is None else rows.W.rows,
            None if rows.W is None else rows.W.columns,
            stiff.compiled if stiff else None,
            rows.twins(),
            rows.driven,
        )

    def text(self, key: Key, freedoms: Callable[[], Freedoms]) -> str:
        """Bodies, sizes, and what the constraints leave."""
        model, layout, (nq, nv, nz) = self.model(key), self.layout, self.layout.sizes
        lines = [
            f"{self.name}: {len(model.bodies)} bodies, {len(model.joints)} joints",
            f"  positions {nq}, velocities {nv}, constraint rows {len(self.rows(key).names)}, "
            f"extra states {nz}, inputs {len(layout.inputs)}, sensors {len(layout.outputs)}, "
            f"live parameters {len(layout.parameters)}",
            f"  coordinates: {', '.join(layout.q[:12])}{'…' if nq > 12 else ''}",
            f"  constrained terms: {self.function(key, self.main).counts}",
        ]
        try:
            found = str(freedoms())
        except SolveError as error:
            found = str(error)
        return "\n".join([*lines, *(f"  {line}" for line in found.splitlines())])
