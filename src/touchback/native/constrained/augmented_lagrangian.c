/* The augmented Lagrangian of index 3 with projections (Cuadrado, Cardenal, Morer and Bayo 2001),
 * trapezoidal rule: with theta the increment of positions over the step,
 *
 *   v = 2 theta / h - v_n,   a = 4 theta / h^2 - 4 v_n / h - a_n
 *   [M + h/2 C + h^2/4 (K + J^T w J)] d = -h^2/4 (M a - f - J^T lambda) - J^T w g
 *   theta += d,   lambda -= 4/h^2 w (g + J d)
 *
 * with K = -df/dq, C = -df/dv and g = h, or h/2 (J v - b) for rows without a position equation.
 * Further states z take part in the iterations (auxiliary_states.c).
 * The penalties w = h^2/4 alpha are `penalty` times the row's own inertia, 1 / (J diag(M)^-1 J^T):
 * then they need no tuning by units or steps. Velocities and accelerations are projected with the
 * same matrix afterwards. Redundant rows and singular positions need no care: the matrix is
 * regular.
 */
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"
#include "integrate/fixed_step.h"
#include "linear/dense.h"

static const long ITERATIONS = 30;
static const double STILL = 1e-12; /* part of a radian or metre of the last increment */
static const double BACK =
    0.25; /* part of an increment that the next one takes back: not converging */

/* Penalties w by row, into work->right. */
static void weigh(const tb_constrained_model *model, tb_constrained_work *work) {
    const double *J = tb_terms_J(model, work);
    memset(work->right, 0, (size_t)model->m * sizeof *work->right);
    for (long k = 0; k < model->J_count; k++) {
        double entry = J[k] * work->scale[model->J_columns[k]];
        work->right[model->J_rows[k]] += entry * entry;
    }
    for (long i = 0; i < model->m; i++)
        work->right[i] = work->right[i] > 0.0 ? model->penalty / work->right[i] : model->penalty;
}

/* The dense matrix M + h/2 C + h^2/4 K + J^T w J, factored. */
static void build_matrix(const tb_constrained_model *model, tb_constrained_work *work, double h,
                         const double *u, const double *p) {
    long n = model->n;
    const double *M = tb_terms_M(model, work), *J = tb_terms_J(model, work), *w = work->right;
    double *A = work->matrix, *dense_J = work->LU;
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    if (model->stiffness.call && h != 0.0) {
        model->stiffness.call(work->x, u, p, work->stiff, model->stiffness.work,
                              model->stiffness.context);
        for (long i = 0; i < n * n; i++)
            A[i] = -0.5 * h * (work->stiff[n * n + i] + 0.5 * h * work->stiff[i]);
        tb_auxiliary_out_of_matrix(model, work, h);
    }
    for (long k = 0; k < model->M_count; k++) {
        long i = model->M_rows[k], j = model->M_columns[k];
        A[i * n + j] += M[k];
        if (i != j)
            A[j * n + i] += M[k];
    }
    memset(dense_J, 0, (size_t)(model->m * n) * sizeof *dense_J);
    for (long k = 0; k < model->J_count; k++)
        dense_J[model->J_rows[k] * n + model->J_columns[k]] = J[k];
    for (long k = 0; k < model->J_count; k++) {
        const double *row = dense_J + model->J_rows[k] * n;
        double weighted = w[model->J_rows[k]] * J[k];
        for (long j = 0; j < n; j++)
            A[model->J_columns[k] * n + j] += weighted * row[j];
    }
    if (tb_lu_factor(n, A, work->pivots))
        work->statistics.singular++;
}

/* d with [matrix] d = force - J^T w g, and mu = -w (g + J d): dense, or sparse without stiffness.
 */
