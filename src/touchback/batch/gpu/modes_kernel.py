"""The text of kernels for mechanisms with modes: the processor's own C code (`native/modes`),
compiled for the card. Each instance is in a mode of its own, with memory for all of them.

Modes, their transitions and their sets of constraints are tables of CUDA C; templates hold what the
processor's C code needs around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from touchback.batch.gpu import constrained_kernel as shared_texts, modes_kernel as texts
from touchback.batch.gpu.constrained_kernel import (
    CONSTRAINED,
    STATISTICS,
    RolloutWithConstraints,
    Rows,
    arrays_of,
    source,
    table,
    word,
)
from touchback.batch.gpu.kernels import BLOCK, Kernel, Shared
from touchback.codegen.printers.cuda import device_function, device_preamble
from touchback.native import (
    AHEAD,
    CROWD,
    CROWDED,
    LIB,
    MOST,
    NO_END,
    WIDEST_GAP,
    ExitData,
    ImpactData,
    ModesData,
)
from touchback.simulate import CHUNK

# Functions differ from set to set of constraints and from mode to mode: their owner tells which.
CALLS = """\
#define TB_CALL(owner, function, x, u, p, out) function##_of(owner, x, u, p, out)
#define TB_HAS(owner, function) has_##function(owner)
"""


# One function of each set, or of each mode.
DISPATCH = """\
static __device__ void {name}_of(const {owner} *owner, const real *x, const real *u, const real *p,
                                 real *out)
{{
    switch (owner->number) {{
{cases}    }}
}}
"""


CASE = "    case {number}: {name}_{number}_of(x, u, p, out); break;\n"


HAS = """\
static __device__ bool has_{name}(const {owner} *owner)
{{
    return table_has_{name}[owner->number];
}}
"""


# Of all of them.
CONFIGURATION_RATE = """\
template <class T> static __device__ bool has_configuration_rate(const T *) {{ return {has}; }}
template <class T> static __device__ void configuration_rate_of(const T *, const real *x,
                                                                const real *u, const real *p,
                                                                real *out)
{{
    {call}
}}
"""


SET_MEMBERS = """\
    long number, m, J_count, W_count, M_count;
    const int *J_rows, *J_columns, *W_rows, *W_columns, *W_twins, *M_rows, *M_columns, *holonomic;
"""


STRUCT = """\
struct tb_mode {{
    long number;
    tb_problem problem;
    const tb_constrained *constrained;
    const int *rows, *tracks;
    long value_count, uses_forces, exit_count;
    const tb_exit *exits;
    tb_modes *modes;
}};
struct tb_energy_balance {{ /* nobody keeps any here */
    double *x, t;
    const tb_problem *own;
}};
static __noinline__ void tb_{method}_step(const tb_problem *problem, double t, double h,
                                          const double *x, double *next, double *scratch);
