#ifndef TB_ON_DEVICE
#include "linear/dense.h"

#include <math.h>
#endif

/* row -= factor * from, of two rows of a matrix; most factors of sparse ones are zero */
static inline void take(long width, double factor, const double *restrict from,
                        double *restrict row) {
    for (long k = 0; factor != 0.0 && k < width; k++)
        row[k] -= factor * from[k];
}

TB_DEVICE long tb_lu_factor(long n, double *A, int *pivots) {
    for (long k = 0; k < n; k++) {
        long best = k;
        for (long i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        pivots[k] = (int)best;
        if (!(fabs(A[best * n + k]) > 0.0))
            return k + 1;
        if (best != k)
            for (long j = 0; j < n; j++) {
                double swapped = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = swapped;
            }
        for (long i = k + 1; i < n; i++) {
            if (A[i * n + k] == 0.0) /* matrices are sparse more often than not */
                continue;
            A[i * n + k] /= A[k * n + k];
            take(n - k - 1, A[i * n + k], A + k * n + k + 1, A + i * n + k + 1);
        }
    }
    return 0;
}

TB_DEVICE void tb_lu_solve(long n, const double *A, const int *pivots, double *x) {
    for (long k = 0; k < n; k++) {
        double swapped = x[k];
        x[k] = x[pivots[k]];
        x[pivots[k]] = swapped;
    }
    for (long i = 0; i < n;
         i++) { /* the number that was found last comes last: none waits for it */
        double sum = x[i];
        for (long j = 0; j < i; j++)
            sum -= A[i * n + j] * x[j];
        x[i] = sum;
    }
    for (long i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (long j = n - 1; j > i; j--)
            sum -= A[i * n + j] * x[j];
        x[i] = sum / A[i * n + i];
    }
}

static inline void divide(long width, double by, double *row) {
    for (long k = 0; k < width; k++)
        row[k] /= by;
}

TB_DEVICE void tb_lu_solve_many(long n, long first, const double *A, const int *pivots, long width,
                                double *X) {
    for (long i = first; i < n; i++)
        for (long k = 0; pivots[i] != i && k < width; k++) {
            double swapped = X[i * width + k];
            X[i * width + k] = X[pivots[i] * width + k];
            X[pivots[i] * width + k] = swapped;
        }
    for (long i = first; i < n; i++)
        for (long j = first; j < i; j++)
            take(width, A[i * n + j], X + j * width, X + i * width);
    for (long i = n - 1; i >= first; i--) {
        for (long j = i + 1; j < n; j++)
            take(width, A[i * n + j], X + j * width, X + i * width);
        divide(width, A[i * n + i], X + i * width);
    }
}

TB_DEVICE void tb_lu_solve_above(long n, long first, const double *A, double *x) {
    for (long i = first - 1; i >= 0; i--) {
        double sum = 0.0;
        for (long j = n - 1; j > i; j--)
            sum -= A[i * n + j] * x[j];
        x[i] = sum / A[i * n + i];
    }
}

TB_DEVICE void tb_lu_solve_transposed(long n, const double *A, const int *pivots, double *x) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++)
            x[i] -= A[j * n + i] * x[j];
        x[i] /= A[i * n + i];
    }
    for (long i = n - 1; i >= 0; i--)
        for (long j = i + 1; j < n; j++)
            x[i] -= A[j * n + i] * x[j];
    for (long k = n - 1; k >= 0; k--) {
        double swapped = x[k];
        x[k] = x[pivots[k]];
        x[pivots[k]] = swapped;
    }
}

TB_DEVICE long tb_cholesky_factor(long n, double *A) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (long k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            if (j < i)
                A[i * n + j] = sum / A[j * n + j];
            else if (sum > 0.0)
                A[i * n + i] = sqrt(sum);
            else
                return i + 1;
        }
    return 0;
}

TB_DEVICE void tb_cholesky_solve(long n, const double *A, double *x) {
    for (long i = 0; i < n; i++) {
        double sum = x[i];
        for (long j = 0; j < i; j++)
            sum -= A[i * n + j] * x[j];
        x[i] = sum / A[i * n + i];
    }
    for (long i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (long j = n - 1; j > i; j--)
            sum -= A[j * n + i] * x[j];
        x[i] = sum / A[i * n + i];
    }
}

TB_DEVICE void tb_cholesky_solve_many(long n, const double *A, long width, double *X) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++)
            take(width, A[i * n + j], X + j * width, X + i * width);
        divide(width, A[i * n + i], X + i * width);
    }
    for (long i = n - 1; i >= 0; i--) {
        for (long j = i + 1; j < n; j++)
            take(width, A[j * n + i], X + j * width, X + i * width);
        divide(width, A[i * n + i], X + i * width);
    }
}
