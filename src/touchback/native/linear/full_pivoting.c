#include "linear/full_pivoting.h"

#include <math.h>

static void swap(int *list, long i, long j) {
    int kept = list[i];
    list[i] = list[j];
    list[j] = kept;
}

long tb_full_factor(long n, double *A, int *order, int *columns, double tolerance) {
    double first = 0.0;
    for (long i = 0; i < n; i++)
        order[i] = columns[i] = (int)i;
    for (long k = 0; k < n; k++) {
        long row = k, column = k;
        double largest = -1.0;
        for (long i = k; i < n; i++)
            for (long j = k; j < n; j++) {
                double size = fabs(A[order[i] * n + columns[j]]);
                if (size > largest) {
                    largest = size;
                    row = i;
                    column = j;
                }
            }
        if (k == 0)
            first = largest;
        if (!(largest > tolerance * first))
            return k;
        swap(order, k, row);
        swap(columns, k, column);
        const double *here = A + order[k] * n;
        for (long i = k + 1; i < n; i++) {
            double *below = A + order[i] * n;
            double ratio = below[columns[k]] /= here[columns[k]];
            for (long j = k + 1; j < n; j++)
                below[columns[j]] -= ratio * here[columns[j]];
        }
    }
    return n;
}

void tb_full_solve(long n, long rank, const double *A, const int *order, const int *columns,
                   double *right, double *x) {
    for (long k = 0; k < rank; k++)
        for (long i = k + 1; i < rank; i++)
            right[order[i]] -= A[order[i] * n + columns[k]] * right[order[k]];
    for (long i = rank; i < n; i++)
        x[columns[i]] = 0.0;
    for (long i = rank - 1; i >= 0; i--) {
        const double *here = A + order[i] * n;
        double sum = right[order[i]];
        for (long j = i + 1; j < rank; j++)
            sum -= here[columns[j]] * x[columns[j]];
        x[columns[i]] = sum / here[columns[i]];
    }
}

/* One after the other, directions in which A does nothing are made square to those before, and x
 * to them. */
void tb_full_shortest(long n, long rank, const double *A, const int *order, const int *columns,
                      double *x, double *null) {
    for (long f = rank; f < n; f++) {
        double *y = null + (f - rank) * n, length = 0.0, along = 0.0;
        for (long i = 0; i < n; i++)
            y[i] = 0.0;
        y[columns[f]] = 1.0;
        for (long i = rank - 1; i >= 0; i--) {
            const double *here = A + order[i] * n;
            double sum = -here[columns[f]];
            for (long j = i + 1; j < rank; j++)
                sum -= here[columns[j]] * y[columns[j]];
            y[columns[i]] = sum / here[columns[i]];
        }
        for (long g = 0; g < f - rank; g++) {
            const double *other = null + g * n;
            double part = 0.0;
            for (long i = 0; i < n; i++)
                part += other[i] * y[i];
            for (long i = 0; i < n; i++)
                y[i] -= part * other[i];
        }
        for (long i = 0; i < n; i++)
            length += y[i] * y[i];
        length = sqrt(length);
        for (long i = 0; i < n; i++)
            along += (y[i] /= length) * x[i];
        for (long i = 0; i < n; i++)
            x[i] -= along * y[i];
    }
}
