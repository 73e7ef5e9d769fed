/* The one calling convention of every generated function, version 1.
 *
 *   x    state or configuration          u    inputs (u[0] is the time for derivatives of a state)
 *   p    parameters                      out  results, never overlapping the inputs
 *   work scratch memory of the function's declared size, 64-byte aligned
 *   ctx  a context as below
 *
 * A function has no globals, allocates nothing and is re-entrant: two calls may run at the same
 * time when their out and work differ.
 *
 * A context is an array of 8-byte slots. Generated code reads them at these byte offsets, so they
 * never move:
 *
 *     0 asin    8 acos   16 exp   24 log   32 atan2   40 pow   48 sin   56 cos     (the C
 * library's) 64 lookup1   72 lookup2   80 … one `const tb_table *` for each lookup of the program
 */
#ifndef TOUCHBACK_ABI_H
#define TOUCHBACK_ABI_H

#include "calls/table.h"

#define TB_ABI_VERSION 1

typedef void (*tb_function)(const double *x, const double *u, const double *p, double *out,
                            double *work, const void *ctx);

typedef struct tb_context {
    double (*asin)(double);
    double (*acos)(double);
    double (*exp)(double);
    double (*log)(double);
    double (*atan2)(double, double);
    double (*pow)(double, double);
    double (*sin)(double);
    double (*cos)(double);
    double (*lookup1)(const tb_table *, double, long);
    double (*lookup2)(const tb_table *, double, double, long);
    const tb_table *tables[];
} tb_context;

long tb_abi_version(void);
/* Fills the slots that are the same for every program. */
void tb_context_fill(tb_context *context);

_Static_assert(sizeof(void *) == 8, "the context is laid out in 8-byte slots");
_Static_assert(sizeof(tb_context) == 80, "tables start at byte 80");

#endif
