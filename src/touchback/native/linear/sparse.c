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
        for (long i = start; i < end; i++) {
            double ratio = below[i] * inverse;
            for (long j = i; j < end; j++)
                values[*target++] -= ratio * below[j];
            below[i] = ratio;
        }
    }
    return passed;
}

void tb_ldl_solve(const tb_ldl *A, const double *values, double *x) {
    const double *inverse = values, *below = values + A->size;
    for (long k = 0; k < A->size; k++)
        for (long i = A->starts[k]; i < A->starts[k + 1]; i++)
            x[A->rows[i]] -= below[i] * x[k];
    for (long k = A->size - 1; k >= 0; k--) {
        double sum = x[k] * inverse[k];
        for (long i = A->starts[k]; i < A->starts[k + 1]; i++)
            sum -= below[i] * x[A->rows[i]];
        x[k] = inverse[k] != 0.0 ? sum : 0.0;
    }
}
