"""Ways to enforce constraints, a file each: a new one is its file and a line here."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from touchback.errors import InputError
from touchback.native.constrained.formulations.augmented_lagrangian import AugmentedLagrangian
from touchback.native.constrained.formulations.baumgarte import Baumgarte
from touchback.native.constrained.formulations.formulation import Formulation
from touchback.native.constrained.formulations.linear_implicit import LinearImplicit
from touchback.native.constrained.formulations.multipliers import Multipliers
from touchback.native.constrained.formulations.partitioning import Partitioning
from touchback.native.constrained.formulations.penalty import Penalty
from touchback.native.constrained.formulations.projection import Projection
from touchback.numbers import shown

#: Formulations with their usual settings, by name; the first is taken unless told otherwise.
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
