/* Derivatives of accelerations along a kinematic tree, of systems whose products and solutions are
 * too many to unroll: generated code gives what grows with the number n of coordinates, loops what
 * grows with its square and cube.
 *
 * Coordinates are in the order of the tree, parents first. Rows have `wide` doubles, n filled up to
 * whole vectors. */
#ifndef TOUCHBACK_TREE_SLOPES_H
#define TOUCHBACK_TREE_SLOPES_H

#include "calls/abi.h"

/* Rows of what generated code gives. Twists are (angular, linear), wrenches (moment, force); what
 * each of them is: `Sloped` of dynamics/sloped.py. */
enum {
    TB_NEEDED = 6,     /* I S, a wrench, after S, a twist */
    TB_STIRRED = 12,   /* the angular part of S^T 2 B */
    TB_CARRIED = 15,   /* that of psi' */
    TB_TURNED = 18,    /* psi' + S', a twist */
    TB_BY_V = 24,      /* a wrench */
    TB_LACKING = 30,   /* what the bias needs beyond the efforts that act: -M a */
    TB_ARMATURE = 31,  /* of rotors */
    TB_STEADY = 32,    /* so many rows; then 2 n rows of slopes of applied efforts, if any: those by
                          q and by v of each coordinate; then what `accelerated` reads */
    TB_ACCELERATED = 12 /* psi'', a twist, and by_q, a wrench */
};

typedef struct tb_tree_slopes {
    tb_function steady; /* out = the rows above; or, without `accelerated`, 2 n rows of the efforts'
                           derivatives, by q and by v of each coordinate, and n of M */
    const void *steady_context;
    tb_function accelerated; /* of x = what `steady` gave for it and u = a: the last rows */
    const void *accelerated_context;
    long n, wide, size;  /* size: of what `steady` gives, whole vectors */
    long applied;        /* whether there are slopes of applied efforts */
    long lanes;          /* columns in a register: 2, 4 or 8, or 0: as many as it holds */
    long ordered;        /* whether coordinates stand in this order outside too */
    const int *order;    /* the place of each outside */
    const int *last;     /* the last that shares its link */
    const long *related; /* -1 for pairs on a path, 0 for others; null where all are on one */
} tb_tree_slopes;

/* The doubles of work that are needed besides those of the functions, which follow them. */
long tb_tree_slopes_work(long n, long wide, long size);

/* How many columns the registers of this processor hold. */
long tb_tree_slopes_lanes(void);

/* out = [da/dq, da/dv, M^-1], by rows; ctx is a tb_tree_slopes. */
void tb_solved_tree_slopes(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *ctx);

#endif
