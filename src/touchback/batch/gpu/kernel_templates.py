"""CUDA C that kernels are put together from."""

MACROS = """\
#define AT(array, k) array[(k) * {stride}]
#define X(k) AT(x, k)
#define U(k) AT(u, k)
#define P(k) p[{own}]
#define OUT(k) out[k]
#define ARGUMENTS const real *x, const real *u, const real *__restrict__ p, long long count, \\
                  long long i
#define PASSED x, u, p, count, i
#define TOGETHER() {together}
extern __shared__ __align__(16) real store[];
#define KEPT(k) ((volatile real *)store)[({written} + (k)) * {block} + threadIdx.x]
"""

MACROS_IN_PLACE = """\
#undef X
#define X(k) x[(k) * count + i]
#undef U
#define U(k) ((k) < {inputs} ? u[{own_u}] : further[{own}])
#undef ARGUMENTS
#define ARGUMENTS const real *__restrict__ x, const real *__restrict__ u, \\
                  const real *__restrict__ further, const real *__restrict__ p, long long count, \\
                  long long i
#undef PASSED
#define PASSED x, u, further, p, count, i
#undef OUT
#define OUT(k) out[(k) * count + i]
"""

_WHO = """\
    const long long own = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = own < count ? own : count - 1; /* the last one fills the last block */
"""

_LOAD = """\
#pragma unroll
    for (int k = 0; k < {states}; k++)
        AT(x, k) = given_x[k * count + i];
#pragma unroll
    for (int k = 0; k < {inputs}; k++)
        AT(u, k) = given_u[{own_u}];
"""

LOAD_ALL = f"""\
{_LOAD}#pragma unroll
    for (int k = {{inputs}}; k < {{all_inputs}}; k++)
        AT(u, k) = given_further[{{own}}];
"""

LOAD_NOTHING = """\
    const real *x = given_x, *u = given_u, *further = given_further;
"""

EVALUATE = f"""\
extern "C" __global__ void __launch_bounds__({{bounds}})
evaluate(long long count, const real *__restrict__ given_x, const real *__restrict__ given_u,
         const real *__restrict__ given_further, const real *__restrict__ p,
         real *__restrict__ result)
{{{{
{_WHO}{{storage}}{{load}}{{give}}}}}}
"""

GIVE_ALL = """\
    real out[{outputs}];
    f::call(PASSED, out);
    if (own < count)
#pragma unroll
        for (int k = 0; k < {outputs}; k++)
            result[k * count + i] = out[k];
"""

GIVE_IN_PLACE = "    f::call(PASSED, result);\n"

# Two neighbours a thread, which halves the instructions that find and move their numbers.
EVALUATE_PAIRS = """\
struct alignas(2 * sizeof(real)) pair {{ real one, other; }};
extern "C" __global__ void __launch_bounds__({bounds})
evaluate(long long all, const real *__restrict__ given_x, const real *__restrict__ given_u,
         const real *__restrict__ given_further, const real *__restrict__ p,
         real *__restrict__ result)
{{
    const long long count = all / 2;
    const long long own = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = own < count ? own : count - 1;
    real x[{states}], x_too[{states}], u[{all_inputs}], u_too[{all_inputs}];
    real out[{outputs}], out_too[{outputs}];
#pragma unroll
    for (int k = 0; k < {states}; k++) {{
        const pair read = ((const pair *)given_x)[k * count + i];
        x[k] = read.one, x_too[k] = read.other;
    }}
#pragma unroll
    for (int k = 0; k < {inputs}; k++)
        u[k] = u_too[k] = given_u[k];
#pragma unroll
    for (int k = {inputs}; k < {all_inputs}; k++) {{
        const pair read = ((const pair *)given_further)[(k - {inputs}) * count + i];
        u[k] = read.one, u_too[k] = read.other;
    }}
    f::call(PASSED, out);
    f::call(x_too, u_too, p, count, i, out_too);
    if (own < count)
#pragma unroll
        for (int k = 0; k < {outputs}; k++)
            ((pair *)result)[k * count + i] = pair{{out[k], out_too[k]}};
}}
"""

