"""Runs with their derivatives by parameters and by where they begin: of trees, in machine code, the
derivatives of the very steps that are taken (`system.variations`), and of mechanisms with
constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from touchback.analysis.gradients.event_free_rollout import RolloutInputs
from touchback.analysis.gradients.fixed_step_rollout import make_rollout
from touchback.analysis.linearise import Chart
from touchback.analysis.system_at_parameters import Instance
from touchback.errors import InputError, SolveError
from touchback.native import FixedStep, Problem, Status
from touchback.simulate import METHODS, Inputs, RunSpec, Span, find_rate_jumps, step_limits
from touchback.system import At, Blocks, Point, System
from touchback.system.variational_equations import extended_state_functions


@dataclass(frozen=True)
class Variation:
    """A point in motion with the variations S of [δ, v, z], a column for each direction, and of
    [a, λ], the `answers`; parameters vary `along` these columns."""

    at: Point
    S: np.ndarray
    answers: np.ndarray
    derivatives: Blocks
    by_parameters: Blocks
    along: np.ndarray

    def of(self, row: str) -> np.ndarray:
        """Variation of a block of the equations at fixed a and λ."""
        by_state = [self.derivatives[row, column] for column in ("position", "velocity", "state")]
        return np.hstack(by_state) @ self.S + self.by_parameters[row, "parameter"] @ self.along

    def outputs(self) -> np.ndarray:
        """Variation of what the sensors show."""
        derivatives = self.derivatives
        through = np.hstack(
            [derivatives["output", "acceleration"], derivatives["output", "multiplier"]]
        )
        return self.of("output") + through @ self.answers


def variation_rate(
    instance: Instance, at: Point, S: np.ndarray, along: np.ndarray, alpha: float
) -> Variation:
    """The variation of a state that moves as the equations demand, held on the constraints by
    2 α (J v − b) + α² h."""
    values = instance.values(at)
    at = instance.with_accelerations(
        at, 2.0 * alpha * values["rate"] + alpha**2 * values["position"]
    )
    derivatives, by_p = instance.derivatives(at), instance.parameter_derivatives(at)
    still = Variation(at, S, np.zeros(0), derivatives, by_p, along)
    pulls = 2.0 * alpha * still.of("rate") + alpha**2 * still.of("position")
    rest = np.vstack([still.of("effort"), still.of("acceleration") + pulls])
    return replace(still, answers=-instance.solve(derivatives, rest))


_SHIFTED = 1e-5  # of a parameter, by which it is varied to see instants move
_AHEAD = 1e-6  # s after an instant, to see what depends on time


def instant_derivatives(
    span: Span,
    given: Inputs,
    system: System,
    parameters: Mapping[str, float],
    names: Sequence[str],
    instants: np.ndarray,
) -> np.ndarray:
    """dt/dp of instants at which laws of time and drives of a run switch, a row for each: by
    differences of order 4 of the instants, which are located to the last bit."""
    found = np.zeros((len(instants), len(names)))
    known = frozenset({0, *given.samples}), given.known_places
    switches = [
        function.switches(*known)
        for functions, _ in system.on_blocks(parameters)
        for function in functions.values()
    ]
    if not len(instants) or not any(each and each.reads_parameters for each in switches):
        return found
    p = system.parameter_values(parameters)
    for j, name in enumerate(names):
        place = system.layout.index(name)
        step = _SHIFTED * (abs(p[place]) or span.duration)
        for part, weight in ((-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)):
            moved = p.copy()
            moved[place] += part * step
            jumps = step_limits(span, given, system.dynamics.on_blocks(system.key, moved)).jumps
            way = _followed(system, name, instants, jumps[jumps < span.end])
            found[:, j] += weight / (12.0 * step) * way
    return found


def _followed(system: System, name: str, instants: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """How far instants have moved; refused where they can't be told from each other."""
    near = np.searchsorted(0.5 * (moved[1:] + moved[:-1]), instants)
    if len(moved) != len(instants) or len(np.unique(near)) < len(instants):
        apart = np.abs(moved[:, None] - instants[None, :])
        farthest = apart[apart.min(axis=1).argmax()].argmin() if len(moved) else -1
        lost = instants[farthest]
        raise SolveError(
            f"{system.name}: how the switch at t = {lost:.6g} s moves with '{name}' can't be told: "
            "it meets another one, or the end of the run; change one of them a little."
        )
    return moved[near] - instants