void tb_soft_solve(const tb_constrained_model *model, tb_constrained_work *work,
                   const double *force, const double *g, double *d) {
    const double *J = tb_terms_J(model, work), *w = work->right;
    if (model->sparse) {
        double *softness = work->m_scratch, *minus_g = work->b;
        for (long i = 0; i < model->m; i++) {
            softness[i] = 1.0 / w[i];
            minus_g[i] = -g[i];
        }
        tb_sparse_solve(model, work, J, tb_terms_M(model, work), force, minus_g, softness, d,
                        work->mu);
        return;
    }
    memcpy(d, force, (size_t)model->n * sizeof *d);
    for (long k = 0; k < model->J_count; k++)
        d[model->J_columns[k]] -= J[k] * w[model->J_rows[k]] * g[model->J_rows[k]];
    tb_lu_solve(model->n, work->matrix, work->pivots, d);
    for (long i = 0; i < model->m; i++)
        work->mu[i] = g[i];
    for (long k = 0; k < model->J_count; k++)
        work->mu[model->J_rows[k]] += J[k] * d[model->J_columns[k]];
    for (long i = 0; i < model->m; i++)
        work->mu[i] *= -w[i];
}

void tb_soft_factor(const tb_constrained_model *model, tb_constrained_work *work, double h,
                    const double *u, const double *p) {
    weigh(model, work);
    if (!model->sparse)
        build_matrix(model, work, h, u, p);
}

/* force = h^2/4 (f + J^T lambda - M a) of the terms. */
static void unbalanced(const tb_constrained_model *model, const tb_constrained_work *work, double h,
                       const double *a, double *force) {
    const double *f = tb_terms_f(model, work), *M = tb_terms_M(model, work),
                 *J = tb_terms_J(model, work);
    memcpy(force, f, (size_t)model->n * sizeof *f);
    for (long k = 0; k < model->M_count; k++) {
        long i = model->M_rows[k], j = model->M_columns[k];
        force[i] -= M[k] * a[j];
        if (i != j)
            force[j] -= M[k] * a[i];
    }
    for (long k = 0; k < model->J_count; k++)
        force[model->J_columns[k]] += J[k] * work->lambda[model->J_rows[k]];
    for (long i = 0; i < model->n; i++)
        force[i] *= 0.25 * h * h;
}

/* At the start of a run, or when the state was changed from outside. */
static void start(const tb_constrained_model *model, tb_constrained_work *work, const double *x,
                  const double *u, const double *p, double *rate) {
    tb_begin_rate(model, work, x, u, p);
    for (long i = 0; i < model->m; i++)
        work->right[i] = -tb_terms_gamma(model, work)[i];
    tb_finish_rate(model, work, u, p, rate);
    tb_positions(model, work, u, p);
    tb_accept(model, work, 0);
}

/* What the constraints lack, and its size. */
static double lacking(const tb_constrained_model *model, tb_constrained_work *work, double h,
                      double *g) {
    tb_velocity_residual(model, work, tb_terms_J(model, work), tb_terms_b(model, work));
    double largest = 0.0;
    for (long i = 0; i < model->m; i++) {
        g[i] = model->holonomic[i] ? work->at_terms[i] : -0.5 * h * work->residual[i];
        largest = fmax(largest, fabs(g[i]) * work->row_weight[i]);
    }
    return largest;
}

/* The corrections of velocities, then of accelerations, onto their constraints. */
static void project_rates(const tb_constrained_model *model, tb_constrained_work *work,
                          const double *u, const double *p, double *a, double *g) {
    const double *J = tb_terms_J(model, work), *gamma = tb_terms_gamma(model, work);
    double *v = tb_velocities(model, work);
    tb_velocity_residual(model, work, J, tb_terms_b(model, work));
    for (long i = 0; i < model->m; i++)
        g[i] = -work->residual[i];
    tb_soft_solve(model, work, work->no_force, g, work->step);
    for (long j = 0; j < model->n; j++)
        v[j] += work->step[j];
    tb_terms(model, work, u, p);
    memcpy(g, gamma, (size_t)model->m * sizeof *g);
    for (long k = 0; k < model->J_count; k++)
        g[model->J_rows[k]] += J[k] * a[model->J_columns[k]];
    tb_soft_solve(model, work, work->no_force, g, work->step);
    for (long j = 0; j < model->n; j++)
        work->a[j] = a[j] + work->step[j];
}

/* Positions of work->x become those of x moved by theta. Where dq/dt isn't v, it is taken halfway:
 * velocities along turning axes would make the step one of first order otherwise. */
