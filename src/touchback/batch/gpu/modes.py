"""The text of kernels for mechanisms with modes: the processor's own C code (`native/modes`),
compiled for the card. Each instance is in a mode of its own, with memory for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from touchback.batch.gpu import modes_texts as texts
from touchback.batch.gpu import tied_texts
from touchback.batch.gpu.kernels import BLOCK, Kernel, Shared
from touchback.batch.gpu.mode_tables import Mode, exit_tables, listed, place, set_tables, set_text
from touchback.batch.gpu.tied import (
    CONSTRAINED,
    STATISTICS,
    KeptRollout,
    Rows,
    arrays_of,
    source,
    table,
    word,
)
from touchback.codegen.printers.cuda import device_function, device_preamble
from touchback.native.modes.memory import AHEAD, CROWD, CROWDED, MOST, NO_END, WIDEST_GAP
from touchback.simulate.mode_stepper import CHUNK

_TABLES = "modes/exit.h"
_REMEMBER = "constrained/remember.c"
_CODE = (
    "modes/modes.h", "modes/modes.c", "modes/exits.c", "modes/transition.c", "modes/step.c",
    "modes/told.c",
)  # fmt: skip
#: Files that a card compiles beside those of constraints.
SOURCES = (_TABLES, _REMEMBER, *_CODE)
#: Why an instance ended early, by number, and what else it tells.
CHATTERING, NOT_BEGUN, UNREAD, NOT_FINITE = 1, 2, 3, 4
TOLD = (
    "why", "paradoxes", "crowd", "failed", "failed_mode", "failed_gap", "failed_time", "largest_h",
    "gap",
)  # fmt: skip
_WHOLE = TOLD[:5]
_OF_SETS = ("terms", "positions", "velocity level")
_OF_MODES = ("indicators", "outputs", "updates")


@dataclass(frozen=True)
class ModesRollout(KeptRollout):
    """With modes: sets of constraints, the modes, places of their numbers in x and how many each
    group has, the constraint rows of all, and how many numbers sensors show. Functions have the
    number of their set or mode in their name."""

    sets: tuple[Rows, ...]
    modes: tuple[Mode, ...]
    groups: tuple[tuple[int, ...], tuple[int, ...]]
    row_count: int
    shown: int

    @property
    def sensors(self) -> int:
        """How many numbers they show."""
        return self.shown

    def kernel(self, shared: Shared, real: str, memory: int) -> Kernel:
        """For the card, in double precision."""
        functions = [
            device_function(program, word(name)) + tied_texts.FUNCTION.format(name=word(name))
            for name, program in self.programs.items()
        ]
        series = self._series(shared)
        problem = tied_texts.PROBLEM.format(states=self.states, moving=self.states, series=series)
        kept = {"rate": self.rate, "motion": self.motion}
        text = "\n".join(
            [
                device_preamble(self.programs.values(), real), tied_texts.BEFORE, *functions,
                source(STATISTICS), self._set_struct(), source(_TABLES), self._modes_struct(),
                texts.CALLS, *self._dispatches(), tied_texts.NO_SPARSE, problem,
                *map(source, CONSTRAINED), source(_REMEMBER), tied_texts.RATE.format(**kept),
                source(f"integrate/{self.method}.c"), texts.RATE.format(**kept),
                *map(source, _CODE), *self._prepared(), self._measures(), self._remembered(),
                self._rollout_text(shared),
            ]
        )  # fmt: skip
        return Kernel(text, "rollout", real, 0)

    # ---- memory of a thread -------------------------------------------------------------------

    def _set_struct(self) -> str:
        nq, n, nz = self.sets[0].sizes
        sizes = largest_arrays(self.sets)
        constants = [
            ("long", name, str(size)) for name, size in zip(("nq", "n", "nz"), (nq, n, nz))
        ]
        constants += [("double", name, repr(number)) for name, number in self.settings]
        arrays = [f"    mutable {kind} {name}[{k}];\n" for (kind, name), k in sizes.items()]
        return tied_texts.STRUCT.format(
            tables="", constants=_constants(constants), patterns=texts.SET_MEMBERS, nq=nq,
            arrays="".join(arrays), sized=f"call({n}, (c)->rank)",
        )  # fmt: skip

    def _modes_struct(self) -> str:
        nq, n, nz = self.sets[0].sizes
        states, values = nq + n + nz, max(1, *(mode.value_count for mode in self.modes))
        whole = {
            "n": states, "velocities": n, "nq": nq, "input_count": self.inputs,
            "row_count": self.row_count, "mode_count": len(self.modes), "set_count": len(self.sets),
            "group_count": len(self.groups[0]), "compensated": 1, "most": MOST, "looks": NO_END,
        }  # fmt: skip
        constants = [("long", name, str(number)) for name, number in whole.items()]
        constants += [("double", "ahead", repr(AHEAD)), ("double", "widest_gap", repr(WIDEST_GAP))]
        sizes = {
            "a effort": n, "lambda": self.row_count, "u": self.inputs + n + self.row_count,
            "values end_values ahead_values sides thresholds": values,
            "rate ahead_state before struck trial": states, "scratch": 4 * states, "recent": CROWD,
        }  # fmt: skip
        arrays = [(name, max(1, size)) for names, size in sizes.items() for name in names.split()]
        return texts.STRUCT.format(
            constants=_constants(constants), method=self.method, modes=len(self.modes),
            sets=len(self.sets), arrays="".join(f"    double {name}[{n}];\n" for name, n in arrays)
            + f"    long waits[{values}];\n",
        )  # fmt: skip

    # ---- functions of each set and mode -------------------------------------------------------

    def _dispatches(self) -> Iterator[str]:
        for names, owner, count in (
            (_OF_SETS, "tb_constrained", len(self.sets)), (_OF_MODES, "tb_mode", len(self.modes)),
        ):  # fmt: skip
            for name in names:
                there = [int(f"{name} {k}" in self.programs) for k in range(count)]
                cases = "".join(
                    texts.CASE.format(number=k, name=word(name)) for k in range(count) if there[k]
                )
                yield texts.DISPATCH.format(name=word(name), owner=owner, cases=cases)
                yield table(f"has_{word(name)}", there)
                yield texts.HAS.format(name=word(name), owner=owner)
        turns = "configuration rate" in self.programs
        call = "configuration_rate_of(x, u, p, out);" if turns else ""
        yield texts.CONFIGURATION_RATE.format(has="true" if turns else "false", call=call)

    def _prepared(self) -> Iterator[str]:
        """Tables, and what lets a thread's memory point to them."""
        lines = []
        for k, rows in enumerate(self.sets):
            yield set_tables(rows, k)
            lines.append(set_text(rows, k))
        for k, mode in enumerate(self.modes):
            yield listed(f"rows_{k}", mode.rows) + listed(f"tracks_{k}", mode.tracks)
            yield from exit_tables(mode.exits, k)
            lines.append(
                texts.MODE.format(
                    number=k, set=mode.set, rows=place(f"rows_{k}", mode.rows),
                    tracks=place(f"tracks_{k}", mode.tracks), value_count=mode.value_count,
                    uses_forces=mode.uses_forces, exit_count=len(mode.exits),
                    exits=f"exits_{k}" if mode.exits else "0",
                )
            )  # fmt: skip
        yield table("group_places", self.groups[0]) + table("group_sizes", self.groups[1])
        yield texts.PREPARE.format(sets=len(self.sets), lines="".join(lines))

    def _measures(self) -> str:
        solutions = self.sets[0].sizes[1] + self.row_count
        measures = texts.MEASURES.format(solutions=solutions, sensors=self.shown)
        rubs = int(any(rows.twins for rows in self.sets))
        look = texts.LOOK.format(rubs=rubs, unread=UNREAD)
        return "\n".join([measures, tied_texts.NOTE.format(note=self._note()), look])

    # ---- from launch to launch ----------------------------------------------------------------

    @property
    def remembered(self) -> int:
        """How many numbers an instance has beside its state: what it tells, instants of late
        transitions, and what each set of constraints remembers."""
        return len(TOLD) + CROWD + sum(map(_remembered, self.sets))

    def _remembered(self) -> str:
        kinds = {name: "long" if name in _WHOLE else "double" for name in TOLD}
        return texts.REMEMBER.format(
            largest=max(map(_remembered, self.sets)), sets=len(self.sets),
            lines="".join(
                f"    *memory = (double)e->{name}, memory += count;\n" for name in TOLD
            ),
            back="".join(
                f"    e->{name} = ({kind})*memory, memory += count;\n"
                for name, kind in kinds.items()
            ),
        )  # fmt: skip

    def _rollout_text(self, shared: Shared) -> str:
        return texts.ROLLOUT.format(
            **self._given(shared), states=self.states, inputs=self.inputs, block=BLOCK,
            memories=self._memories(), undo_tick=self._undo_tick(), chattering=CHATTERING,
            not_begun=NOT_BEGUN, not_finite=NOT_FINITE, chunk=CHUNK, crowded=CROWDED,
        )  # fmt: skip


def largest_arrays(sets: Sequence[Rows]) -> dict[tuple[str, str], int]:
    """Sizes of the arrays that any of the sets has room in, by type and name."""
    sizes: dict[tuple[str, str], int] = {}
    for rows in sets:
        for kind, name, size in arrays_of(rows):
            sizes[kind, name] = max(1, size, sizes.get((kind, name), 0))
    return sizes


def _remembered(rows: Rows) -> int:
    """As many as remember.c has."""
    (nq, n, nz), m = rows.sizes, rows.count
    return 5 + 9 * m + 3 * n + 1 + (nq + n + nz) + nz


def _constants(given: Sequence[tuple[str, str, str]]) -> str:
    return "".join(f"    static constexpr {kind} {name} = {text};\n" for kind, name, text in given)
