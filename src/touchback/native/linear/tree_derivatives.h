/* Derivatives of accelerations along a kinematic tree, of systems whose pairs of coordinates are
 * too many to unroll: generated code gives what follows link by link, loops what is alike for all
 * coordinates and what grows with the square of their number n.
 *
 * Coordinates are in the order of the tree, parents first. */
#ifndef TOUCHBACK_TREE_DERIVATIVES_H
#define TOUCHBACK_TREE_DERIVATIVES_H

#include "calls/abi.h"

enum { TB_COLUMNS = 8 }; /* coordinates side by side: as many as the largest vector holds */

/* So many coordinates, about the origin and along the axes of their root links. Twists are
 * (angular, linear), wrenches (moment, force); what each of them is: `Solved` of
 * dynamics/inverse_dynamics_derivatives.py. The last ones are filled up with zeros. */
typedef struct tb_columns {
    double S[6][TB_COLUMNS], U[6][TB_COLUMNS], inverse[TB_COLUMNS]; /* and U/D, 1/D */
    double carrier[6][TB_COLUMNS], twist[6][TB_COLUMNS];
    double bias[6][TB_COLUMNS], joints[6][TB_COLUMNS];           /* the carrier's acceleration */
    double momentum[3][TB_COLUMNS], stir[9][TB_COLUMNS];         /* p, and K by rows */
    double J[6][TB_COLUMNS], H[9][TB_COLUMNS], M[6][TB_COLUMNS]; /* -I: of J and M a triangle */
    double wrench[6][TB_COLUMNS];
} tb_columns;

typedef struct tb_tree_derivatives {
    tb_function columns; /* out = n coordinates; then, if `dense`, further derivatives of the
                            efforts by q and by v, column by column */
    const void *columns_context;
    long n, links, dense;
    long lanes;         /* rows in a register: 2, 4 or 8, or 0: as many as it holds, of a chain
                           by loops of its own where those are faster */
    long ordered;       /* whether coordinates stand in this order outside too */
    const int *order;   /* the place of each outside */
    const int *begin;   /* the first coordinate of each link, and n */
    const int *parents; /* the link that carries each, or -1 */
    const int *forks;   /* whether a link carries others than the next one */
} tb_tree_derivatives;

/* The doubles of work that are needed besides those of the function, which follow them. */
long tb_tree_derivatives_work(const tb_tree_derivatives *self);

/* How many rows the registers of this processor hold. */
long tb_tree_derivatives_lanes(void);

/* out = [da/dq, da/dv, M^-1], by rows; ctx is a tb_tree_derivatives. */
void tb_solved_tree_derivatives(const double *x, const double *u, const double *p, double *out,
                                double *work, const void *ctx);

#endif
