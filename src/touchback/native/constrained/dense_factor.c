/* Of small mechanisms, J in the order of a choice (dense_choice.c): it is triangulated without
 * further pivoting, and dependent positions and velocities follow from the independent ones,
 *
 *   v = [v_v; v_u],  v_v = B v_u + J_v^-1 b,      B = -J_v^-1 J_u. */
#ifndef TB_ON_DEVICE
#include <math.h>

#include "constrained/dense.h"
#endif

/* L U of J's kept rows; returns 1 when a pivot has fallen to its floor. */
INLINED int factor(const tb_constrained_model *model, tb_constrained_work *work,
                   const double *restrict J, long n, long r) {
    double *restrict U = work->LU;
    const int *restrict places = work->J_places;
    for (long k = 0; k < r * n; k++)
        U[k] = 0.0;
    for (long k = 0; k < model->J_count; k++)
        U[places[k]] = J[k];
    for (long k = 0; k < r; k++) {
        if (tb_note_pivot(work, k, fabs(U[k * n + k])))
            return 1;
        double inverse = work->inverse_pivot[k] = 1.0 / U[k * n + k];
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
INLINED void nullspace(tb_constrained_work *work, long n, long r) {
    const double *restrict U = work->LU;
    double *restrict B = work->B;
    long nu = n - r;
    for (long i = r - 1; i >= 0; i--) {
        double inverse = work->inverse_pivot[i];
        for (long j = 0; j < nu; j++) {
            double sum = -U[i * n + r + j];
            for (long k = i + 1; k < r; k++)
                sum -= U[i * n + k] * B[k * nu + j];
            B[i * nu + j] = sum * inverse;
        }
    }
}

INLINED int factor_for_solve(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *J, long n, long r) {
    if (factor(model, work, J, n, r))
        return 1;
    nullspace(work, n, r);
    return 0;
}

TB_DEVICE int tb_dense_factor(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J) {
#define FACTOR(n, r) factor_for_solve(model, work, J, n, r)
    return SIZED(model, work, FACTOR);
}

/* ---- positions and velocities ------------------------------------------------------------- */

INLINED void correct(tb_constrained_work *work, const double *residual, double *restrict step,
                     long n, long r) {
    double *y = work->m_scratch;
    particular(work, residual, y, n, r);
    for (long j = 0; j < n; j++)
        step[j] = 0.0;
    for (long i = 0; i < r; i++)
        step[work->columns[i]] = y[i];
}

TB_DEVICE void tb_dense_correct(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *residual, int level, double *step) {
    correct(work, residual, step, model->n,
            level == TB_POSITION ? work->position_rank : work->rank);
}

INLINED int newton_step(const tb_constrained_model *model, tb_constrained_work *work,
                        const double *J, const double *h, double *step, long n, long r) {
    if (factor(model, work, J, n, r))
        return 1;
    if (work->position_rank == r)
        correct(work, h, step, n, r);
    else
        correct(work, h, step, n, work->position_rank);
    return 0;
}

TB_DEVICE int tb_dense_newton_step(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *J, const double *h, double *step) {
#define NEWTON_STEP(n, r) newton_step(model, work, J, h, step, n, r)
    return SIZED(model, work, NEWTON_STEP);
}

INLINED void velocities(tb_constrained_work *work, const double *b, double *restrict v, long n,
                        long r) {
    const double *B = work->B, *y = work->m_scratch;
    const int *columns = work->columns;
    long nu = n - r;
    if (b)
        particular(work, b, work->m_scratch, n, r);
    for (long i = 0; i < r; i++) {
        double sum = b ? y[i] : 0.0;
        for (long j = 0; j < nu; j++)
            sum += B[i * nu + j] * v[columns[r + j]];
        v[columns[i]] = sum;
    }
}

TB_DEVICE void tb_dense_velocities(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *b, double *v) {
#define VELOCITIES(n, r) velocities(work, b, v, n, r)
    SIZED(model, work, VELOCITIES);
}
