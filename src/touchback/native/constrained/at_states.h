/* The motion at several states at once (simd.h), with the bits of at_state.h: terms by code for
 * several lanes, and the choice of dependent coordinates, a state's own, and the solution beside it
 * by vectors. Where a state is out of the ordinary (singular, not a number, rows that repeat
 * others), and where forces act elsewhere than they constrain or loops are many, the states take
 * the way of one after the other from their terms on. */
#ifndef TOUCHBACK_AT_STATES_H
#define TOUCHBACK_AT_STATES_H

#include "constrained/at_state.h"

typedef struct tb_at_states {
    const tb_at_state *one;                      /* a state alone */
    tb_callable terms, bias, configuration_rate; /* of several; call is NULL as there */
    long together;                               /* whether what is ordinary is solved by vectors */
    long alike;                                  /* whether all lanes have the same choice */
    long apart;                                  /* how often they weren't */
    long in_a_row;                               /* how often they weren't since they were last */
    double *at_terms, *right, *step;
    double *A; /* m x n: candidates of a choice, then L and U of J in its order */
    double *inverse_pivot, *B, *mass, *T, *reduced, *y, *g, *scale;
    int *rows, *columns;           /* of each pivot, and of each column after them: in each lane */
    int *row_place, *column_place; /* of each row and column among those, likewise */
} tb_at_states;

/* Of the calling convention for several lanes, with a tb_at_states as its context; not re-entrant.
 */
void tb_at_states_call(const double *x, const double *u, const double *p, double *out,
                       double *scratch, const void *context);

#pragma GCC visibility push(hidden)
/* Chooses dependent coordinates in each lane. Returns 1 where one has rows that are redundant. */
int tb_simd_choose(tb_at_states *s);
/* Accelerations and multipliers of each lane in the order of its choice. Returns 1 where one is out
 * of the ordinary. */
int tb_simd_solve(const tb_at_states *s, double *a, double *lambda);
#pragma GCC visibility pop

#endif
