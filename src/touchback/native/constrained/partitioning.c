/* Coordinate partitioning (Docquier 2021, eq. 5-8): the integrator's values of the independent
 * coordinates are taken as they are, the dependent ones are solved by Newton's method from the
 * integrator's own values (its extrapolation), dependent velocities from J v = b, and the
 * accelerations from the reduced equations of motion.
 *
 * Near a singular position small residuals ask for large steps. Put on the dependents alone they
 * change energy in proportion; so there they are spread over all coordinates as projection.c does,
 * which takes away only the energy of the step itself. */
#ifndef TB_ON_DEVICE
#include <string.h>

#include "constrained/formulations.h"
#endif

static const double TRUNCATED = 1e-6;

/* Dependent positions by Newton's method, and J at them. Returns 0 when it diverges. */
static int solve_positions(const tb_constrained_model *model, tb_constrained_work *work,
                           const double *u, const double *p) {
    double size = 0.0;
    for (long iteration = 0; iteration <= TB_ITERATIONS; iteration++) {
        tb_positions(model, work, u, p);
        double before = size;
        size = tb_position_size(work, work->at_positions);
        int done = size <= model->tolerance ||
                   (iteration > 0 && size > 0.5 * before && size <= TB_STAGNANT * model->tolerance);
        if (done) {
            tb_factor_for_solve(model, work, tb_positions_J(model, work));
            tb_count_solve(work, iteration);
            return 1;
        }
        if (!(size - size == 0.0) || (iteration > 1 && size > 2.0 * before))
            break;
        tb_newton_step(model, work, tb_positions_J(model, work), work->at_positions, work->step);
        tb_increment(model, work, -1.0, work->step, u, p);
    }
    tb_count_solve(work, TB_ITERATIONS);
    return 0;
}

/* Almost at a singular position: positions and velocities by the smallest steps (weighted with M).
 * Returns 0 when that diverges, or ends where they have no direction. */
static int solve_spread(const tb_constrained_model *model, tb_constrained_work *work,
                        const double *x, const double *u, const double *p) {
    tb_load(model, work, x);
    tb_terms(model, work, u, p);
    if (!(tb_project_positions(model, work, u, p) <= TB_STAGNANT * model->tolerance) ||
        tb_smallest_pivot(work) < TRUNCATED)
        return 0;
    tb_project_velocities(model, work, u, p);
    return 1;
}

/* At a singular position: rows whose pivots are small are left out for this evaluation, the
 * others are met by the smallest step (weighted with M). `nearby`: J is known at a position nearer
 * to it than x. */
static void solve_singular(const tb_constrained_model *model, tb_constrained_work *work,
                           const double *x, const double *u, const double *p, int nearby) {
    work->truncated = 1;
    if (!nearby) {
        tb_load(model, work, x);
        tb_positions(model, work, u, p);
    }
    tb_choose(model, work, tb_positions_J(model, work), TRUNCATED, work->rank);
    tb_load(model, work, x);
    tb_terms(model, work, u, p);
    if (!(tb_project_positions(model, work, u, p) <= TB_STAGNANT * model->tolerance)) {
        work->statistics.not_converged++;
        tb_load(model, work, x);
        tb_positions(model, work, u, p);
    }
    tb_factor_for_solve(model, work, tb_positions_J(model, work));
}

/* Dependent velocities from J v = b, of many loops by corrections, refined once where rounding asks
 * for it. */
static void solve_velocities(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *u, const double *p) {
    double *v = tb_velocities(model, work);
    const double *J = tb_positions_J(model, work);
    tb_velocity_level(model, work, u, p);
    if (!model->sparse) {
        tb_dense_velocities(model, work, TB_HAS(model, velocity_level) ? work->b : NULL, v);
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        tb_velocity_residual(model, work, J, work->b);
        if (tb_residual_size(work) <= 0.1 * model->tolerance)
            return; /* near a singular position a correction would only amplify rounding */
        if (pass == 0)
            tb_factor(model, work, J, TB_VELOCITY);
        tb_correct(model, work, J, work->residual, TB_VELOCITY, work->step);
        for (long j = 0; j < model->n; j++)
            v[j] += work->step[j];
    }
}

/* work->x becomes x with its dependent positions and velocities solved. */
static void make_consistent(const tb_constrained_model *model, tb_constrained_work *work,
                            const double *x, const double *u, const double *p) {
    if (work->truncated && work->started) { /* back to the choice at the last accepted state */
        tb_load(model, work, work->settled);
        tb_positions(model, work, u, p);
        tb_review_choice(model, work, work->at_positions, tb_positions_J(model, work));
    }
    tb_load(model, work, x);
    if (!work->started)
        tb_first_choice(model, work, u, p);
    int solved = solve_positions(model, work, u, p);
    if (solved && model->sparse && tb_smallest_pivot(work) < TB_NEARLY_SINGULAR)
        tb_factor(model, work, tb_positions_J(model, work),
                  TB_VELOCITY); /* those pivots may be of long ago */
    double pivot = tb_smallest_pivot(work);
    if (solved && pivot >= TB_NEARLY_SINGULAR)
        solve_velocities(model, work, u, p);
    else if (!solved || pivot < TRUNCATED || !solve_spread(model, work, x, u, p)) {
        solve_singular(model, work, x, u, p, solved);
        tb_project_velocities(model, work, u, p);
    }
}

/* dx/dt; the accelerations of all coordinates, so that the integrator extrapolates them all. */
TB_DEVICE void tb_partitioning_rate(const double *x, const double *u, const double *p, double *out,
                                    double *scratch, const void *context) {
    const tb_constrained_model *model = tb_constrained_of(context)->model;
    tb_constrained_work *work = tb_constrained_of(context)->work;
    (void)scratch;
    size_t bytes = (size_t)(model->nq + model->n + model->nz) * sizeof *x;
    int settled = work->started && !work->truncated && memcmp(x, work->settled, bytes) == 0;
    if (settled) {
        tb_load(model, work, x);
        tb_terms(model, work, u, p);
        /* Inputs or parameters may have moved the constraints since the state was settled. */
        tb_velocity_residual(model, work, tb_terms_J(model, work), tb_terms_b(model, work));
        settled = tb_position_size(work, work->at_terms) <= TB_STAGNANT * model->tolerance &&
                  tb_residual_size(work) <= TB_STAGNANT * model->tolerance;
        if (settled)
            tb_factor_for_solve(model, work, tb_terms_J(model, work));
    }
    if (!settled) {
        make_consistent(model, work, x, u, p);
        tb_terms(model, work, u, p);
    }
    for (long i = 0; i < model->m; i++)
        work->right[i] = -tb_terms_gamma(model, work)[i];
    tb_finish_rate(model, work, u, p, out);
}

/* Writes the consistent state back. The rate at it is the one already evaluated: returns 0, or 1
 * when rows left out at a singular position are back in force. */
TB_DEVICE long tb_partitioning_settle(const tb_problem *problem, double t, double *x,
                                      long accepted) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    int first = !work->started;
    tb_set_inputs(problem, t, x);
    make_consistent(model, work, x, problem->u, problem->p);
    long rank = work->rank;
    if (accepted)
        tb_accept(model, work, first);
    int more = !first && work->rank > rank;
    if (more) { /* what they ask of the state is spread by mass, not put on the dependents */
        tb_project_state(model, work, problem->u, problem->p);
        tb_accept(model, work, 0);
    }
    memcpy(x, work->x, (size_t)(model->nq + model->n) * sizeof *x);
    return more;
}
