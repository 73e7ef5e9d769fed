/* Linear algebra of small mechanisms in the order of a choice (dense_choice.c). Every step takes n
 * freedoms and the rank r as arguments, which SIZED makes constants where they are usual. */
#ifndef TOUCHBACK_DENSE_CONSTRAINED_H
#define TOUCHBACK_DENSE_CONSTRAINED_H

#ifndef TB_ON_DEVICE
#include "constrained/constrained.h"
#include "constrained/sized.h"
#endif

#define INLINED static inline __attribute__((always_inline))

/* y <- U_v^-1 L^-1 y over the first r rows. */
INLINED void solve_dependent(const tb_constrained_work *work, double *restrict y, long n, long r) {
    const double *restrict U = work->LU, *restrict inverse = work->inverse_pivot;
    for (long i = 1; i < r; i++)
        for (long k = 0; k < i; k++)
            y[i] -= U[i * n + k] * y[k];
    for (long i = r - 1; i >= 0; i--) {
        for (long k = i + 1; k < r; k++)
            y[i] -= U[i * n + k] * y[k];
        y[i] *= inverse[i];
    }
}

/* y = J_v^-1 right. */
INLINED void particular(const tb_constrained_work *work, const double *restrict right,
                        double *restrict y, long n, long r) {
    for (long i = 0; i < r; i++)
        y[i] = right[work->rows[i]];
    solve_dependent(work, y, n, r);
}

#endif
