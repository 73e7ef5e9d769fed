/* Small dense systems of any shape and rank: the shortest of the x that come nearest to A x = b, by
 * a complete orthogonal decomposition. Golub and Van Loan, Matrix Computations (2013), 5.4 and 5.5.
 */
#ifndef TOUCHBACK_LEAST_SQUARES_H
#define TOUCHBACK_LEAST_SQUARES_H

/* A (rows x columns, row-major) and b are overwritten; `work` holds 2 * columns doubles, `order`
 * columns ints. Returns the rank: columns whose rest is above `tolerance` times the largest. */
long tb_least_squares(long rows, long columns, double *A, double *b, double tolerance, double *x,
                      double *work, int *order);

#endif
