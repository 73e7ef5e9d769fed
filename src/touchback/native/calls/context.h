/* A context is an array of 8-byte slots. Generated code reads them at these byte offsets, so they
 * never move:
 *
 *     0 asin    8 acos   16 exp   24 log   32 atan2   40 pow   48 sin   56 cos     (the C
 * library's) 64 lookup1   72 lookup2   80 sinh   88 cosh   96 tanh (the C library's)
 *   104 … one `const tb_table *` for each lookup of the program
 */
#ifndef TOUCHBACK_CONTEXT_H
#define TOUCHBACK_CONTEXT_H

#include "calls/table.h"

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
    double (*sinh)(double);
    double (*cosh)(double);
    double (*tanh)(double);
    const tb_table *tables[];
} tb_context;

/* Fills the slots that are the same for every program. */
void tb_context_fill(tb_context *context);

_Static_assert(sizeof(void *) == 8, "the context is laid out in 8-byte slots");
_Static_assert(sizeof(tb_context) == 104, "tables start at byte 104");

#endif
