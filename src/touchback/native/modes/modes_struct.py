"""Modes as data: one form from the system's equations to C's structs and to the text of kernels.

All of it is frozen and hashable. Modes, their exits and their impacts name sets of constraints by
number; the functions of sets and modes stand beside them, by the same numbers."""

from dataclasses import dataclass

from touchback.native.c_struct import FunctionData
from touchback.native.constrained.constrained_problem import ConstrainedFunctions
from touchback.native.shared_library import Floats


@dataclass(frozen=True)
class ImpactData:
    """tb_impact: the number of the set of constraints whose impulses act, and of each of its rows
    the number of its contact (−1: it stays)."""

    constraint_set: int
    contacts: tuple[int, ...]

    @property
    def contact_rows(self) -> int:
        """How many rows are those of contacts."""
        return sum(number >= 0 for number in self.contacts)


NO_IMPACT = ImpactData(0, ())


@dataclass(frozen=True)
class ExitData:
    """tb_exit of modes/exit.h: a transition out of a mode. `target` and `rest` are numbers of
    modes, of which the state holds `target_number` or `rest_number` at `mode_place` (−1 and
    `NO_IMPACT` where nothing comes to rest). `when` is the place of the indicator among the mode's
    values, which has its resets from `reset_start` on, and a restitution for each contact of its
    impact from `restitution_start` on."""

    target: int
    rest: int
    mode_place: int
    target_number: int
    rest_number: int
    direction: int
    when: int
    reset_places: tuple[int, ...]
    reset_start: int
    restitution_start: int
    poisson: bool
    rest_speed: float
    impact: ImpactData = NO_IMPACT
    rest_impact: ImpactData = NO_IMPACT


@dataclass(frozen=True)
class ModeData:
    """tb_mode of modes/struct.h: the number of its set of constraints, the places of its rows among
    all, which of them let an idle coordinate track, how many values its exits read (indicators,
    resets and restitutions), whether these depend on accelerations or multipliers, and its
    exits."""

    constraint_set: int
    rows: tuple[int, ...]
    tracks: tuple[bool, ...]
    value_count: int
    uses_forces: bool
    exits: tuple[ExitData, ...]


@dataclass(frozen=True)
class ModeFunctions:
    """The functions of a mode as C calls them: the values that its exits read, its sensors, and
    what its memories become."""

    indicators: FunctionData | None
    outputs: FunctionData | None
    updates: FunctionData | None


@dataclass(frozen=True)
class ModesData:
    """All modes of a mechanism; `group_places` are those of the modes' numbers in x, `group_sizes`
    how many there are: modes are counted with the last changing fastest. `constraint_sets` and
    `functions` have those of each set and of each mode by its number."""

    sizes: tuple[int, int, int]
    input_count: int
    output_count: int
    row_names: tuple[str, ...]
    group_places: tuple[int, ...]
    group_sizes: tuple[int, ...]
    modes: tuple[ModeData, ...]
    constraint_sets: tuple[ConstrainedFunctions, ...]
    functions: tuple[ModeFunctions, ...]

    @property
    def most_values(self) -> int:
        """How many the exits of a mode read at most, at least 1."""
        return max(1, *(mode.value_count for mode in self.modes))

    @property
    def friction_rows(self) -> list[str]:
        """Names of the rows with friction, mode by mode."""
        return [name for k in range(len(self.modes)) for name in self.constraints(k).friction_rows]

    def constraints(self, mode: int) -> ConstrainedFunctions:
        """Those that act in a mode."""
        return self.constraint_sets[self.modes[mode].constraint_set]


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
