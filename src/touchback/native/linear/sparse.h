/* Symmetric sparse matrices with a fixed pattern: the elimination order, the fill and every index
 * are worked out once (sparse_elimination.py), the numbers follow along flat lists. */
#ifndef TOUCHBACK_SPARSE_H
#define TOUCHBACK_SPARSE_H

/* values: the diagonal (size), then the entries below it column by column (starts[size] of
 * them). targets: for each column and each pair of its rows, where their product is subtracted. */
typedef struct tb_ldl {
    long size;
    const int *starts, *rows, *targets;
    double *values;
} tb_ldl;

/* A = L D L^T in place. A pivot within `tolerance` of its reference, or whose row is dropped, is
 * passed over: its unknown becomes zero, which is right for consistent redundant rows. Returns how
 * many were passed over. `dropped` and `reference` are by place in the order; dropped may be NULL.
 */
long tb_ldl_factor(const tb_ldl *A, const double *reference, double tolerance, const int *dropped);

/* x <- A^-1 x, x in the order of elimination. */
void tb_ldl_solve(const tb_ldl *A, double *x);

/* What the sparse way of a constrained mechanism works with. */
typedef struct tb_sparse {
    tb_ldl motion; /* [[M, J^T], [J, 0]]: coordinates, and multipliers after those they touch */
    const int *motion_M, *motion_J;          /* where each nonzero of M and J goes in values */
    const int *coordinate_place, *row_place; /* in the order of elimination */
    tb_ldl gram;                             /* J D J^T over the rows, D diagonal */
    long products;                           /* gram[target] += J[first] J[second] D[column] */
    const int *product_target, *product_first, *product_second, *product_column;
    const int *gram_place, *gram_order;
    const int *row_starts, *row_entries; /* the nonzeros of J row by row */
    double *motion_scratch, *motion_reference, *gram_scratch, *gram_reference;
    int *motion_dropped, *gram_dropped;
    long pool_size; /* room for the rows of a choice */
    double *pool_values;
    int *pool_columns, *pool_starts;
    double *wide; /* n zeros */
} tb_sparse;

#endif
