/* Derivatives of a step of the classical Runge-Kutta method: the chain rule through its stages. */
#include <string.h>

#include "gradients/step_derivatives.h"

static const double AT[4] = {0.0, 0.5, 0.5, 1.0}, SHARE[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

static int prepare(tb_rollout *r, const double *inputs, double t, double h, const double *x) {
    long n = tb_gradient_rate_states(r->flow);
    for (long i = 0; i < 4; i++) {
        tb_gradient_rate_point *at = &r->stages[i];
        at->t = t + AT[i] * h;
        for (long k = 0; k < n; k++)
            at->x[k] = i ? x[k] + AT[i] * h * r->stages[i - 1].rate[k] : x[k];
        if (tb_gradient_rate_at(r->flow, inputs, at))
            return 0;
    }
    return 1;
}

static void tangent(tb_rollout *r, const double *inputs, double h, const double *variation,
                    double *next) {
    long n = tb_gradient_rate_states(r->flow), variables = tb_gradient_rate_variables(r->flow);
    double dh = variation[variables], *of_stage = r->variation, *rate = r->stage;
    memcpy(of_stage, variation, (size_t)variables * sizeof *variation);
    memcpy(next, variation, (size_t)n * sizeof *variation);
    for (long i = 0; i < 4; i++) {
        of_stage[n] = variation[n] + AT[i] * dh;
        for (long k = 0; i && k < n; k++)
            of_stage[k] = variation[k] + AT[i] * (h * rate[k] + dh * r->stages[i - 1].rate[k]);
        tb_gradient_rate_tangent(r->flow, inputs, &r->stages[i], of_stage, rate);
        for (long k = 0; k < n; k++)
            next[k] += SHARE[i] * (h * rate[k] + dh * r->stages[i].rate[k]);
    }
}

static void adjoint(tb_rollout *r, const double *inputs, double h, const double *weight,
                    double *gradient) {
    long n = tb_gradient_rate_states(r->flow), variables = tb_gradient_rate_variables(r->flow);
    double *of_stage = r->gradient, *of_rate = r->stage, *by_h = gradient + variables;
    memset(gradient, 0, (size_t)(variables + 1) * sizeof *gradient);
    memcpy(gradient, weight, (size_t)n * sizeof *gradient);
    for (long i = 3; i >= 0; i--) {
        for (long k = 0; k < n; k++) {
            double total = SHARE[i] * weight[k] + (i < 3 ? AT[i + 1] * of_stage[k] : 0.0);
            *by_h += total * r->stages[i].rate[k];
            of_rate[k] = h * total;
        }
        tb_gradient_rate_adjoint(r->flow, inputs, &r->stages[i], of_rate, of_stage);
        for (long k = 0; k < variables; k++)
            gradient[k] += of_stage[k];
        *by_h += AT[i] * of_stage[n];
    }
}

const step_slopes TB_RK4_SLOPES = {prepare, tangent, adjoint};
