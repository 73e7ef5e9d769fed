/* Linear-implicit Euler of index 2 (Wang 2011, eq. 8-9, corrected): with f linearised about the
 * state, K = df/dq and C = df/dv,
 *
 *   (M - h C - h^2 K) (v+ - v) = h (f + h K v) + J^T mu,   J(q*) v+ = b(t + h),   q* = q + h v
 *   q+ = q + h v+
 *
 * The multipliers act through J(q*) too, so that one matrix serves both. The scheme alone lets
 * |h| grow by h^2/2 d(Jv)/dt a step without bound; one linear correction of positions a step makes
 * Wang's bound |h| <= k h^r true, and J(q+) v+ = b is then solved exactly. Nothing iterates.
 */
#include <string.h>

#include "constrained/constrained.h"
#include "integrate/fixed_step.h"

/* Solves with M - h C - h^2 K, or with M when there is no stiffness. */
static void solve(tb_constrained *c, const double *f, const double *right, double *step) {
    if (c->stiffness.call)
        tb_dense_solve_general(c, c->matrix, f, right, step, c->mu);
    else
        tb_solve(c, tb_positions_J(c), NULL, tb_terms_M(c), f, right, step, c->mu);
}

/* The right side h (f + h K v), and the matrix when there is stiffness. */
static void linearise(tb_constrained *c, double h, const double *u, const double *p,
                      double *force) {
    long n = c->n;
    const double *f = tb_terms_f(c), *M = tb_terms_M(c), *v = tb_velocities(c);
    for (long i = 0; i < n; i++)
        force[i] = h * f[i];
    if (!c->stiffness.call)
        return;
    c->stiffness.call(c->x, u, p, c->stiff, c->stiffness.work, c->stiffness.context);
    const double *K = c->stiff, *C = c->stiff + n * n;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            c->matrix[i * n + j] = -h * (C[i * n + j] + h * K[i * n + j]);
            force[i] += h * h * K[i * n + j] * v[j];
        }
    for (long k = 0; k < c->M_count; k++) {
        long i = c->M_rows[k], j = c->M_columns[k];
        c->matrix[i * n + j] += M[k];
        if (i != j)
            c->matrix[j * n + i] += M[k];
    }
}

/* q of c->x becomes q(x) + h v of c->x; then h and J there. */
static void move(tb_constrained *c, double h, const double *x, const double *u, const double *p) {
    const double *v = tb_velocities(c);
    memcpy(c->x, x, (size_t)c->nq * sizeof *x);
    for (long j = 0; j < c->n; j++)
        c->step[j] = h * v[j];
    tb_increment(c, 1.0, c->step, u, p);
    tb_positions(c, u, p);
    tb_factor_for_solve(c, tb_positions_J(c));
}

static void add_to_velocities(tb_constrained *c, const double *step) {
    for (long j = 0; j < c->n; j++)
        tb_velocities(c)[j] += step[j];
}

void tb_linear_implicit_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch) {
    tb_constrained *c = problem->constrained;
    const double *u = problem->u, *p = problem->p;
    double *force = scratch, *z = c->x + c->nq + c->n;
    int first = !c->started;
    tb_set_inputs(problem, t, x);
    tb_begin_rate(c, x, u, p);
    linearise(c, h, u, p, force);
    for (long i = 0; i < c->nz; i++)
        z[i] += h * tb_terms_z(c)[i];

    tb_set_inputs(problem, t + h, x);
    move(c, h, x, u, p);
    tb_velocity_level(c, u, p);
    tb_velocity_residual(c, tb_positions_J(c), c->b);
    solve(c, force, c->residual, c->step);
    add_to_velocities(c, c->step);
    for (long i = 0; i < c->m; i++)
        c->lambda[i] = c->mu[i] / h;
    for (long j = 0; j < c->n; j++)
        c->a[j] = c->step[j] / h;

    move(c, h, x, u, p);
    for (long i = 0; i < c->m; i++)
        c->right[i] = c->holonomic[i] ? -c->at_positions[i] : 0.0;
    solve(c, c->no_force, c->right, c->step);
    tb_increment(c, 1.0, c->step, u, p);
    tb_positions(c, u, p);
    tb_factor_for_solve(c, tb_positions_J(c));
    tb_velocity_level(c, u, p);
    tb_velocity_residual(c, tb_positions_J(c), c->b);
    solve(c, c->no_force, c->residual, c->step);
    add_to_velocities(c, c->step);
    memcpy(next, c->x, (size_t)(c->nq + c->n + c->nz) * sizeof *x);
    tb_accept(c, first);
}
