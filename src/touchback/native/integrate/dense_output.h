/* The state within a step, as five rows r of a polynomial in the fraction s of the step:
 *
 *   x(s) = r0 + s (r1 + (1 - s) (r2 + s (r3 + (1 - s) r4)))
 *
 * r0 to r3 hold the cubic through both ends with their slopes (Hermite's), r4 a fourth-order term
 * (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.6). */
#ifndef TOUCHBACK_DENSE_OUTPUT_H
#define TOUCHBACK_DENSE_OUTPUT_H

enum { TB_DENSE_ROWS = 5 };

/* Rows of the cubic from x with slope `first` to `next` with slope `last`, both by time. */
static inline void tb_dense_cubic(long n, double h, const double *x, const double *next,
                                  const double *first, const double *last, double *rows) {
    for (long i = 0; i < n; i++) {
        double change = next[i] - x[i], bend = h * first[i] - change;
        rows[i] = x[i];
        rows[n + i] = change;
        rows[2 * n + i] = bend;
        rows[3 * n + i] = change - h * last[i] - bend;
        rows[4 * n + i] = 0.0;
    }
}

static inline void tb_dense_state(long n, const double *rows, double s, double *state) {
    double s1 = 1.0 - s;
    for (long i = 0; i < n; i++)
        state[i] =
            rows[i] + s * (rows[n + i] +
                           s1 * (rows[2 * n + i] + s * (rows[3 * n + i] + s1 * rows[4 * n + i])));
}

#endif