def cross_switch(
    instance: Instance,
    before: Point,
    after: Point,
    S: np.ndarray,
    along: np.ndarray,
    shift: np.ndarray,
    impulse: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and variations of [δ, v, z] after an instant that moves by `shift` = dt/dp, from
    those `before` it; `after` has the same state, and time and inputs of after it. Rates f that
    jump leave S⁺ = S + (f⁻ − f⁺) dt/dp, the saltation of a switch in time (Leine and Nijmeijer
    2004, chapter 7). With an `impulse` velocities solve M (v⁺ − v) = Jᵀ Λ, J v⁺ = b⁺, which is
    differentiated as it stands."""
    n, zeros = instance.n, (np.zeros(instance.n), np.zeros(instance.m))
    before, kick = instance.with_accelerations(before), zeros
    if impulse:
        if instance.has_friction.any():
            raise SolveError(
                f"{instance.system.name}: impulses of drives whose rates jump at t = {after.t:.6g} "
                "s, with constraints that rub, can't be differentiated; give a motion whose rate "
                "is continuous."
            )
        at_rest = after.moved(a=zeros[0], multipliers=zeros[1])
        rest = np.concatenate([zeros[0], -instance.values(at_rest)["rate"]])
        solved = instance.solve(instance.derivatives(at_rest), rest)
        kick = solved[:n], solved[n:]
        after = after.moved(v=after.v + kick[0])
    after = instance.with_accelerations(after)
    derivatives, by_p = instance.derivatives(after), instance.parameter_derivatives(after)
    rates = (instance.values(each)["state"] for each in (before, after))
    position = S[:n] + np.outer(before.v - after.v, shift)
    state = S[2 * n :] + np.outer(np.subtract(*rates), shift)
    velocity = S[n : 2 * n] + np.outer(before.a - after.a, shift)
    top = derivatives["effort", "acceleration"] @ velocity
    if impulse:
        by_position, by_parameter, by_time = _impulse_derivatives(instance, after, kick)
        met = S[:n] + np.outer(before.v, shift)  # δ where it happens
        top -= by_position @ met + by_parameter @ along + np.outer(by_time, shift)
    bottom = -(
        derivatives["rate", "position"] @ position
        + derivatives["rate", "state"] @ state
        + by_p["rate", "parameter"] @ along
    )
    velocity = instance.solve(derivatives, np.vstack([top, bottom]))[:n]
    return after.v, np.vstack([position, velocity, state])


def _impulse_derivatives(
    instance: Instance, at: Point, kick: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of M Δv − Jᵀ Λ by positions, parameters and time, at fixed Δv and Λ: that of
    efforts with these as accelerations and multipliers less that without."""
    with_it = at.moved(a=kick[0], multipliers=kick[1])
    without = at.moved(a=np.zeros(instance.n), multipliers=np.zeros(instance.m))
    pair = with_it, without
    q = [instance.derivatives(each)["effort", "position"] for each in pair]
    p = [instance.parameter_derivatives(each)["effort", "parameter"] for each in pair]
    t = [
        instance.values(each.moved(t=at.t + later))["effort"]
        for later in (_AHEAD, 0.0)
        for each in pair
    ]
    return q[0] - q[1], p[0] - p[1], (t[0] - t[1] - t[2] + t[3]) / _AHEAD


_EQUAL = 1e-9  # of a time between samples: those that differ by less are the same
_ROUNDING = 8.0 * np.finfo(float).eps  # of times
_FINER = 0.125  # of the longest step with error control, which would be refined
_SLIVER = 1e-9  # of a step


@dataclass(frozen=True)
class SignalDerivatives:
    """States, then sensors, at each of the times, (times, signals), and their derivatives by
    parameters, then by starts: (times, signals, directions). NaN from where a run failed on."""

    values: np.ndarray
    derivatives: np.ndarray


class Variations:
    """What runs with derivatives need, derived once: by `parameters`, and by the initial values of
    the states `starts`."""

    def __init__(self, system: System, parameters: Sequence[str], starts: Sequence[str]) -> None:
        self.system, self._parameters = system, list(parameters)
        self._functions = extended_state_functions(system.dynamics, parameters, len(starts))
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
    ) -> SignalDerivatives:
        """From x0 at the first of the times of a plan to the last, by RK4."""
        system, rate, times = self.system, self._functions["rate"], plan.times
        block = self._functions.block_for(system.parameter_values(parameters))
        size = len(x0) * (1 + self._directions)
        problem = Problem(rate.compiled, (0, 0, size), given.u, block, inputs=given.refresher())
        rows = np.full((len(times), size), np.nan)
        rows[0] = np.concatenate([x0, self._first.ravel()])
        shifts = plan.shifts(given, system, parameters, self._parameters)
        for first, last, h, every in plan.equal_steps():
            run = FixedStep(problem, "rk4", rows[first], times[first], h)
            status, reached = run.advance((last - first) * every, every)
            rows[first + 1 : first + 1 + len(reached)] = reached
            if status == Status.NOT_FINITE:
                break
            if last in shifts:
                sides = (problem.rate(t, rows[last])[: len(x0)] for t in plan.sides(last))
                own = rows[last].reshape(1 + self._directions, -1)
                own[1 : 1 + len(self._parameters)] += np.outer(shifts[last], np.subtract(*sides))
        return self._shown(times, rows, given, block)

    def _shown(
        self, times: np.ndarray, rows: np.ndarray, given: Inputs, block: np.ndarray
    ) -> SignalDerivatives:
        function, n = self._functions["outputs"], len(self.system.state_names)
        shown = np.empty((len(times), function.out_size))
        if function.out_size:
            u = given.over(times)
            parts = [(rows, 0), (u, rows.shape[1])]
            function.rows((rows.shape[1], u.shape[1]), parts, block, shown)
        ways = 1 + self._directions
        states, sensors = rows.reshape(len(times), ways, n), shown.reshape(len(times), ways, -1)
        both = np.concatenate([states, sensors], axis=2)
        return SignalDerivatives(both[:, 0], both[:, 1:].transpose(0, 2, 1))


