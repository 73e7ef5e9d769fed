"""Rollouts: so many fixed steps as one function of start, inputs and parameters, differentiated.

Tangents go along with the motion, one for each direction; adjoints go back from a cost, one for all
start values, inputs and parameters together, with √steps states kept and the others computed again
(Griewank and Walther 2008, chapter 12). Both are exact derivatives of the steps themselves, as they
were taken, and not of what they approximate.

Steps are parted where a transition between modes happens, and its instant varies. With y = Φ(x, h)
a part of a step up to the instant τ at which an indicator g(y, τ) is zero,
dτ = −(g_y Φ_x dx + …)/(g_y Φ_h + g_t); the state jumps, and the rest of the step begins at τ. With
the derivative of the jump this is the saltation matrix (Leine and Nijmeijer 2004, chapter 7), of
the steps themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.gradients.event_free_rollout import (
    EventFreeRollout,
    Floats,
    RolloutInputs,
    RolloutSpec,
    Series,
    read_rollout_inputs,
    read_variation,
)
from touchback.errors import InputError, SolveError
from touchback.names import names_once, unknown, unknown_name
from touchback.native import Baumgarte, Formulation, ImpactData, formulation_of
from touchback.native.gradients.native_rollout import NativeRollout
from touchback.numbers import number_within, positive_number, read_array, shown, whole_within
from touchback.simulate import (
    RK4,
    Euler,
    RunSpec,
    Where,
    check_stored_size,
    find_rate_jumps,
    refuse,
    warn_of_jumps,
)
from touchback.system import Exit, Expr, Function, System, gradient
from touchback.system.saltation import SaltationFunctions, saltation_functions


@dataclass(frozen=True)
class TransitionDerivatives:
    """A transition where it happened: the indicator's derivatives by [x, t, inputs, parameters],
    the state after it, and that state's derivatives by them."""

    name: str
    guard: Floats
    x: Floats
    derivatives: Floats


@dataclass(frozen=True)
class RolloutSegment:
    """From a state x, with u = [t, inputs…], for h seconds, to the end of a step or to an event."""

    native: NativeRollout
    step: int
    u: Floats
    h: float
    x: Floats
    whole: bool  # whether it begins with the step
    event: TransitionDerivatives | None = None

    @property
    def reached(self) -> Floats:
        """The state after the event."""
        if self.event is None:
            raise AssertionError("only what ends at an event knows it")
        return self.event.x

    def tangent(self, dx: Floats, instant: float, du: Floats, dp: Floats) -> tuple[Floats, float]:
        """The variation of the state where it ends, and of that instant, from those where it
        begins and those of inputs and parameters."""
        moved = self._moved(np.concatenate([dx, [instant], du, dp, [-instant]]))
        if self.event is None:
            return moved, 0.0
        n, guard = len(dx), self.event.guard
        still = guard[:n] @ moved + guard[n + 1 :] @ np.concatenate([du, dp])
        later = -still / self._passing
        moved = moved + self._ahead * later
        return self.event.derivatives @ np.concatenate([moved, [later], du, dp]), float(later)

    def adjoint(self, weight: Floats, instant: float) -> tuple[Floats, float, Floats, Floats]:
        """The other way round: weights of state and instant where it begins, of inputs and of
        parameters, from those where it ends."""
        n, nu = len(self.x), len(self.u) - 1
        others = np.zeros(nu + self.native.sizes.parameters)
        if self.event is not None:
            jumped = self.event.derivatives.T @ weight
            weight, others = jumped[:n], jumped[n + 1 :]
            pull = -(weight @ self._ahead + instant + jumped[n]) / self._passing
            weight = weight + pull * self.event.guard[:n]
            others = others + pull * self.event.guard[n + 1 :]
        found = self.native.step_adjoint(self.u[1:], self.u[0], self.h, self.x, weight)
        if found is None:
            raise self._unsolved()
        others = others + found[n + 1 : -1]
        return found[:n], float(found[n] - found[-1]), others[:nu], others[nu:]

    def _moved(self, variation: Floats) -> Floats:
        found = self.native.step_tangent(self.u[1:], self.u[0], self.h, self.x, variation)
        if found is None:
            raise self._unsolved()
        return found

    @cached_property
    def _ahead(self) -> Floats:
        """The state's derivative by the length of the part."""
        unit = np.zeros(self.native.sizes.variables + 1)
        unit[-1] = 1.0
        return self._moved(unit)

    @cached_property
    def _passing(self) -> float:
        """How fast the indicator passes zero."""
        if self.event is None:
            raise AssertionError("only what ends at an event has an indicator")
        n = len(self.x)
        speed = float(self.event.guard[:n] @ self._ahead + self.event.guard[n])
        if speed == 0.0:
            raise SolveError(
                f"Transition '{self.event.name}' at t = {self.u[0] + self.h:.6g} s only touches "
                "zero there: its instant has no derivative."
            )
        return speed

    def _unsolved(self) -> SolveError:
        return SolveError(f"At t = {self.u[0]:.6g} s the equations have no one solution.")


