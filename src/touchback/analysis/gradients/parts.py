"""Parts of a step that a transition parts, with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.analysis.gradients.given import Floats
from touchback.errors import SolveError
from touchback.native.gradients.rollout import NativeRollout


@dataclass(frozen=True)
class Passed:
    """A transition where it happened: the indicator's derivatives by [x, t, inputs, parameters],
    the state after it, and that state's derivatives by them."""

    name: str
    guard: Floats
    x: Floats
    slopes: Floats


@dataclass(frozen=True)
class Part:
    """From a state x, with u = [t, inputs…], for h seconds, to the end of a step or to an event."""

    native: NativeRollout
    step: int
    u: Floats
    h: float
    x: Floats
    whole: bool  # whether it begins with the step
    event: Passed | None = None

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
        return self.event.slopes @ np.concatenate([moved, [later], du, dp]), float(later)

    def adjoint(self, weight: Floats, instant: float) -> tuple[Floats, float, Floats, Floats]:
        """The other way round: weights of state and instant where it begins, of inputs and of
        parameters, from those where it ends."""
        n, nu = len(self.x), len(self.u) - 1
        others = np.zeros(nu + self.native.sizes.parameters)
        if self.event is not None:
            jumped = self.event.slopes.T @ weight
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