class EqualSteps(NamedTuple):
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

    @property
    def _inner_jumps(self) -> np.ndarray:
        """Places of jumps after which it goes on."""
        return np.searchsorted(self.times, self.jumps[self.jumps < self.times[-1]])

    def shifts(
        self,
        given: Inputs,
        system: System,
        parameters: Mapping[str, float],
        names: Sequence[str],
    ) -> dict[int, np.ndarray]:
        """dt/dp of the jumps that move with parameters, by their places among the times."""
        places, span = self._inner_jumps, Span(self.times[0], self.times[-1] - self.times[0])
        moved = instant_derivatives(span, given, system, parameters, names, self.times[places])
        return {place: by for place, by in zip(places.tolist(), moved, strict=True) if by.any()}

    def impulses(self, spec: RunSpec) -> set[int]:
        """Places at which prescribed rates jump."""
        at = [each.time for each in find_rate_jumps(spec, METHODS["rk4"])]
        places = self._inner_jumps
        return {i for i in places.tolist() if np.isclose(self.times[i], at, 1e-12, 0.0).any()}

    def sides(self, place: int) -> tuple[float, float]:
        """The last time that is read on the way to a jump, and that of the jump."""
        t = float(self.times[place])
        return t - _ROUNDING * abs(t), t

    def equal_steps(self) -> Iterator[EqualSteps]:
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
            yield EqualSteps(first, last, between / every, every)
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


