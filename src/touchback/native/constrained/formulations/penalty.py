"""The augmented Lagrangian of index 1 (Gallo 2012, 2.12–2.14)."""

from dataclasses import dataclass

from touchback.native.constrained.formulations.baumgarte import Baumgarte
from touchback.numbers import keep, positive_number


@dataclass(frozen=True)
class Penalty(Baumgarte):
    """constraints="penalty", with other settings: accelerations are found by
    (M + Jᵀ α J) a_{i+1} = M a_i − Jᵀ α (γ + 2 ζ ω (J v − b) + ω² h). The `penalty` is α over a
    row's own inertia, free of units; `alpha` is ζ ω and `beta` ω [1/s], as Baumgarte's feedback. A
    weaker penalty takes more iterations to the same accelerations, a stronger one rounds more."""

    word = "penalty"
    rate, elsewhere = "penalty_rate", False

    penalty: float = 1e3

    def __post_init__(self) -> None:
        super().__post_init__()
        keep(self, penalty=positive_number("The penalty", self.penalty))
