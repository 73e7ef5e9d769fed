"""The problem of a mechanism as C takes it: what runs integrate, offline and against a clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from touchback.native import (
    Constrained,
    Formulation,
    FunctionData,
    Modes,
    Problem,
    Refresh,
    SampledInputs,
    Sampler,
    evaluate_rows,
)

Floats = np.ndarray


class InputFeed(Protocol):
    """Inputs of a run: u = [t, inputs…] at its start, and what keeps it up to date."""

    @property
    def u(self) -> Floats: ...
    def refresher(self) -> SampledInputs | Refresh | None: ...


@dataclass(frozen=True)
class ProblemSpec:
    """What a run gives its problem: inputs, values of all parameters, and how constraints are
    enforced. Where modes change within fixed steps these are of a `method`; `clocked` ones look
    for the instant only as often as a tick has time for, and log nothing."""

    u: Floats
    refresh: SampledInputs | Refresh | None
    values: Floats
    constraints: str | Formulation | None
    method: str
    clocked: bool


class IntegrationProblem:
    """A `problem`, the sensors (`outputs`) and memories (`updates`) that belong to it, and what is
    `solving` for accelerations and multipliers in it: nothing where nothing is tied."""

    solving: Constrained | Modes | None = None
    row_names: Sequence[str] = ()  # of the multipliers
    friction_rows: Sequence[str] = ()  # those with friction

    def __init__(
        self, problem: Problem, outputs: FunctionData | None, updates: FunctionData | None
    ) -> None:
        self.problem, self.outputs, self.updates = problem, outputs, updates

    @property
    def formulation(self) -> str:
        """How constraints are enforced, in a word."""
        return self.solving.formulation.word if self.solving else ""

    @property
    def statistics(self) -> dict[str, float]:
        """Counts of the formulation since the start."""
        return self.solving.statistics if self.solving else {}

    @property
    def shared(self) -> Sequence[str]:
        """The rows whose friction redundant ones could carry, where a rate was evaluated last."""
        return ()

    @property
    def undetermined(self) -> Sequence[str]:
        """The rows that share forces which mechanics leaves open, likewise."""
        return ()

    def sample(self, places: Sequence[int], every: int) -> None:
        """Lets the memories at these places of the state take new values every so many steps."""
        if places and self.updates is not None:
            Sampler(self.problem, self.updates, places, every, self.solving)

    def settled(self, t: float, x: Floats) -> Floats:
        """A state made consistent, from which a run may go on."""
        return self.problem.settle(t, x, accepted=True)

    def gap(self, t: float, x: Floats) -> float:
        """The largest |h| of a state as it is given."""
        return 0.0

    def solutions(self, times: Floats, states: Floats) -> Floats:
        """Accelerations and multipliers at some instants, a row each."""
        return np.empty((len(times), 0))

    def rows(self, times: Floats, states: Floats, sensors: int) -> Floats:
        """Inputs, multipliers and so many sensors at some instants, a row each."""
        inputs, solved = self.problem.input_rows(times, states), self.solutions(times, states)
        parts = [inputs[:, 1:], solved[:, solved.shape[1] - len(self.row_names) :]]
        if self.outputs is not None:
            given = np.hstack([inputs, solved])
            parts.append(_evaluated(self.outputs, states, given, self.problem.p, sensors))
        return np.hstack(parts)


class ConstrainedProblem(IntegrationProblem):
    """With constraints, enforced by a formulation."""

    solving: Constrained

    def __init__(
        self,
        problem: Problem,
        outputs: FunctionData | None,
        updates: FunctionData | None,
        solving: Constrained,
    ) -> None:
        super().__init__(problem, outputs, updates)
        self.solving = solving
        self.row_names, self.friction_rows = (
            solving.functions.names,
            solving.functions.friction_rows,
        )

    @property
    def shared(self) -> Sequence[str]:
        """Of all constraints."""
        return self.solving.shared

    @property
    def undetermined(self) -> Sequence[str]:
        """Of all constraints."""
        return self.solving.undetermined

    def gap(self, t: float, x: Floats) -> float:
        """Of all rows."""
        functions, at = self.solving.functions, x[None, :]
        inputs = self.problem.input_rows([t], at)
        rows, size = len(functions.names), len(np.asarray(functions.J_rows))
        out = _evaluated(functions.positions, at, inputs, self.problem.p, rows + size)
        return float(np.abs(out[0, :rows]).max(initial=0.0))

    def solutions(self, times: Floats, states: Floats) -> Floats:
        """By the rate, which leaves them behind."""
        return self.problem.solved_rows(self.solving, times, states)


class ModalProblem(IntegrationProblem):
    """With modes, each of which has constraints of its own."""

    solving: Modes

    def __init__(self, problem: Problem, solving: Modes) -> None:
        super().__init__(problem, solving.outputs, solving.updates)
        self.solving, self.row_names = solving, solving.data.row_names
        self.friction_rows = [
            name for mode in solving.enforced for name in mode.functions.friction_rows
        ]

    @property
    def shared(self) -> Sequence[str]:
        """Of all modes."""
        return [name for mode in self.solving.enforced for name in mode.shared]

    @property
    def undetermined(self) -> Sequence[str]:
        """Of all modes."""
        every = [name for mode in self.solving.enforced for name in mode.undetermined]
        return list(dict.fromkeys(every))

    def settled(self, t: float, x: Floats) -> Floats:
        """In its mode."""
        return self.solving.begin(self.problem, t, x)

    def gap(self, t: float, x: Floats) -> float:
        """Of the rows of its mode; what tracks may be anywhere."""
        number = self.solving.mode_of(x)
        tracks = np.asarray(self.solving.data.modes[number].tracks, dtype=bool)
        h = self.solving.position_rows(self.problem, number, np.array([t]), x[None, :])
        return float(np.abs(h[:, ~tracks]).max(initial=0.0))

    def rows(self, times: Floats, states: Floats, sensors: int) -> Floats:
        """Each in its mode."""
        inputs = self.problem.input_rows(times, states)[:, 1:]
        solved, outputs = self.solving.rows(self.problem, times, states)
        return np.hstack([inputs, solved[:, self.problem.sizes[1] :], outputs])


def _evaluated(
    function: FunctionData, states: Floats, inputs: Floats, p: Floats, count: int
) -> Floats:
    return evaluate_rows(
        function.address, states, inputs, p, count, function.work_size, function.context_address
    )
