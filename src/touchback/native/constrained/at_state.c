#include "constrained/at_state.h"

void tb_at_state_call(const double *x, const double *u, const double *p, double *out, double *work,
                      const void *context) {
    const tb_at_state *motion = context;
    tb_constrained *c = motion->constrained;
    (void)work;
    tb_forget(c);
    tb_begin_rate(c, x, u, p);
    if (motion->bias.call) {
        tb_call(&motion->bias, x, u, p + motion->bias_block, c->step);
        for (long j = 0; j < c->n; j++)
            tb_terms_f(c)[j] = u[motion->efforts + j] - c->step[j];
    }
    for (long i = 0; i < c->m; i++)
        c->right[i] = -tb_terms_gamma(c)[i] - (motion->pulls < 0 ? 0.0 : u[motion->pulls + i]);
    tb_finish_rate(c, u, p, out);
    tb_refuse_unknown(c);
    long size = c->nq + c->n + c->nz;
    tb_copy(out + c->nq, c->a, c->n);
    tb_copy(out + size, c->lambda, c->m);
    out[size + c->m] = (double)(c->unanswered + 1);
}