_MET = 1e-9  # |h| of constraints that count as met [m or rad]


class ModeExit:
    """One way out of a mode, for given values of the parameters."""

    def __init__(self, plan: RolloutSpec, mode: int, number: int, values: Floats) -> None:
        self._plan, self._mode, self._number, self._values = plan, mode, number, values
        modes = plan.system.dynamics.modes
        self.exit: Exit = modes.every[mode].exits[number]
        self._refuse()

    def _refuse(self) -> None:
        name, modes = self.exit.name, self._plan.system.dynamics.modes
        targets = [each for each in (self.exit.data.target, self.exit.data.rest) if each >= 0]
        if any(any(modes.every[target].data.tracks) for target in targets):
            raise self._plan.refusal(f"transition '{name}' leads to coordinates that track")
        given = self.exit.transition
        if given.law == "poisson" and len(given.impact) > 1:
            raise self._plan.refusal(f"transition '{name}' strikes several by Poisson's law")

    def functions(self, resting: bool = False) -> SaltationFunctions:
        """Its generated code."""
        plan = self._plan
        return saltation_functions(
            plan.system.dynamics, self._mode, self._number, resting, plan.parameters
        )

    def at(self, x: Floats, u: Floats) -> TransitionDerivatives:
        """From a state, with u = [t, inputs…]."""
        found, fastest = self._through(x, u, False)
        if self.exit.data.rest >= 0 and fastest < self.exit.data.rest_speed:
            found, _ = self._through(x, u, True)
        return found

    def _through(self, x: Floats, u: Floats, resting: bool) -> tuple[TransitionDerivatives, float]:
        made, data = self.functions(resting), self.exit.data
        impact = data.rest_impact if resting else data.impact
        out = made.reset.at(x, u, made.reset.block_for(self._values))
        variables = len(x) + len(u) + len(self._plan.parameters)
        count = len(out) // (1 + variables)
        values, derivatives = out[:count], out[count:].reshape(count, variables)
        blow = _ImpulsiveReset(
            self._plan, made, impact, values[: len(x)], u, values[len(x) :], self._values
        )
        blow.check(self.exit.name)
        guard = made.guard.at(x, u, made.guard.block_for(self._values))[1:]
        return TransitionDerivatives(
            self.exit.name, guard, blow.state, blow.derivatives(derivatives)
        ), blow.fastest


