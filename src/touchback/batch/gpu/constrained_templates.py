"""CUDA C that kernels of mechanisms with constraints are put together from: what the processor's C
code (`native/constrained`) needs around it, with sizes that the compiler knows."""

# Copies are of numbers, so that compilers keep them in registers. A compiler that put functions
# wherever they are called would take minutes, and made six times as much code.
BEFORE = """\
#define TB_ON_DEVICE
#define TB_DEVICE static __noinline__
#define restrict __restrict__
#define AT(array, k) array[k]
#define X(k) x[k]
#define U(k) u[k]
#define P(k) p[k]
#define OUT(k) out[k]
#define ARGUMENTS const real *x, const real *u, const real *p
#define PASSED x, u, p
#define TOGETHER()
template <class T> static __device__ void copied(T *to, const T *from, size_t bytes)
{
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        to[k] = from[k];
}
template <class T> static __device__ void cleared(T *to, int, size_t bytes)
{
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        to[k] = T();
}
template <class T> static __device__ int differ(const T *a, const T *b, size_t bytes)
{
    int found = 0;
    for (size_t k = 0; k < bytes / sizeof(T); k++)
        found |= a[k] != b[k];
    return found;
}
#define memcpy copied
#define memset cleared
#define memcmp differ
"""

FUNCTION = """\
static __device__ __noinline__ void {name}_of(const real *x, const real *u, const real *p,
                                              real *out)
{{
    {name}::call(x, u, p, out);
}}
"""

# A function that the mechanism has not is named, too, where nobody calls it.
ABSENT = "static __device__ void {name}_of(const real *, const real *, const real *, real *) {{}}\n"

# Only full matrices here; the clock of choices stands still.
STRUCT = """\
struct tb_sparse;
struct tb_shared_load;
{tables}
struct tb_constrained {{
{constants}    static constexpr const tb_sparse *sparse = 0;
    static constexpr const tb_shared_load *shared = 0;
{patterns}    long rank, position_rank, most_rank, started, truncated, unanswered;
    double redundant_h;
{arrays}    tb_constraint_statistics statistics;
}};
struct tb_modes;
struct tb_problem {{
    static constexpr long nq = {nq};
    double *u;
    const double *p;
    tb_constrained *constrained;
    const double *series;
    double start, per_second;
    long long count, i;
    tb_modes *modes;
}};
#define SIZED(c, call) {sized}
static __device__ double tb_seconds() {{ return 0.0; }}
static __device__ long tb_first_not_finite(const double *values, long count)
{{
    for (long k = 0; k < count; k++)
        if (!(values[k] - values[k] == 0.0))
            return k;
    return -1;
}}
"""

CALLS = """\
#define TB_CALL(owner, function, x, u, p, out) function##_of(x, u, p, out)
#define TB_HAS(owner, function) HAS_##function
"""

NO_SPARSE = """\
static __device__ void tb_sparse_choose(tb_constrained *, const double *, double, long) {}
static __device__ int tb_sparse_factor(tb_constrained *, const double *, int) { return 0; }
static __device__ void tb_sparse_correct(tb_constrained *, const double *, const double *, int,
                                         double *) {}
static __device__ void tb_sparse_solve(tb_constrained *, const double *, const double *,
                                       const double *, const double *, const double *, double *,
                                       double *) {}
static __device__ void tb_sparse_row_shares(const tb_constrained *, const double *, long,
                                            double *) {}
static __device__ void tb_share_load(tb_constrained *, const double *) {}
"""

PROBLEM = """\
static __device__ long tb_state_size(const tb_problem *) {{ return {states}; }}
static __device__ long tb_moving_size(const tb_problem *) {{ return {moving}; }}
/* u = [t, inputs...]: some follow samples, spread evenly over the run and linear in between. */
static __device__ void tb_set_inputs(const tb_problem *problem, double t, const double *)
{{
    double *u = problem->u;
    const double *series = problem->series, start = problem->start;
    const double per_second = problem->per_second;
    const long long count = problem->count, i = problem->i;
    (void)start, (void)per_second, (void)count, (void)i;
    u[0] = t;
{series}}}
"""

