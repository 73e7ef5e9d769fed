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
static int solve_positions(tb_constrained *c, const double *u, const double *p) {
    double size = 0.0;
    for (long iteration = 0; iteration <= TB_ITERATIONS; iteration++) {
        tb_positions(c, u, p);
        double before = size;
        size = tb_position_size(c, c->at_positions);
        int done = size <= c->tolerance ||
                   (iteration > 0 && size > 0.5 * before && size <= TB_STAGNANT * c->tolerance);
        if (done) {
            tb_factor_for_solve(c, tb_positions_J(c));
            tb_count_solve(c, iteration);
            return 1;
        }
        if (!(size - size == 0.0) || (iteration > 1 && size > 2.0 * before))
            break;
        tb_newton_step(c, tb_positions_J(c), c->at_positions, c->step);
        tb_increment(c, -1.0, c->step, u, p);
    }
    tb_count_solve(c, TB_ITERATIONS);
    return 0;
}

/* Almost at a singular position: positions and velocities by the smallest steps (weighted with M).
 * Returns 0 when that diverges, or ends where they have no direction. */
static int solve_spread(tb_constrained *c, const double *x, const double *u, const double *p) {
    tb_load(c, x);
    tb_terms(c, u, p);
    if (!(tb_project_positions(c, u, p) <= TB_STAGNANT * c->tolerance) ||
        tb_smallest_pivot(c) < TRUNCATED)
        return 0;
    tb_project_velocities(c, u, p);
    return 1;
}

/* At a singular position: rows whose pivots are small are left out for this evaluation, the
 * others are met by the smallest step (weighted with M). `nearby`: J is known at a position nearer
 * to it than x. */
static void solve_singular(tb_constrained *c, const double *x, const double *u, const double *p,
                           int nearby) {
    c->truncated = 1;
    if (!nearby) {
        tb_load(c, x);
        tb_positions(c, u, p);
    }
    tb_choose(c, tb_positions_J(c), TRUNCATED, c->rank);
    tb_load(c, x);
    tb_terms(c, u, p);
    if (!(tb_project_positions(c, u, p) <= TB_STAGNANT * c->tolerance)) {
        c->statistics.not_converged++;
        tb_load(c, x);
        tb_positions(c, u, p);
    }
    tb_factor_for_solve(c, tb_positions_J(c));
}

/* Dependent velocities from J v = b, of many loops by corrections, refined once where rounding asks
 * for it. */
static void solve_velocities(tb_constrained *c, const double *u, const double *p) {
    double *v = tb_velocities(c);
    const double *J = tb_positions_J(c);
    tb_velocity_level(c, u, p);
    if (!c->sparse) {
        tb_dense_velocities(c, TB_HAS(c, velocity_level) ? c->b : NULL, v);
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        tb_velocity_residual(c, J, c->b);
        if (tb_residual_size(c) <= 0.1 * c->tolerance)
            return; /* near a singular position a correction would only amplify rounding */
        if (pass == 0)
            tb_factor(c, J, TB_VELOCITY);
        tb_correct(c, J, c->residual, TB_VELOCITY, c->step);
        for (long j = 0; j < c->n; j++)
            v[j] += c->step[j];
    }
}

/* c->x becomes x with its dependent positions and velocities solved. */
static void make_consistent(tb_constrained *c, const double *x, const double *u, const double *p) {
    if (c->truncated && c->started) { /* back to the choice at the last accepted state */
        tb_load(c, c->settled);
        tb_positions(c, u, p);
        tb_review_choice(c, c->at_positions, tb_positions_J(c));
    }
    tb_load(c, x);
    if (!c->started)
        tb_first_choice(c, u, p);
    int solved = solve_positions(c, u, p);
    if (solved && c->sparse && tb_smallest_pivot(c) < TB_NEARLY_SINGULAR)
        tb_factor(c, tb_positions_J(c), TB_VELOCITY); /* those pivots may be of long ago */
    double pivot = tb_smallest_pivot(c);
    if (solved && pivot >= TB_NEARLY_SINGULAR)
        solve_velocities(c, u, p);
    else if (!solved || pivot < TRUNCATED || !solve_spread(c, x, u, p)) {
        solve_singular(c, x, u, p, solved);
        tb_project_velocities(c, u, p);
    }
}

/* dx/dt; the accelerations of all coordinates, so that the integrator extrapolates them all. */
TB_DEVICE void tb_partitioning_rate(const double *x, const double *u, const double *p, double *out,
                                    double *work, const void *context) {
    tb_constrained *c = tb_constrained_of(context);
    (void)work;
    size_t bytes = (size_t)(c->nq + c->n + c->nz) * sizeof *x;
    int settled = c->started && !c->truncated && memcmp(x, c->settled, bytes) == 0;
    if (settled) {
        tb_load(c, x);
        tb_terms(c, u, p);
        /* Inputs or parameters may have moved the constraints since the state was settled. */
        tb_velocity_residual(c, tb_terms_J(c), tb_terms_b(c));
        settled = tb_position_size(c, c->at_terms) <= TB_STAGNANT * c->tolerance &&
                  tb_residual_size(c) <= TB_STAGNANT * c->tolerance;
        if (settled)
            tb_factor_for_solve(c, tb_terms_J(c));
    }
    if (!settled) {
        make_consistent(c, x, u, p);
        tb_terms(c, u, p);
    }
    for (long i = 0; i < c->m; i++)
        c->right[i] = -tb_terms_gamma(c)[i];
    tb_finish_rate(c, u, p, out);
}

/* Writes the consistent state back. The rate at it is the one already evaluated: returns 0, or 1
 * when rows left out at a singular position are back in force. */
TB_DEVICE long tb_partitioning_settle(const tb_problem *problem, double t, double *x,
                                      long accepted) {
    tb_constrained *c = problem->constrained;
    int first = !c->started;
    tb_set_inputs(problem, t, x);
    make_consistent(c, x, problem->u, problem->p);
    long rank = c->rank;
    if (accepted)
        tb_accept(c, first);
    int more = !first && c->rank > rank;
    if (more) { /* what they ask of the state is spread by mass, not put on the dependents */
        tb_project_state(c, problem->u, problem->p);
        tb_accept(c, 0);
    }
    memcpy(x, c->x, (size_t)(c->nq + c->n) * sizeof *x);
    return more;
}
