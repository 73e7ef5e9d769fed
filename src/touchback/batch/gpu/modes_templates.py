"""CUDA C that kernels of mechanisms with modes are put together from: what the processor's C code
(`native/modes`) needs around it."""

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
    tb_constrained *constrained;
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
    tb_constrained memory[{sets}], *sets[{sets}];
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
    for (long k = 0; k < {sets}; k++)
        e->sets[k] = e->memory + k;
{lines}    e->group_places = table_group_places;
    e->group_sizes = table_group_sizes;
    e->log = e->trial;
    e->failed = -1;
}}
"""

SET = """\
    {{
        tb_constrained *c = e->memory + {number};
        c->number = {number};
        c->m = {m};
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
    const tb_constrained *c = mode->constrained;
    const long paradoxes = c->statistics.paradoxes;
    tb_set_inputs(problem, t, x);
    if ({rubs})
        tb_modes_rate(x, problem->u, problem->p, e->rate, 0, e);
    e->paradoxes += c->statistics.paradoxes - paradoxes;
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
