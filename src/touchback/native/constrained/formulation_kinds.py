"""Ways to enforce constraints: a new one is its class and a line of FORMULATIONS."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

from touchback.errors import InputError
from touchback.numbers import MOST, keep, number_within, positive_number, shown


@dataclass(frozen=True)
class Formulation:
    """A way to enforce constraints, called `word`: its functions in C, and what it is content with.
    Its fields, if any, are its settings: those of `tb_constrained_model` of these names.

    Functions are named as in C, without our prefix; one that is a step of its own (`step`) has the
    step called by its word, too."""

    word: ClassVar[str]
    rate: ClassVar[str]
    table: ClassVar[str]
    jacobian: ClassVar[str] = ""  # of the rate, where implicit methods can have it exactly
    step: ClassVar[bool] = False  # whether it is a step of its own
    elsewhere: ClassVar[bool] = True  # whether it takes forces that act elsewhere than they bind
    tolerance: ClassVar[float] = 1e-13  # of Newton's method for positions
    # Redundant rows are told from others at consistent states; who drifts must tolerate more.
    rank_tolerance: ClassVar[float] = 1e-5

    @property
    def settles(self) -> bool:
        """Whether it moves accepted states onto the constraints; others carry gaps along."""
        return self.table in ("partitioning_kind", "projection_kind")


# Coordinate partitioning (Wehage and Haug 1982; Docquier 2021, eq. 5-8).
class Partitioning(Formulation):
    """Dependent positions and velocities are solved for: constraints are met to rounding."""

    word = "partitioning"
    rate, table, jacobian = "partitioning_rate", "partitioning_kind", "partitioning_jacobian"
    rank_tolerance = 1e-8


# Lagrange multipliers on index 1, nothing else.
class Multipliers(Formulation):
    """Accelerations meet the constraints; positions and velocities drift."""

    word = "multipliers"
    rate, table, jacobian = "multipliers_rate", "multipliers_kind", "multipliers_jacobian"


# Baumgarte 1972, "Stabilization of constraints and integrals of motion in dynamical systems".
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


# The augmented Lagrangian of index 1 (Gallo 2012, 2.12–2.14).
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


# Multipliers on index 1, and states projected onto the constraints after each step.
class Projection(Formulation):
    """Accelerations meet the constraints, and accepted states are moved onto them."""

    word = "projection"
    rate, table, jacobian = "multipliers_rate", "projection_kind", "multipliers_jacobian"
    rank_tolerance = 1e-8


# Linear-implicit Euler of index 2 (Wang 2011, eq. 8-9, corrected).
class LinearImplicit(Formulation):
    """A step of order 1 of its own, for stiff mechanisms at a fixed cost."""

    word = "linear-implicit"
    rate, table = "multipliers_rate", "stepped_kind"
    step, elsewhere = True, False


# The augmented Lagrangian of index 3 with projections (Cuadrado, Cardenal, Morer, Bayo 2001).
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


#: Formulations with their usual settings, by name; the first is taken by default.
FORMULATIONS: dict[str, Formulation] = {
    each.word: each
    for each in (
        Partitioning(),
        Multipliers(),
        Baumgarte(),
        Penalty(),
        Projection(),
        LinearImplicit(),
        AugmentedLagrangian(),
    )
}


def formulation_of(given: str | Formulation | None) -> Formulation:
    """What a name stands for, or a formulation as it is; by default the first."""
    if isinstance(given, Formulation):
        return given
    word: object = next(iter(FORMULATIONS)) if given is None else given
    if isinstance(word, type):
        raise InputError(f"constraints={word.__name__} is a class; make one: tb.{word.__name__}().")
    if not isinstance(word, str) or word not in FORMULATIONS:
        raise InputError(
            f"There is no formulation {shown(word)}; there are {', '.join(FORMULATIONS)}."
        )
    return FORMULATIONS[word]


def formulation_with(word: str, settings: Mapping[str, float]) -> Formulation:
    """What a name stands for, with settings of it."""
    usual = formulation_of(word)
    unknown = [name for name in settings if name not in asdict(usual)]
    if unknown:
        raise InputError(f"The formulation {word!r} has no setting {unknown[0]!r}.")
    return replace(usual, **settings)


__all__ = [
    "FORMULATIONS",
    "AugmentedLagrangian",
    "Baumgarte",
    "Formulation",
    "Penalty",
    "formulation_of",
    "formulation_with",
]
