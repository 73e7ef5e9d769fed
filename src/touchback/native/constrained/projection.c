/* Index 1 with coordinate projection after each accepted step (Wang 2011, eq. 1-5): positions go
 * to the nearest point of the constraints, velocities then likewise, both measured with M so that
 * metres and radians compare and light parts move before heavy ones. The rate is that of
 * multipliers.c. */
#ifndef TB_ON_DEVICE
#include <string.h>

#include "constrained/formulations.h"
#endif

/* Sequential projection: M step = J^T mu, J step = -h, repeated with J anew and M kept. */
TB_DEVICE double tb_project_positions(tb_constrained *c, const double *u, const double *p) {
    double before = 0.0;
    for (long iteration = 0;; iteration++) {
        tb_positions(c, u, p);
        double size = tb_position_size(c, c->at_positions);
        int stagnant = iteration > 0 && size > 0.5 * before;
        tb_factor_for_solve(c, tb_positions_J(c));
        if (size <= c->tolerance || stagnant || iteration == TB_ITERATIONS || size - size != 0.0) {
            tb_count_solve(c, iteration);
            return size;
        }
        before = size;
        for (long i = 0; i < c->m; i++)
            c->right[i] = c->holonomic[i] ? -c->at_positions[i] : 0.0;
        tb_solve(c, tb_positions_J(c), NULL, tb_terms_M(c), c->no_force, c->right, c->step, c->mu);
        tb_increment(c, 1.0, c->step, u, p);
    }
}

TB_DEVICE void tb_project_velocities(tb_constrained *c, const double *u, const double *p) {
    double *v = tb_velocities(c);
    tb_velocity_level(c, u, p);
    tb_velocity_residual(c, tb_positions_J(c), c->b);
    tb_solve(c, tb_positions_J(c), NULL, tb_terms_M(c), c->no_force, c->residual, c->step, c->mu);
    for (long j = 0; j < c->n; j++)
        v[j] += c->step[j];
}

TB_DEVICE void tb_project_state(tb_constrained *c, const double *u, const double *p) {
    if (!(tb_project_positions(c, u, p) <= TB_STAGNANT * c->tolerance))
        c->statistics.not_converged++;
    tb_project_velocities(c, u, p);
}

/* Returns 1: the rate must be evaluated anew. */
TB_DEVICE long tb_projection_settle(const tb_problem *problem, double t, double *x, long accepted) {
    tb_constrained *c = problem->constrained;
    const double *u = problem->u, *p = problem->p;
    int first = !c->started;
    tb_set_inputs(problem, t, x);
    tb_load(c, x);
    if (first)
        tb_first_choice(c, u, p);
    else
        tb_terms(c, u, p);
    tb_project_state(c, u, p);
    long rank = c->rank;
    if (accepted)
        tb_accept(c, first);
    if (!first && c->rank > rank) { /* rows left out at a singular position are back in force */
        tb_project_state(c, u, p);
        tb_accept(c, 0);
    }
    memcpy(x, c->x, (size_t)(c->nq + c->n) * sizeof *x);
    return 1;
}
