#include "constrained/at_state.h"

#include <math.h>

/* Whether the equations are numbers at all: a choice of rows among others would look like one. */
static int is_known(const tb_constrained *c) {
    double sum = 0.0; /* 0 as long as all are finite */
    for (const double *each = c->at_terms; each < tb_terms_z(c); each++)
        sum += 0.0 * *each;
    return sum == 0.0;
}

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
    long size = c->nq + c->n + c->nz;
    tb_copy(out + size, c->lambda, c->m);
    if (!is_known(c)) {
        for (long j = 0; j < c->n; j++)
            out[c->nq + j] = NAN;
        for (long i = 0; i < c->m; i++)
            out[size + i] = NAN;
    }
    out[size + c->m] = (double)(c->unanswered + 1);
}
