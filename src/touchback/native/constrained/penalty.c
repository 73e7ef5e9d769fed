/* The augmented Lagrangian of index 1 (Gallo 2012, 2.12-2.14; Garcia de Jalon and Bayo 1994):
 *
 *   (M + J^T w J) a_i+1 = f + J^T lambda_i - J^T w g,   lambda_i+1 = lambda_i - w (g + J a_i+1)
 *
 * with lambda_0 = 0 and g = gamma + 2 zeta omega (J v - b) + omega^2 h, which is (2.14), as
 * M a_i = f + J^T lambda_i. Alpha is zeta omega here and beta is omega, as Baumgarte's. Penalties
 * are those of augmented_lagrangian.c; the matrix is regular where constraints are redundant or
 * positions singular. Settling is that of multipliers.c: nothing is moved.
 */
#include "constrained/formulations.h"

static const long ITERATIONS = 100;
static const double STILL = 1e-13;   /* part of the constraints' forces that the last one added */
static const double ROUNDING = 1e-6; /* likewise, below which what shrinks no more is rounding */

/* Adds J^T mu to lambda's force and gives its size: redundant rows that disagree a little push for
 * ever, but not on the coordinates. */
static double add_push(const tb_constrained_model *model, tb_constrained_work *work,
                       double *force) {
    const double *J = tb_terms_J(model, work);
    double *push = work->n_scratch, largest = 0.0;
    memset(push, 0, (size_t)model->n * sizeof *push);
    for (long k = 0; k < model->J_count; k++)
        push[model->J_columns[k]] += J[k] * work->mu[model->J_rows[k]];
    for (long j = 0; j < model->n; j++) {
        force[j] += push[j];
        largest = fmax(largest, fabs(push[j]) * work->scale[j]);
    }
    return largest;
}

void tb_penalty_rate(const double *x, const double *u, const double *p, double *out,
                     double *scratch, const void *context) {
    const tb_constrained_model *model = tb_constrained_of(context)->model;
    tb_constrained_work *work = tb_constrained_of(context)->work;
    double *force = work->step, *g = work->candidates;
    (void)scratch;
    tb_load(model, work, x);
    if (work->started)
        tb_terms(model, work, u, p);
    else
        tb_first_choice(model, work, u, p);
    tb_baumgarte_pull(model, work);
    for (long i = 0; i < model->m; i++) {
        g[i] = -work->right[i];
        work->lambda[i] = 0.0;
    }
    tb_soft_factor(model, work, 0.0, u, p);
    tb_copy(force, tb_terms_f(model, work), model->n);
    long iteration = 0;
    int done = 0;
    double before = INFINITY, size = 0.0;
    while (!done && iteration < ITERATIONS) {
        tb_soft_solve(model, work, force, g, work->a);
        for (long i = 0; i < model->m; i++)
            work->lambda[i] += work->mu[i];
        double added = add_push(model, work, force);
        size = fmax(size, added);
        done = added <= STILL * size || (added <= ROUNDING * size && added >= before);
        before = added;
        iteration++;
    }
    tb_count_solve(work, iteration);
    work->statistics.not_converged += !done;
    if (work->rank < model->m) { /* penalties are a metric of their own */
        tb_factor_for_solve(model, work, tb_terms_J(model, work));
        tb_solve(model, work, tb_terms_J(model, work), NULL, tb_terms_M(model, work),
                 work->no_force, work->right, force, work->mu);
        tb_least_multipliers(model, work, tb_terms_J(model, work), NULL, work->lambda);
    }
    tb_write_rate(model, work, u, p, out);
}
