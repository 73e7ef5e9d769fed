/* A function applied to many rows of inputs, and the time that its calls take. */
#ifndef TOUCHBACK_ROWS_H
#define TOUCHBACK_ROWS_H

#include "calls/abi.h"

/* Rows lie `stride` doubles apart; a stride of 0 gives every call the same row. */
void tb_rows(tb_function f, long rows, const double *x, long x_stride, const double *u,
             long u_stride, const double *p, long p_stride, double *out, long out_stride,
             double *work, const void *ctx);

/* Seconds per call of `repeats` loops of `calls` calls that cycle over the rows, after one loop to
 * warm up. */
void tb_time_calls(tb_function f, long rows, const double *x, long x_stride, const double *u,
                   long u_stride, const double *p, double *out, double *work, const void *ctx,
                   long calls, long repeats, double *seconds);

#endif
