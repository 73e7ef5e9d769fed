"""A rollout in which nothing switches: all of its steps in one go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.system_at_parameters import state_of
from touchback.errors import InputError, SolveError
from touchback.names import unknown_name
from touchback.native import Baumgarte, Listening
from touchback.native.gradients.native_rollout import FlowFunctions, FlowSizes, NativeRollout
from touchback.numbers import read_array
from touchback.simulate import FixedStep, RunSpec, Span, Where, check_stored_size
from touchback.system import Key, System
from touchback.system.variational_equations import variational_functions

Floats = np.ndarray
Series = Mapping[str, ArrayLike] | ArrayLike | None


@dataclass(frozen=True)
class RolloutInputs:
    """The state at the start, a row of inputs for each step, and values of all parameters."""

    x0: Floats
    inputs: Floats
    parameters: Floats


def read_rollout_inputs(
    system: System, steps: int, names: tuple[str, ...], x0: Where, inputs: Series, values: Series
) -> RolloutInputs:
    """`names` are the parameters that vary: an array of values has these in order."""
    numbers = _parameters(system, names, values)
    own = system.independent_copy(numbers)
    if x0 is None:
        own.enter(*own.initial_modes)
    return RolloutInputs(
        state_of(own, x0).x, _inputs(system, steps, inputs), system.parameter_values(numbers)
    )


def _parameters(system: System, names: tuple[str, ...], values: Series) -> dict[str, float]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return {name: float(read_array(f"Parameter '{name}'", x)) for name, x in values.items()}
    array = read_array("parameters", values)
    if array.shape != (len(names),):
        raise InputError(
            f"{system.name}: {len(names)} parameters vary ({', '.join(names)}); give as many "
            f"values, or a mapping by name, got an array of shape {array.shape}."
        )
    return dict(zip(names, map(float, array), strict=True))


def _inputs(system: System, steps: int, given: Series) -> Floats:
    """A row for each step."""
    names = list(system.input_names)
    rows = np.empty((steps, len(names)))
    rows[:] = system.input_defaults
    if isinstance(given, Mapping):
        for name, value in given.items():
            if name not in names:
                raise unknown_name("input", name, names)
            array = read_array(f"Input '{name}'", value)
            if array.shape not in ((), (steps,)):
                raise InputError(
                    f"Input '{name}': a number, or {steps}, one for each step, are expected, got "
                    f"an array of shape {array.shape}."
                )
            rows[:, names.index(name)] = array
    elif given is not None:
        array = read_array("inputs", given)
        if array.shape != rows.shape:
            raise InputError(
                f"{system.name}: inputs are an array of shape {rows.shape}, a row for each step, "
                f"or a mapping by name, got an array of shape {array.shape}."
            )
        rows[:] = array
    for i, name in enumerate(names):
        system.layout.check_input(name, rows[:, i])
    return rows


def read_variation(label: str, given: ArrayLike | None, shape: tuple[int, ...]) -> Floats:
    """Of one of them; nothing: it doesn't vary."""
    if given is None:
        return np.zeros(shape)
    array = read_array(label, given)
    if array.shape != shape:
        raise InputError(f"{label}: an array of shape {shape} is expected, got {array.shape}.")
    return np.array(array, order="C")


@dataclass(frozen=True)
class RolloutSpec:
    """What is asked of a rollout: a `run` by so many `steps` of a `solver`, whose derivatives by
    some `parameters` are wanted. State, inputs and values of parameters come with each call; `pull`
    holds the constraints."""

    run: RunSpec
    solver: FixedStep
    steps: int
    parameters: tuple[str, ...]
    pull: Baumgarte

    @property
    def system(self) -> System:
        """What moves."""
        return self.run.system

    @property
    def start(self) -> float:
        """When the first step begins [s]."""
        return self.run.span.start

    @property
    def step(self) -> float:
        """The length of a step [s]."""
        return self.solver.step

    @property
    def method(self) -> str:
        """The name of the solver."""
        return self.solver.word

    def over(self, start: float, step: float, steps: int) -> RolloutSpec:
        """The same from another time on [s], by so many steps of another length [s]."""
        run = replace(self.run, span=Span(start, steps * step))
        return replace(self, run=run, solver=replace(self.solver, step=step), steps=steps)

    def steps_of(self, key: Key, given: RolloutInputs) -> NativeRollout:
        """Its steps in C, where this acts."""
        system, values = self.system, given.parameters
        motion, layout = system.dynamics, system.layout
        flow = variational_functions(motion, key, self.parameters, self.pull)
        sizes = FlowSizes(
            *layout.sizes, len(motion.rows(key).names), len(layout.inputs), len(self.parameters)
        )
        plain = system.plan.plain_coordinates
        wanted = {name: flow[name].compiled for name in flow if not plain or "turn" not in name}
        own = motion.active_equations(key).functions
        turn = None if plain else own["configuration rate"].compiled
        rate = None if system.constrained else own["rate"].compiled
        made = FlowFunctions(wanted, flow.block_for(values), rate, own.block_for(values), turn)
        native = NativeRollout(made, sizes, self.method, self.start, self.step)
        native.hold(given.inputs)
        return native

    def check_stored_size(self, what: str, width: int, mend: str = "Take fewer steps.") -> None:
        """Of each step so many numbers, where memory would not hold them."""
        check_stored_size(f"{what} of {self.system.name}", self.steps + 1, width, mend)

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


class EventFreeRollout:
    """A rollout from a state with inputs and parameters."""

    def __init__(self, plan: RolloutSpec, given: RolloutInputs) -> None:
        self._plan, self._given = plan, given
        self._native = plan.steps_of(plan.system.key, given)

    def states(self) -> Floats:
        """The start, and the state after each step."""
        steps, x = self._plan.steps, self._given.x0.copy()
        self._plan.check_stored_size(
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
