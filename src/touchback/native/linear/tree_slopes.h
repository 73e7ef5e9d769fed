/* Derivatives of accelerations along a kinematic tree, from those of the efforts that they need:
 * for systems whose solutions are too many to unroll. */
#ifndef TOUCHBACK_TREE_SLOPES_H
#define TOUCHBACK_TREE_SLOPES_H

#include "calls/abi.h"

typedef struct tb_tree_slopes {
    tb_function efforts; /* out = the efforts' derivatives by q, by v, and the mass matrix */
    const void *context; /* of `efforts` */
    long n;
    const int *order; /* coordinates, parents before children */
} tb_tree_slopes;

/* The doubles of work that are needed besides those of `efforts`, which follow them. */
long tb_tree_slopes_work(long n);

/* out = [-M^-1 dtau/dq, -M^-1 dtau/dv, M^-1], by rows; ctx is a tb_tree_slopes. */
void tb_solved_tree_slopes(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *ctx);

#endif
