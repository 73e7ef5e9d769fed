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
static double add_push(tb_constrained *c, double *force) {
    const double *J = tb_terms_J(c);
    double *push = c->n_scratch, largest = 0.0;
    memset(push, 0, (size_t)c->n * sizeof *push);
    for (long k = 0; k < c->J_count; k++)
        push[c->J_columns[k]] += J[k] * c->mu[c->J_rows[k]];
    for (long j = 0; j < c->n; j++) {
        force[j] += push[j];
        largest = fmax(largest, fabs(push[j]) * c->scale[j]);
    }
    return largest;
}

void tb_penalty_rate(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context) {
    tb_constrained *c = tb_constrained_of(context);
    double *force = c->step, *g = c->candidates;
    (void)work;
    tb_load(c, x);
    if (c->started)
        tb_terms(c, u, p);
    else
        tb_first_choice(c, u, p);
    tb_baumgarte_pull(c);
    for (long i = 0; i < c->m; i++) {
        g[i] = -c->right[i];
        c->lambda[i] = 0.0;
    }
    tb_soft_factor(c, 0.0, u, p);
    tb_copy(force, tb_terms_f(c), c->n);
    long iteration = 0;
    int done = 0;
    double before = INFINITY, size = 0.0;
    while (!done && iteration < ITERATIONS) {
        tb_soft_solve(c, force, g, c->a);
        for (long i = 0; i < c->m; i++)
            c->lambda[i] += c->mu[i];
        double added = add_push(c, force);
        size = fmax(size, added);
        done = added <= STILL * size || (added <= ROUNDING * size && added >= before);
        before = added;
        iteration++;
    }
    tb_count_solve(c, iteration);
    c->statistics.not_converged += !done;
    if (c->rank < c->m) { /* penalties are a metric of their own */
        tb_factor_for_solve(c, tb_terms_J(c));
        tb_solve(c, tb_terms_J(c), NULL, tb_terms_M(c), c->no_force, c->right, force, c->mu);
        tb_least_multipliers(c, tb_terms_J(c), NULL, c->lambda);
    }
    tb_write_rate(c, u, p, out);
}
