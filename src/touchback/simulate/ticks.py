"""Ticks of a model that has memories: when they take their new values in a run."""

from typing import Any

from touchback.errors import InputError
from touchback.native import Problem
from touchback.native.integrate.sampler import Sampler
from touchback.simulate.constrained import IMPLICIT, Enforced, Formulation, word_of
from touchback.simulate.methods import FIXED_STEP
from touchback.simulate.plan import Plan, whole_multiple


def default_method(system: Any, method: str | None, constraints: Formulation | None) -> str | None:
    """A model with memories is stepped from tick to tick: "rk4" unless said otherwise."""
    steps = method is None and word_of(constraints) not in IMPLICIT
    return "rk4" if steps and _memories(system) else method


def use_ticks(
    system: Any, problem: Problem, plan: Plan, rate: float | None, enforced: Enforced | None
) -> None:
    """Lets the memories of a system take their values `rate` times a second."""
    every = steps_between(system, plan, rate)
    if every is not None:
        constrained = enforced.constrained if enforced else None
        Sampler(problem, system.updates, system.memory_places, every, constrained)


def steps_between(system: Any, plan: Plan, rate: float | None) -> int | None:
    """How many steps there are from tick to tick; None for a model without memories."""
    memories = _memories(system)
    if not memories:
        if rate is not None:
            raise InputError(
                f"{system.name}: rate={rate!r} was asked for, but the model has no memories that "
                "change at ticks; leave it away."
            )
        return None
    if not (isinstance(rate, int | float) and rate > 0.0):
        raise InputError(
            f"{system.name}: it has memories ('{memories[0]}', …) that change at ticks; say how "
            f"many a second by rate=…, got {rate!r}."
        )
    if plan.method not in FIXED_STEP:
        raise InputError(
            f"{system.name}: a model with memories is stepped from tick to tick; choose a method "
            f"with fixed steps, such as 'rk4', instead of {plan.method!r}."
        )
    every = whole_multiple(1.0 / rate, plan.step or 1e-3)
    if every is None:
        raise InputError(
            f"{system.name}: {rate:g} ticks a second are {1.0 / rate:g} s apart, which is no "
            f"multiple of the step {plan.step or 1e-3:g} s; change one of them."
        )
    return every


def _memories(system: Any) -> list[str]:
    names = list(system.state_names)
    return [names[place] for place in getattr(system, "memory_places", ())]
