/* The motion of a mechanism at any state, for calls from outside of runs: what multipliers.c gives,
 * but each call chooses dependent coordinates anew, so that it doesn't hang on those before.
 *
 *   u = [t, inputs, joint efforts that replace the model's own, if any]
 *   p = [block of the mechanism's functions, block of the bias, if there are efforts]
 *   out = [dq/dt, a, dz/dt, lambda, refused]; refused is 1 where rows are redundant, where friction
 *   leaves no answer or several, and where numbers aren't finite: others must look then. */
#ifndef TOUCHBACK_AT_STATE_H
#define TOUCHBACK_AT_STATE_H

#include "constrained/constrained.h"

typedef struct tb_at_state {
    tb_constrained *constrained;
    tb_callable bias; /* c = inverse dynamics at rest; call is NULL without efforts */
    long efforts;     /* where in u they start */
    long bias_block;  /* where in p its block starts */
} tb_at_state;

/* Of the one calling convention, with a tb_at_state as its context; not re-entrant. */
void tb_at_state_call(const double *x, const double *u, const double *p, double *out, double *work,
                      const void *context);

#endif
