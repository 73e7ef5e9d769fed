"""What modes are made of: their equations and exits."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from touchback.native.c_struct import FunctionData
from touchback.native.constrained.constrained import ConstrainedFunctions
from touchback.native.library import Floats


@dataclass(frozen=True)
class ImpactData:
    """Constraints whose impulses act, and of each row the number of its contact (−1: it stays)."""

    functions: ConstrainedFunctions
    contacts: ArrayLike


@dataclass(frozen=True)
class ExitData:
    """tb_exit of modes.h."""

    target: int
    rest: int | None
    mode_place: int
    target_number: int
    rest_number: int
    direction: int
    when: int
    reset_places: Sequence[int]
    reset_start: int
    restitution_start: int
    poisson: bool
    rest_speed: float
    impact: ImpactData
    rest_impact: ImpactData | None


@dataclass(frozen=True)
class ModeData:
    """The equations of a mode, the places of its constraint rows among all, which of them let an
    idle coordinate track, its indicators (with
    resets and restitutions), its sensors, what its memories become, and its exits."""

    functions: ConstrainedFunctions
    rows: ArrayLike
    tracks: ArrayLike
    indicators: FunctionData | None
    value_count: int
    uses_forces: bool
    outputs: FunctionData | None
    updates: FunctionData | None
    exits: Sequence[ExitData]


@dataclass(frozen=True)
class ModesData:
    """All modes of a mechanism; `group_places` are those of the modes' numbers in x, `group_sizes`
    how many there are: modes are counted with the last changing fastest."""

    sizes: tuple[int, int, int]
    input_count: int
    row_names: Sequence[str]
    modes: Sequence[ModeData]
    group_places: Sequence[int]
    group_sizes: Sequence[int]
    output_count: int


@dataclass(frozen=True)
class Crossed:
    """A transition that was taken: when, from which mode by which of its exits to which mode, how
    far constraints were open then, and the states before and after."""

    time: float
    mode: int
    exit: int
    after: int
    gap: float
    before: Floats
    state: Floats
