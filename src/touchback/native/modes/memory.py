"""The memory of modes (tb_modes): each of them, its exits, and what they work on."""

import numpy as np

from touchback.native.constrained.constrained import Constrained, ConstrainedFunctions
from touchback.native.constrained.formulations import Formulation
from touchback.native.integrate.fixed_step import step_address
from touchback.native.integrate.problem import Solved
from touchback.native.library import LIB, aligned_zeros
from touchback.native.modes.data import ExitData, ImpactData, ModeData, ModesData
from touchback.native.record import Record

HEAD = LIB.constant("TB_TRANSITION_HEAD")  # numbers before the states in a row of the log
CROWD = LIB.constant("TB_CROWD")
MOST = 64  # transitions in one step
CROWDED = 0.25 * MOST  # steps in which so many chatter: four a step, for sixteen steps
LIVE_LOOKS = 12  # tries of a clocked run to find an instant, each a step of the method:
# forces that vanish in a jump are found by halving, to a 4000th of the step
NO_END = 2**62
AHEAD = 1e-3  # of a step: how far is looked whether an indicator comes back
WIDEST_GAP = 1e-3  # of constraints when their mode begins [m or rad]
_ROWS = 65 * MOST


class ModesMemory:
    """All modes of one run; `compensated` and `logging` are those of `Modes`."""

    def __init__(
        self,
        data: ModesData,
        formulation: Formulation,
        method: str,
        compensated: bool,
        logging: bool,
    ) -> None:
        self.data, self.formulation = data, formulation
        self._sets: dict[int, Constrained] = {}
        self._record = record = Record(
            "tb_modes", n=sum(data.sizes), velocities=data.sizes[1], nq=data.sizes[0],
            input_count=1 + data.input_count, row_count=len(data.row_names),
            group_count=len(data.group_places), compensated=compensated, most=MOST,
            looks=NO_END if logging else LIVE_LOOKS, ahead=AHEAD, widest_gap=WIDEST_GAP, failed=-1,
            step=step_address(method),
        )  # fmt: skip
        self.context_address = record.address
        record.ints("group_places", data.group_places)
        record.ints("group_sizes", data.group_sizes)
        self._make_arrays()
        if logging:
            width = HEAD + 2 * sum(data.sizes)
            self._log = record.point("log", aligned_zeros(_ROWS * width).reshape(_ROWS, width))
            record.struct.capacity = _ROWS
        self.enforced = [self._constrained(mode.functions) for mode in data.modes]
        record.records("modes", "mode_count", "tb_mode", [*map(self._mode, data.modes)])
        places = [constrained.context_address for constrained in self._sets.values()]
        record.point("sets", np.array(places, dtype=np.uint64))
        record.struct.set_count = len(places)
        for constrained in self._sets.values():
            record.kept += [constrained, *constrained.kept]

    @property
    def kept(self) -> list[object]:
        """What lives as long as this: arrays that a rate works on among it."""
        return self._record.kept

    def _constrained(self, functions: ConstrainedFunctions) -> Constrained:
        """One for each set of constraints, however often it is named."""
        key = functions.terms.address
        if key not in self._sets:
            self._sets[key] = Constrained(functions, self.formulation)
        return self._sets[key]

    def _make_arrays(self) -> None:
        record, s = self._record, self._record.struct
        values = max(1, *(mode.value_count for mode in self.data.modes))
        sizes = {
            **dict.fromkeys(("rate", "ahead_state", "before", "struck", "trial"), s.n),
            **dict.fromkeys(("values", "end_values", "ahead_values"), values),
            **dict.fromkeys(("sides", "thresholds"), values),
            "recent": CROWD, "effort": s.velocities, "scratch": 4 * s.n,
            "u": s.input_count + s.velocities + s.row_count,
        }  # fmt: skip
        for name, size in sizes.items():
            record.floats(name, size)
        self.solved = Solved(record.floats("a", s.velocities), record.floats("lambda", s.row_count))
        self._waits = record.point("waits", np.zeros(values, dtype=np.int64))

    def _mode(self, mode: ModeData) -> Record:
        constrained = self._constrained(mode.functions)
        problem = constrained.problem(np.zeros(1 + self.data.input_count))
        made = Record(
            "tb_mode", value_count=mode.value_count, uses_forces=mode.uses_forces,
            modes=self.context_address,
        )  # fmt: skip
        made.kept += [problem, *problem.record.kept]
        made.struct.problem = problem.record.struct
        made.struct.constrained = constrained.context_address
        made.ints("rows", mode.rows)
        made.ints("tracks", mode.tracks)
        for name in ("indicators", "outputs", "updates"):
            made.call(name, getattr(mode, name))
        made.records("exits", "exit_count", "tb_exit", [*map(self._exit, mode.exits)])
        return made

    def _exit(self, given: ExitData) -> Record:
        made = Record(
            "tb_exit", target=given.target, rest=-1 if given.rest is None else given.rest,
            mode_place=given.mode_place, target_number=given.target_number,
            rest_number=given.rest_number, direction=given.direction, when=given.when,
            reset_count=len(given.reset_places), reset_start=given.reset_start,
            restitution_start=given.restitution_start, poisson=given.poisson,
            rest_speed=given.rest_speed,
            struck=int(np.sum(np.asarray(given.impact.contacts) >= 0)),
        )  # fmt: skip
        made.ints("reset_places", given.reset_places)
        made.kept += self._fill_impact(Record(made.struct.impact), given.impact)
        if given.rest_impact is not None:
            made.kept += self._fill_impact(Record(made.struct.rest_impact), given.rest_impact)
        return made

    def _fill_impact(self, impact: Record, given: ImpactData) -> list[object]:
        constrained = self._constrained(given.functions)
        impact.struct.set = list(self._sets.values()).index(constrained)
        impact.ints("contacts", given.contacts)
        return impact.kept
