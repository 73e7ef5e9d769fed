/* Of small mechanisms, J in the order of a choice (dense_choice.c): it is triangulated without
 * further pivoting, and dependent positions and velocities follow from the independent ones,
 *
 *   v = [v_v; v_u],  v_v = B v_u + J_v^-1 b,      B = -J_v^-1 J_u. */
#ifndef TB_ON_DEVICE
#include <math.h>

#include "constrained/dense.h"
#endif

/* L U of J's kept rows; returns 1 when a pivot has fallen to its floor. */
INLINED int factor(tb_constrained *c, const double *restrict J, long n, long r) {
    double *restrict U = c->LU;
    const int *restrict places = c->J_places;
    for (long k = 0; k < r * n; k++)
        U[k] = 0.0;
    for (long k = 0; k < c->J_count; k++)
        U[places[k]] = J[k];
    for (long k = 0; k < r; k++) {
        if (tb_note_pivot(c, k, fabs(U[k * n + k])))
            return 1;
        double inverse = c->inverse_pivot[k] = 1.0 / U[k * n + k];
        for (long i = k + 1; i < r; i++) {
            double ratio = U[i * n + k] *= inverse;
            if (r <= 2 || ratio != 0.0) /* with so few, looking costs more than it saves */
                for (long j = k + 1; j < n; j++)
                    U[i * n + j] -= ratio * U[k * n + j];
        }
    }
    return 0;
}

/* B, r x free. */
INLINED void nullspace(tb_constrained *c, long n, long r) {
    const double *restrict U = c->LU;
    double *restrict B = c->B;
    long nu = n - r;
    for (long i = r - 1; i >= 0; i--) {
        double inverse = c->inverse_pivot[i];
        for (long j = 0; j < nu; j++) {
            double sum = -U[i * n + r + j];
            for (long k = i + 1; k < r; k++)
                sum -= U[i * n + k] * B[k * nu + j];
            B[i * nu + j] = sum * inverse;
        }
    }
}

INLINED int factor_for_solve(tb_constrained *c, const double *J, long n, long r) {
    if (factor(c, J, n, r))
        return 1;
    nullspace(c, n, r);
    return 0;
}

TB_DEVICE int tb_dense_factor(tb_constrained *c, const double *J) {
#define FACTOR(n, r) factor_for_solve(c, J, n, r)
    return SIZED(c, FACTOR);
}

/* ---- positions and velocities ------------------------------------------------------------- */

INLINED void correct(tb_constrained *c, const double *residual, double *restrict step, long n,
                     long r) {
    double *y = c->m_scratch;
    particular(c, residual, y, n, r);
    for (long j = 0; j < n; j++)
        step[j] = 0.0;
    for (long i = 0; i < r; i++)
        step[c->columns[i]] = y[i];
}

TB_DEVICE void tb_dense_correct(tb_constrained *c, const double *residual, int level,
                                double *step) {
    correct(c, residual, step, c->n, level == TB_POSITION ? c->position_rank : c->rank);
}

INLINED int newton_step(tb_constrained *c, const double *J, const double *h, double *step, long n,
                        long r) {
    if (factor(c, J, n, r))
        return 1;
    if (c->position_rank == r)
        correct(c, h, step, n, r);
    else
        correct(c, h, step, n, c->position_rank);
    return 0;
}

TB_DEVICE int tb_dense_newton_step(tb_constrained *c, const double *J, const double *h,
                                   double *step) {
#define NEWTON_STEP(n, r) newton_step(c, J, h, step, n, r)
    return SIZED(c, NEWTON_STEP);
}

INLINED void velocities(tb_constrained *c, const double *b, double *restrict v, long n, long r) {
    const double *B = c->B, *y = c->m_scratch;
    const int *columns = c->columns;
    long nu = n - r;
    if (b)
        particular(c, b, c->m_scratch, n, r);
    for (long i = 0; i < r; i++) {
        double sum = b ? y[i] : 0.0;
        for (long j = 0; j < nu; j++)
            sum += B[i * nu + j] * v[columns[r + j]];
        v[columns[i]] = sum;
    }
}

TB_DEVICE void tb_dense_velocities(tb_constrained *c, const double *b, double *v) {
#define VELOCITIES(n, r) velocities(c, b, v, n, r)
    SIZED(c, VELOCITIES);
}
