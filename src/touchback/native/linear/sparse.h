/* Symmetric sparse matrices with a fixed pattern: the elimination order, the fill and every index
 * are worked out once (sparse_elimination.py), the numbers follow along flat lists. */
#ifndef TOUCHBACK_SPARSE_H
#define TOUCHBACK_SPARSE_H

/* A pattern: entries below the diagonal column by column (starts[size] of them). targets: for each
 * column and each pair of its rows, where their product is subtracted. Values are the diagonal
 * (size), then those entries. */
typedef struct tb_ldl {
    long size;
    const int *starts, *rows, *targets;
} tb_ldl;

/* A = L D L^T in place of its values. A pivot within `tolerance` of its reference, or whose row is
 * dropped, is passed over: its unknown becomes zero, which is right for consistent redundant rows.
 * Returns how many were passed over. `dropped` and `reference` are by place in the order; dropped
 * may be NULL. */
long tb_ldl_factor(const tb_ldl *A, double *values, const double *reference, double tolerance,
                   const int *dropped);

/* x <- A^-1 x, x in the order of elimination, with the factored values. */
void tb_ldl_solve(const tb_ldl *A, const double *values, double *x);

/* Patterns of the sparse way of a constrained mechanism: no step changes them. */
typedef struct tb_sparse {
    tb_ldl motion; /* [[M, J^T], [J, 0]]: coordinates, and multipliers after those they touch */
    const int *motion_M, *motion_J;          /* where each nonzero of M and J goes in values */
    const int *coordinate_place, *row_place; /* in the order of elimination */
    tb_ldl gram;                             /* J D J^T over the rows, D diagonal */
    long products;                           /* gram[target] += J[first] J[second] D[column] */
    const int *product_target, *product_first, *product_second, *product_column;
    const int *gram_place, *gram_order;
    const int *row_starts, *row_entries; /* the nonzeros of J row by row */
    long pool_size;                      /* room for the rows of a choice */
} tb_sparse;

/* The numbers that it works on. */
typedef struct tb_sparse_work {
    double *motion_values, *gram_values;
    double *motion_scratch, *motion_reference, *gram_scratch, *gram_reference;
    int *motion_dropped, *gram_dropped;
    double *pool_values;
    int *pool_columns, *pool_starts;
    double *wide; /* n zeros */
} tb_sparse_work;

#endif