struct tb_modes {{
{constants}    static constexpr tb_energy_balance *energy_balance = 0;
    const int *group_places, *group_sizes;
    tb_mode modes[{modes}];
    tb_constrained_model models[{sets}];
    tb_constrained_work works[{sets}];
    tb_constrained pairs[{sets}], *sets[{sets}];
{arrays}    long looks_left, crowd, transitions, chattering, failed, unmet, failed_mode;
    double failed_gap, failed_time;
    long capacity, logged; /* of the log, which has no room here */
    double *log;
    long why, paradoxes;
    double largest_h, gap;
    static __device__ void step(const tb_problem *problem, double t, double h, const double *x,
                                double *next, double *scratch)
    {{
        tb_{method}_step(problem, t, h, x, next, scratch);
    }}
}};
#ifndef DBL_EPSILON
#define DBL_EPSILON 2.220446049250313e-16
#endif
static __device__ void tb_energy_balance_add_cubic(tb_energy_balance *, double, double,
                                                   const double *, const double *)
{{
}}
static __device__ void tb_lend_inputs(const tb_problem *, tb_problem *) {{}} /* all have the same */
"""


RATE = """\
static __device__ void rate_of(const tb_problem *problem, const double *x, const double *u,
                               const double *p, double *out)
{{
    tb_{rate}(x, u, p, out, 0, problem->constrained);
}}
static __device__ long tb_settle(const tb_problem *problem, double t, double *x, long accepted)
{{
    return tb_{motion}_settle(problem, t, x, accepted);
}}
"""


PREPARE = """\
static __device__ void prepare(tb_modes *e, const tb_problem *problem)
{{
    for (long k = 0; k < {sets}; k++) {{
        e->pairs[k].model = e->models + k;
        e->pairs[k].work = e->works + k;
        e->sets[k] = e->pairs + k;
    }}
{lines}    e->group_places = table_group_places;
    e->group_sizes = table_group_sizes;
    e->log = e->trial;
    e->failed = -1;
}}
"""


SET = """\
    {{
        tb_constrained_model *model = e->models + {number};
        model->number = {number};
        model->m = {m};
{lines}    }}
"""


MODE = """\
    {{
        tb_mode *mode = e->modes + {number};
        mode->number = {number};
        mode->problem = *problem;
        mode->problem.constrained = mode->constrained = e->sets[{set}];
        mode->rows = {rows};
        mode->tracks = {tracks};
        mode->value_count = {value_count};
        mode->uses_forces = {uses_forces};
        mode->exit_count = {exit_count};
        mode->exits = {exits};
        mode->modes = e;
    }}
