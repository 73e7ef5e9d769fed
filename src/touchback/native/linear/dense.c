#include "linear/dense.h"

#include <math.h>

long tb_lu_factor(long n, double *A, int *pivots) {
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
            double ratio = A[i * n + k] /= A[k * n + k];
            for (long j = k + 1; j < n; j++)
                A[i * n + j] -= ratio * A[k * n + j];
        }
    }
    return 0;
}

void tb_lu_solve(long n, const double *A, const int *pivots, double *x) {
    for (long k = 0; k < n; k++) {
        double swapped = x[k];
        x[k] = x[pivots[k]];
        x[pivots[k]] = swapped;
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            x[i] -= A[i * n + j] * x[j];
    for (long i = n - 1; i >= 0; i--) {
        for (long j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

void tb_lu_solve_transposed(long n, const double *A, const int *pivots, double *x) {
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

long tb_cholesky_factor(long n, double *A) {
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

void tb_cholesky_solve(long n, const double *A, double *x) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    for (long i = n - 1; i >= 0; i--) {
        for (long j = i + 1; j < n; j++)
            x[i] -= A[j * n + i] * x[j];
        x[i] /= A[i * n + i];
    }
}
