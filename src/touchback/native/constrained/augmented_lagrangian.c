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

/* Penalties w by row, into c->right. */
static void weigh(tb_constrained *c) {
    const double *J = tb_terms_J(c);
    memset(c->right, 0, (size_t)c->m * sizeof *c->right);
    for (long k = 0; k < c->J_count; k++) {
        double entry = J[k] * c->scale[c->J_columns[k]];
        c->right[c->J_rows[k]] += entry * entry;
    }
    for (long i = 0; i < c->m; i++)
        c->right[i] = c->right[i] > 0.0 ? c->penalty / c->right[i] : c->penalty;
}

/* The dense matrix M + h/2 C + h^2/4 K + J^T w J, factored. */
static void build_matrix(tb_constrained *c, double h, const double *u, const double *p) {
    long n = c->n;
    const double *M = tb_terms_M(c), *J = tb_terms_J(c), *w = c->right;
    double *A = c->matrix, *dense_J = c->LU;
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    if (c->stiffness.call && h != 0.0) {
        c->stiffness.call(c->x, u, p, c->stiff, c->stiffness.work, c->stiffness.context);
        for (long i = 0; i < n * n; i++)
            A[i] = -0.5 * h * (c->stiff[n * n + i] + 0.5 * h * c->stiff[i]);
        tb_auxiliary_out_of_matrix(c, h);
    }
    for (long k = 0; k < c->M_count; k++) {
        long i = c->M_rows[k], j = c->M_columns[k];
        A[i * n + j] += M[k];
        if (i != j)
            A[j * n + i] += M[k];
    }
    memset(dense_J, 0, (size_t)(c->m * n) * sizeof *dense_J);
    for (long k = 0; k < c->J_count; k++)
        dense_J[c->J_rows[k] * n + c->J_columns[k]] = J[k];
    for (long k = 0; k < c->J_count; k++) {
        const double *row = dense_J + c->J_rows[k] * n;
        double weighted = w[c->J_rows[k]] * J[k];
        for (long j = 0; j < n; j++)
            A[c->J_columns[k] * n + j] += weighted * row[j];
    }
    if (tb_lu_factor(n, A, c->pivots))
        c->statistics.singular++;
}

/* d with [matrix] d = force - J^T w g, and mu = -w (g + J d): dense, or sparse without stiffness.
 */
void tb_soft_solve(tb_constrained *c, const double *force, const double *g, double *d) {
    const double *J = tb_terms_J(c), *w = c->right;
    if (c->sparse) {
        double *softness = c->m_scratch, *minus_g = c->b;
        for (long i = 0; i < c->m; i++) {
            softness[i] = 1.0 / w[i];
            minus_g[i] = -g[i];
        }
        tb_sparse_solve(c, J, tb_terms_M(c), force, minus_g, softness, d, c->mu);
        return;
    }
    memcpy(d, force, (size_t)c->n * sizeof *d);
    for (long k = 0; k < c->J_count; k++)
        d[c->J_columns[k]] -= J[k] * w[c->J_rows[k]] * g[c->J_rows[k]];
    tb_lu_solve(c->n, c->matrix, c->pivots, d);
    for (long i = 0; i < c->m; i++)
        c->mu[i] = g[i];
    for (long k = 0; k < c->J_count; k++)
        c->mu[c->J_rows[k]] += J[k] * d[c->J_columns[k]];
    for (long i = 0; i < c->m; i++)
        c->mu[i] *= -w[i];
}

void tb_soft_factor(tb_constrained *c, double h, const double *u, const double *p) {
    weigh(c);
    if (!c->sparse)
        build_matrix(c, h, u, p);
}

/* force = h^2/4 (f + J^T lambda - M a) of the terms. */
static void unbalanced(const tb_constrained *c, double h, const double *a, double *force) {
    const double *f = tb_terms_f(c), *M = tb_terms_M(c), *J = tb_terms_J(c);
    memcpy(force, f, (size_t)c->n * sizeof *f);
    for (long k = 0; k < c->M_count; k++) {
        long i = c->M_rows[k], j = c->M_columns[k];
        force[i] -= M[k] * a[j];
        if (i != j)
            force[j] -= M[k] * a[i];
    }
    for (long k = 0; k < c->J_count; k++)
        force[c->J_columns[k]] += J[k] * c->lambda[c->J_rows[k]];
    for (long i = 0; i < c->n; i++)
        force[i] *= 0.25 * h * h;
}

/* At the start of a run, or when the state was changed from outside. */
static void start(tb_constrained *c, const double *x, const double *u, const double *p,
                  double *rate) {
    tb_begin_rate(c, x, u, p);
    for (long i = 0; i < c->m; i++)
        c->right[i] = -tb_terms_gamma(c)[i];
    tb_finish_rate(c, u, p, rate);
    tb_positions(c, u, p);
    tb_accept(c, 0);
}

