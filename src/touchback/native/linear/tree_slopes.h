/* Derivatives of accelerations along a kinematic tree, of systems whose pairs of coordinates are
 * too many to unroll: generated code gives what grows with the number n of coordinates, loops what
 * grows with its square.
 *
 * Coordinates are in the order of the tree, parents first. */
#ifndef TOUCHBACK_TREE_SLOPES_H
#define TOUCHBACK_TREE_SLOPES_H

#include "calls/abi.h"

/* A coordinate, about the origin and along the axes of its root link. Twists are (angular, linear),
 * wrenches (moment, force); what each of them is: `Eliminated` of dynamics/aba.py and `Sloped` of
 * dynamics/sloped.py. */
typedef struct tb_column {
    double S[6], U[6], inverse; /* a twist, and U/D and 1/D of articulated bodies */
    double row[9];              /* the angular part of S^T 2 B, and I S, a wrench */
    double by_q[9], by_v[9];    /* what rows of what it carries are multiplied with: the angular
                                   part of psi' or S, and psi'' or psi' + S', twists */
    double above_q[6], above_v[6]; /* wrenches that twists of what carries it are multiplied with */
} tb_column;

typedef struct tb_tree_slopes {
    tb_function columns; /* out = n tb_column; then, if `dense`, further derivatives of the efforts
                            by q and by v, column by column */
    const void *columns_context;
    long n, links, dense;
    long lanes;          /* rows in a register: 2, 4 or 8, or 0: as many as it holds */
    long ordered;        /* whether coordinates stand in this order outside too */
    const int *order;    /* the place of each outside */
    const int *begin;    /* the first coordinate of each link, and n */
    const int *parents;  /* the link that carries each, or -1 */
    const int *forks;    /* whether a link carries others than the next one */
} tb_tree_slopes;

/* The doubles of work that are needed besides those of the function, which follow them. */
long tb_tree_slopes_work(const tb_tree_slopes *self);

/* How many rows the registers of this processor hold. */
long tb_tree_slopes_lanes(void);

/* out = [da/dq, da/dv, M^-1], by rows; ctx is a tb_tree_slopes. */
void tb_solved_tree_slopes(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *ctx);

#endif
