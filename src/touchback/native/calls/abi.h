/* The one calling convention of every generated function, version 1.
 *
 *   x    state or configuration          u    inputs (u[0] is the time for derivatives of a state)
 *   p    parameters                      out  results, never overlapping the inputs;
 *                                           the function may read them again
 *   work scratch memory of the function's declared size, 64-byte aligned
 *   ctx  a context (context.h)
 *
 * A function has no globals, allocates nothing and is re-entrant: two calls may run at the same
 * time when their out and work differ.
 */
#ifndef TOUCHBACK_ABI_H
#define TOUCHBACK_ABI_H

#define TB_ABI_VERSION 2

typedef void (*tb_function)(const double *x, const double *u, const double *p, double *out,
                            double *work, const void *ctx);

long tb_abi_version(void);

#endif
