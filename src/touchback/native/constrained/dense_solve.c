/* Of small mechanisms, the equations of motion reduced to the independent coordinates (Wehage and
 * Haug 1982; Docquier 2021, eq. 5-8), after J was triangulated (dense_factor.c):
 *
 *   a = [a_v; a_u],  a_v = B a_u + J_v^-1 right,  B = -J_v^-1 J_u,  Z = [B; 1]
 *   (Z^T M Z) a_u = Z^T (f - M [J_v^-1 right; 0])
 *   J_v^T lambda = (M a - f)_v */
#ifndef TB_ON_DEVICE
#include <math.h>
#include <string.h>

#include "constrained/dense.h"
#include "linear/dense.h"
#endif

/* carried <- J_v^-T carried. */
INLINED void carry(const tb_constrained_work *work, double *restrict carried, long n, long r) {
    const double *restrict U = work->LU, *restrict inverse = work->inverse_pivot;
    for (long i = 0; i < r; i++) {
        for (long k = 0; k < i; k++)
            carried[i] -= U[k * n + i] * carried[k];
        carried[i] *= inverse[i];
    }
    for (long i = r - 1; i >= 0; i--)
        for (long k = i + 1; k < r; k++)
            carried[i] -= U[k * n + i] * carried[k];
}

/* lambda over the kept rows from what they must carry: J_v^T lambda = carried. */
INLINED void multipliers(const tb_constrained_model *model, tb_constrained_work *work,
                         double *restrict carried, double *restrict lambda, long n, long r) {
    carry(work, carried, n, r);
    for (long i = 0; i < model->m; i++)
        lambda[i] = 0.0;
    for (long i = 0; i < r; i++)
        lambda[work->rows[i]] = carried[i];
}

TB_DEVICE void tb_dense_row_shares(const tb_constrained_model *model,
                                   const tb_constrained_work *work, const double *J, long row,
                                   double *shares) {
    for (long i = 0; i < work->rank; i++)
        shares[i] = 0.0;
    for (long k = 0; k < model->J_count; k++)
        for (long i = 0; i < work->rank && model->J_rows[k] == row; i++)
            if (work->columns[i] == model->J_columns[k])
                shares[i] = J[k];
    carry(work, shares, model->n, work->rank);
}

/* With work->mass (n x n in the order of the choice): T = mass Z, g = f - mass [y; 0]. */
INLINED void project_motion(tb_constrained_work *work, const double *restrict f,
                            const double *restrict y, double *restrict g, long n, long r) {
    long nu = n - r;
    const double *restrict A = work->mass, *restrict B = work->B;
    for (long i = 0; i < n; i++) {
        double *restrict T = work->T + i * nu, sum = f[work->columns[i]];
        for (long j = 0; j < nu; j++)
            T[j] = A[i * n + r + j];
        for (long k = 0; k < r; k++) {
            double entry = A[i * n + k];
            sum -= entry * y[k];
            for (long j = 0; j < nu; j++)
                T[j] += entry * B[k * nu + j];
        }
        g[i] = sum;
    }
}

/* reduced = Z^T T and its right side, into the independent part of g. */
INLINED void reduce(tb_constrained_work *work, double *restrict g, long n, long r) {
    const double *restrict B = work->B, *restrict T = work->T;
    double *restrict reduced = work->reduced;
    long nu = n - r;
    for (long i = 0; i < nu; i++) {
        for (long j = 0; j < nu; j++) {
            double sum = T[(r + i) * nu + j];
            for (long k = 0; k < r; k++)
                sum += B[k * nu + i] * T[k * nu + j];
            reduced[i * nu + j] = sum;
        }
        for (long k = 0; k < r; k++)
            g[r + i] += B[k * nu + i] * g[k];
    }
}

/* From the independent accelerations in the rear of g: all of them, and the multipliers. */
INLINED void expand(const tb_constrained_model *model, tb_constrained_work *work,
                    const double *restrict y, double *restrict g, double *restrict a,
                    double *restrict lambda, long n, long r) {
    const double *restrict B = work->B, *restrict T = work->T;
    long nu = n - r;
    for (long i = 0; i < r; i++) {
        double sum = y[i], carried = -g[i];
        for (long j = 0; j < nu; j++) {
            sum += B[i * nu + j] * g[r + j];
            carried += T[i * nu + j] * g[r + j];
        }
        a[work->columns[i]] = sum;
        g[i] = carried;
    }
    for (long j = r; j < n; j++)
        a[work->columns[j]] = g[j];
    multipliers(model, work, g, lambda, n, r);
}

/* x <- A^-1 x by L D L^T of the lower triangle, in place. Returns 1 when a pivot isn't positive. */
INLINED int solve_definite(long n, double *restrict A, double *restrict x) {
    for (long k = 0; k < n; k++) {
        if (!(A[k * n + k] > 0.0))
            return 1;
        double inverse = A[k * n + k] = 1.0 / A[k * n + k];
        for (long i = k + 1; i < n; i++) {
            double ratio = A[i * n + k] * inverse;
            for (long j = k + 1; j <= i; j++)
                A[i * n + j] -= ratio * A[j * n + k];
            x[i] -= ratio * x[k];
        }
    }
    for (long i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (long j = i + 1; j < n; j++)
            sum -= A[j * n + i] * x[j];
        x[i] = sum * A[i * n + i];
    }
    return 0;
}

