"""What a live run exposes, as plain data for whoever draws it or asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

from touchback.model import active_constraints, choice_name
from touchback.realtime.control.permissions import Exposed
from touchback.realtime.live import Live, choices
from touchback.realtime.port_guards import WatchedInput

Settable = Callable[[str, str], bool]
"""Whether a name of a kind may be set."""


def introspect(live: Live, exposed: Exposed, settable: Settable) -> dict[str, object]:
    """Names, units, ranges and values of what may be set; controls with their alternatives;
    constraints that may be switched; and signals to read, which everybody may."""
    system, now = live.system, live.snapshot()
    return {
        "model": system.name,
        "rate": live.spec.rate,
        "speed": live.spec.speed,
        "state": live.state,
        "tick": int(now["tick"]),
        "time": now["time"],
        "faults": list(live.faults),
        "inputs": _inputs(live, settable),
        "parameters": _parameters(live, settable),
        "controls": _controls(live, exposed),
        "constraints": _constraints(live, exposed),
        "outputs": _named(system.output_names, system.output_units),
        "states": _named(system.state_names, system.state_units),
        "energies": list(live.spec.energy),
        "structures": len(live.structures),
        "hands": _allowed(exposed.hands),
        "structure": _allowed(exposed.structure),
        "transport": _allowed(exposed.transport),
    }


def values_of(live: Live, exposed: Exposed) -> dict[str, float]:
    """The present values of exposed inputs and parameters."""
    kinds = {
        "inputs": live.system.input_names,
        "parameters": tuple(live.system.layout.parameters),
    }
    return {
        name: live[name]
        for kind, names in kinds.items()
        for name in names
        if exposed.allows(kind, name)
    }


def _allowed(given: object) -> object:
    return given if isinstance(given, bool) else list(given) if isinstance(given, tuple) else []


def _named(names: Sequence[str], units: Sequence[str]) -> list[dict[str, str]]:
    return [{"name": name, "unit": unit} for name, unit in zip(names, units, strict=True)]


def _end(value: float | None) -> float | None:
    """An end of a range, which JSON knows only when it is finite."""
    return value if value is not None and isfinite(value) else None


def _inputs(live: Live, settable: Settable) -> list[dict[str, object]]:
    system = live.system
    found: list[dict[str, object]] = []
    for name, known in zip(system.input_names, system.layout.input_ranges, strict=True):
        if settable("inputs", name):
            watched = live.spec.inputs.get(name, WatchedInput())
            found.append(
                {
                    "name": name,
                    "unit": known.unit,
                    "min": _end(watched.low if known.min is None else max(watched.low, known.min)),
                    "max": _end(
                        watched.high if known.max is None else min(watched.high, known.max)
                    ),
                    "default": known.default,
                    "value": live[name],
                }
            )
    return found


def _parameters(live: Live, settable: Settable) -> list[dict[str, object]]:
    layout = live.system.layout
    chosen = {choice_name(control) for control in choices(live.system)}
    return [
        {
            "name": name,
            "unit": known.unit,
            "min": _end(known.min),
            "max": _end(known.max),
            "default": known.default,
            "value": live[name],
        }
        for name, known in zip(layout.parameters, layout.ranges, strict=True)
        if settable("parameters", name) and name not in chosen
    ]


def _controls(live: Live, exposed: Exposed) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for name, known in choices(live.system).items():
        if exposed.allows("parameters", name):
            number = round(live[choice_name(name)]) if len(known) > 1 else 0
            found.append({"name": name, "alternatives": known, "chosen": known[number]})
    return found


def _constraints(live: Live, exposed: Exposed) -> list[dict[str, object]]:
    if live.system.names:
        return []
    model = live.system.model
    active = active_constraints(model)
    return [
        {"name": name, "active": name in active}
        for name in model.constraint_rows()
        if exposed.allows("structure", name)
    ]
