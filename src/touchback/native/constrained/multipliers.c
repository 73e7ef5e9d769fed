/* Index 1: accelerations and multipliers from M a = f + W^T lambda, J a = -gamma (Docquier 2021,
 * eq. 3; Wang 2011, eq. 7). Nothing holds positions and velocities on their constraints: they
 * drift by rounding and by the integrator's error. */
#ifndef TB_ON_DEVICE
#include "constrained/formulations.h"
#endif

TB_DEVICE void tb_multipliers_rate(const double *x, const double *u, const double *p, double *out,
                                   double *work, const void *context) {
    tb_constrained *c = tb_constrained_of(context);
    (void)work;
    tb_begin_rate(c, x, u, p);
    for (long i = 0; i < c->m; i++)
        c->right[i] = -tb_terms_gamma(c)[i];
    tb_finish_rate(c, u, p, out);
}

/* Changes nothing: notes the drift and reviews the choice. */
TB_DEVICE long tb_multipliers_settle(const tb_problem *problem, double t, double *x,
                                     long accepted) {
    tb_constrained *c = problem->constrained;
    if (!accepted)
        return 0;
    int first = !c->started;
    tb_set_inputs(problem, t, x);
    tb_load(c, x);
    if (first)
        tb_first_choice(c, problem->u, problem->p);
    tb_positions(c, problem->u, problem->p);
    tb_factor_for_solve(c, tb_positions_J(c));
    tb_accept(c, first);
    return 0;
}