/* A branch without mass: no acceleration rather than none that is a number. */
static void stand_still(tb_constrained_work *work, double *a_u, long nu) {
    work->statistics.singular++;
    memset(a_u, 0, (size_t)nu * sizeof *a_u);
}

/* Entries that are zero stay so from one choice to the next. */
static inline void gather_mass(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *restrict M) {
    double *restrict mass = work->mass;
    for (long k = 0; k < model->M_count; k++)
        mass[work->M_places[2 * k]] = mass[work->M_places[2 * k + 1]] = M[k];
}

INLINED void solve(const tb_constrained_model *model, tb_constrained_work *work, const double *M,
                   const double *f, const double *right, double *a, double *lambda, long n,
                   long r) {
    double *y = work->m_scratch, *g = work->n_scratch;
    particular(work, right, y, n, r);
    gather_mass(model, work, M);
    project_motion(work, f, y, g, n, r);
    reduce(work, g, n, r);
    if (solve_definite(n - r, work->reduced, g + r))
        stand_still(work, g + r, n - r);
    expand(model, work, y, g, a, lambda, n, r);
}

/* Servo-constraints act through W: M Z a_u - W^T lambda = f - M y, an n x n system in
 * (lambda of the kept rows, a_u). Returns 1 when their efforts can't keep the constraints. */
static int solve_servo(const tb_constrained_model *model, tb_constrained_work *work,
                       const double *W, const double *M, const double *f, const double *right,
                       double *a, double *lambda) {
    long n = model->n, r = work->rank, nu = n - r;
    double *y = work->m_scratch, *g = work->n_scratch;
    int *place = work->pivots;
    particular(work, right, y, n, r);
    gather_mass(model, work, M);
    project_motion(work, f, y, g, n, r);
    for (long j = 0; j < n; j++)
        place[work->columns[j]] = (int)j;
    memset(work->A, 0, (size_t)(n * n) * sizeof *work->A);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < nu; j++)
            work->A[i * n + r + j] = work->T[i * nu + j];
    for (long i = 0; i < r; i++)
        for (long k = 0; k < model->W_count; k++)
            if (model->W_rows[k] == work->rows[i])
                work->A[place[model->W_columns[k]] * n + i] = -W[k];
    if (tb_lu_factor(n, work->A, work->pivots))
        return 1;
    tb_lu_solve(n, work->A, work->pivots, g);
    memset(lambda, 0, (size_t)model->m * sizeof *lambda);
    for (long i = 0; i < r; i++) {
        lambda[work->rows[i]] = g[i];
        a[work->columns[i]] = y[i];
        for (long j = 0; j < nu; j++)
            a[work->columns[i]] += work->B[i * nu + j] * g[r + j];
    }
    for (long j = 0; j < nu; j++)
        a[work->columns[r + j]] = g[r + j];
    return 0;
}

TB_DEVICE void tb_dense_solve(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *W, const double *M, const double *f,
                              const double *right, double *a, double *lambda) {
    if (model->W_count && W) {
        if (!solve_servo(model, work, W, M, f, right, a, lambda))
            return;
        work->statistics.singular++;
    }
#define SOLVE(n, r) solve(model, work, M, f, right, a, lambda, n, r)
    SIZED(model, work, SOLVE);
}

TB_DEVICE int tb_dense_side(const tb_constrained_model *model, const tb_constrained_work *work) {
    long n = model->n;
    int side = 1;
    for (long k = 0; k < n; k++) {
        if (!(fabs(work->A[k * n + k]) > 0.0))
            return 0;
        side = (work->A[k * n + k] < 0.0) != (work->pivots[k] != k) ? -side : side;
    }
    for (long i = 0; i < work->rank; i++) /* what it is for W = J: det (-J_v) */
        side = work->inverse_pivot[i] > 0.0 ? -side : side;
    return side;
}

TB_DEVICE void tb_dense_solve_general(const tb_constrained_model *model, tb_constrained_work *work,
                                      const double *A, const double *f, const double *right,
                                      double *a, double *lambda) {
    long n = model->n, r = work->rank, nu = n - r;
    double *y = work->m_scratch, *g = work->n_scratch;
    particular(work, right, y, n, r);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            work->mass[i * n + j] = A[work->columns[i] * n + work->columns[j]];
    project_motion(work, f, y, g, n, r);
    memset(work->mass, 0, (size_t)(n * n) * sizeof *work->mass);
    reduce(work, g, n, r);
    if (tb_lu_factor(nu, work->reduced, work->pivots) == 0)
        tb_lu_solve(nu, work->reduced, work->pivots, g + r);
    else
        stand_still(work, g + r, nu);
    expand(model, work, y, g, a, lambda, n, r);
}
