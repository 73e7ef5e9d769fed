/* Small dense systems that may be singular: elimination with full pivoting, where equations that
 * repeat others are left out and the unknowns that belong to them are zero. */
#ifndef TOUCHBACK_FULL_PIVOTING_H
#define TOUCHBACK_FULL_PIVOTING_H

/* Factors A (n x n, row-major) in place; `order` and `columns` (n each) keep the pivots. Returns
 * the rank: pivots above `tolerance` times the first. */
long tb_full_factor(long n, double *A, int *order, int *columns, double tolerance);

/* x of A x = right with the factors of A; `right` is overwritten. */
void tb_full_solve(long n, long rank, const double *A, const int *order, const int *columns,
                   double *right, double *x);

/* Moves x, a solution as above, to the shortest one. `null` holds n * n doubles. */
void tb_full_shortest(long n, long rank, const double *A, const int *order, const int *columns,
                      double *x, double *null);

#endif
