#define _DEFAULT_SOURCE /* mmap flags and clocks beside C11 */

#include "calls/rows.h"

#include <time.h>

void tb_rows(tb_function f, long rows, const double *x, long x_stride, const double *u,
             long u_stride, const double *p, long p_stride, double *out, long out_stride,
             double *work, const void *ctx) {
    for (long i = 0; i < rows; i++)
        f(x + i * x_stride, u + i * u_stride, p + i * p_stride, out + i * out_stride, work, ctx);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void tb_time_calls(tb_function f, long rows, const double *x, long x_stride, const double *u,
                   long u_stride, const double *p, double *out, double *work, const void *ctx,
                   long calls, long repeats, double *seconds) {
    for (long repeat = -1; repeat < repeats; repeat++) {
        double start = now();
        long row = 0;
        for (long i = 0; i < calls; i++) {
            f(x + row * x_stride, u + row * u_stride, p, out, work, ctx);
            if (++row == rows)
                row = 0;
        }
        if (repeat >= 0)
            seconds[repeat] = (now() - start) / (double)calls;
    }
}