ROLLOUT = f"""\
/* u = [t, inputs...]: some follow samples, spread evenly over the run and linear in between. */
static __device__ __forceinline__ void set_inputs(double t, real *u,
                                                  const real *__restrict__ series, double start,
                                                  double per_second, long long count, long long i)
{{{{
    AT(u, 0) = (real)t;
{{series}}}}}}

/* The instant at which a row is due. */
static __device__ __forceinline__ void note(const real *x, const real *u,
                                            const real *__restrict__ p, real *record,
                                            long long row, int alive, long long count, long long i)
{{{{
{{note}}}}}}

/* One step, to `next`. */
static __device__ __forceinline__ void advance(const real *x, real *u, const real *__restrict__ p,
                                               real *next, double t, double wide_h,
                                               const real *__restrict__ series, double start,
                                               double per_second, long long count, long long i)
{{{{
    const real h = (real)wide_h;
{{advance}}}}}}

/* Steps from `first` to before `end`. An instance that would become no number stays where it is. */
extern "C" __global__ void __launch_bounds__({{block}})
rollout(long long count, double t0, double h, long long first, long long end, long long every,
        real *given_x, const real *__restrict__ given_u, const real *__restrict__ p,
        const real *__restrict__ series, double start, double per_second, real *record,
        long long *made)
{{{{
{_WHO}{{storage}}{_LOAD}    int alive = own < count && made[i] == first;
    long long reached = first;
    if (first == 0) {{{{
        set_inputs(t0, u, series, start, per_second, count, i);
        note(x, u, p, record, 0, alive, count, i);
    }}}}
#pragma unroll 1
    for (long long step = first; step < end; step++) {{{{
        const double t = t0 + (double)step * h;
        set_inputs(t, u, series, start, per_second, count, i);
{{memories}}        advance(x, u, p, next, t, h, series, start, per_second, count, i);
        real sound = 0;
#pragma unroll
        for (int k = 0; k < {{states}}; k++)
            sound += AT(next, k) - AT(next, k);
        alive = alive && sound == 0;
{{undo_tick}}        if (alive) {{{{
            reached = step + 1;
#pragma unroll
            for (int k = 0; k < {{states}}; k++)
                AT(x, k) = AT(next, k);
        }}}}
        if ((step + 1) % every == 0) {{{{
            set_inputs(t0 + (double)(step + 1) * h, u, series, start, per_second, count, i);
            note(x, u, p, record, (step + 1) / every, alive, count, i);
        }}}}
    }}}}
    if (own < count && made[i] == first) {{{{
        made[i] = reached;
#pragma unroll
        for (int k = 0; k < {{states}}; k++)
            given_x[k * count + i] = AT(x, k);
    }}}}
}}}}
"""

EULER = """\
    real rate[{states}];
    rate::call(PASSED, rate);
#pragma unroll
    for (int k = {q}; k < {states}; k++)
        AT(next, k) = AT(x, k) + h * rate[k];
{turning}#pragma unroll
    for (int k = 0; k < {q}; k++)
        AT(next, k) = AT(x, k) + h * {turns};
"""

TURNING = """\
#pragma unroll
    for (int k = 0; k < {q}; k++)
        AT(next, k) = AT(x, k);
    {{
        const real *x = next;
        configuration_rate::call(PASSED, rate);
    }}
"""

RK4 = """\
    real first[{states}], middle[{states}], rate[{states}];
#pragma unroll
    for (int k = 0; k < {states}; k++)
        AT(next, k) = AT(x, k);
#pragma unroll 1
    for (int stage = 0; stage < 4; stage++) {{
        const real part = stage == 2 ? h : (real)0.5 * h;
        if (stage > 0)
            set_inputs(t + (stage == 3 ? wide_h : 0.5 * wide_h), u, series, start, per_second,
                       count, i);
        {{
            const real *x = next;
            rate::call(PASSED, rate);
        }}
        if (stage == 3)
            break;
#pragma unroll
        for (int k = 0; k < {states}; k++) {{
            first[k] = stage == 0 ? rate[k] : first[k];
            middle[k] = stage <= 1 ? rate[k] : middle[k] + rate[k];
            AT(next, k) = AT(x, k) + part * rate[k];
        }}
    }}
#pragma unroll
    for (int k = 0; k < {states}; k++)
        AT(next, k) = AT(x, k) + h / 6 * (first[k] + 2 * middle[k] + rate[k]);
"""

SERIES = """\
    {{
        const double in_samples = fmin(fmax((t - start) * per_second, 0.0), 1.0) * {last};
        const int cell = in_samples < {last_cell} ? (int)in_samples : {last_cell};
        const real part = (real)(in_samples - cell);
        const real *at = series + (({first}LL + cell) * {stride} + {at});
        AT(u, {place}) = at[0] + (at[{stride}] - at[0]) * part;
    }}
"""

MEMORIES = """\
        const int ticked = alive && step % {ticks} == 0;
        real remembered[{count}];
        if (step % {ticks} == 0) {{
            real became[{size}];
            updates::call(PASSED, became);
            if (ticked) {{
{kept}            }}
        }}
"""

# One that would become no number has its memories of before the tick.
UNDO_TICK = """\
        if (ticked && !alive) {{
{back}        }}
"""
