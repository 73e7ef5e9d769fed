"""Which run a model needs: a plain one, or one that knows its rigid contacts."""

from typing import Any

from touchback.errors import InputError
from touchback.recording import Run
from touchback.simulate import simulate
from touchback.simulate.event_driven import simulate_contacts
from touchback.simulate.time_stepping import step_contacts
from touchback.system import System

_USUAL_STEP = 1e-4  # s, of time stepping


def run_of(
    system: System,
    start: Any,
    seconds: float,
    *,
    method: str | None,
    step: float | None,
    rtol: float,
    rate: float | None,
    inputs: dict[str, Any],
) -> Run:
    """The run by a method of `tb.simulate`; with rigid contacts by "event-driven" (the default) or
    "moreau-jean"."""
    if not system.model.contacts:
        return simulate(
            system, start, seconds, method=method, step=step, rtol=rtol, inputs=inputs,
            books=True, rate=rate,
        )  # fmt: skip
    if method not in (None, "event-driven", "moreau-jean"):
        raise InputError(
            f"{system.name} has rigid contacts, which the method '{method}' doesn't know; take "
            "event-driven (the default) or moreau-jean."
        )
    if rate is not None:
        raise InputError(
            f"{system.name} has rigid contacts, whose runs have no ticks; drop --rate."
        )
    if method == "moreau-jean":
        size = _USUAL_STEP if step is None else step
        return step_contacts(system, None, start, seconds, step=size, inputs=inputs)
    return simulate_contacts(system, None, start, seconds, step=step, rtol=rtol, inputs=inputs)
