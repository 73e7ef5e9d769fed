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
static void solve(const tb_constrained_model *model, tb_constrained_work *work, const double *f,
                  const double *right, double *step) {
    if (model->stiffness.call)
        tb_dense_solve_general(model, work, work->matrix, f, right, step, work->mu);
    else
        tb_solve(model, work, tb_positions_J(model, work), NULL, tb_terms_M(model, work), f, right,
                 step, work->mu);
}

/* The right side h (f + h K v), and the matrix when there is stiffness. */
static void linearise(const tb_constrained_model *model, tb_constrained_work *work, double h,
                      const double *u, const double *p, double *force) {
    long n = model->n;
    const double *f = tb_terms_f(model, work), *M = tb_terms_M(model, work),
                 *v = tb_velocities(model, work);
    for (long i = 0; i < n; i++)
        force[i] = h * f[i];
    if (!model->stiffness.call)
        return;
    model->stiffness.call(work->x, u, p, work->stiff, model->stiffness.work,
                          model->stiffness.context);
    const double *K = work->stiff, *C = work->stiff + n * n;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            work->matrix[i * n + j] = -h * (C[i * n + j] + h * K[i * n + j]);
            force[i] += h * h * K[i * n + j] * v[j];
        }
    for (long k = 0; k < model->M_count; k++) {
        long i = model->M_rows[k], j = model->M_columns[k];
        work->matrix[i * n + j] += M[k];
        if (i != j)
            work->matrix[j * n + i] += M[k];
    }
}

/* q of work->x becomes q(x) + h v of work->x; then h and J there. */
static void move(const tb_constrained_model *model, tb_constrained_work *work, double h,
                 const double *x, const double *u, const double *p) {
    const double *v = tb_velocities(model, work);
    memcpy(work->x, x, (size_t)model->nq * sizeof *x);
    for (long j = 0; j < model->n; j++)
        work->step[j] = h * v[j];
    tb_increment(model, work, 1.0, work->step, u, p);
    tb_positions(model, work, u, p);
    tb_factor_for_solve(model, work, tb_positions_J(model, work));
}

static void add_to_velocities(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *step) {
    for (long j = 0; j < model->n; j++)
        tb_velocities(model, work)[j] += step[j];
}

void tb_linear_implicit_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    const double *u = problem->u, *p = problem->p;
    double *force = scratch, *z = work->x + model->nq + model->n;
    int first = !work->started;
    tb_set_inputs(problem, t, x);
    tb_begin_rate(model, work, x, u, p);
    linearise(model, work, h, u, p, force);
    for (long i = 0; i < model->nz; i++)
        z[i] += h * tb_terms_z(model, work)[i];

    tb_set_inputs(problem, t + h, x);
    move(model, work, h, x, u, p);
    tb_velocity_level(model, work, u, p);
    tb_velocity_residual(model, work, tb_positions_J(model, work), work->b);
    solve(model, work, force, work->residual, work->step);
    add_to_velocities(model, work, work->step);
    for (long i = 0; i < model->m; i++)
        work->lambda[i] = work->mu[i] / h;
    for (long j = 0; j < model->n; j++)
        work->a[j] = work->step[j] / h;

    move(model, work, h, x, u, p);
    for (long i = 0; i < model->m; i++)
        work->right[i] = model->holonomic[i] ? -work->at_positions[i] : 0.0;
    solve(model, work, work->no_force, work->right, work->step);
    tb_increment(model, work, 1.0, work->step, u, p);
    tb_positions(model, work, u, p);
    tb_factor_for_solve(model, work, tb_positions_J(model, work));
    tb_velocity_level(model, work, u, p);
    tb_velocity_residual(model, work, tb_positions_J(model, work), work->b);
    solve(model, work, work->no_force, work->residual, work->step);
    add_to_velocities(model, work, work->step);
    memcpy(next, work->x, (size_t)(model->nq + model->n + model->nz) * sizeof *x);
    tb_accept(model, work, first);
}
