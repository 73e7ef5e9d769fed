/* Loops over the states of many instances, in the widest vectors that the processor has: with the
 * bits of one number after the other. */
#ifndef TOUCHBACK_STATE_VECTORS_H
#define TOUCHBACK_STATE_VECTORS_H

#pragma GCC visibility push(hidden)
/* next = x + h rate */
void tb_add_scaled(long n, const double *x, double h, const double *rate, double *next);
int tb_all_finite(long n, const double *x);
#pragma GCC visibility pop

#endif
