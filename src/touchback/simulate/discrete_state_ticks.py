"""Ticks of a model that has memories: when they take their new values in a run."""

from __future__ import annotations

from touchback.errors import InputError
from touchback.numbers import LEAST, MOST, number_within, shown
from touchback.simulate.run_protocols import StepOptions
from touchback.simulate.time_span import whole_multiple
from touchback.system import IntegrationProblem, System


def use_ticks(system: System, posed: IntegrationProblem, solver: StepOptions) -> None:
    """Lets the memories of a system take their values `rate` times a second."""
    every = steps_between(system, solver)
    if every is not None:
        posed.sample(system.memory_places, every)


def steps_between(system: System, solver: StepOptions) -> int | None:
    """How many steps there are from tick to tick; None for a model without memories."""
    memories, rate, step = memories_of(system), solver.rate, solver.step
    refuse_rate(system, rate)
    if not memories:
        return None
    sentence = (
        f"{system.name}: it has memories ('{memories[0]}', …) that change at ticks; say how many a "
        "second by rate=…"
    )
    rate = number_within(sentence, rate, LEAST, MOST)
    every = whole_multiple(1.0 / rate, step) if step else None
    if every is None:
        raise InputError(
            f"{system.name}: {rate:g} ticks a second are {1.0 / rate:g} s apart, which is no "
            f"multiple of the step {step:g} s; change one of them."
        )
    return every


def refuse_rate(system: System, rate: float | None) -> None:
    """Raise where ticks were asked for that nothing waits for."""
    if rate is not None and not memories_of(system):
        raise InputError(
            f"{system.name}: rate={shown(rate)} was asked for, but the model has no memories that "
            "change at ticks; leave it away."
        )


def memories_of(system: System) -> list[str]:
    """The states that change at ticks."""
    return list(system.layout.memories)