static void move(const tb_constrained_model *model, tb_constrained_work *work, const double *x,
                 const double *theta, const double *u, const double *p, double *offset) {
    tb_load(model, work, x);
    if (model->configuration_rate.call) {
        for (long j = 0; j < model->n; j++)
            work->step[j] = 0.5 * theta[j];
        tb_increment(model, work, 1.0, work->step, u, p);
    }
    for (long i = 0; i < model->nq; i++)
        offset[i] = work->x[i] - x[i];
    tb_increment(model, work, 1.0, theta, u, p);
    for (long i = 0; i < model->nq; i++)
        work->x[i] -= offset[i];
}

/* How much of the increment d is taken: about a kink (a brake that locks, a stop) Newton's method
 * may go to and fro for ever, so where d goes back on the last one, half as much as of that; then
 * again more, but not twice, lest halving and doubling go to and fro themselves. */
static double share_of(long n, const double *d, double *last, double share) {
    double along = 0.0, before = 0.0;
    for (long j = 0; j < n; j++) {
        along += d[j] * last[j];
        before += last[j] * last[j];
        last[j] = d[j];
    }
    return along < -BACK * before ? 0.5 * share : fmin(1.5 * share, 1.0);
}

void tb_augmented_lagrangian_step(const tb_problem *problem, double t, double h, const double *x,
                                  double *next, double *scratch) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    const double *u = problem->u, *p = problem->p, *v_n = x + model->nq, *z_n = v_n + model->n;
    long n = model->n, size = model->nq + model->n + model->nz;
    double *theta = scratch, *a = scratch + size, *force = scratch + 2 * size,
           *g = work->candidates;
    double *dz = scratch + 3 * size, *offset = dz + model->nz, *v = tb_velocities(model, work),
           *z = v + n;
    double *zeta = theta + n, *last = a + n; /* of z over the step; the last increment of theta */
    tb_set_inputs(problem, t, x);
    if (!work->started || memcmp(x, work->settled, (size_t)size * sizeof *x) != 0)
        start(model, work, x, u, p, force);
    memcpy(dz, tb_terms_z(model, work), (size_t)model->nz * sizeof *dz);
    memset(zeta, 0, (size_t)model->nz * sizeof *zeta);
    memset(last, 0, (size_t)n * sizeof *last);
    for (long j = 0; j < n; j++)
        theta[j] = h * (v_n[j] + 0.5 * h * work->a[j]);
    tb_set_inputs(problem, t + h, x);
    double moved = INFINITY, lack = 0.0, share = 1.0;
    for (long iteration = 0;; iteration++) {
        move(model, work, x, theta, u, p, offset);
        for (long j = 0; j < n; j++) {
            v[j] = 2.0 / h * theta[j] - v_n[j];
            a[j] = 4.0 / h * (theta[j] / h - v_n[j]) - work->a[j];
        }
        for (long i = 0; i < model->nz; i++)
            z[i] = z_n[i] + zeta[i];
        tb_terms(model, work, u, p);
        for (long i = 0; i < model->nz; i++)
            work->z_lack[i] = 0.5 * h * (dz[i] + tb_terms_z(model, work)[i]) - zeta[i];
        lack = lacking(model, work, h, g);
        tb_soft_factor(model, work, h, u, p);
        int done = lack <= model->tolerance && moved <= STILL;
        if (done || iteration == ITERATIONS || lack - lack != 0.0) {
            tb_count_solve(work, iteration);
            work->statistics.not_converged += !done;
            break;
        }
        unbalanced(model, work, h, a, force);
        tb_auxiliary_out_of_force(model, work, h, force);
        tb_soft_solve(model, work, force, g, work->step);
        share = share_of(n, work->step, last, share);
        moved = tb_auxiliary_move(model, work, work->step, share, zeta);
        for (long j = 0; j < n; j++) {
            theta[j] += share * work->step[j];
            moved = fmax(moved, fabs(work->step[j]));
        }
        for (long i = 0; i < model->m; i++)
            work->lambda[i] += share * 4.0 / (h * h) * work->mu[i];
    }
    project_rates(model, work, u, p, a, g);
    memcpy(next, work->x, (size_t)size * sizeof *x);
    memcpy(work->at_positions, work->at_terms, (size_t)model->m * sizeof *x);
    memcpy(tb_positions_J(model, work), tb_terms_J(model, work),
           (size_t)model->J_count * sizeof *x);
    tb_accept(model, work, 0);
}
