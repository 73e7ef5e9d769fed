"""What an episode is made of: the phases of a mechanism and their exits."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from touchback.native.constrained.constrained import ConstrainedFunctions
from touchback.native.library import Floats
from touchback.native.record import FunctionData


@dataclass(frozen=True)
class ImpactData:
    """Constraints whose impulses act, and of each row the number of its contact (−1: it stays)."""

    functions: ConstrainedFunctions
    contacts: ArrayLike


@dataclass(frozen=True)
class ExitData:
    """tb_exit of episode.h."""

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
class PhaseData:
    """The equations of a phase, the places of its constraint rows among all, which of them let an
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
class EpisodeData:
    """All phases of a mechanism; `mode_places` are those of the modes' numbers in x, `mode_counts`
    how many there are: phases are counted with the last changing fastest."""

    sizes: tuple[int, int, int]
    input_count: int
    row_names: Sequence[str]
    phases: Sequence[PhaseData]
    mode_places: Sequence[int]
    mode_counts: Sequence[int]
    output_count: int


@dataclass(frozen=True)
class Crossed:
    """A transition that was taken: when, from which phase by which of its exits to which phase, how
    far constraints were open then, and the states before and after."""

    time: float
    phase: int
    exit: int
    after: int
    gap: float
    before: Floats
    state: Floats
