"""Runs of a tree with their derivatives by parameters and by where they begin, in machine code:
the derivatives are those of the very steps that are taken (`system.variations`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from touchback.native import FixedStep, Problem, Status
from touchback.simulate.inputs import Inputs
from touchback.simulate.span import Span
from touchback.simulate.step_knots import step_limits
from touchback.system import System
from touchback.system.variations import variation_functions

_EQUAL = 1e-9  # of a time between samples: those that differ by less are the same
_ROUNDING = 8.0 * np.finfo(float).eps  # of times
_FINER = 0.125  # of the longest step with error control, which would be refined
_SLIVER = 1e-9  # of a step


@dataclass(frozen=True)
class Along:
    """States, then sensors, at each of the times, (times, signals), and their derivatives by
    parameters, then by starts: (times, signals, directions). NaN from where a run failed on."""

    values: np.ndarray
    slopes: np.ndarray


class Variations:
    """What runs with derivatives need, derived once: by `parameters`, and by the initial values of
    the states `starts`."""

    def __init__(self, system: System, parameters: Sequence[str], starts: Sequence[str]) -> None:
        self.system = system
        self._functions = variation_functions(system.motion, parameters, len(starts))
        self._directions = len(parameters) + len(starts)
        self._first = np.zeros((self._directions, len(system.state_names)))
        for j, name in enumerate(starts):
            self._first[len(parameters) + j, system.state_names.index(name)] = 1.0

    def follow(
        self,
        x0: np.ndarray,
        plan: StepPlan,
        given: Inputs,
        parameters: Mapping[str, float],
    ) -> Along:
        """From x0 at the first of the times of a plan to the last, by RK4."""
        system, rate, times = self.system, self._functions["rate"], plan.times
        block = self._functions.block_for(system.parameter_values(parameters))
        size = len(x0) * (1 + self._directions)
        problem = Problem(rate.compiled, (0, 0, size), given.u, block, inputs=given.refresher())
        rows = np.full((len(times), size), np.nan)
        rows[0] = np.concatenate([x0, self._first.ravel()])
        for first, last, h, every in plan.stretches():
            run = FixedStep(problem, "rk4", rows[first], times[first], h)
            status, reached = run.advance((last - first) * every, every)
            rows[first + 1 : first + 1 + len(reached)] = reached
            if status == Status.NOT_FINITE:
                break
        return self._shown(times, rows, given, block)

    def _shown(
        self, times: np.ndarray, rows: np.ndarray, given: Inputs, block: np.ndarray
    ) -> Along:
        function, n = self._functions["outputs"], len(self.system.state_names)
        shown = np.empty((len(times), function.out_size))
        if function.out_size:
            u = given.over(times)
            parts = [(rows, 0), (u, rows.shape[1])]
            function.rows((rows.shape[1], u.shape[1]), parts, block, shown)
        ways = 1 + self._directions
        states, sensors = rows.reshape(len(times), ways, n), shown.reshape(len(times), ways, -1)
        both = np.concatenate([states, sensors], axis=2)
        return Along(both[:, 0], both[:, 1:].transpose(0, 2, 1))


class Stretch(NamedTuple):
    """Instants that follow each other at equal times, from the `first` to the `last`, with so many
    equal steps of `h` seconds between two of them."""

    first: int
    last: int
    h: float
    every: int


@dataclass(frozen=True)
class StepPlan:
    """Instants of a run between which steps are equal: those that were asked for, at the places
    `asked`, and knots between them. Steps are at most `step` seconds long, and those that end at
    `jumps` of inputs or laws don't read what comes after."""

    times: np.ndarray
    asked: np.ndarray
    step: float
    jumps: np.ndarray

    def stretches(self) -> Iterator[Stretch]:
        """Its parts, one after the other."""
        times, first = self.times, 0
        apart, jumps = np.diff(times), np.searchsorted(times, self.jumps)
        while first < len(apart):
            until = min(jumps[jumps > first], default=len(apart))
            like = np.abs(apart[first:until] - apart[first]) <= _EQUAL * apart[first]
            last = first + (len(like) if like.all() else int(np.argmin(like)))
            before = _ROUNDING * np.abs(times[[first, last]]).max() if last in jumps else 0.0
            between = (times[last] - before - times[first]) / (last - first)
            every = max(1, int(np.ceil(between / self.step - _SLIVER)))
            yield Stretch(first, last, between / every, every)
            first = last


def plan_steps(
    times: np.ndarray,
    given: Inputs,
    system: System,
    parameters: Mapping[str, float],
    step: float,
) -> StepPlan:
    """Steps of at most `step` seconds along rising times, within the limits that inputs and laws of
    time set (`step_limits`). A knot next to a time takes its place."""
    span = Span(times[0], times[-1] - times[0])
    knots, longest, jumps = step_limits(span, given, system.on_blocks(parameters))
    step = min(step, _FINER * longest)
    if knots is None:
        return StepPlan(times, np.arange(len(times)), step, jumps)
    after = np.searchsorted(times, knots.at).clip(1, len(times) - 1)
    near = np.where(knots.at - times[after - 1] < times[after] - knots.at, after - 1, after)
    same = np.abs(knots.at - times[near]) <= _EQUAL * (times[after] - times[after - 1])
    measured = times.copy()
    measured[near[same]] = knots.at[same]
    every = np.union1d(measured, knots.at)
    return StepPlan(every, np.searchsorted(every, measured), step, jumps)
