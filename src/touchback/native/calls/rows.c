#include "calls/rows.h"

#include "seconds.h"

void tb_rows(tb_function f, long rows, const double *x, long x_stride, const double *u,
             long u_stride, const double *p, long p_stride, double *out, long out_stride,
             double *work, const void *ctx) {
    for (long i = 0; i < rows; i++)
        f(x + i * x_stride, u + i * u_stride, p + i * p_stride, out + i * out_stride, work, ctx);
}

void tb_time_calls(tb_function f, long rows, const double *x, long x_stride, const double *u,
                   long u_stride, const double *p, double *out, double *work, const void *ctx,
                   long calls, long repeats, double *seconds) {
    for (long repeat = -1; repeat < repeats; repeat++) {
        double start = tb_seconds();
        long row = 0;
        for (long i = 0; i < calls; i++) {
            f(x + row * x_stride, u + row * u_stride, p, out, work, ctx);
            if (++row == rows)
                row = 0;
        }
        if (repeat >= 0)
            seconds[repeat] = (tb_seconds() - start) / (double)calls;
    }
}
