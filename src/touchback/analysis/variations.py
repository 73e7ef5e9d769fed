"""Runs of a tree with their derivatives by parameters and by where they begin, in machine code:
the derivatives are those of the very steps that are taken (`system.variations`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.native import FixedStep, Problem, Status
from touchback.simulate.inputs import Inputs
from touchback.simulate.span import Span
from touchback.simulate.step_knots import find_knots
from touchback.system import System
from touchback.system.variations import variation_functions

_EQUAL = 1e-9  # of a time between samples: those that differ by less are the same
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
        times: np.ndarray,
        given: Inputs,
        parameters: Mapping[str, float],
        step: float,
    ) -> Along:
        """From x0 at the first of the times to the last, by equal RK4 steps of at most `step`
        seconds between two of them."""
        system, rate = self.system, self._functions["rate"]
        block = self._functions.block_for(system.parameter_values(parameters))
        size = len(x0) * (1 + self._directions)
        problem = Problem(rate.compiled, (0, 0, size), given.u, block, inputs=given.refresher())
        rows = np.full((len(times), size), np.nan)
        rows[0] = np.concatenate([x0, self._first.ravel()])
        for first, last, h, every in stretches(times, step):
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


def with_knots(times: np.ndarray, given: Inputs, system: System) -> np.ndarray:
    """Times with the knots between them, at which steps are to end: those of inputs, and where laws
    of time switch. One next to a time is that."""
    knots = find_knots(Span(times[0], times[-1] - times[0]), given, system.on_blocks())
    if knots is None:
        return times
    after = np.searchsorted(times, knots.at).clip(1, len(times) - 1)
    apart = np.minimum(np.abs(knots.at - times[after - 1]), np.abs(times[after] - knots.at))
    return np.union1d(times, knots.at[apart > _EQUAL * (times[after] - times[after - 1])])


def stretches(times: np.ndarray, step: float) -> Iterator[tuple[int, int, float, int]]:
    """Samples that follow each other at equal times: the first, the last, a step and how many of
    them lie between two samples."""
    apart, first = np.diff(times), 0
    while first < len(apart):
        like = np.abs(apart[first:] - apart[first]) <= _EQUAL * apart[first]
        count = len(like) if like.all() else int(np.argmin(like))
        between = (times[first + count] - times[first]) / count
        every = max(1, int(np.ceil(between / step - _SLIVER)))
        yield first, first + count, between / every, every
        first += count
