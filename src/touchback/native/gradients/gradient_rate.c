#include "gradients/gradient_rate.h"

#include <math.h>
#include <string.h>

#include "linear/dense.h"

static double *solution_in(tb_gradient_rate *f) {
    return f->u + 1 + f->inputs;
}
static double *variation_in(tb_gradient_rate *f) {
    return solution_in(f) + tb_gradient_rate_equations(f);
}
static double *weights_in(tb_gradient_rate *f) {
    return variation_in(f) + tb_gradient_rate_variables(f);
}

static void copy(double *to, const double *from, long count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

static void call(tb_gradient_rate *f, const tb_callable *function, const double *inputs, double t,
                 const double *x) {
    f->u[0] = t;
    copy(f->u + 1, inputs, f->inputs);
    function->call(x, f->u, f->p, f->out, function->work, function->context);
}

int tb_gradient_rate_at(tb_gradient_rate *f, const double *inputs, tb_gradient_rate_point *at) {
    long n = tb_gradient_rate_equations(f), nq = f->nq, nv = f->nv;
    call(f, &f->equations, inputs, at->t, at->x);
    const double *K = f->out + n, *turning = K + n * n;
    copy(at->K, K, n * n);
    for (long i = 0; i < n; i++)
        at->solved[i] = -f->out[i];
    copy(at->rate, turning, nq);
    copy(at->rate + nq + nv, turning + nq, f->nz);
    if (tb_lu_factor(n, at->K, at->pivots))
        return 1;
    tb_lu_solve(n, at->K, at->pivots, at->solved);
    copy(at->rate + nq, at->solved, nv);
    return 0;
}

void tb_gradient_rate_tangent(tb_gradient_rate *f, const double *inputs,
                              const tb_gradient_rate_point *at, const double *variation,
                              double *rate) {
    long n = tb_gradient_rate_equations(f), nq = f->nq, nv = f->nv;
    copy(solution_in(f), at->solved, n);
    copy(variation_in(f), variation, tb_gradient_rate_variables(f));
    call(f, &f->tangent, inputs, at->t, at->x);
    for (long i = 0; i < n; i++)
        f->right[i] = -f->out[i];
    tb_lu_solve(n, at->K, at->pivots, f->right);
    copy(rate, f->out + n, nq);
    copy(rate + nq, f->right, nv);
    copy(rate + nq + nv, f->out + n + nq, f->nz);
}

void tb_gradient_rate_adjoint(tb_gradient_rate *f, const double *inputs,
                              const tb_gradient_rate_point *at, const double *weight,
                              double *gradient) {
    long n = tb_gradient_rate_equations(f), nq = f->nq, nv = f->nv;
    double *weights = weights_in(f);
    copy(solution_in(f), at->solved, n);
    for (long i = 0; i < n; i++)
        weights[i] = i < nv ? -weight[nq + i] : 0.0;
    tb_lu_solve_transposed(n, at->K, at->pivots, weights);
    copy(weights + n, weight, nq);
    copy(weights + n + nq, weight + nq + nv, f->nz);
    call(f, &f->adjoint, inputs, at->t, at->x);
    copy(gradient, f->out, tb_gradient_rate_variables(f));
}

void tb_turn_tangent(tb_gradient_rate *f, const double *inputs, double t, const double *x,
                     const double *variation, double *rate) {
    if (!f->turn_tangent.call) {
        copy(rate, variation + f->nq, f->nq);
        return;
    }
    copy(variation_in(f), variation, tb_gradient_rate_variables(f));
    call(f, &f->turn_tangent, inputs, t, x);
    copy(rate, f->out, f->nq);
}

void tb_turn_adjoint(tb_gradient_rate *f, const double *inputs, double t, const double *x,
                     const double *weight, double *gradient) {
    if (!f->turn_adjoint.call) {
        memset(gradient, 0, (size_t)tb_gradient_rate_variables(f) * sizeof *gradient);
        copy(gradient + f->nq, weight, f->nq);
        return;
    }
    copy(weights_in(f) + tb_gradient_rate_equations(f), weight, f->nq);
    call(f, &f->turn_adjoint, inputs, t, x);
    copy(gradient, f->out, tb_gradient_rate_variables(f));
}

void tb_solved_gradient_rate(const double *x, const double *u, const double *p, double *out,
                             double *work, const void *ctx) {
    const tb_gradient_rate_value *self = ctx;
    tb_gradient_rate *f = self->flow;
    (void)p, (void)work;
    self->at->t = u[0];
    copy(self->at->x, x, tb_gradient_rate_states(f));
    if (tb_gradient_rate_at(f, u + 1, self->at))
        self->at->rate[f->nq] = NAN;
    copy(out, self->at->rate, tb_gradient_rate_states(f));
}