class _ImpulsiveReset:
    """Impulses on a state after its resets."""

    def __init__(
        self, plan: RolloutSpec, made: SaltationFunctions, impact: ImpactData, x: Floats, u: Floats,
        e: Floats, values: Floats,
    ) -> None:  # fmt: skip
        self._sizes, self._x = plan.system.sizes, x
        self._contacts = np.array(impact.contacts, dtype=int)
        nq, n, _ = self._sizes
        m, block = len(impact.contacts), made.struck.block_for(values)
        self._variables = len(x) + len(u) + len(plan.parameters)
        cuts = np.cumsum([n + m, (n + m) ** 2, m, (n + 2 * m) * (self._variables + len(e))])

        def at(solved: Floats, e: Floats) -> list[Floats]:
            return np.split(made.struck.at(x, np.concatenate([u, solved, e]), block), cuts)

        r, K, *_ = at(np.zeros(n + m), e)
        self._K = K.reshape(n + m, n + m)
        self._solved = self._solve(self._K, -r)
        _, _, self._h, derivatives, N = at(self._solved, e)
        speeds = at(self._solved, np.zeros_like(e))[0][n:]  # J v⁺ − b
        self.fastest = float(np.abs(speeds[self._contacts >= 0]).max(initial=0.0))
        self._derivatives, self._N = derivatives.reshape(n + 2 * m, -1), N.reshape(nq, n)

    def _solve(self, K: Floats, right: Floats) -> Floats:
        try:
            return np.linalg.solve(K, right)
        except np.linalg.LinAlgError:
            raise SolveError("impulses have no one solution: constraints are redundant") from None

    @property
    def _kept(self) -> list[int]:
        """Rows of constraints on positions that hold afterwards."""
        n, m = self._sizes[1], len(self._h)
        moved = [bool(row.any()) for row in self._derivatives[n + m :]]
        return [i for i in range(m) if self._contacts[i] < 0 and (moved[i] or self._h[i])]

    def check(self, name: str) -> None:
        """Positions aren't moved here."""
        off = np.abs(self._h[self._kept]).max(initial=0.0)
        if off > _MET:
            raise SolveError(
                f"Transition '{name}': the constraints of the mode that follows are {off:.3g} off; "
                "derivatives are those of transitions that happen where they are met."
            )

    @property
    def state(self) -> Floats:
        """Velocities after the impulses."""
        nq, n, _ = self._sizes
        return np.concatenate([self._x[:nq], self._solved[:n], self._x[nq + n :]])

    def derivatives(self, reset: Floats) -> Floats:
        """By the variables before, from those of [state, restitutions] after the resets."""
        (nq, n, _), nx, m = self._sizes, len(self._x), len(self._h)
        by_state, by_e = reset[:nx].copy(), reset[nx:]
        rest = np.eye(self._variables)[nx:]
        kept = self._kept
        if kept:  # M δ = Wᵀ μ, J δ = −dh: positions stay on what holds
            rows = [*range(n), *(n + i for i in kept)]
            dh = self._derivatives[n + m :][kept] @ np.vstack([by_state, rest, by_e])
            right = np.vstack([np.zeros((n, self._variables)), -dh])
            step = self._solve(self._K[np.ix_(rows, rows)], right)[:n]
            by_state[:nq] += self._N @ step
        dr = self._derivatives[: n + m] @ np.vstack([by_state, rest, by_e])
        by_state[nq : nq + n] = -self._solve(self._K, dr)[:n]
        return by_state


_FLOOR = 1e-12  # an indicator nearer to zero rests there


_PARTS = 16  # of a step in which an indicator that begins at zero is looked for


class ModeExits:
    """Those of all modes, for given values of the parameters."""

    def __init__(self, plan: RolloutSpec, values: Floats) -> None:
        self._plan, self._values = plan, values
        self._known: dict[int, list[ModeExit]] = {}

    def of(self, mode: int) -> list[ModeExit]:
        """Those of a mode; refused where they depend on forces."""
        if mode not in self._known:
            own = self._plan.system.dynamics.modes.every[mode]
            if own.data.uses_forces:
                raise self._plan.refusal(f"mode '{own.name}' is left by forces")
            found = [ModeExit(self._plan, mode, k, self._values) for k in range(len(own.exits))]
            self._known[mode] = found
        return self._known[mode]

    def begin(self, mode: int, x: Floats, u: Floats) -> None:
        """Refuses a mode that would end as it begins."""
        values = self._values_of(mode, x[None], u[None])[0]
        for jump, value in zip(self.of(mode), values, strict=True):
            if _beyond(jump, value):
                raise self._plan.refusal(
                    f"transition '{jump.exit.name}' follows at once, at t = {u[0]:.6g} s"
                )

    def first_crossed(self, mode: int, rows: Floats, u: Floats) -> int:
        """How many steps from row to row there are before one that passes an exit."""
        if not self.of(mode):
            return len(rows) - 1
        values = self._values_of(mode, rows, u[: len(rows)])
        passes = [
            any(_crosses(*each) for each in zip(self.of(mode), first, last, strict=True))
            for first, last in pairwise(values)
        ]
        return passes.index(True) if True in passes else len(passes)

    def located(
        self, mode: int, moved: Callable[[float], Floats], u: Floats, h: float
    ) -> tuple[ModeExit, float] | None:
        """The exit that a step of length h passes first, and how far from its start; `moved` gives
        the state after a part of it, u = [t, inputs…] holds where it begins."""
        jumps = self.of(mode)

        def values(s: float) -> Floats:
            at = u.copy()
            at[0] += s
            return self._values_of(mode, moved(s)[None], at[None])[0]

        def value(i: int, s: float) -> float:
            return float(values(s)[i])

        first, last = values(0.0), values(h)
        found = [
            (self._root(jump, partial(value, i), h), jump)
            for i, jump in enumerate(jumps)
            if _crosses(jump, first[i], last[i])
        ]
        if not found:
            return None
        s, jump = min(found, key=lambda pair: pair[0])
        return jump, s

    def _root(self, jump: ModeExit, value: Callable[[float], float], h: float) -> float:
        from scipy.optimize import brentq

        begin = 0.0
        if abs(value(0.0)) <= _FLOOR:  # it leaves zero and comes back, or goes on beyond
            side = jump.exit.transition.direction
            parts = (k / _PARTS * h for k in range(1, _PARTS))
            begin = next((s for s in parts if side * value(s) < -_FLOOR), -1.0)
            if begin < 0.0:
                return 0.0
        return float(brentq(value, begin, h, xtol=1e-18, rtol=4 * np.finfo(float).eps))

    def _values_of(self, mode: int, rows: Floats, u: Floats) -> Floats:
        jumps = self.of(mode)
        found = np.empty((len(rows), len(jumps)))
        if jumps:
            guards = jumps[0].functions().guards
            parts = [(np.ascontiguousarray(rows), 0), (np.ascontiguousarray(u), rows.shape[1])]
            block = guards.block_for(self._values)
            guards.rows((rows.shape[1], u.shape[1]), parts, block, found)
        if not np.isfinite(found).all():
            raise SolveError(f"{self._plan.system.name}: an indicator of a mode is no number.")
        return found


