"""The variables of a functional mock-up unit, from those of a system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from touchback import System
from touchback.model import Input, Parameter


@dataclass(frozen=True)
class Variable:
    """One number: its name, what the interface calls it by (`reference`), and what it is for."""

    name: str
    reference: int
    causality: str
    variability: str
    initial: str = ""
    start: float | None = None
    unit: str = ""
    least: float | None = None
    most: float | None = None
    derivative_of: int | None = None  # the reference of the state


@dataclass(frozen=True)
class Variables:
    """All of them, in the order of their references, in these groups."""

    time: Variable
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    states: tuple[Variable, ...]
    rates: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    indicators: tuple[Variable, ...]

    def __iter__(self) -> Iterator[Variable]:
        yield self.time
        for group in (self.inputs, self.outputs, self.states, self.rates, self.parameters):
            yield from group
        yield from self.indicators

    @property
    def unknown_at_first(self) -> list[Variable]:
        """What initialisation computes."""
        guessed = [each for each in self.states if each.initial == "approx"]
        return [*self.outputs, *guessed, *self.rates]


def variables_of(system: System, start: Sequence[float], indicators: int) -> Variables:
    """Those of a system that begins in a state: sensors are outputs; coordinates, velocities and
    further states are local. With constraints their starts are a guess, from which loops close."""
    layout = system.layout
    names = _Names()
    begins = "approx" if system.constrained else "exact"
    inputs = [
        _given(names("input", name), "input", "continuous", known)
        for name, known in zip(layout.inputs, layout.input_ranges, strict=True)
    ]
    outputs = [
        Variable(names("sensor", name), 0, "output", "continuous", "calculated", unit=unit)
        for name, unit in zip(layout.outputs, system.output_units, strict=True)
    ]
    states = [
        Variable(names("state", name), 0, "local", "continuous", begins, float(value), unit)
        for name, unit, value in zip(layout.state_names, layout.state_units, start, strict=True)
    ]
    rates = [
        Variable(names("rate", f"der({each.name})"), 0, "local", "continuous", "calculated",
                 unit=_per_second(each.unit))
        for each in states
    ]  # fmt: skip
    parameters = [
        _given(names("parameter", name), "parameter", "tunable", known)
        for name, known in zip(layout.parameters, layout.ranges, strict=True)
    ]
    watched = [
        Variable(names("indicator", f"event indicator {i + 1}"), 0, "local", "continuous",
                 "calculated")
        for i in range(indicators)
    ]  # fmt: skip
    time = Variable(names("time", "time"), 0, "independent", "continuous", unit="s")
    return _numbered(time, inputs, outputs, states, rates, parameters, watched)


def _given(name: str, causality: str, variability: str, known: Input | Parameter) -> Variable:
    """What comes from outside."""
    initial = "exact" if causality == "parameter" else ""
    return Variable(
        name, 0, causality, variability, initial, known.default, known.unit, known.min, known.max
    )


def _numbered(time: Variable, *groups: list[Variable]) -> Variables:
    at, found = 1, []
    for group in groups:
        found.append(tuple(replace(each, reference=at + i) for i, each in enumerate(group)))
        at += len(group)
    inputs, outputs, states, rates, parameters, watched = found
    rates = tuple(
        replace(rate, derivative_of=state.reference)
        for rate, state in zip(rates, states, strict=True)
    )
    return Variables(time, inputs, outputs, states, rates, parameters, watched)


class _Names:
    """Names, each given once: those that are taken already get their kind."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def __call__(self, kind: str, name: str) -> str:
        plain = " ".join(name.split())  # the format has no tabs and line ends in names
        while plain in self._taken:
            plain = f"{plain} ({kind})"
        self._taken.add(plain)
        return plain


def _per_second(unit: str) -> str:
    if unit in ("", "1"):
        return "1/s"
    return f"{unit}^2" if unit.endswith("/s") else f"{unit}/s"