/* What the constraints lack, and its size. */
static double lacking(tb_constrained *c, double h, double *g) {
    tb_velocity_residual(c, tb_terms_J(c), tb_terms_b(c));
    double largest = 0.0;
    for (long i = 0; i < c->m; i++) {
        g[i] = c->holonomic[i] ? c->at_terms[i] : -0.5 * h * c->residual[i];
        largest = fmax(largest, fabs(g[i]) * c->row_weight[i]);
    }
    return largest;
}

/* The corrections of velocities, then of accelerations, onto their constraints. */
static void project_rates(tb_constrained *c, const double *u, const double *p, double *a,
                          double *g) {
    const double *J = tb_terms_J(c), *gamma = tb_terms_gamma(c);
    double *v = tb_velocities(c);
    tb_velocity_residual(c, J, tb_terms_b(c));
    for (long i = 0; i < c->m; i++)
        g[i] = -c->residual[i];
    tb_soft_solve(c, c->no_force, g, c->step);
    for (long j = 0; j < c->n; j++)
        v[j] += c->step[j];
    tb_terms(c, u, p);
    memcpy(g, gamma, (size_t)c->m * sizeof *g);
    for (long k = 0; k < c->J_count; k++)
        g[c->J_rows[k]] += J[k] * a[c->J_columns[k]];
    tb_soft_solve(c, c->no_force, g, c->step);
    for (long j = 0; j < c->n; j++)
        c->a[j] = a[j] + c->step[j];
}

/* Positions of c->x become those of x moved by theta. Where dq/dt isn't v, it is taken halfway:
 * velocities along turning axes would make the step one of first order otherwise. */
static void move(tb_constrained *c, const double *x, const double *theta, const double *u,
                 const double *p, double *offset) {
    tb_load(c, x);
    if (c->configuration_rate.call) {
        for (long j = 0; j < c->n; j++)
            c->step[j] = 0.5 * theta[j];
        tb_increment(c, 1.0, c->step, u, p);
    }
    for (long i = 0; i < c->nq; i++)
        offset[i] = c->x[i] - x[i];
    tb_increment(c, 1.0, theta, u, p);
    for (long i = 0; i < c->nq; i++)
        c->x[i] -= offset[i];
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
    tb_constrained *c = problem->constrained;
    const double *u = problem->u, *p = problem->p, *v_n = x + c->nq, *z_n = v_n + c->n;
    long n = c->n, size = c->nq + c->n + c->nz;
    double *theta = scratch, *a = scratch + size, *force = scratch + 2 * size, *g = c->candidates;
    double *dz = scratch + 3 * size, *offset = dz + c->nz, *v = tb_velocities(c), *z = v + n;
    double *zeta = theta + n, *last = a + n; /* of z over the step; the last increment of theta */
    tb_set_inputs(problem, t, x);
    if (!c->started || memcmp(x, c->settled, (size_t)size * sizeof *x) != 0)
        start(c, x, u, p, force);
    memcpy(dz, tb_terms_z(c), (size_t)c->nz * sizeof *dz);
    memset(zeta, 0, (size_t)c->nz * sizeof *zeta);
    memset(last, 0, (size_t)n * sizeof *last);
    for (long j = 0; j < n; j++)
        theta[j] = h * (v_n[j] + 0.5 * h * c->a[j]);
    tb_set_inputs(problem, t + h, x);
    double moved = INFINITY, lack = 0.0, share = 1.0;
    for (long iteration = 0;; iteration++) {
        move(c, x, theta, u, p, offset);
        for (long j = 0; j < n; j++) {
            v[j] = 2.0 / h * theta[j] - v_n[j];
            a[j] = 4.0 / h * (theta[j] / h - v_n[j]) - c->a[j];
        }
        for (long i = 0; i < c->nz; i++)
            z[i] = z_n[i] + zeta[i];
        tb_terms(c, u, p);
        for (long i = 0; i < c->nz; i++)
            c->z_lack[i] = 0.5 * h * (dz[i] + tb_terms_z(c)[i]) - zeta[i];
        lack = lacking(c, h, g);
        tb_soft_factor(c, h, u, p);
        int done = lack <= c->tolerance && moved <= STILL;
        if (done || iteration == ITERATIONS || lack - lack != 0.0) {
            tb_count_solve(c, iteration);
            c->statistics.not_converged += !done;
            break;
        }
        unbalanced(c, h, a, force);
        tb_auxiliary_out_of_force(c, h, force);
        tb_soft_solve(c, force, g, c->step);
        share = share_of(n, c->step, last, share);
        moved = tb_auxiliary_move(c, c->step, share, zeta);
        for (long j = 0; j < n; j++) {
            theta[j] += share * c->step[j];
            moved = fmax(moved, fabs(c->step[j]));
        }
        for (long i = 0; i < c->m; i++)
            c->lambda[i] += share * 4.0 / (h * h) * c->mu[i];
    }
    project_rates(c, u, p, a, g);
    memcpy(next, c->x, (size_t)size * sizeof *x);
    memcpy(c->at_positions, c->at_terms, (size_t)c->m * sizeof *x);
    memcpy(tb_positions_J(c), tb_terms_J(c), (size_t)c->J_count * sizeof *x);
    tb_accept(c, 0);
}