def _beyond(jump: ModeExit, value: float) -> bool:
    direction = jump.exit.transition.direction
    return bool(direction * value > _FLOOR)


def _crosses(jump: ModeExit, first: float, last: float) -> bool:
    direction = jump.exit.transition.direction
    if direction == 0:
        return bool(first * last < 0.0 and min(abs(first), abs(last)) > _FLOOR)
    return bool(direction * first <= _FLOOR and direction * last > _FLOOR)


_AT_A_TIME = 64  # steps between two looks at indicators


_MOST_JUMPS = 50  # in one step


@dataclass(frozen=True)
class _StepsInMode:
    """Whole steps in one mode, from a state."""

    native: NativeRollout
    first: int
    count: int
    x: Floats


@dataclass(frozen=True)
class _RolloutPath:
    """A rollout as it went: the states, and what it is made of."""

    rows: Floats
    pieces: list[_StepsInMode | RolloutSegment]


class SwitchingRollout:
    """A rollout from a state with inputs and parameters, in modes."""

    def __init__(self, plan: RolloutSpec, given: RolloutInputs) -> None:
        self._plan, self._given = plan, given
        self._exits = ModeExits(plan, given.parameters)
        self._natives: dict[int, NativeRollout] = {}

    def states(self) -> Floats:
        """The start, and the state after each step."""
        return self._way.rows

    def end(self) -> Floats:
        """The last state."""
        return self._way.rows[-1].copy()

    def tangents(self, dx: Floats, du: Floats | None, dp: Floats) -> tuple[Floats, Floats]:
        """The last state, and a row of its variation for each of the start, of inputs and of
        parameters."""
        found, instants = dx.copy(), np.zeros(len(dx))
        still = np.zeros(self._given.inputs.shape[1])
        for piece in self._way.pieces:
            if isinstance(piece, _StepsInMode):
                piece.native.tangents(piece.first, piece.count, piece.x.copy(), found, du, dp)
                continue
            for c in range(len(found)):
                held = still if du is None else du[c, piece.step]
                found[c], instants[c] = piece.tangent(found[c], instants[c], held, dp[c])
        return self.end(), found

    def adjoint(self, weight: Floats, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
        """Derivatives of weight · last state, and of weights of all after the start, by start,
        inputs and parameters."""
        found, by_inputs = weight.copy(), np.zeros_like(self._given.inputs)
        by_parameters, instant = np.zeros(len(self._plan.parameters)), 0.0
        for piece in reversed(self._way.pieces):
            if isinstance(piece, _StepsInMode):
                own = slice(piece.first, piece.first + piece.count)
                piece.native.adjoints(
                    piece.first, piece.count, piece.x, found,
                    None if weights is None else weights[own], by_inputs[own], by_parameters,
                )  # fmt: skip
                continue
            if piece.event is None and weights is not None:
                found = found + weights[piece.step]
            found, instant, held, own_parameters = piece.adjoint(found, instant)
            by_inputs[piece.step] += held
            by_parameters += own_parameters
            if piece.whole:
                instant = 0.0  # a step begins when it does
        return found, by_inputs, by_parameters

    # ---- the way there --------------------------------------------------------------------------

    @cached_property
    def _way(self) -> _RolloutPath:
        plan, exits = self._plan, self._exits
        plan.check_stored_size("states", len(self._given.x0))
        rows, step = np.empty((plan.steps + 1, len(self._given.x0))), 0
        pieces: list[_StepsInMode | RolloutSegment] = []
        rows[0] = self._given.x0
        exits.begin(self._mode(rows[0]), rows[0], self._u(0, 1)[0])
        while step < plan.steps:
            mode, x = self._mode(rows[step]), rows[step].copy()
            native, count = self._native(mode), min(_AT_A_TIME, plan.steps - step)
            taken = native.advance(step, count, x, rows[step + 1 :])
            seen = rows[step : step + taken + 1]
            done = exits.first_crossed(mode, seen, self._u(step, taken + 1))
            if done:
                pieces.append(_StepsInMode(native, step, done, rows[step].copy()))
            step += done
            if done < taken:
                parts, rows[step + 1] = self._parted(step, rows[step].copy())
                pieces += parts
                step += 1
            elif taken < count:
                raise plan.failure(step)
        return _RolloutPath(rows, pieces)

    def _parted(self, step: int, x: Floats) -> tuple[list[RolloutSegment], Floats]:
        """A step with transitions, as its parts, and the state after it."""
        plan, inputs, parts = self._plan, self._given.inputs[step], list[RolloutSegment]()
        t, end = plan.start + step * plan.step, plan.start + (step + 1) * plan.step
        while len(parts) < _MOST_JUMPS:
            mode = self._mode(x)
            native, u = self._native(mode), np.append(t, inputs)
            moved = partial(self._moved, native, step, t, x)
            met = self._exits.located(mode, moved, u, end - t)
            if met is None:
                parts.append(RolloutSegment(native, step, u, end - t, x, not parts))
                return parts, moved(end - t)
            jump, h = met
            before, after = moved(h), np.append(t + h, inputs)
            parts.append(RolloutSegment(native, step, u, h, x, not parts, jump.at(before, after)))
            x, t = parts[-1].reached, t + h
            self._exits.begin(self._mode(x), x, after)
        raise SolveError(
            f"{plan.system.name}: more than {_MOST_JUMPS} transitions in one step, at t = {t:.6g} "
            "s; take a shorter step, or say where contacts come to rest (`rest`)."
        )

    def _moved(self, native: NativeRollout, step: int, t: float, x: Floats, h: float) -> Floats:
        found = native.step(self._given.inputs[step], t, h, x)
        if found is None:
            raise self._plan.failure(step)
        return found

    def _mode(self, x: Floats) -> int:
        return self._plan.system.mode_of(x)

    def _native(self, mode: int) -> NativeRollout:
        if mode not in self._natives:
            key = self._plan.system.dynamics.modes.every[mode].names
            self._natives[mode] = self._plan.steps_of(key, self._given)
        return self._natives[mode]

    def _u(self, first: int, count: int) -> Floats:
        """[t, inputs…] where steps from one on begin; after the last its own inputs."""
        places = np.arange(first, first + count)
        held = self._given.inputs[np.minimum(places, self._plan.steps - 1)]
        return np.column_stack([self._plan.start + self._plan.step * places, held])


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

    def _path(
        self, x0: Where, inputs: Series, parameters: Series
    ) -> EventFreeRollout | SwitchingRollout:
        return self._from(self._given(x0, inputs, parameters))

    def _from(self, given: RolloutInputs) -> EventFreeRollout | SwitchingRollout:
        kind = SwitchingRollout if self.system.modes else EventFreeRollout
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
    transition happens, whose instant varies with everything; those of forces are refused. Nothing
    parts them where a law of time or a drive switches: prescribed rates that jump are warned of."""
    made = make_rollout(system, steps, step, method, parameters, constraints, start)
    run = replace(made.plan.run, x0=system.initial_state().x)
    found = find_rate_jumps(run, made.plan.solver)
    if jumps := [each for each in found if each.time < run.span.end]:
        warn_of_jumps(system.name, jumps, "rollouts go through them without a stop")
    return made


def make_rollout(
    system: System,
    steps: int,
    step: float = 1e-3,
    method: str = "rk4",
    parameters: Sequence[str] | None = None,
    constraints: str | Formulation | None = None,
    start: float = 0.0,
) -> Rollout:
    """`rollout` without a look at what drives do on the way."""
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
        system.independent_copy(), count * solver.step, start=begin,
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
