"""A rollout in which nothing switches: all of its steps in one go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from touchback.analysis.gradients.given import Floats, Given
from touchback.errors import InputError, SolveError
from touchback.native import Baumgarte
from touchback.native.gradients.rollout import FlowFunctions, FlowSizes, NativeRollout
from touchback.native.interrupt import Listening
from touchback.simulate.span import refuse_kept
from touchback.system import System
from touchback.system.flow import flow_functions
from touchback.system.motions.acting import Key


@dataclass(frozen=True)
class Plan:
    """What a rollout is of."""

    system: System
    steps: int
    step: float
    method: str
    start: float
    parameters: tuple[str, ...]  # those that vary
    pull: Baumgarte

    def steps_of(self, key: Key, given: Given) -> NativeRollout:
        """Its steps in C, where this acts."""
        system, values = self.system, given.parameters
        motion, layout = system.motion, system.layout
        flow = flow_functions(motion, key, self.parameters, self.pull)
        sizes = FlowSizes(
            *layout.sizes, len(motion.rows(key).names), len(layout.inputs), len(self.parameters)
        )
        plain = system.plan.plain_coordinates
        wanted = {name: flow[name].compiled for name in flow if not plain or "turn" not in name}
        own = motion.acting(key).functions
        turn = None if plain else own["configuration rate"].compiled
        rate = None if system.constrained else own["rate"].compiled
        made = FlowFunctions(wanted, flow.block_for(values), rate, own.block_for(values), turn)
        native = NativeRollout(made, sizes, self.method, self.start, self.step)
        native.hold(given.inputs)
        return native

    def refuse_kept(self, what: str, width: int, mend: str = "Take fewer steps.") -> None:
        """Of each step so many numbers, where memory would not hold them."""
        refuse_kept(f"{what} of {self.system.name}", self.steps + 1, width, mend)

    def failure(self, taken: int) -> SolveError:
        """Where a rollout can't go on."""
        return SolveError(
            f"{self.system.name}: after step {taken} of {self.steps}, at t = "
            f"{self.start + taken * self.step:.6g} s, the state is no number, or the equations "
            "have no one solution; take a shorter step, and check the state, inputs and "
            "parameters there."
        )

    def refusal(self, why: str) -> InputError:
        """What has no derivatives here."""
        return InputError(
            f"{self.system.name}: tb.rollout can't treat that {why}; compare two runs of "
            "tb.simulate instead."
        )


class Smooth:
    """A rollout from a state with inputs and parameters."""

    def __init__(self, plan: Plan, given: Given) -> None:
        self._plan, self._given = plan, given
        self._native = plan.steps_of(plan.system.key, given)

    def states(self) -> Floats:
        """The start, and the state after each step."""
        steps, x = self._plan.steps, self._given.x0.copy()
        self._plan.refuse_kept(
            "states", len(x), "Take fewer steps, or ask for derivatives, which keep √steps of them."
        )
        rows = np.empty((steps + 1, len(x)))
        rows[0] = x
        with Listening() as listening:
            taken = self._native.advance(0, steps, x, rows[1:])
        self._check(taken, listening)
        return rows

    def end(self) -> Floats:
        """The last state."""
        x = self._given.x0.copy()
        with Listening() as listening:
            taken = self._native.advance(0, self._plan.steps, x)
        self._check(taken, listening)
        return x

    def tangents(self, dx: Floats, du: Floats | None, dp: Floats) -> tuple[Floats, Floats]:
        """The last state, and a row of its variation for each of the start, of inputs and of
        parameters."""
        x, found = self._given.x0.copy(), dx.copy()
        with Listening() as listening:
            taken = self._native.tangents(0, self._plan.steps, x, found, du, dp)
        self._check(taken, listening)
        return x, found

    def adjoint(self, weight: Floats, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
        """Derivatives of weight · last state, and of weights of all after the start, by start,
        inputs and parameters."""
        steps, by_start = self._plan.steps, weight.copy()
        by_inputs = np.zeros((steps, len(self._plan.system.layout.inputs)))
        by_parameters = np.zeros(len(self._plan.parameters))
        with Listening() as listening:
            taken = self._native.adjoints(
                0, steps, self._given.x0, by_start, weights, by_inputs, by_parameters
            )
        if listening.asked:
            raise KeyboardInterrupt
        if taken < steps:
            self.end()  # which says where it can't go on,
            raise self._plan.failure(steps - 1 - taken)  # unless only derivatives can't
        return by_start, by_inputs, by_parameters

    def _check(self, taken: int, listening: Listening) -> None:
        if listening.asked:
            raise KeyboardInterrupt
        if taken < self._plan.steps:
            raise self._plan.failure(taken)
