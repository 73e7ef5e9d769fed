"""Weights of keys of real pianos, and what of an action they tell: leads, centres, knuckles.

Technicians put gram weights on a key whose damper is lifted: the least that takes it slowly down,
and the most that it lifts. Half of their sum is the balance weight, half of their difference the
friction weight. Published with how they were measured, in archives of the Piano Technicians Guild:

- Steinway B, M. Wathen, 23 March 1995 (moypiano.com/ptg/pianotech.php/1995-March/001010.html): each
  C and F but the last C, 14 keys, with brass weights that scales knew to 0.1 g;
- Kawai KG-2 of 1984, F. Sturm, 22 March 2004 (moypiano.com/ptg/caut.php/2004-March/011311.html): 70
  and 20 g "+ or - 2 or so", and 48 and 30 g after centres of hammers and whippens, knuckles and
  cushions of whippens were treated against friction. No mass was changed; keys were free.

Friction that doesn't depend on load gives to one weight what it takes from the other. What rubs by
its load costs more on the way down, where the load is greater: then the balance weight rises too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from touchback.errors import InputError
from touchback.instruments.piano.stroke_analysis import key_weights
from touchback.system import System


@dataclass(frozen=True)
class Weighed:
    """Balance weight and friction weight of a key [kg], with their standard errors."""

    balance: float
    friction: float
    balance_error: float
    friction_error: float

    @classmethod
    def of(cls, down: float, up: float, error: float) -> "Weighed":
        """Of both weights [kg], each with the same error."""
        half = error / np.sqrt(2.0)
        return cls((down + up) / 2, (down - up) / 2, half, half)

    @property
    def down(self) -> float:
        """Down weight [kg]."""
        return self.balance + self.friction

    @property
    def up(self) -> float:
        """Up weight [kg]."""
        return self.balance - self.friction


@dataclass(frozen=True)
class Unknown:
    """A parameter of the action that is the same in some states of the key."""

    parameter: str
    states: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """What was found: values of the unknowns, whether a bound holds each, what is left of balance
    and friction weight of each state [kg], and slopes of these in standard errors."""

    unknowns: tuple[Unknown, ...]
    values: np.ndarray
    held: np.ndarray
    left: dict[str, tuple[float, float]]
    slopes: np.ndarray
    misfit: float  # sum of squares of what is left, each in its standard error

    @property
    def freedoms(self) -> int:
        """Measured numbers beyond unknowns."""
        return 2 * len(self.left) - len(self.unknowns)

    @property
    def chance(self) -> float:
        """That measuring errors alone leave as much; 1 where nothing can be left."""
        from scipy.special import chdtrc

        return float(chdtrc(self.freedoms, self.misfit)) if self.freedoms else 1.0

    @property
    def covariance(self) -> np.ndarray:
        """(JᵀJ)⁻¹: errors of what was measured are known, not taken from what is left."""
        return np.asarray(np.linalg.inv(self.slopes.T @ self.slopes))

    @property
    def errors(self) -> np.ndarray:
        """Standard errors of the values."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def found(self, parameter: str, state: str) -> tuple[float, float, bool] | None:
        """Value, standard error and whether a bound holds it; None of what wasn't looked for."""
        for i, unknown in enumerate(self.unknowns):
            if unknown.parameter == parameter and state in unknown.states:
                return float(self.values[i]), float(self.errors[i]), bool(self.held[i])
        return None

    def parameters(self, state: str) -> dict[str, float]:
        """Of the action in a state."""
        return _set(self.unknowns, self.values, state)


LEAD, CENTRES, KNUCKLE = "key lead mass", "centre friction", "knuckle friction"
_G = 1e-3
_ALIKE = 1 / np.sqrt(14.0)  # of 14 keys, the error of the mean in their standard deviation
STEINWAY = {"new": Weighed(39.4 * _G, 12.9 * _G, 1.9 * _G * _ALIKE, 2.2 * _G * _ALIKE)}
KAWAI = {
    "before": Weighed.of(70 * _G, 20 * _G, 2 * _G),
    "after": Weighed.of(48 * _G, 30 * _G, 2 * _G),
}
_LEAD = Unknown(LEAD, ("before", "after"))
_CENTRES = tuple(Unknown(CENTRES, (state,)) for state in ("before", "after"))
_KNUCKLE = Unknown(KNUCKLE, ("before",))
# What was treated, and may have been worse before.
CAUSES = {
    "centres": (_LEAD, *_CENTRES),
    "knuckles": (_LEAD, Unknown(CENTRES, ("before", "after")), _KNUCKLE),
    "both": (_LEAD, *_CENTRES, _KNUCKLE),
}
NEW = (Unknown(LEAD, ("new",)), Unknown(CENTRES, ("new",)))
_STEP = 0.02  # of a value: differences so wide that swings of the action don't show in slopes
_NEAR = 1e-4  # of a value: a hundredth of what the weights tell


def fit(system: System, keys: Mapping[str, Weighed], unknowns: Sequence[Unknown]) -> Fit:
    """Parameters with which an action from `slow_press` has the weights of a key in its states, by
    least squares from those of the drawing, within their ranges. Everything else is as drawn."""
    from scipy.optimize import least_squares

    @cache
    def weighed(given: frozenset[tuple[str, float]]) -> tuple[float, float]:
        found = key_weights(system, dict(given))
        if found is None:
            raise InputError(
                f"An action with {dict(given)} can't be weighed: damper, let-off or key bed begin "
                "within the first millimetre; look at its capstan."
            )
        return (found[0] + found[1]) / 2, (found[0] - found[1]) / 2

    def left(values: np.ndarray) -> np.ndarray:
        """Measured less modelled, a row for each state."""
        modelled = [weighed(frozenset(_set(unknowns, values, state).items())) for state in keys]
        return np.array([(key.balance, key.friction) for key in keys.values()]) - modelled

    error = np.array([(key.balance_error, key.friction_error) for key in keys.values()])
    drawn = [system.model.parameters[unknown.parameter] for unknown in unknowns]
    usual, low, high = np.array([(each.default, each.min, each.max) for each in drawn]).T
    found = least_squares(
        lambda values: (left(values) / error).ravel(), usual, x_scale=usual, diff_step=_STEP,
        bounds=(low, high), xtol=_NEAR,
    )  # fmt: skip
    held = np.minimum(found.x - low, high - found.x) < 10 * _NEAR * usual
    remains = {state: (b, f) for state, (b, f) in zip(keys, left(found.x).tolist(), strict=True)}
    return Fit(tuple(unknowns), found.x, held, remains, found.jac, float(2 * found.cost))


def _set(unknowns: Sequence[Unknown], values: np.ndarray, state: str) -> dict[str, float]:
    pairs = zip(unknowns, map(float, values), strict=True)
    return {unknown.parameter: value for unknown, value in pairs if state in unknown.states}
