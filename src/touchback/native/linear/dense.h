/* Small dense systems, row-major, in place. Golub and Van Loan, Matrix Computations (2013), 3.4
 * and 4.2. */
#ifndef TOUCHBACK_DENSE_H
#define TOUCHBACK_DENSE_H

#ifndef TB_ON_DEVICE
#include "device.h"
#endif

/* P A = L U with partial pivoting; pivots[k] is the row swapped with row k.
 * Returns 0, or 1 + the first column without a usable pivot. */
TB_DEVICE long tb_lu_factor(long n, double *A, int *pivots);
TB_DEVICE void tb_lu_solve(long n, const double *A, const int *pivots, double *x);
/* The same for the `width` columns of X at once, row by row, and for the unknowns from `first` on:
 * X is zero above, and no row above was swapped with one below. */
TB_DEVICE void tb_lu_solve_many(long n, long first, const double *A, const int *pivots, long width,
                                double *X);
/* The unknowns before `first` of such a column, from the others. */
TB_DEVICE void tb_lu_solve_above(long n, long first, const double *A, double *x);
/* A^T in place of A. */
TB_DEVICE void tb_lu_solve_transposed(long n, const double *A, const int *pivots, double *x);

/* A = L L^T; L replaces the lower triangle, which alone is read.
 * Returns 0, or 1 + the row whose pivot is not positive. */
TB_DEVICE long tb_cholesky_factor(long n, double *A);
TB_DEVICE void tb_cholesky_solve(long n, const double *A, double *x);
TB_DEVICE void tb_cholesky_solve_many(long n, const double *A, long width, double *X);

typedef struct tb_complex {
    double re, im;
} tb_complex;

/* P A = L U as above (complex_dense.c). */
TB_DEVICE long tb_complex_lu_factor(long n, tb_complex *A, int *pivots);
TB_DEVICE void tb_complex_lu_solve(long n, const tb_complex *A, const int *pivots, tb_complex *x);

#endif
