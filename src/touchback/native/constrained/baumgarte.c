/* Baumgarte's stabilisation (1972): index 1 with J a = -gamma - 2 alpha (J v - b) - beta^2 h, which
 * pulls a drifting state back; for rows without a position equation J a = -gamma - alpha (J v - b).
 * Settling is that of multipliers.c: nothing is moved. */
#ifndef TB_ON_DEVICE
#include "constrained/formulations.h"
#endif

TB_DEVICE void tb_baumgarte_pull(tb_constrained *c) {
    const double *h = c->at_terms;
    tb_velocity_residual(c, tb_terms_J(c), tb_terms_b(c));
    for (long i = 0; i < c->m; i++) {
        double pull = c->alpha * c->residual[i];
        if (c->holonomic[i])
            pull = 2.0 * pull - c->beta * c->beta * h[i];
        c->right[i] = pull - tb_terms_gamma(c)[i];
    }
}

TB_DEVICE void tb_baumgarte_rate(const double *x, const double *u, const double *p, double *out,
                                 double *work, const void *context) {
    tb_constrained *c = tb_constrained_of(context);
    (void)work;
    tb_begin_rate(c, x, u, p);
    tb_baumgarte_pull(c);
    tb_finish_rate(c, u, p, out);
}