"""


MEASURES = """\
static __device__ void outputs_at(const tb_problem *problem, double t, const double *x,
                                  double *out)
{{
    double solutions[{solutions}];
    tb_modes_rows(problem, 1, &t, x, solutions, out, {sensors});
}}
static __device__ void updates_at(const tb_problem *problem, double t, const double *x,
                                  double *out)
{{
    double solutions[{solutions}];
    tb_modes_rows(problem, 1, &t, x, solutions, out, 0);
    tb_modes_updates(x, problem->modes->u, problem->p, out, 0, problem->modes);
}}
"""


# How well constraints are kept, and whether causes are numbers, is read from what is recorded.
LOOK = """\
static __device__ void look(const tb_problem *problem, double t, const double *x)
{{
    tb_modes *e = problem->modes;
    const long number = tb_mode_of(e, x);
    if (number < 0 || tb_first_not_finite(x, e->n) >= 0)
        return;
    tb_mode *mode = tb_modes_lend(e, problem, number);
    const tb_constrained_work *work = mode->constrained->work;
    const long paradoxes = work->statistics.paradoxes;
    tb_set_inputs(problem, t, x);
    if ({has_friction})
        tb_modes_rate(x, problem->u, problem->p, e->rate, 0, e);
    e->paradoxes += work->statistics.paradoxes - paradoxes;
    const double open = tb_modes_open(problem, t, x, 1);
    if (!(open <= e->largest_h))
        e->largest_h = open;
    const long unread = e->why ? -1 : tb_mode_unread(mode, t, x);
    if (unread >= 0) {{
        e->why = {unread};
        e->failed = unread;
        e->failed_mode = number;
        e->failed_time = t;
    }}
}}
"""


REMEMBER = """\
static __device__ void remember(const tb_modes *e, double *memory, long long count)
{{
    double kept[{largest}];
{lines}    for (long k = 0; k < TB_CROWD; k++, memory += count)
        *memory = e->recent[k];
    for (long s = 0; s < {sets}; s++) {{
        const long size = tb_constrained_save_warm_start(e->sets[s], kept);
        for (long k = 0; k < size; k++, memory += count)
            *memory = kept[k];
    }}
}}
static __device__ void recall(tb_modes *e, const double *memory, long long count)
{{
    double kept[{largest}];
{back}    for (long k = 0; k < TB_CROWD; k++, memory += count)
        e->recent[k] = *memory;
    for (long s = 0; s < {sets}; s++) {{
        const long size = tb_constrained_save_warm_start(e->sets[s], 0);
        for (long k = 0; k < size; k++, memory += count)
            kept[k] = *memory;
        tb_constrained_restore_warm_start(e->sets[s], kept);
    }}
}}
"""


ROLLOUT = """\
/* Steps from `first` to before `end`. An instance that can't go on stays where it is. */
extern "C" __global__ void __launch_bounds__({block})
rollout(long long count, double t0, double h, long long first, long long end, long long every,
        double *given_x, const double *given_u, const double *given_p, const double *series,
        double start, double per_second, double *record, long long *made, double *memory,
        long long steps)
{{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count || made[i] != first)
        return;
    double x[{states}], next[{states}], u[{inputs}];
{parameters}    for (int k = 0; k < {states}; k++)
        x[k] = given_x[k * count + i];
    for (int k = 0; k < {inputs}; k++)
        u[k] = given_u[{own_u}];
    tb_modes e{{}};
    tb_problem problem{{u, p, 0, series, start, per_second, count, i, &e}};
    prepare(&e, &problem);
    if (first == 0) {{
        e.gap = tb_modes_open(&problem, t0, x, 0);
        tb_modes_begin(&e, &problem, t0, x);
        note(&problem, t0, x, record, 0);
        look(&problem, t0, x);
    }} else
        recall(&e, memory + i, count);
    long long step = first;
#pragma unroll 1
    for (; step < end && !e.why; step++) {{
        const double t = t0 + (double)step * h, then = t0 + (double)(step + 1) * h;
{memories}        tb_modes_step(&problem, t, h, x, next, 0);
        const long bad = tb_first_not_finite(next, {states});
        if (bad >= 0) {{
{undo_tick}            if (step % every != 0) /* where a run ends there is a row, too */
                look(&problem, t, x);
            if (!e.why)
                e.why = e.chattering || tb_modes_crowded(&e, {crowded} * h) ? {chattering}
                        : e.failed >= 0                                     ? {not_begun}
                                                                            : {not_finite};
            if (e.why == {not_finite})
                e.failed = bad, e.failed_gap = x[bad], e.failed_time = t;
            break;
        }}
        for (int k = 0; k < {states}; k++)
            x[k] = next[k];
        if ((step + 1) % every == 0)
            note(&problem, then, x, record, (step + 1) / every);
        if ((step + 1) % every == 0 || step + 1 == steps)
            look(&problem, then, x);
        if (((step + 1) % {chunk} == 0 || step + 1 == steps) && tb_modes_crowded(&e, {crowded} * h))
            e.why = {chattering};
    }}
    made[i] = step;
    for (int k = 0; k < {states}; k++)
        given_x[k * count + i] = x[k];
    remember(&e, memory + i, count);
}}
"""


def _lists(rows: Rows) -> dict[str, tuple[int, ...]]:
    lists = {"holonomic": rows.holonomic, "W_twins": rows.twins}
    for name, pattern in (("J", rows.J), ("W", rows.W), ("M", rows.M)):
        lists |= {f"{name}_rows": pattern[0], f"{name}_columns": pattern[1]}
    return lists


def set_tables(rows: Rows, k: int) -> str:
    """Patterns of a set of constraints."""
    return "".join(table_text(f"{name}_{k}", numbers) for name, numbers in _lists(rows).items())


def set_text(rows: Rows, k: int) -> str:
    """What lets a thread's model of the set point to them."""
    lines = [
        f"model->{name} = {table_address(f'{name}_{k}', each)};"
        for name, each in _lists(rows).items()
    ]
    lines += [f"model->{name}_count = {len(each[0])};" for name, each in
              (("J", rows.J), ("W", rows.W), ("M", rows.M))]  # fmt: skip
    written = "".join(f"        {line}\n" for line in lines)
    return texts.SET.format(number=k, m=rows.count, lines=written)


