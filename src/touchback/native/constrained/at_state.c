#include "constrained/at_state.h"

void tb_move_at_terms(const tb_constrained_model *model, tb_constrained_work *work) {
    tb_reset_run(model, work);
    tb_choose_at_terms(model, work);
    tb_factor_for_solve(model, work, tb_terms_J(model, work));
    tb_solve_motion(model, work);
    tb_refuse_unknown(model, work);
}

void tb_at_state_call(const double *x, const double *u, const double *p, double *out,
                      double *scratch, const void *context) {
    const tb_at_state *motion = context;
    const tb_constrained_model *model = motion->constrained->model;
    tb_constrained_work *work = motion->constrained->work;
    (void)scratch;
    tb_load(model, work, x);
    tb_terms(model, work, u, p);
    if (motion->bias.call) {
        tb_call(&motion->bias, x, u, p + motion->bias_block, work->step);
        for (long j = 0; j < model->n; j++)
            tb_terms_f(model, work)[j] = u[motion->efforts + j] - work->step[j];
    }
    for (long i = 0; i < model->m; i++)
        work->right[i] =
            -tb_terms_gamma(model, work)[i] - (motion->pulls < 0 ? 0.0 : u[motion->pulls + i]);
    tb_move_at_terms(model, work);
    if (model->configuration_rate.call)
        tb_call(&model->configuration_rate, x, u, p, out);
    else
        tb_copy(out, x + model->nq, model->n);
    long size = model->nq + model->n + model->nz;
    tb_copy(out + model->nq, work->a, model->n);
    tb_copy(out + model->nq + model->n, tb_terms_z(model, work), model->nz);
    tb_copy(out + size, work->lambda, model->m);
    out[size + model->m] = (double)(work->unanswered + 1);
}
