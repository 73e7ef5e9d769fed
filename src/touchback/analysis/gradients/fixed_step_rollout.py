"""Rollouts: so many fixed steps as one function of start, inputs and parameters, differentiated.

Tangents go along with the motion, one for each direction; adjoints go back from a cost, one for all
start values, inputs and parameters together, with √steps states kept and the others computed again
(Griewank and Walther 2008, chapter 12). Both are exact derivatives of the steps themselves, as they
were taken, and not of what they approximate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.gradients.mode_rollout import Switching
from touchback.analysis.gradients.smooth_rollout import (
    Floats,
    RolloutInputs,
    RolloutSpec,
    Series,
    Smooth,
    read_rollout_inputs,
    read_variation,
)
from touchback.errors import InputError
from touchback.names import names_once, unknown
from touchback.native import Baumgarte, Formulation, formulation_of
from touchback.numbers import number_within, positive_number, read_array, shown, whole_within
from touchback.recording import unknown_name
from touchback.simulate.features import refuse
from touchback.simulate.protocol import Where
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers import RK4, Euler
from touchback.simulate.span import check_stored_size
from touchback.symbolic.differentiate import gradient
from touchback.symbolic.expression import Expr
from touchback.system import System
from touchback.system.compiled_function import Function


def cost_function(system: System, cost: Expr | str, parameters: tuple[str, ...]) -> Function:
    """[value, derivatives by x, by the inputs and by some parameters] of x and [t, inputs…]."""
    d = system.derive()
    states = dict(zip(system.layout.state_names, [*d.q, *d.v, *d.z], strict=True))
    if isinstance(cost, Expr):
        if cost.tape is not system.model.tape:
            raise InputError(f"The cost {cost} belongs to another model than {system.name}.")
        value = d.instant.value(cost)
    elif not isinstance(cost, str):
        raise InputError(
            "cost: an expression of the model, such as -tb.cos(model.coordinate('turn')), or the "
            f"name of a state is expected, got {shown(cost)}."
        )
    elif cost in states:
        value = states[cost]
    else:
        raise InputError(str(unknown("state", cost, states)))
    known = dict(zip(system.layout.parameters, d.parameters, strict=True))
    variables = [*states.values(), *d.u, *(known[name] for name in parameters)]
    return d.functions({"cost": [value, *gradient(d.tape, value, variables)]})["cost"]


METHODS = {"rk4": RK4, "euler": Euler}
_MOST = 1 << 40


class Gradient(NamedTuple):
    """Derivatives by the state at the start, by the inputs of each step, (…, steps, inputs), and by
    the parameters that vary."""

    x0: Floats
    inputs: Floats
    parameters: Floats


class Rollout:
    """So many steps of a system: what `tb.rollout` gives. Inputs are held through a step. States
    are x = [q, v, z] as they stand, quaternions with their four numbers."""

    def __init__(self, plan: RolloutSpec) -> None:
        self.plan = plan
        self._costs: dict[Expr | str, Function] = {}
        self.system, self.steps, self.step = plan.system, plan.steps, plan.step
        self.parameters = plan.parameters

    def __repr__(self) -> str:
        return f"<{self.steps} steps of {self.step:g} s of {self.system.name}>"

    @property
    def times(self) -> Floats:
        """When each step begins, and the last one ends."""
        self.plan.check_stored_size("times", 1)
        return self.plan.start + np.arange(self.steps + 1) * self.step

    def states(self, x0: Where = None, inputs: Series = None, parameters: Series = None) -> Floats:
        """The start and the state after each step, (steps + 1, states).

        `inputs` maps names to a number or to one for each step, or is an array (steps, inputs);
        `parameters` maps names to numbers, or is an array of those that vary."""
        return self._path(x0, inputs, parameters).states()

    def tangent(
        self,
        x0: Where = None,
        inputs: Series = None,
        parameters: Series = None,
        *,
        along: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None],
    ) -> tuple[Floats, Floats]:
        """The last state and its derivative along a variation of start, inputs and parameters, any
        of them None."""
        path, shapes = self._path(x0, inputs, parameters), self._shapes
        words = ("variation of x0", "variation of inputs", "variation of parameters")
        if not isinstance(along, tuple) or len(along) != len(words):
            raise InputError(
                "along: variations of x0, inputs and parameters are expected, any of them None, as "
                f"(dx, du, dp), got {shown(along)}."
            )
        dx, du, dp = map(read_variation, words, along, shapes)
        end, found = path.tangents(dx[None], du[None], dp[None])
        return end, found[0]

    def adjoint(
        self,
        weights: ArrayLike,
        x0: Where = None,
        inputs: Series = None,
        parameters: Series = None,
    ) -> Gradient:
        """Derivatives of Σ weights · states: weights of the last state, or a row for each of
        `states`."""
        given = read_array("weights", weights)
        n = len(self.system.state_names)
        shape = (n,) if given.ndim == 1 else (self.steps + 1, n)
        rows = read_variation("weights", given, shape)
        path = self._path(x0, inputs, parameters)
        if rows.ndim == 1:
            return Gradient(*path.adjoint(rows, None))
        found = Gradient(*path.adjoint(np.zeros(n), rows[1:].copy()))
        return found._replace(x0=found.x0 + rows[0])

    def jacobian(
        self, x0: Where = None, inputs: Series = None, parameters: Series = None
    ) -> Gradient:
        """Derivatives of the last state, a row for each of its numbers: forward by start and
        parameters, in reverse where there are inputs, one pass for each state."""
        path, (nx, us, npar) = self._path(x0, inputs, parameters), self._shapes
        n = nx[0]
        if us[1]:
            rows = [path.adjoint(weight, None) for weight in np.eye(n)]
            return Gradient(*(np.array(part) for part in zip(*rows, strict=True)))
        count = n + npar[0]
        directions = np.eye(count)
        dx, dp = directions[:, :n].copy(), directions[:, n:].copy()
        columns = path.tangents(dx, None, dp)[1].T
        return Gradient(columns[:, :n], np.zeros((n, *us)), columns[:, n:])

    def value_and_gradient(
        self,
        cost: Expr | str,
        x0: Where = None,
        inputs: Series = None,
        parameters: Series = None,
    ) -> tuple[float, Gradient]:
        """A cost at the end, an expression of the model or a state by name, and its derivatives. A
        cost along the way is an extra state: m.state("cost", 0.0, rate=…)."""
        given = self._given(x0, inputs, parameters)
        path = self._from(given)
        function = self._costs.get(cost)
        if function is None:
            function = self._costs[cost] = cost_function(self.system, cost, self.parameters)
        u = np.append(self.plan.start + self.steps * self.step, given.inputs[-1])
        n, block = len(given.x0), function.block_for(given.parameters)
        value, *derivatives = function.at(path.end(), u, block)
        found = Gradient(*path.adjoint(np.array(derivatives[:n]), None))
        by_inputs, last = found.inputs.copy(), n + given.inputs.shape[1]
        by_inputs[-1] += derivatives[n:last]  # those of the last step are there at its end
        by_parameters = found.parameters + derivatives[last:]
        return float(value), Gradient(found.x0, by_inputs, by_parameters)

    @property
    def _shapes(self) -> tuple[tuple[int], tuple[int, int], tuple[int]]:
        nu = len(self.system.layout.inputs)
        return (len(self.system.state_names),), (self.steps, nu), (len(self.parameters),)

    def _given(self, x0: Where, inputs: Series, parameters: Series) -> RolloutInputs:
        return read_rollout_inputs(self.system, self.steps, self.parameters, x0, inputs, parameters)

    def _path(self, x0: Where, inputs: Series, parameters: Series) -> Smooth | Switching:
        return self._from(self._given(x0, inputs, parameters))

    def _from(self, given: RolloutInputs) -> Smooth | Switching:
        kind = Switching if self.system.modes else Smooth
        return kind(self.plan, given)


def rollout(
    system: System,
    steps: int,
    *,
    step: float = 1e-3,
    method: str = "rk4",
    parameters: Sequence[str] | None = None,
    constraints: str | Formulation | None = None,
    start: float = 0.0,
) -> Rollout:
    """So many steps of `step` seconds by "rk4" or "euler" (semi-implicit) from time `start`, as a
    function whose derivatives are wanted: see `Rollout`. `parameters` names those that vary (all).

    Constraints are held by Baumgarte's stabilisation, "baumgarte" (usual) or `tb.Baumgarte(…)`: its
    steps are functions of the state alone. A start that meets the constraints is to be given, and
    of variations those that keep to them have a meaning. Through modes, steps are parted where a
    transition happens, whose instant varies with everything; those of forces are refused."""
    refuse("tb.rollout", system)
    if method not in METHODS:
        raise InputError(f"tb.rollout: method is one of {', '.join(METHODS)}, got {method!r}.")
    count = whole_within("tb.rollout: steps is a whole number above 0", steps, 1, _MOST)
    known = system.layout.parameters
    names = tuple(known if parameters is None else names_once("parameters", parameters))
    for name in names:
        if name not in known:
            raise unknown_name("parameter", name, known)
    check_stored_size(
        "tb.rollout: inputs of each step", count, len(system.layout.inputs), "Take fewer steps."
    )
    begin = number_within("tb.rollout: start must be a number", start, -1e300, 1e300)
    solver, pull = METHODS[method](step=positive_number("step", step)), _pull(system, constraints)
    run = RunSpec.read(
        system.apart(), count * solver.step, start=begin,
        constraints=pull if system.constrained else None,
    )  # fmt: skip
    return Rollout(RolloutSpec(run, solver, count, names, pull))


def _pull(system: System, constraints: str | Formulation | None) -> Baumgarte:
    if not system.constrained and constraints is None:
        return Baumgarte()
    if not system.constrained:
        raise InputError(
            f"{system.name}: constraints={constraints!r} was asked for, but the model has no "
            "constraints; leave it away."
        )
    asked = formulation_of("baumgarte" if constraints is None else constraints)
    if not isinstance(asked, Baumgarte):
        raise InputError(
            f"{system.name}: steps with constraints='{asked.word}' aren't functions of the state "
            "alone, and have no such derivatives; use 'baumgarte'."
        )
    if redundant := system.freedoms().redundant:
        raise InputError(
            f"{system.name}: the constraint rows {', '.join(redundant)} add nothing to the others, "
            "so that their multipliers, and derivatives, have no one value; leave them out."
        )
    return asked
