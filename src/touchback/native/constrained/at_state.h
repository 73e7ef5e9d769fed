/* The motion of a mechanism at any state, for calls from outside of runs: what multipliers.c gives,
 * but each call chooses dependent coordinates anew, so that it doesn't hang on those before.
 *
 *   u = [t, inputs, what replaces the model's joint efforts or is added to gamma, if anything]
 *   p = [block of the mechanism's functions, block of the bias, if there are efforts]
 *   out = [dq/dt, a, dz/dt, lambda, refused]; refused is 0, or 1 + the row whose friction leaves no
 *   answer.
 *
 * Where rows contradict each other all are met as well as can be, where in runs a choice of them
 * is. */
#ifndef TOUCHBACK_AT_STATE_H
#define TOUCHBACK_AT_STATE_H

#include "constrained/constrained.h"

typedef struct tb_at_state {
    const tb_constrained *constrained;
    tb_callable bias; /* c = inverse dynamics at rest; call is NULL without efforts */
    long efforts;     /* where in u they start */
    long pulls;       /* where in u numbers start that are added to gamma; -1 for none */
    long bias_block;  /* where in p its block starts */
} tb_at_state;

/* work->a, work->lambda and work->unanswered from the last terms and work->right. */
void tb_move_at_terms(const tb_constrained_model *model, tb_constrained_work *work);
/* Of the one calling convention, with a tb_at_state as its context; not re-entrant. */
void tb_at_state_call(const double *x, const double *u, const double *p, double *out,
                      double *scratch, const void *context);

#endif
