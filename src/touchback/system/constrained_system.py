"""A compiled model with constraints: assembly, accelerations and multipliers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from touchback.dynamics.constraints import apply_multipliers, constraint_rows
from touchback.dynamics.forward import configuration_rate
from touchback.native.constrained import ConstrainedFunctions
from touchback.symbolic.stages import split_many
from touchback.system.assembly import (
    Freedoms,
    assemble_positions,
    assemble_velocities,
    freedoms_of,
)
from touchback.system.constrained import (
    ConstraintLayout,
    Terms,
    derive_constraints,
    derive_stiffness,
    solve_accelerations,
    split_terms,
)
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.layout import fill
from touchback.system.state import State
from touchback.system.system import System


@dataclass(frozen=True)
class ConstrainedSet:
    """What a solver of constrained motion needs, on one parameter block."""

    layout: ConstraintLayout
    functions: dict[str, Function]


class ConstrainedSystem(System):
    """A system whose coordinates are tied: M a = f + Wᵀλ, h(q, t) = 0, J v = b, J a + γ = 0."""

    @cached_property
    def constrained(self) -> ConstrainedSet:
        """`terms`, `positions`, `configuration rate` and `outputs`."""
        return self._derive_constrained(with_stiffness=False)

    @cached_property
    def constrained_with_stiffness(self) -> ConstrainedSet:
        """The same with `stiffness`, for the implicit formulations."""
        return self._derive_constrained(with_stiffness=True)

    def _derive_constrained(self, with_stiffness: bool) -> ConstrainedSet:
        probe = Derivation(self.model, self.layout, (), self.plan.frame_pass, self._merge_fixed)
        rows = [row.name for row in constraint_rows(probe.instant)]
        extra = (*(f"a:{name}" for name in self.layout.v), *(f"lambda:{name}" for name in rows))
        d = Derivation(self.model, self.layout, extra, self.plan.frame_pass, self._merge_fixed)
        equations = derive_constraints(d)
        wanted = {"terms": equations.terms, "positions": equations.positions}
        wanted["velocity level"] = equations.velocity_level
        wanted["configuration rate"] = configuration_rate(d.instant)
        if with_stiffness:
            wanted["stiffness"] = derive_stiffness(d, equations.f)
        n = len(self.layout.v)
        d.instant.a = d.extra[:n]
        apply_multipliers(d.instant, constraint_rows(d.instant), d.extra[n:])
        wanted["outputs"] = [x for name in self.model.sensors for x in d.instant.measure(name)]
        first, seconds = split_many(d.tape, wanted, d.parameters, d.places())
        functions = {
            name: Function(name, first, second, (len(wanted[name]),), self._backend)
            for name, second in seconds.items()
        }
        return ConstrainedSet(equations.layout, functions)

    def constrained_functions(self, stiffness: bool = False) -> ConstrainedFunctions:
        """What a formulation of constrained motion needs (native/constrained.py)."""
        known = self.constrained_with_stiffness if stiffness else self.constrained
        layout, functions = known.layout, known.functions
        moving = any(functions["velocity level"].second.outputs)
        servo = layout.W
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
            None if servo is None else servo.rows,
            None if servo is None else servo.columns,
            functions["stiffness"].compiled if stiffness else None,
        )

    def constrained_block(
        self, overrides: Mapping[str, float] | None = None, stiffness: bool = False
    ) -> np.ndarray:
        """The parameter block that those functions share."""
        known = self.constrained_with_stiffness if stiffness else self.constrained
        return known.functions["terms"].block_for(self._with(overrides or {}))

    @property
    def _run(self) -> dict[str, Function]:
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

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any = None, u: Any = None, t: float = 0.0, z: Any = None
    ) -> np.ndarray:
        """Accelerations that keep the constraints. Without `tau` the model's own joint efforts act;
        with it `tau` replaces them."""
        return self._solve(q, v, tau, u, t, z)[0]

    def multipliers(
        self, q: Any, v: Any, tau: Any = None, u: Any = None, t: float = 0.0, z: Any = None
    ) -> dict[str, float]:
        """The force, torque or effort that keeps each constraint row."""
        solved = self._solve(q, v, tau, u, t, z)[1]
        return dict(zip(self.constraint_names, map(float, solved), strict=True))

    def _solve(
        self, q: Any, v: Any, tau: Any, u: Any, t: float, z: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        terms = self.terms(q, v, u, t, z)
        if tau is not None:
            terms.f = self._velocity("tau", tau) - self.bias(q, v, u, t)
        return solve_accelerations(terms)

    def state_rate(
        self, q: Any, v: Any, u: Any = None, t: float = 0.0, z: Any = None
    ) -> np.ndarray:
        """dx/dt of x = [q, v, z]."""
        functions = self.constrained.functions
        a = self.forward_dynamics(q, v, u=u, t=t, z=z)
        rates = self._evaluate(functions["configuration rate"], q, v, u, t, z=z)
        out = self._evaluate(functions["terms"], q, v, u, t, z=z)
        return np.concatenate([rates, a, out[out.size - self.sizes[2] :]])

    def sensors(
        self, q: Any = None, v: Any = None, u: Any = None, t: float = 0.0, z: Any = None
    ) -> dict[str, float]:
        """What every sensor shows."""
        a, multipliers = self._solve(q, v, None, u, t, z)
        extra = np.concatenate([a, multipliers])
        shown = self._evaluate(self.constrained.functions["outputs"], q, v, u, t, extra, z)
        return dict(zip(self.layout.outputs, map(float, shown), strict=True))

    def constraint_error(self, q: Any, t: float = 0.0, u: Any = None) -> np.ndarray:
        """h of every row (zero for rows on velocities only)."""
        return self._evaluate(self.constrained.functions["positions"], q, None, u, t)[: self._m]

    def freedoms(self, q: Any = None, t: float = 0.0) -> Freedoms:
        """Degrees of freedom, independent coordinates and redundant constraints at a position."""
        return freedoms_of(self._positions(q, t)[1], self.constrained.layout, self.layout.v)

    # ---- assembly -------------------------------------------------------------------------------

    def assemble(
        self,
        rates: Mapping[str, float] | None = None,
        states: Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None,
        t: float = 0.0,
        **positions: float,
    ) -> State:
        """A consistent state. `positions` (keywords) and `rates` are kept; the others start from
        the model's initial ones, or from `guess`, which chooses the branch, and change least."""
        start = self.initial_state()
        layout = self.layout
        q = fill("coordinate", dict(guess or {}), layout.q, start.q)
        q = fill("coordinate", dict(positions), layout.q, q).copy()
        v = fill("velocity", dict(rates or {}), layout.v, start.v).copy()
        z = fill("state", dict(states or {}), layout.z, start.z).copy()
        kept = [layout.v.index(name) for name in positions if name in layout.v]
        rows = self.constrained.layout
        q = assemble_positions(
            q, kept, len(v), rows, lambda at: self._positions(at, t), self._moved
        )
        terms = self.terms(q, v, t=t, z=z)
        given = [layout.v.index(name) for name in rates or {}]
        return State(q, assemble_velocities(v, given, terms.J, terms.b, rows), z)

    def _positions(self, q: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
        out = self._evaluate(self.constrained.functions["positions"], q, None, None, t)
        J = self.constrained.layout.J.dense(out[self._m :], (self._m, len(self.layout.v)))
        return out[: self._m], J

    def _moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Positions moved by an increment in velocity coordinates."""
        function = self.constrained.functions["configuration rate"]
        return q + self._evaluate(function, q, step, None, 0.0)

    @property
    def _m(self) -> int:
        return len(self.constrained.layout.names)
