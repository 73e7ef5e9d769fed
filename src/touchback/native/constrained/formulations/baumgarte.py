"""Baumgarte 1972, "Stabilization of constraints and integrals of motion in dynamical systems"."""

from dataclasses import dataclass

from touchback.native.constrained.formulations.formulation import Formulation
from touchback.numbers import MOST, keep, number_within


@dataclass(frozen=True)
class Baumgarte(Formulation):
    """constraints="baumgarte" with another feedback than the usual: J a = −γ − 2α (J v − b) − β² h,
    α and β in 1/s. An error dies down fastest with α = β. Stronger isn't always better: from about
    a twentieth of 1/step on the errors of the integrator grow with it."""

    word = "baumgarte"
    rate, table, jacobian = "baumgarte_rate", "multipliers_kind", "baumgarte_jacobian"

    alpha: float = 20.0
    beta: float = 20.0

    def __post_init__(self) -> None:
        for name, number in (("alpha", self.alpha), ("beta", self.beta)):
            sentence = f"Baumgarte's {name} must be zero or positive"
            keep(self, **{name: number_within(sentence, number, 0.0, MOST)})
