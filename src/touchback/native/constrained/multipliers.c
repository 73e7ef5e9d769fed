/* Index 1: accelerations and multipliers from M a = f + W^T lambda, J a = -gamma (Docquier 2021,
 * eq. 3; Wang 2011, eq. 7). Nothing holds positions and velocities on their constraints: they
 * drift by rounding and by the integrator's error. */
#ifndef TB_ON_DEVICE
#include "constrained/formulations.h"
#endif

TB_DEVICE void tb_multipliers_rate(const double *x, const double *u, const double *p, double *out,
                                   double *scratch, const void *context) {
    const tb_constrained_model *model = tb_constrained_of(context)->model;
    tb_constrained_work *work = tb_constrained_of(context)->work;
    (void)scratch;
    tb_begin_rate(model, work, x, u, p);
    for (long i = 0; i < model->m; i++)
        work->right[i] = -tb_terms_gamma(model, work)[i];
    tb_finish_rate(model, work, u, p, out);
}

/* Changes nothing: notes the drift and reviews the choice. */
TB_DEVICE long tb_multipliers_settle(const tb_problem *problem, double t, double *x,
                                     long accepted) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    if (!accepted)
        return 0;
    int first = !work->started;
    tb_set_inputs(problem, t, x);
    tb_load(model, work, x);
    if (first)
        tb_first_choice(model, work, problem->u, problem->p);
    tb_positions(model, work, problem->u, problem->p);
    tb_factor_for_solve(model, work, tb_positions_J(model, work));
    tb_accept(model, work, first);
    return 0;
}
