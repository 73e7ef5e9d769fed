"""What a formulation is: a way to enforce constraints."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Formulation:
    """A way to enforce constraints, called `word`: its functions in C, and what it is content with.
    Its fields, if any, are its settings: those of `tb_constrained` of these names.

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
