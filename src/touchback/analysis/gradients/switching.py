"""A rollout through modes: steps are parted where a transition happens, and its instant varies.

With y = Φ(x, h) a part of a step up to the instant τ at which an indicator g(y, τ) is zero,
dτ = −(g_y Φ_x dx + …)/(g_y Φ_h + g_t); the state jumps, and the rest of the step begins at τ. With
the derivative of the jump this is the saltation matrix (Leine and Nijmeijer 2004, chapter 7), of
the steps themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from touchback.analysis.gradients.exits import Exits
from touchback.analysis.gradients.given import Floats, Given
from touchback.analysis.gradients.parts import Part
from touchback.analysis.gradients.smooth import Plan
from touchback.errors import SolveError
from touchback.native.gradients.rollout import NativeRollout

_AT_A_TIME = 64  # steps between two looks at indicators
_MOST_JUMPS = 50  # in one step


@dataclass(frozen=True)
class _Stretch:
    """Whole steps in one mode, from a state."""

    native: NativeRollout
    first: int
    count: int
    x: Floats


@dataclass(frozen=True)
class _Way:
    """A rollout as it went: the states, and what it is made of."""

    rows: Floats
    pieces: list[_Stretch | Part]


class Switching:
    """A rollout from a state with inputs and parameters, in modes."""

    def __init__(self, plan: Plan, given: Given) -> None:
        self._plan, self._given = plan, given
        self._exits = Exits(plan, given.parameters)
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
            if isinstance(piece, _Stretch):
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
            if isinstance(piece, _Stretch):
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
    def _way(self) -> _Way:
        plan, exits = self._plan, self._exits
        plan.refuse_kept("states", len(self._given.x0))
        rows, step = np.empty((plan.steps + 1, len(self._given.x0))), 0
        pieces: list[_Stretch | Part] = []
        rows[0] = self._given.x0
        exits.begin(self._mode(rows[0]), rows[0], self._u(0, 1)[0])
        while step < plan.steps:
            mode, x = self._mode(rows[step]), rows[step].copy()
            native, count = self._native(mode), min(_AT_A_TIME, plan.steps - step)
            taken = native.advance(step, count, x, rows[step + 1 :])
            seen = rows[step : step + taken + 1]
            done = exits.first_crossed(mode, seen, self._u(step, taken + 1))
            if done:
                pieces.append(_Stretch(native, step, done, rows[step].copy()))
            step += done
            if done < taken:
                parts, rows[step + 1] = self._parted(step, rows[step].copy())
                pieces += parts
                step += 1
            elif taken < count:
                raise plan.failure(step)
        return _Way(rows, pieces)

    def _parted(self, step: int, x: Floats) -> tuple[list[Part], Floats]:
        """A step with transitions, as its parts, and the state after it."""
        plan, inputs, parts = self._plan, self._given.inputs[step], list[Part]()
        t, end = plan.start + step * plan.step, plan.start + (step + 1) * plan.step
        while len(parts) < _MOST_JUMPS:
            mode = self._mode(x)
            native, u = self._native(mode), np.append(t, inputs)
            moved = partial(self._moved, native, step, t, x)
            met = self._exits.located(mode, moved, u, end - t)
            if met is None:
                parts.append(Part(native, step, u, end - t, x, not parts))
                return parts, moved(end - t)
            jump, h = met
            before, after = moved(h), np.append(t + h, inputs)
            parts.append(Part(native, step, u, h, x, not parts, jump.at(before, after)))
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
            key = self._plan.system.motion.modes.every[mode].names
            self._natives[mode] = self._plan.steps_of(key, self._given)
        return self._natives[mode]

    def _u(self, first: int, count: int) -> Floats:
        """[t, inputs…] where steps from one on begin; after the last its own inputs."""
        places = np.arange(first, first + count)
        held = self._given.inputs[np.minimum(places, self._plan.steps - 1)]
        return np.column_stack([self._plan.start + self._plan.step * places, held])