RATE = """\
static __device__ void tb_rate(const tb_problem *problem, double t, const double *x, double *rate)
{{
    tb_set_inputs(problem, t, x);
    tb_{rate}(x, problem->u, problem->p, rate, 0, problem->constrained);
}}
static __device__ void tb_add_scaled(long n, const double *x, double h, const double *rate,
                                   double *next)
{{
    for (long k = 0; k < n; k++)
        next[k] = x[k] + h * rate[k];
}}
"""

# After `solved`, u goes on with what the rate has solved for: [t, inputs, a, lambda].
MEASURE = """\
static __device__ void {name}_at(const tb_problem *problem, double t, const double *x, double *out)
{{
    double u[{inputs} + {n} + {m}];
{solved}    for (int k = 0; k < {inputs}; k++)
        u[k] = problem->u[k];
    {name}_of(x, u, problem->p, out);
}}
"""

SOLVED = """\
    double rate[{states}];
    tb_rate(problem, t, x, rate);
    for (int k = 0; k < {n}; k++)
        u[{inputs} + k] = problem->constrained->a[k];
    for (int k = 0; k < {m}; k++)
        u[{inputs} + {n} + k] = problem->constrained->lambda[k];
"""

NOT_SOLVED = "    tb_set_inputs(problem, t, x);\n"

NOTE = """\
static __device__ void note(const tb_problem *problem, double t, const double *x, double *record,
                            long long row)
{{
    const long long count = problem->count, i = problem->i;
    const int alive = 1;
{note}}}
"""

# By how much the state that is given breaks the constraints (constrained_dynamics.c has it for the
# processor).
GAP = """\
static __device__ double gap(const tb_problem *problem, double t, const double *x)
{
    tb_constrained *c = problem->constrained;
    tb_set_inputs(problem, t, x);
    tb_load(c, x);
    tb_first_choice(c, problem->u, problem->p);
    tb_positions(c, problem->u, problem->p);
    return tb_position_size(c, c->at_positions);
}
"""

# What a mechanism remembers from launch to launch, and counts.
REMEMBER = """\
static __device__ void remember(const tb_constrained *c, double *memory, long long count)
{{
{lines}}}
static __device__ void recall(tb_constrained *c, const double *memory, long long count)
{{
{back}    tb_use_choice(c);
}}
"""

ROLLOUT = """\
/* Steps from `first` to before `end`. An instance that would become no number stays where it is. */
extern "C" __global__ void __launch_bounds__({block})
rollout(long long count, double t0, double h, long long first, long long end, long long every,
        double *given_x, const double *given_u, const double *given_p, const double *series,
        double start, double per_second, double *record, long long *made, double *memory)
{{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count || made[i] != first)
        return;
    double x[{states}], next[{states}], scratch[4 * {states}], u[{inputs}];
{parameters}    for (int k = 0; k < {states}; k++)
        x[k] = given_x[k * count + i];
    for (int k = 0; k < {inputs}; k++)
        u[k] = given_u[{own_u}];
    tb_constrained c{{}};
    tb_problem problem{{u, p, &c, series, start, per_second, count, i, 0}};
    if (first == 0) {{
        memory[{gap} * count + i] = gap(&problem, t0, x);
        tb_{motion}_settle(&problem, t0, x, 1);
        note(&problem, t0, x, record, 0);
    }} else
        recall(&c, memory + i, count);
    long long step = first;
#pragma unroll 1
    for (; step < end; step++) {{
        const double t = t0 + (double)step * h, then = t0 + (double)(step + 1) * h;
{memories}        tb_{method}_step(&problem, t, h, x, next, scratch);
        tb_{motion}_settle(&problem, then, next, 1);
        double sound = 0.0;
        for (int k = 0; k < {states}; k++)
            sound += next[k] - next[k];
        if (!(sound == 0.0)) {{
{undo_tick}            break;
        }}
        for (int k = 0; k < {states}; k++)
            x[k] = next[k];
        if ((step + 1) % every == 0)
            note(&problem, then, x, record, (step + 1) / every);
    }}
    made[i] = step;
    for (int k = 0; k < {states}; k++)
        given_x[k * count + i] = x[k];
    remember(&c, memory + i, count);
}}
"""

MEMORIES = """\
        const int ticked = step % {ticks} == 0;
        double remembered[{size}];
        if (ticked) {{
            double became[{size}];
            updates_at(&problem, t, x, became);
{kept}        }}
"""

# One that can't go on has its memories of before the tick.
UNDO_TICK = """\
            if (ticked) {{
{back}            }}
"""
