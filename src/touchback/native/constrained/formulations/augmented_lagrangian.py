"""The augmented Lagrangian of index 3 with projections (Cuadrado, Cardenal, Morer, Bayo 2001)."""

import math
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.native.constrained.formulations.formulation import Formulation


@dataclass(frozen=True)
class AugmentedLagrangian(Formulation):
    """constraints="augmented-lagrangian" with another `penalty`: that of a row on index 3 over the
    row's own inertia, free of units. A weaker one takes more iterations to the same closure."""

    word = "augmented-lagrangian"
    rate, motion = "multipliers_rate", "stepped_motion"
    step, elsewhere = True, False
    tolerance = 1e-11

    penalty: float = 1e6

    def __post_init__(self) -> None:
        if not (math.isfinite(self.penalty) and self.penalty > 0.0):
            raise InputError(f"The penalty must be a positive number, got {self.penalty!r}.")
