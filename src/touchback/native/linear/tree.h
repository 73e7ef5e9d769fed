/* Linear algebra along a kinematic tree, for mechanisms whose mass matrix is too large to unroll.
 *
 * parent[i] < i, and -1 for a body on the ground. Matrices are dense, row-major, n by n.
 * Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5.
 */
#ifndef TOUCHBACK_TREE_H
#define TOUCHBACK_TREE_H

/* M[i][j] = S_j . F_i for every ancestor-or-self j of i, in the lower triangle. The rest stays as
 * it is: zeros of branches that don't meet, most of a bushy tree's matrix, are written once by who
 * keeps the matrix. S is 6 by n, F is n by 6. Ancestors that follow one another are one run. work:
 * n. */
void tb_tree_products(long n, const int *parent, const double *S, const double *F, double *M,
                      int *work);

/* The upper triangle from the lower, along the tree; the rest stays likewise. work: n. */
void tb_mirror(long n, const int *parent, double *M, int *work);

#endif
