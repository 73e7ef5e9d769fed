"""Fixed steps with their derivatives, and rows of them (rollout.h)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from touchback.native.c_struct import FunctionData, Record
from touchback.native.integrate.fixed_step_integrators import step_address
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of

_STAGES: int = LIB.constant("TB_MOST_STAGES")


class FlowSizes(NamedTuple):
    """Of a rate with derivatives: positions, velocities, extra states, constraint rows, inputs, and
    parameters that vary."""

    nq: int
    nv: int
    nz: int
    rows: int
    inputs: int
    parameters: int

    @property
    def states(self) -> int:
        """Of x."""
        return self.nq + self.nv + self.nz

    @property
    def variables(self) -> int:
        """What a rate depends on."""
        return self.states + 1 + self.inputs + self.parameters


@dataclass(frozen=True)
class FlowFunctions:
    """Generated code (gradient_rate.h), without that of turning where dq/dt = v, with its block;
    and the rate as integrators call it, where there is one in closed form."""

    functions: Mapping[str, FunctionData]
    block: Floats
    rate: FunctionData | None = None
    rate_block: Floats | None = None
    turn: FunctionData | None = None


@dataclass(frozen=True)
class _Solved:
    """The rate that a flow solves for."""

    context_address: int
    work_size: int = 0

    @property
    def address(self) -> int:
        return LIB.address("tb_solved_gradient_rate")


class NativeRollout:
    """Steps of one length from a start. `x`, variations and weights are rows of doubles; of what
    takes steps the result is how many were taken."""

    def __init__(
        self, made: FlowFunctions, sizes: FlowSizes, method: str, t0: float, h: float
    ) -> None:
        self.sizes = sizes
        flow = Record("tb_gradient_rate", **sizes._asdict())
        for name, function in made.functions.items():
            flow.call(name.replace(" ", "_"), function)
        equations = sizes.nv + sizes.rows
        weights = equations + sizes.nq + sizes.nz
        flow.point("p", made.block)
        flow.floats("u", 1 + sizes.inputs + equations + sizes.variables + weights)
        flow.floats("out", max(weights + equations * equations, sizes.variables))
        flow.floats("right", equations)
        problem = self._problem(made, flow)
        self._rollout = Record(
            "tb_rollout", flow=flow.address, problem=problem.address, step=step_address(method),
            t0=t0, h=h,
        )  # fmt: skip
        self._rollout.owned += [flow, problem]
        for i in range(_STAGES):
            point = self._point()
            self._rollout.struct.stages[i] = point.struct
            self._rollout.owned.append(point)
        self._rollout.floats("scratch", 4 * sizes.states)
        self._rollout.floats("stage", sizes.states)
        for name in ("variation", "gradient"):
            self._rollout.floats(name, 2 * (sizes.variables + 1))
        self.address = self._rollout.address

    def _problem(self, made: FlowFunctions, flow: Record) -> Problem:
        nq, nv, nz, *_ = sizes = self.sizes
        rate, block = made.rate, made.rate_block
        if rate is None:
            point = self._point()
            solving = Record("tb_gradient_rate_value", flow=flow.address, at=point.address)
            solving.owned.append(point)
            flow.owned.append(solving)
            rate = _Solved(solving.address)
        u = np.zeros(1 + sizes.inputs)
        return Problem(rate, (nq, nv, nz), u, made.block if block is None else block, made.turn)

    def _point(self) -> Record:
        sizes, equations = self.sizes, self.sizes.nv + self.sizes.rows
        point = Record("tb_gradient_rate_point")
        for name, count in (
            ("x", sizes.states), ("rate", sizes.states), ("K", equations**2), ("solved", equations),
        ):  # fmt: skip
            point.floats(name, count)
        point.ints("pivots", np.zeros(max(1, equations)))
        return point

    def hold(self, inputs: Floats) -> None:
        """Lets the inputs be these, a row for each step of the rollout."""
        self._rollout.point("inputs", inputs)

    def advance(self, first: int, count: int, x: Floats, rows: Floats | None = None) -> int:
        """Steps in place; the states after each go to `rows`."""
        return int(LIB.tb_rollout_advance(self.address, first, count, address_of(x), _at(rows)))

    def step(self, inputs: Floats, t: float, h: float, x: Floats) -> Floats | None:
        """The state after one step of some length; None where it is no number."""
        found = np.empty(self.sizes.states)
        done = LIB.tb_rollout_step(
            self.address, address_of(inputs), t, h, address_of(x), address_of(found)
        )
        return found if done else None

    def step_tangent(
        self, inputs: Floats, t: float, h: float, x: Floats, variation: Floats
    ) -> Floats | None:
        """Along a variation of [x, t, inputs, parameters, h]; None where a stage can't be
        solved."""
        found = np.empty(self.sizes.states)
        done = LIB.tb_rollout_step_tangent(
            self.address, address_of(inputs), t, h, address_of(x), address_of(variation),
            address_of(found),
        )  # fmt: skip
        return found if done else None

    def step_adjoint(
        self, inputs: Floats, t: float, h: float, x: Floats, weight: Floats
    ) -> Floats | None:
        """The derivative of weight · next state by [x, t, inputs, parameters, h]."""
        found = np.empty(self.sizes.variables + 1)
        done = LIB.tb_rollout_step_adjoint(
            self.address, address_of(inputs), t, h, address_of(x), address_of(weight),
            address_of(found),
        )  # fmt: skip
        return found if done else None

    def tangents(
        self, first: int, count: int, x: Floats, dx: Floats, du: Floats | None, dp: Floats
    ) -> int:
        """Along steps, x and the rows of dx in place; `du` has for each row of dx one of every step
        of the rollout."""
        return int(
            LIB.tb_rollout_tangents(
                self.address, first, count, address_of(x), len(dx), address_of(dx), _at(du),
                0 if du is None else du.shape[1], address_of(dp),
            )
        )  # fmt: skip

    def adjoints(
        self,
        first: int,
        count: int,
        x: Floats,
        weight: Floats,
        weights: Floats | None,
        by_inputs: Floats,
        by_parameters: Floats,
    ) -> int:
        """In reverse along steps from x: `weight` in place. Some √count states are kept at a time,
        and as many computed again."""
        every = max(1, int(np.ceil(np.sqrt(count))))
        kept = np.empty((-(-count // every), self.sizes.states))
        between = np.empty((every + 1, self.sizes.states))
        return int(
            LIB.tb_rollout_adjoints(
                self.address, first, count, address_of(x), address_of(weight), _at(weights),
                address_of(by_inputs), address_of(by_parameters), every, address_of(kept),
                address_of(between),
            )
        )  # fmt: skip


def _at(array: Floats | None) -> int | None:
    return None if array is None else address_of(array)
