"""Runs of a mechanism with constraints and their derivatives by parameters and by where they begin:
those of the very steps that are taken, as of a rollout.

Where a run begins follows its parameters: independent coordinates and rates stay as they are given,
the others are those with which the constraints are met, and vary with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from touchback.analysis.gradients.given import Given
from touchback.analysis.gradients.rollout import rollout
from touchback.analysis.instance import Instance
from touchback.analysis.linearise import Chart
from touchback.analysis.variation import varied
from touchback.analysis.variations import Along, StepPlan
from touchback.errors import InputError, SolveError
from touchback.simulate.inputs import Inputs
from touchback.system import System
from touchback.system.equations import Point
from touchback.system.motions import At


class ClosedVariations:
    """`Variations` of a mechanism with constraints. Of the coordinates those of `starts` and then
    those of `keep` are independent, as far as they can be; `sensors` are left out unless they are
    wanted, for they take longer than the steps."""

    def __init__(
        self,
        system: System,
        parameters: Sequence[str],
        starts: Sequence[str],
        keep: Sequence[str],
        sensors: bool,
    ) -> None:
        self.system, self._starts, self._sensors = system, list(starts), sensors
        self._plan = rollout(system, 1, parameters=parameters).plan
        count = len(parameters) + len(starts)
        self._along = np.zeros((len(system.layout.parameters), count))
        for j, name in enumerate(parameters):
            self._along[system.layout.index(name), j] = 1.0
        self._varying = np.eye(count, len(parameters))
        self._kept = Instance(system).freedoms(keep, "coordinate to keep")
        self._charts: dict[bytes, tuple[list[int], list[int]]] = {}

    def follow(
        self,
        x0: np.ndarray,
        plan: StepPlan,
        given: Inputs,
        parameters: Mapping[str, float],
    ) -> Along:
        """As of a tree; through a step inputs are those of its middle."""
        instance, times = Instance(self.system, None, parameters), plan.times
        x, ways = x0.copy(), self._along.shape[1]
        states = np.full((len(times), 1 + ways, len(x)), np.nan)
        try:
            x, rows = self._begun(instance, x0, times[0], given)
        except SolveError:  # loops that don't close with these parameters
            return self._shown(instance, times, states, given)
        states[0] = np.vstack([x, rows])
        for first, last, h, every in plan.stretches():
            count = (last - first) * every
            middles = times[first] + (np.arange(count) + 0.5) * h
            inputs = np.ascontiguousarray(given.over(middles)[:, 1:])
            own = replace(self._plan, steps=count, step=h, start=float(times[first]))
            native = own.steps_of(self.system.key, Given(x, inputs, instance.p))
            for k in range(last - first):
                if native.tangents(k * every, every, x, rows, None, self._varying) < every:
                    return self._shown(instance, times, states, given)
                states[first + k + 1] = np.vstack([x, rows])
        return self._shown(instance, times, states, given)

    # ---- where it begins ------------------------------------------------------------------------

    def _begun(
        self, instance: Instance, x0: np.ndarray, t: float, given: Inputs
    ) -> tuple[np.ndarray, np.ndarray]:
        """A state that meets the constraints, and its variations, a row for each direction."""
        system, u = self.system, given.at(t, x0)[1:]
        nq, n, _ = system.sizes
        positions, rates = self._independent(x0, t, u)
        at_start = At(u=u, t=t, z=x0[nq + n :], parameters=instance.parameters)
        closing = system.motion.closing(system, at_start)
        q = closing.newton(x0[:nq], positions)
        x = closing.met(np.concatenate([q, x0[nq:]]), rates)
        at = Point(q, x[nq : nq + n], x[nq + n :], u, t)
        slopes, by_p = instance.slopes(at), instance.parameter_slopes(at)
        chart = Chart(slopes, positions)
        S = np.zeros((len(chart.variations), self._along.shape[1]))
        demanded = by_p["position", "parameter"], by_p["rate", "parameter"]
        S[: 2 * n] = chart.demanded(slopes, *demanded) @ self._along
        for j, name in enumerate(self._starts, self._varying.shape[1]):
            S[:, j] = chart.variations[:, chart.rows.index(self._place(name))]
        N = instance.increments(at)[0]
        return x.copy(), np.hstack([S[:n].T @ N.T, S[n:].T])

    def _place(self, name: str) -> int:
        """Of a state among [δ, v, z]."""
        layout, n = self.system.layout, len(self.system.layout.v)
        if name in layout.q:
            return layout.v.index(name)
        return n + self.system.state_names.index(name) - len(layout.q)

    def _independent(self, x0: np.ndarray, t: float, u: np.ndarray) -> tuple[list[int], list[int]]:
        """Which coordinates and rates stay: chosen once for each run, with the model's own
        parameters, so that all runs of a fit begin alike."""
        key = x0.copy()
        key[[self.system.state_names.index(name) for name in self._starts]] = 0.0
        known = key.tobytes()
        if known not in self._charts:
            self._charts[known] = self._chosen(x0, t, u)
        return self._charts[known]

    def _chosen(self, x0: np.ndarray, t: float, u: np.ndarray) -> tuple[list[int], list[int]]:
        nq, n, _ = self.system.sizes
        instance = Instance(self.system)
        slopes = instance.slopes(Point(x0[:nq], x0[nq : nq + n], x0[nq + n :], u, t))
        places = [self._place(name) for name in self._starts]
        chart = Chart(slopes, [*dict.fromkeys(i % n for i in places if i < 2 * n), *self._kept])
        for name, place in zip(self._starts, places, strict=True):
            if place not in chart.rows:
                free = [self.system.layout.v[i] for i in chart.positions.independent]
                raise InputError(
                    f"initial: '{name}' follows from others by the constraints; independent are "
                    f"{', '.join(free) or 'none'}."
                )
        return chart.positions.independent, chart.rates.independent

    # ---- what is seen ---------------------------------------------------------------------------

    def _shown(
        self, instance: Instance, times: np.ndarray, states: np.ndarray, given: Inputs
    ) -> Along:
        sensors = np.full((*states.shape[:2], len(self.system.output_names)), np.nan)
        if self._sensors:
            for k, u in enumerate(given.over(times)):
                if np.isfinite(states[k]).all():
                    sensors[k] = self._sensed(instance, states[k], u)
        both = np.concatenate([states, sensors], axis=2)
        return Along(both[:, 0], both[:, 1:].transpose(0, 2, 1))

    def _sensed(self, instance: Instance, rows: np.ndarray, u: np.ndarray) -> np.ndarray:
        """What the sensors show, and a row of its variation for each direction."""
        nq, n, _ = self.system.sizes
        q, v, z = np.split(rows[0], [nq, nq + n])
        at = Point(q, v, z, u[1:], u[0])
        N = instance.increments(at)[0]
        S = np.vstack([np.linalg.lstsq(N, rows[1:, :nq].T, rcond=None)[0], rows[1:, nq:].T])
        now = varied(instance, at, S, self._along, self._plan.pull.alpha)
        return np.vstack([instance.values(now.at)["output"], now.outputs().T])