# Runs of a mechanism with constraints and their derivatives by parameters and by where they begin:
# those of the very steps that are taken, as of a rollout.
#
# Where a run begins follows its parameters: independent coordinates and rates stay as they are
# given, the others are those with which the constraints are met, and vary with them.
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
        self._parameters = list(parameters)
        self._plan = make_rollout(system, 1, parameters=parameters).plan
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
    ) -> SignalDerivatives:
        """As of a tree; through a step inputs are those of its middle."""
        instance, times = Instance(self.system, None, parameters), plan.times
        x, ways = x0.copy(), self._along.shape[1]
        states = np.full((len(times), 1 + ways, len(x)), np.nan)
        try:
            x, rows = self._begun(instance, x0, times[0], given)
        except SolveError:  # loops that don't close with these parameters
            return self._shown(instance, times, states, given)
        states[0] = np.vstack([x, rows])
        span = Span(times[0], times[-1] - times[0])
        shifts = plan.shifts(given, self.system, parameters, self._parameters)
        kicks = plan.impulses(
            RunSpec(self.system, span, given, parameters=dict(parameters), x0=x.copy())
        )
        for first, last, h, every in plan.equal_steps():
            count = (last - first) * every
            middles = times[first] + (np.arange(count) + 0.5) * h
            inputs = np.ascontiguousarray(given.over(middles)[:, 1:])
            own = self._plan.over(float(times[first]), h, count)
            native = own.steps_of(self.system.key, RolloutInputs(x, inputs, instance.p))
            for k in range(last - first):
                if native.tangents(k * every, every, x, rows, None, self._varying) < every:
                    return self._shown(instance, times, states, given)
                states[first + k + 1] = np.vstack([x, rows])
            if last in shifts or last in kicks:
                shift = shifts.get(last, np.zeros(len(self._parameters)))
                self._cross(instance, plan.sides(last), given, x, rows, shift, last in kicks)
                states[last] = np.vstack([x, rows])
        return self._shown(instance, times, states, given)

    def _cross(
        self,
        instance: Instance,
        sides: tuple[float, float],
        given: Inputs,
        x: np.ndarray,
        rows: np.ndarray,
        shift: np.ndarray,
        impulse: bool,
    ) -> None:
        """Lets a state and its variations, in place, pass an instant at which rates jump."""
        nq, n, _ = self.system.sizes
        q, v, z = np.split(x, [nq, nq + n])
        points = [Point(q, v, z, given.at(t, x)[1:], t) for t in sides]
        N = instance.increments(points[0])[0]
        S = np.vstack([np.linalg.lstsq(N, rows[:, :nq].T, rcond=None)[0], rows[:, nq:].T])
        every = np.append(shift, np.zeros(len(self._starts)))
        before, after = points
        v, S = cross_switch(instance, before, after, S, self._along, every, impulse)
        x[nq : nq + n] = v
        rows[:] = np.hstack([S[:n].T @ N.T, S[n:].T])

    # ---- where it begins ------------------------------------------------------------------------

    def _begun(
        self, instance: Instance, x0: np.ndarray, t: float, given: Inputs
    ) -> tuple[np.ndarray, np.ndarray]:
        """A state that meets the constraints, and its variations, a row for each direction."""
        system, u = self.system, given.at(t, x0)[1:]
        nq, n, _ = system.sizes
        positions, rates = self._independent(x0, t, u)
        at_start = At(u=u, t=t, z=x0[nq + n :], parameters=instance.parameters)
        closing = system.dynamics.assembler(system.calls, at_start)
        q = closing.newton(x0[:nq], positions)
        x = closing.solve_velocities(np.concatenate([q, x0[nq:]]), rates)
        at = Point(q, x[nq : nq + n], x[nq + n :], u, t)
        derivatives, by_p = instance.derivatives(at), instance.parameter_derivatives(at)
        chart = Chart(derivatives, positions)
        S = np.zeros((len(chart.variations), self._along.shape[1]))
        demanded = by_p["position", "parameter"], by_p["rate", "parameter"]
        S[: 2 * n] = chart.demanded(derivatives, *demanded) @ self._along
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
        derivatives = instance.derivatives(Point(x0[:nq], x0[nq : nq + n], x0[nq + n :], u, t))
        places = [self._place(name) for name in self._starts]
        chart = Chart(
            derivatives, [*dict.fromkeys(i % n for i in places if i < 2 * n), *self._kept]
        )
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
    ) -> SignalDerivatives:
        sensors = np.full((*states.shape[:2], len(self.system.output_names)), np.nan)
        if self._sensors:
            for k, u in enumerate(given.over(times)):
                if np.isfinite(states[k]).all():
                    sensors[k] = self._sensed(instance, states[k], u)
        both = np.concatenate([states, sensors], axis=2)
        return SignalDerivatives(both[:, 0], both[:, 1:].transpose(0, 2, 1))

    def _sensed(self, instance: Instance, rows: np.ndarray, u: np.ndarray) -> np.ndarray:
        """What the sensors show, and a row of its variation for each direction."""
        nq, n, _ = self.system.sizes
        q, v, z = np.split(rows[0], [nq, nq + n])
        at = Point(q, v, z, u[1:], u[0])
        N = instance.increments(at)[0]
        S = np.vstack([np.linalg.lstsq(N, rows[1:, :nq].T, rcond=None)[0], rows[1:, nq:].T])
        now = variation_rate(instance, at, S, self._along, self._plan.pull.alpha)
        return np.vstack([instance.values(now.at)["output"], now.outputs().T])
