/* L D L^T of a symmetric matrix with a fixed pattern, right-looking: column after column subtracts
 * its products from what is left. Davis, Direct Methods for Sparse Linear Systems (2006), ch. 4. */
#include "linear/sparse.h"

#include <math.h>

long tb_ldl_factor(const tb_ldl *A, double *values, const double *reference, double tolerance,
                   const int *dropped) {
    double *diagonal = values, *below = values + A->size;
    const int *target = A->targets;
    long passed = 0;
    for (long k = 0; k < A->size; k++) {
        long start = A->starts[k], end = A->starts[k + 1];
        int usable = fabs(diagonal[k]) > tolerance * reference[k] && !(dropped && dropped[k]);
        double inverse = usable ? 1.0 / diagonal[k] : 0.0;
        passed += !usable;
        diagonal[k] = inverse;
        long i = start;
        for (; i + 1 < end; i += 2) { // two rows at once: no two products of a column meet
            const double first = below[i] * inverse, second = below[i + 1] * inverse;
            const int *after = target + (end - i);
            values[*target++] -= first * below[i];
            for (long j = i + 1; j < end; j++) {
                const double factor = below[j];
                values[*target++] -= first * factor;
                values[*after++] -= second * factor;
            }
            target = after;
            below[i] = first;
            below[i + 1] = second;
        }
        if (i < end) {
            const double last = below[i] * inverse;
            values[*target++] -= last * below[i];
            below[i] = last;
        }
    }
    return passed;
}

void tb_ldl_solve(const tb_ldl *A, const double *values, double *x) {
    const double *inverse = values, *below = values + A->size;
    const int *rows = A->rows, *starts = A->starts; // rows of column k lie below k
    for (long k = 0; k < A->size; k++) {
        const double top = x[k];
        for (long i = starts[k]; i < starts[k + 1]; i++)
            x[rows[i]] -= below[i] * top;
    }
    for (long k = A->size - 1; k >= 0; k--) {
        double sum = x[k] * inverse[k];
        for (long i = starts[k]; i < starts[k + 1]; i++)
            sum -= below[i] * x[rows[i]];
        x[k] = inverse[k] != 0.0 ? sum : 0.0;
    }
}