def exit_tables(exits: Sequence[ExitData], k: int) -> Iterator[str]:
    """The ways out of mode k, after what they point to."""
    written = []
    for i, each in enumerate(exits):
        own = f"{k}_{i}"
        yield table_text(f"resets_{own}", each.reset_places)
        yield table_text(f"struck_{own}", each.impact.contacts)
        yield table_text(f"resting_{own}", each.rest_impact.contacts)
        written.append(_exit(each, own))
    if exits:
        lines = ",\n".join(f"    {{{each}}}" for each in written)
        yield f"static __device__ const tb_exit exits_{k}[] = {{\n{lines}}};\n"


def _exit(each: ExitData, own: str) -> str:
    numbers = [
        each.target, each.rest, each.mode_place, each.target_number, each.rest_number,
        each.direction, each.when, len(each.reset_places),
        table_address(f"resets_{own}", each.reset_places), each.reset_start, each.restitution_start,
        each.impact.contact_rows, int(each.poisson), repr(each.rest_speed),
        _impact(each.impact, f"struck_{own}"), _impact(each.rest_impact, f"resting_{own}"),
    ]  # fmt: skip
    return ", ".join(map(str, numbers))


def _impact(each: ImpactData, name: str) -> str:
    return f"{{{each.constraint_set}, {table_address(name, each.contacts)}}}"


def table_text(name: str, numbers: Sequence[int]) -> str:
    """A table, if it has anything."""
    return table(name, numbers) if numbers else ""


def table_address(name: str, numbers: Sequence[int]) -> str:
    """Where it is."""
    return f"table_{name}" if numbers else "0"


_TABLES = "modes/exit.h"


_REMEMBER = "constrained/warm_start.c"


_CODE = (
    "modes/modes.h", "modes/modes.c", "modes/exits.c", "modes/transition.c", "modes/step.c",
    "modes/state_checks.c",
)  # fmt: skip


#: Files that a card compiles beside those of constraints.
SOURCES = (_TABLES, _REMEMBER, *_CODE)


#: Why an instance ended early, by number, and what else it tells.
CHATTERING, NOT_BEGUN, UNREAD, NOT_FINITE = 1, 2, 3, 4


REPORTED = (
    "why", "paradoxes", "crowd", "failed", "failed_mode", "failed_gap", "failed_time", "largest_h",
    "gap",
)  # fmt: skip


_WHOLE = REPORTED[:5]


_OF_SETS = ("terms", "positions", "velocity level")


_OF_MODES = ("indicators", "outputs", "updates")


