"""Runs of constrained systems: how constraints are enforced is one word, chosen per run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.native import Problem, evaluate_rows
from touchback.native.constrained.constrained import FORMULATIONS, Constrained
from touchback.recording import unknown_name
from touchback.simulate.inputs import Inputs
from touchback.simulate.protocol import Floats
from touchback.system import System

DEFAULT = "partitioning"
IMPLICIT = ("linear-implicit", "augmented-lagrangian")  # formulations that are steps of their own


@dataclass(frozen=True)
class Baumgarte:
    """constraints="baumgarte" with another feedback than the usual: J a = −γ − 2α (J v − b) − β² h,
    α and β in 1/s. An error dies down fastest with α = β. Stronger isn't always better: from about
    a twentieth of 1/step on the errors of the integrator grow with it."""

    alpha: float = 20.0
    beta: float = 20.0

    def __post_init__(self) -> None:
        for name, number in (("alpha", self.alpha), ("beta", self.beta)):
            if not (np.isfinite(number) and number >= 0.0):
                raise InputError(f"Baumgarte's {name} must be zero or positive, got {number!r}.")


@dataclass(frozen=True)
class AugmentedLagrangian:
    """constraints="augmented-lagrangian" with another `penalty`: that of a row on index 3 over the
    row's own inertia, free of units. A weaker one takes more iterations to the same closure."""

    penalty: float = 1e6

    def __post_init__(self) -> None:
        if not (np.isfinite(self.penalty) and self.penalty > 0.0):
            raise InputError(f"The penalty must be a positive number, got {self.penalty!r}.")


Formulation = str | Baumgarte | AugmentedLagrangian  # the word, or the word with its settings


def word_of(constraints: Formulation | None) -> str | None:
    """The formulation without its settings."""
    if isinstance(constraints, Baumgarte):
        return "baumgarte"
    return "augmented-lagrangian" if isinstance(constraints, AugmentedLagrangian) else constraints


def own_step(method: str | None, constraints: Formulation | None) -> str | None:
    """The method that goes with a formulation: an implicit one is a step of its own."""
    word = word_of(constraints)
    if word not in IMPLICIT:
        return method
    if method not in (None, word):
        raise InputError(
            f"constraints={constraints!r} is a step of its own; leave method={method!r} away and "
            "give `step`."
        )
    return word


@dataclass
class Enforced:
    """A problem whose constraints are enforced, and what does it."""

    problem: Problem
    constrained: Constrained

    def functions(self, system: System) -> Any:
        """What has the `outputs` and `updates` that belong to the problem."""
        return system

    def settled(self, t: float, x: Floats) -> Floats:
        """A state made consistent, from which a run may go on."""
        return self.problem.settle(t, x, accepted=True)

    def gap(self, t: float, x: Floats) -> float:
        """The largest |h| of a state as it is given."""
        functions, problem = self.constrained.functions, self.problem
        h = functions.positions
        rows, size = len(functions.names), len(np.asarray(functions.J_rows))
        out = evaluate_rows(
            h.address, x[None, :], problem.input_rows([t], x[None, :]), problem.p, rows + size,
            h.work_size, h.context_address,
        )  # fmt: skip
        return float(np.abs(out[0, :rows]).max(initial=0.0))

    def solutions(self, times: Floats, states: Floats) -> Floats:
        """Accelerations and multipliers at recorded instants, a row each."""
        return self.problem.solved_rows(self.constrained, times, states)


def enforce(
    system: System,
    constraints: Formulation | None,
    given: Inputs,
    parameters: dict[str, Any] | None,
) -> Enforced | None:
    """The constrained problem of a system, None for one without constraints."""
    if not system.constrained:
        if constraints is not None:
            raise InputError(
                f"{system.name}: constraints={constraints!r} was asked for, but the model has no "
                "constraints; leave it away."
            )
        return None
    settings = {} if isinstance(constraints, str | None) else asdict(constraints)
    formulation = word_of(constraints) or DEFAULT
    if formulation not in FORMULATIONS:
        raise unknown_name("formulation", formulation, FORMULATIONS)
    stiffness = formulation in IMPLICIT
    enforced = Constrained(system.constrained_functions(stiffness), formulation, **settings)
    block = system.parameter_block(parameters, stiffness)
    return Enforced(enforced.problem(given.u, block, given.refresher()), enforced)


def problem_for(
    system: System,
    constraints: Formulation | None,
    given: Inputs,
    parameters: dict[str, Any] | None,
) -> tuple[Problem, Enforced | None]:
    """What is integrated of a system without modes, and what enforces its constraints."""
    enforced = enforce(system, constraints, given, parameters)
    if enforced is not None:
        return enforced.problem, enforced
    block = system.parameter_block(parameters)
    rate, refresh = system.configuration_rate, given.refresher()
    return Problem(system.rate, system.sizes, given.u, block, rate, refresh), None
