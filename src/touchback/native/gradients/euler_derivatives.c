/* Derivatives of a semi-implicit Euler step: v' = v + h a, z' = z + h dz/dt, then
 * q' = q + h dq/dt(q, v'). The second point of the rollout has [q, v', z'], and dq/dt there. */
#include <string.h>

#include "gradients/step_derivatives.h"

static int prepare(tb_rollout *r, const double *inputs, double t, double h, const double *x) {
    tb_gradient_rate *f = r->flow;
    long n = tb_gradient_rate_states(f), nq = f->nq;
    tb_gradient_rate_point *at = &r->stages[0], *after = &r->stages[1];
    at->t = after->t = t;
    memcpy(at->x, x, (size_t)n * sizeof *x);
    if (tb_gradient_rate_at(f, inputs, at))
        return 0;
    memcpy(after->x, x, (size_t)nq * sizeof *x);
    for (long k = nq; k < n; k++)
        after->x[k] = x[k] + h * at->rate[k];
    const tb_callable *turn = &r->problem->configuration_rate;
    memcpy(after->rate, after->x + nq, (size_t)f->nv * sizeof *x);
    if (turn->call)
        turn->call(after->x, r->problem->u, r->problem->p, after->rate, turn->work, turn->context);
    return 1;
}

static void tangent(tb_rollout *r, const double *inputs, double h, const double *variation,
                    double *next) {
    tb_gradient_rate *f = r->flow;
    const tb_gradient_rate_point *at = &r->stages[0], *after = &r->stages[1];
    long n = tb_gradient_rate_states(f), nq = f->nq, variables = tb_gradient_rate_variables(f);
    double dh = variation[variables], *rate = r->stage, *moved = r->variation;
    tb_gradient_rate_tangent(f, inputs, at, variation, rate);
    memcpy(moved, variation, (size_t)variables * sizeof *moved);
    for (long k = nq; k < n; k++)
        next[k] = moved[k] = variation[k] + h * rate[k] + dh * at->rate[k];
    tb_turn_tangent(f, inputs, after->t, after->x, moved, rate);
    for (long k = 0; k < nq; k++)
        next[k] = variation[k] + h * rate[k] + dh * after->rate[k];
}

static void adjoint(tb_rollout *r, const double *inputs, double h, const double *weight,
                    double *gradient) {
    tb_gradient_rate *f = r->flow;
    const tb_gradient_rate_point *at = &r->stages[0], *after = &r->stages[1];
    long n = tb_gradient_rate_states(f), nq = f->nq, variables = tb_gradient_rate_variables(f);
    double *of_stage = r->gradient, *of_rate = r->stage, by_h = 0.0;
    for (long k = 0; k < nq; k++) {
        of_rate[k] = h * weight[k];
        by_h += weight[k] * after->rate[k];
    }
    tb_turn_adjoint(f, inputs, after->t, after->x, of_rate, gradient);
    for (long k = 0; k < n; k++)
        gradient[k] += weight[k];
    for (long k = 0; k < n; k++) {
        of_rate[k] = k < nq ? 0.0 : h * gradient[k];
        by_h += k < nq ? 0.0 : gradient[k] * at->rate[k];
    }
    tb_gradient_rate_adjoint(f, inputs, at, of_rate, of_stage);
    for (long k = 0; k < variables; k++)
        gradient[k] += of_stage[k];
    gradient[variables] = by_h;
}

const step_slopes TB_EULER_SLOPES = {prepare, tangent, adjoint};
