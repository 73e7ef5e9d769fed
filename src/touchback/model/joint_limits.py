"""Limits of joints are live: their numbers are parameters of the model, "hinge low" and "hinge
high", so that a run can move the stops. Expressions of parameters keep their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from touchback.errors import ModelError
from touchback.model.model import Model
from touchback.model.value_or_expression import Value
from touchback.symbolic import Expr, Operators, Translator
from touchback.units import unit_of

Ends = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Limit:
    """The two ends of a coordinate, as values of parameters that stand at these places."""

    coordinate: str
    low: Value
    high: Value
    places: Mapping[str, int]
    units: Mapping[str, str]

    def moved(self, prefix: str, by: int) -> Limit:
        """The same of a copy, whose names have a prefix and whose parameters stand further on."""
        places = {name: place + by for name, place in self.places.items()}
        return replace(self, coordinate=prefix + self.coordinate, places=places)

    def ends(self, parameters: np.ndarray) -> Ends:
        """Both ends for numbers of the parameters, (…, parameters)."""
        return self._end(self.low, parameters), self._end(self.high, parameters)

    def crossed(self, parameters: np.ndarray) -> str:
        """What is wrong where the lower end is above the upper one; nothing where it isn't."""
        low, high = np.broadcast_arrays(*self.ends(parameters))
        if np.all(low <= high):
            return ""
        first = np.flatnonzero(~(low <= high).ravel())[0]
        return (
            f"Limits of '{self.coordinate}': the lower one would be {low.ravel()[first]:g}, above "
            f"the upper one, {high.ravel()[first]:g}; move the "
            "other one first, or this one less."
        )

    def _end(self, given: Value, parameters: np.ndarray) -> np.ndarray:
        if not isinstance(given, Expr):
            return np.array(given)

        def number(symbol: object) -> np.ndarray:
            if symbol not in self.places:
                raise ModelError(
                    f"Limits of '{self.coordinate}': they may be numbers and expressions of "
                    f"parameters, but '{symbol}' is no parameter; a stop doesn't move by itself."
                )
            given = np.asarray(parameters[..., self.places[str(symbol)]])
            unit = unit_of(self.units[str(symbol)])
            return given if unit is None or unit.is_si else given * unit.factor + unit.zero

        return np.asarray(Translator(given.tape, Operators(), number)(given.id), dtype=float)


def limits_of(model: Model) -> tuple[Limit, ...]:
    """The limits of all coordinates of a flat model."""
    places = {name: place for place, name in enumerate(model.parameters)}
    units = {name: each.unit for name, each in model.parameters.items()}
    return tuple(
        Limit(coordinate, low, high, places, units)
        for name, joint in model.joints.items()
        for coordinate, (low, high) in zip(joint.position_names(name), joint.limits)
    )


def limit_numbers(model: Model) -> dict[str, tuple[float, float]]:
    """(lower, upper) of all coordinates of a flat model that have limits, by their names, for the
    defaults of the parameters."""
    defaults = np.array([each.default for each in model.parameters.values()])
    found = {limit.coordinate: limit.ends(defaults) for limit in limits_of(model)}
    return {name: (float(low), float(high)) for name, (low, high) in found.items()}
