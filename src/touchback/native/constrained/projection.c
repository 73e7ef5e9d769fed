/* Index 1 with coordinate projection after each accepted step (Wang 2011, eq. 1-5): positions go
 * to the nearest point of the constraints, velocities then likewise, both measured with M so that
 * metres and radians compare and light parts move before heavy ones. The rate is that of
 * multipliers.c. */
#ifndef TB_ON_DEVICE
#include <string.h>

#include "constrained/formulations.h"
#endif

/* Sequential projection: M step = J^T mu, J step = -h, repeated with J anew and M kept. */
TB_DEVICE double tb_project_positions(const tb_constrained_model *model, tb_constrained_work *work,
                                      const double *u, const double *p) {
    double before = 0.0;
    for (long iteration = 0;; iteration++) {
        tb_positions(model, work, u, p);
        double size = tb_position_size(work, work->at_positions);
        int stagnant = iteration > 0 && size > 0.5 * before;
        tb_factor_for_solve(model, work, tb_positions_J(model, work));
        if (size <= model->tolerance || stagnant || iteration == TB_ITERATIONS ||
            size - size != 0.0) {
            tb_count_solve(work, iteration);
            return size;
        }
        before = size;
        for (long i = 0; i < model->m; i++)
            work->right[i] = model->holonomic[i] ? -work->at_positions[i] : 0.0;
        tb_solve(model, work, tb_positions_J(model, work), NULL, tb_terms_M(model, work),
                 work->no_force, work->right, work->step, work->mu);
        tb_increment(model, work, 1.0, work->step, u, p);
    }
}

TB_DEVICE void tb_project_velocities(const tb_constrained_model *model, tb_constrained_work *work,
                                     const double *u, const double *p) {
    double *v = tb_velocities(model, work);
    tb_velocity_level(model, work, u, p);
    tb_velocity_residual(model, work, tb_positions_J(model, work), work->b);
    tb_solve(model, work, tb_positions_J(model, work), NULL, tb_terms_M(model, work),
             work->no_force, work->residual, work->step, work->mu);
    for (long j = 0; j < model->n; j++)
        v[j] += work->step[j];
}

TB_DEVICE void tb_project_state(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *u, const double *p) {
    if (!(tb_project_positions(model, work, u, p) <= TB_STAGNANT * model->tolerance))
        work->statistics.not_converged++;
    tb_project_velocities(model, work, u, p);
}

/* Returns 1: the rate must be evaluated anew. */
TB_DEVICE long tb_projection_settle(const tb_problem *problem, double t, double *x, long accepted) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    const double *u = problem->u, *p = problem->p;
    int first = !work->started;
    tb_set_inputs(problem, t, x);
    tb_load(model, work, x);
    if (first)
        tb_first_choice(model, work, u, p);
    else
        tb_terms(model, work, u, p);
    tb_project_state(model, work, u, p);
    long rank = work->rank;
    if (accepted)
        tb_accept(model, work, first);
    if (!first && work->rank > rank) { /* rows left out at a singular position are back in force */
        tb_project_state(model, work, u, p);
        tb_accept(model, work, 0);
    }
    memcpy(x, work->x, (size_t)(model->nq + model->n) * sizeof *x);
    return 1;
}
