/* Baumgarte's stabilisation (1972): index 1 with J a = -gamma - 2 alpha (J v - b) - beta^2 h, which
 * pulls a drifting state back; for rows without a position equation J a = -gamma - alpha (J v - b).
 * Settling is that of multipliers.c: nothing is moved. */
#ifndef TB_ON_DEVICE
#include "constrained/formulations.h"
#endif

TB_DEVICE void tb_baumgarte_pull(const tb_constrained_model *model, tb_constrained_work *work) {
    const double *h = work->at_terms;
    tb_velocity_residual(model, work, tb_terms_J(model, work), tb_terms_b(model, work));
    for (long i = 0; i < model->m; i++) {
        double pull = model->alpha * work->residual[i];
        if (model->holonomic[i])
            pull = 2.0 * pull - model->beta * model->beta * h[i];
        work->right[i] = pull - tb_terms_gamma(model, work)[i];
    }
}

TB_DEVICE void tb_baumgarte_rate(const double *x, const double *u, const double *p, double *out,
                                 double *scratch, const void *context) {
    const tb_constrained_model *model = tb_constrained_of(context)->model;
    tb_constrained_work *work = tb_constrained_of(context)->work;
    (void)scratch;
    tb_begin_rate(model, work, x, u, p);
    tb_baumgarte_pull(model, work);
    tb_finish_rate(model, work, u, p, out);
}
