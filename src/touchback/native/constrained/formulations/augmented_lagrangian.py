"""The augmented Lagrangian of index 3 with projections (Cuadrado, Cardenal, Morer, Bayo 2001)."""

from dataclasses import dataclass

from touchback.native.constrained.formulations.formulation import Formulation
from touchback.numbers import keep, positive_number


@dataclass(frozen=True)
class AugmentedLagrangian(Formulation):
    """constraints="augmented-lagrangian" with another `penalty`: that of a row on index 3 over the
    row's own inertia, free of units. A weaker one takes more iterations to the same closure."""

    word = "augmented-lagrangian"
    rate, table = "multipliers_rate", "stepped_kind"
    step, elsewhere = True, False
    tolerance = 1e-11

    penalty: float = 1e6

    def __post_init__(self) -> None:
        keep(self, penalty=positive_number("The penalty", self.penalty))