@dataclass(frozen=True)
class ModesRollout(RolloutWithConstraints):
    """With modes. Functions have the number of their set of constraints or mode in their name."""

    data: ModesData

    @cached_property
    def sets(self) -> tuple[Rows, ...]:
        """The rows of each set of constraints."""
        return tuple(map(Rows.of, self.data.constraint_sets))

    @property
    def row_count(self) -> int:
        """Constraint rows of all modes."""
        return len(self.data.row_names)

    @property
    def sensors(self) -> int:
        """How many numbers they show, 0 where none is recorded."""
        return self.data.output_count if self.measures else 0

    def kernel(self, shared: Shared, real: str, memory: int) -> Kernel:
        """For the card, in double precision."""
        functions = [
            device_function(program, word(name)) + shared_texts.FUNCTION.format(name=word(name))
            for name, program in self.programs.items()
        ]
        series = self._series(shared)
        problem = shared_texts.PROBLEM.format(states=self.states, moving=self.states, series=series)
        kept = {"rate": self.rate, "motion": self.motion}
        text = "\n".join(
            [
                device_preamble(self.programs.values(), real), shared_texts.BEFORE, *functions,
                source(STATISTICS), self._set_struct(), source(_TABLES), self._modes_struct(),
                texts.CALLS, *self._dispatches(), shared_texts.NO_SPARSE, problem,
                *map(source, CONSTRAINED), source(_REMEMBER), shared_texts.RATE.format(**kept),
                source(f"integrate/{self.method}.c"), texts.RATE.format(**kept),
                *map(source, _CODE), *self._prepared(), self._measures(), self._save_text(),
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
        return shared_texts.STRUCT.format(
            tables="", constants=_constants(constants), patterns=texts.SET_MEMBERS, nq=nq,
            arrays="".join(arrays), sized=f"call({n}, (work)->rank)",
        )  # fmt: skip

    def _modes_struct(self) -> str:
        nq, n, nz = self.sets[0].sizes
        states, values = nq + n + nz, self.data.most_values
        whole = {
            "n": states, "velocities": n, "nq": nq, "input_count": self.inputs,
            "row_count": self.row_count, "mode_count": len(self.data.modes),
            "set_count": len(self.sets), "group_count": len(self.data.group_places),
            "compensated": 1, "most": MOST, "looks": NO_END,
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
            constants=_constants(constants), method=self.method, modes=len(self.data.modes),
            sets=len(self.sets), arrays="".join(f"    double {name}[{n}];\n" for name, n in arrays)
            + f"    long waits[{values}];\n",
        )  # fmt: skip

    # ---- functions of each set and mode -------------------------------------------------------

    def _dispatches(self) -> Iterator[str]:
        for names, owner, count in (
            (_OF_SETS, "tb_constrained_model", len(self.sets)),
            (_OF_MODES, "tb_mode", len(self.data.modes)),
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
        for k, mode in enumerate(self.data.modes):
            tracks = [int(each) for each in mode.tracks]
            yield table_text(f"rows_{k}", mode.rows) + table_text(f"tracks_{k}", tracks)
            yield from exit_tables(mode.exits, k)
            lines.append(
                texts.MODE.format(
                    number=k, set=mode.constraint_set, rows=table_address(f"rows_{k}", mode.rows),
                    tracks=table_address(f"tracks_{k}", tracks), value_count=mode.value_count,
                    uses_forces=int(mode.uses_forces), exit_count=len(mode.exits),
                    exits=f"exits_{k}" if mode.exits else "0",
                )
            )  # fmt: skip
        groups = self.data.group_places, self.data.group_sizes
        yield table("group_places", groups[0]) + table("group_sizes", groups[1])
        yield texts.PREPARE.format(sets=len(self.sets), lines="".join(lines))

    def _measures(self) -> str:
        solutions = self.sets[0].sizes[1] + self.row_count
        measures = texts.MEASURES.format(solutions=solutions, sensors=self.sensors)
        has_friction = int(any(rows.twins for rows in self.sets))
        look = texts.LOOK.format(has_friction=has_friction, unread=UNREAD)
        return "\n".join([measures, shared_texts.NOTE.format(note=self._note()), look])

    # ---- from launch to launch ----------------------------------------------------------------

    @property
    def saved_numbers(self) -> int:
        """How many numbers an instance has beside its state: what it tells, instants of late
        transitions, and what each set of constraints remembers."""
        return len(REPORTED) + CROWD + sum(map(_saved_size, self.sets))

    def _save_text(self) -> str:
        kinds = {name: "long" if name in _WHOLE else "double" for name in REPORTED}
        return texts.REMEMBER.format(
            largest=max(map(_saved_size, self.sets)), sets=len(self.sets),
            lines="".join(
                f"    *memory = (double)e->{name}, memory += count;\n" for name in REPORTED
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


def _saved_size(rows: Rows) -> int:
    """How many numbers warm_start.c saves of a set: five counts, arrays, the largest |h| of
    redundant rows, and dz/dt."""
    saved = {*LIB.arrays("TB_CHOICE_ARRAYS"), *LIB.arrays("TB_SOLUTION_ARRAYS")}
    arrays = sum(size for kind, name, size in arrays_of(rows) if (kind, name) in saved)
    return 5 + arrays + 1 + rows.sizes[2]


def _constants(given: Sequence[tuple[str, str, str]]) -> str:
    return "".join(f"    static constexpr {kind} {name} = {text};\n" for kind, name, text in given)
