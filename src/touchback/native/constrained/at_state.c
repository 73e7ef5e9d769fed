#include "constrained/at_state.h"

void tb_move_at_terms(tb_constrained *c) {
    tb_reset_run(c);
    tb_choose_at_terms(c);
    tb_factor_for_solve(c, tb_terms_J(c));
    tb_solve_motion(c);
    tb_refuse_unknown(c);
}

void tb_at_state_call(const double *x, const double *u, const double *p, double *out, double *work,
                      const void *context) {
    const tb_at_state *motion = context;
    tb_constrained *c = motion->constrained;
    (void)work;
    tb_load(c, x);
    tb_terms(c, u, p);
    if (motion->bias.call) {
        tb_call(&motion->bias, x, u, p + motion->bias_block, c->step);
        for (long j = 0; j < c->n; j++)
            tb_terms_f(c)[j] = u[motion->efforts + j] - c->step[j];
    }
    for (long i = 0; i < c->m; i++)
        c->right[i] = -tb_terms_gamma(c)[i] - (motion->pulls < 0 ? 0.0 : u[motion->pulls + i]);
    tb_move_at_terms(c);
    if (c->configuration_rate.call)
        tb_call(&c->configuration_rate, x, u, p, out);
    else
        tb_copy(out, x + c->nq, c->n);
    long size = c->nq + c->n + c->nz;
    tb_copy(out + c->nq, c->a, c->n);
    tb_copy(out + c->nq + c->n, tb_terms_z(c), c->nz);
    tb_copy(out + size, c->lambda, c->m);
    out[size + c->m] = (double)(c->unanswered + 1);
}
