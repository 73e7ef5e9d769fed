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
INLINED void carry(const tb_constrained *c, double *restrict carried, long n, long r) {
    const double *restrict U = c->LU, *restrict inverse = c->inverse_pivot;
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
INLINED void multipliers(tb_constrained *c, double *restrict carried, double *restrict lambda,
                         long n, long r) {
    carry(c, carried, n, r);
    for (long i = 0; i < c->m; i++)
        lambda[i] = 0.0;
    for (long i = 0; i < r; i++)
        lambda[c->rows[i]] = carried[i];
}

TB_DEVICE void tb_dense_row_shares(const tb_constrained *c, const double *J, long row,
                                   double *shares) {
    for (long i = 0; i < c->rank; i++)
        shares[i] = 0.0;
    for (long k = 0; k < c->J_count; k++)
        for (long i = 0; i < c->rank && c->J_rows[k] == row; i++)
            if (c->columns[i] == c->J_columns[k])
                shares[i] = J[k];
    carry(c, shares, c->n, c->rank);
}

/* With c->mass (n x n in the order of the choice): T = mass Z, g = f - mass [y; 0]. */
INLINED void project_motion(tb_constrained *c, const double *restrict f, const double *restrict y,
                            double *restrict g, long n, long r) {
    long nu = n - r;
    const double *restrict A = c->mass, *restrict B = c->B;
    for (long i = 0; i < n; i++) {
        double *restrict T = c->T + i * nu, sum = f[c->columns[i]];
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
INLINED void reduce(tb_constrained *c, double *restrict g, long n, long r) {
    const double *restrict B = c->B, *restrict T = c->T;
    double *restrict reduced = c->reduced;
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
INLINED void expand(tb_constrained *c, const double *restrict y, double *restrict g,
                    double *restrict a, double *restrict lambda, long n, long r) {
    const double *restrict B = c->B, *restrict T = c->T;
    long nu = n - r;
    for (long i = 0; i < r; i++) {
        double sum = y[i], carried = -g[i];
        for (long j = 0; j < nu; j++) {
            sum += B[i * nu + j] * g[r + j];
            carried += T[i * nu + j] * g[r + j];
        }
        a[c->columns[i]] = sum;
        g[i] = carried;
    }
    for (long j = r; j < n; j++)
        a[c->columns[j]] = g[j];
    multipliers(c, g, lambda, n, r);
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
static void stand_still(tb_constrained *c, double *a_u, long nu) {
    c->statistics.singular++;
    memset(a_u, 0, (size_t)nu * sizeof *a_u);
}

/* Entries that are zero stay so from one choice to the next. */
static inline void gather_mass(tb_constrained *c, const double *restrict M) {
    double *restrict mass = c->mass;
    for (long k = 0; k < c->M_count; k++)
        mass[c->M_places[2 * k]] = mass[c->M_places[2 * k + 1]] = M[k];
}

INLINED void solve(tb_constrained *c, const double *M, const double *f, const double *right,
                   double *a, double *lambda, long n, long r) {
    double *y = c->m_scratch, *g = c->n_scratch;
    particular(c, right, y, n, r);
    gather_mass(c, M);
    project_motion(c, f, y, g, n, r);
    reduce(c, g, n, r);
    if (solve_definite(n - r, c->reduced, g + r))
        stand_still(c, g + r, n - r);
    expand(c, y, g, a, lambda, n, r);
}

/* Servo-constraints act through W: M Z a_u - W^T lambda = f - M y, an n x n system in
 * (lambda of the kept rows, a_u). Returns 1 when their efforts can't keep the constraints. */
static int solve_servo(tb_constrained *c, const double *W, const double *M, const double *f,
                       const double *right, double *a, double *lambda) {
    long n = c->n, r = c->rank, nu = n - r;
    double *y = c->m_scratch, *g = c->n_scratch;
    int *place = c->pivots;
    particular(c, right, y, n, r);
    gather_mass(c, M);
    project_motion(c, f, y, g, n, r);
    for (long j = 0; j < n; j++)
        place[c->columns[j]] = (int)j;
    memset(c->A, 0, (size_t)(n * n) * sizeof *c->A);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < nu; j++)
            c->A[i * n + r + j] = c->T[i * nu + j];
    for (long i = 0; i < r; i++)
        for (long k = 0; k < c->W_count; k++)
            if (c->W_rows[k] == c->rows[i])
                c->A[place[c->W_columns[k]] * n + i] = -W[k];
    if (tb_lu_factor(n, c->A, c->pivots))
        return 1;
    tb_lu_solve(n, c->A, c->pivots, g);
    memset(lambda, 0, (size_t)c->m * sizeof *lambda);
    for (long i = 0; i < r; i++) {
        lambda[c->rows[i]] = g[i];
        a[c->columns[i]] = y[i];
        for (long j = 0; j < nu; j++)
            a[c->columns[i]] += c->B[i * nu + j] * g[r + j];
    }
    for (long j = 0; j < nu; j++)
        a[c->columns[r + j]] = g[r + j];
    return 0;
}

TB_DEVICE void tb_dense_solve(tb_constrained *c, const double *W, const double *M, const double *f,
                              const double *right, double *a, double *lambda) {
    if (c->W_count && W) {
        if (!solve_servo(c, W, M, f, right, a, lambda))
            return;
        c->statistics.singular++;
    }
#define SOLVE(n, r) solve(c, M, f, right, a, lambda, n, r)
    SIZED(c, SOLVE);
}

TB_DEVICE int tb_dense_side(const tb_constrained *c) {
    long n = c->n;
    int side = 1;
    for (long k = 0; k < n; k++) {
        if (!(fabs(c->A[k * n + k]) > 0.0))
            return 0;
        side = (c->A[k * n + k] < 0.0) != (c->pivots[k] != k) ? -side : side;
    }
    for (long i = 0; i < c->rank; i++) /* what it is for W = J: det (-J_v) */
        side = c->inverse_pivot[i] > 0.0 ? -side : side;
    return side;
}

TB_DEVICE void tb_dense_solve_general(tb_constrained *c, const double *A, const double *f,
                                      const double *right, double *a, double *lambda) {
    long n = c->n, r = c->rank, nu = n - r;
    double *y = c->m_scratch, *g = c->n_scratch;
    particular(c, right, y, n, r);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            c->mass[i * n + j] = A[c->columns[i] * n + c->columns[j]];
    project_motion(c, f, y, g, n, r);
    memset(c->mass, 0, (size_t)(n * n) * sizeof *c->mass);
    reduce(c, g, n, r);
    if (tb_lu_factor(nu, c->reduced, c->pivots) == 0)
        tb_lu_solve(nu, c->reduced, c->pivots, g + r);
    else
        stand_still(c, g + r, nu);
    expand(c, y, g, a, lambda, n, r);
}
