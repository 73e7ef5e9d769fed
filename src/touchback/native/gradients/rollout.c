#include "gradients/rollout.h"

#include <string.h>

#include "gradients/step_derivatives.h"
#include "interrupt.h"

static const step_slopes *slopes_of(const tb_rollout *r) {
    return r->step == tb_euler_step ? &TB_EULER_SLOPES : &TB_RK4_SLOPES;
}

static const double *inputs_of(const tb_rollout *r, long step) {
    return r->inputs + step * r->flow->inputs;
}

static double time_of(const tb_rollout *r, long step) {
    return r->t0 + (double)step * r->h;
}

/* Integrators and functions of dq/dt read the inputs there. */
static void hold(tb_rollout *r, const double *inputs) {
    memcpy(r->problem->u + 1, inputs, (size_t)r->flow->inputs * sizeof *inputs);
}

int tb_rollout_step(tb_rollout *r, const double *inputs, double t, double h, const double *x,
                    double *next) {
    hold(r, inputs);
    r->step(r->problem, t, h, x, next, r->scratch);
    return tb_first_not_finite(next, tb_gradient_rate_states(r->flow)) < 0;
}

long tb_rollout_advance(tb_rollout *r, long first, long count, double *x, double *rows) {
    long n = tb_gradient_rate_states(r->flow);
    double *next = r->stage;
    for (long k = 0; k < count; k++) {
        if (tb_stop_asked() ||
            !tb_rollout_step(r, inputs_of(r, first + k), time_of(r, first + k), r->h, x, next))
            return k;
        memcpy(x, next, (size_t)n * sizeof *x);
        if (rows)
            memcpy(rows + k * n, x, (size_t)n * sizeof *x);
    }
    return count;
}

static int prepared(tb_rollout *r, const double *inputs, double t, double h, const double *x) {
    hold(r, inputs);
    return slopes_of(r)->prepare(r, inputs, t, h, x);
}

int tb_rollout_step_tangent(tb_rollout *r, const double *inputs, double t, double h,
                            const double *x, const double *variation, double *next) {
    if (!prepared(r, inputs, t, h, x))
        return 0;
    slopes_of(r)->tangent(r, inputs, h, variation, next);
    return 1;
}

int tb_rollout_step_adjoint(tb_rollout *r, const double *inputs, double t, double h,
                            const double *x, const double *weight, double *gradient) {
    if (!prepared(r, inputs, t, h, x))
        return 0;
    slopes_of(r)->adjoint(r, inputs, h, weight, gradient);
    return 1;
}

/* The variation of a step at a grid point: of its state, inputs and parameters. */
static void gather(const tb_gradient_rate *f, const double *dx, const double *du, const double *dp,
                   double *variation) {
    long n = tb_gradient_rate_states(f);
    memset(variation, 0, (size_t)tb_step_variables(f) * sizeof *variation);
    memcpy(variation, dx, (size_t)n * sizeof *dx);
    if (du)
        memcpy(variation + n + 1, du, (size_t)f->inputs * sizeof *du);
    memcpy(variation + n + 1 + f->inputs, dp, (size_t)f->parameters * sizeof *dp);
}

long tb_rollout_tangents(tb_rollout *r, long first, long count, double *x, long columns, double *dx,
                         const double *du, long all, const double *dp) {
    const tb_gradient_rate *f = r->flow;
    long n = tb_gradient_rate_states(f), variables = tb_step_variables(f);
    double *variation = r->variation + variables; /* behind that of a stage */
    for (long k = 0; k < count; k++) {
        long step = first + k;
        if (tb_stop_asked() || !prepared(r, inputs_of(r, step), time_of(r, step), r->h, x))
            return k;
        for (long c = 0; c < columns; c++) {
            const double *varied = du ? du + (c * all + step) * f->inputs : NULL;
            gather(f, dx + c * n, varied, dp + c * f->parameters, variation);
            slopes_of(r)->tangent(r, inputs_of(r, step), r->h, variation, dx + c * n);
        }
        if (!tb_rollout_advance(r, step, 1, x, NULL))
            return k;
    }
    return count;
}

/* Back over one step. */
static int take_back(tb_rollout *r, long step, const double *x, double *weight, double *by_inputs,
                     double *by_parameters) {
    const tb_gradient_rate *f = r->flow;
    long n = tb_gradient_rate_states(f);
    double *gradient = r->gradient + tb_step_variables(f); /* behind that of a stage */
    if (!tb_rollout_step_adjoint(r, inputs_of(r, step), time_of(r, step), r->h, x, weight,
                                 gradient))
        return 0;
    memcpy(weight, gradient, (size_t)n * sizeof *weight);
    memcpy(by_inputs, gradient + n + 1, (size_t)f->inputs * sizeof *by_inputs);
    for (long i = 0; i < f->parameters; i++)
        by_parameters[i] += gradient[n + 1 + f->inputs + i];
    return 1;
}

static void add(long n, const double *weights, double *weight) {
    for (long i = 0; weights && i < n; i++)
        weight[i] += weights[i];
}

long tb_rollout_adjoints(tb_rollout *r, long first, long count, const double *x, double *weight,
                         const double *weights, double *by_inputs, double *by_parameters,
                         long every, double *kept, double *between) {
    long n = tb_gradient_rate_states(r->flow), blocks = (count + every - 1) / every;
    memcpy(kept, x, (size_t)n * sizeof *x);
    for (long b = 1; b < blocks; b++) {
        memcpy(kept + b * n, kept + (b - 1) * n, (size_t)n * sizeof *x);
        if (tb_rollout_advance(r, first + (b - 1) * every, every, kept + b * n, NULL) < every)
            return 0;
    }
    for (long b = blocks - 1; b >= 0; b--) {
        long start = b * every, own = count - start < every ? count - start : every;
        double *state = between + every * n; /* one more, which goes along */
        memcpy(between, kept + b * n, (size_t)n * sizeof *x);
        memcpy(state, between, (size_t)n * sizeof *x);
        if (tb_rollout_advance(r, first + start, own - 1, state, between + n) < own - 1)
            return count - start - own;
        for (long k = own - 1; k >= 0; k--) {
            long step = start + k;
            add(n, weights ? weights + step * n : NULL, weight);
            if (tb_stop_asked() || !take_back(r, first + step, between + k * n, weight,
                                              by_inputs + step * r->flow->inputs, by_parameters))
                return count - 1 - step;
        }
    }
    return count;
}
