/* LU of small complex matrices, row-major, in place: dense.c with pairs of numbers. Written out
 * because C's own complex product looks for infinities at every multiplication. */
#include <math.h>

#include "linear/dense.h"

static inline tb_complex product(tb_complex a, tb_complex b) {
    return (tb_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline tb_complex quotient(tb_complex a, tb_complex b) {
    double square = b.re * b.re + b.im * b.im;
    return (tb_complex){(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

static inline void subtract_product(tb_complex *target, tb_complex a, tb_complex b) {
    tb_complex c = product(a, b);
    target->re -= c.re;
    target->im -= c.im;
}

static inline double size(tb_complex a) {
    return fabs(a.re) + fabs(a.im);
}

static inline void swap(tb_complex *a, tb_complex *b) {
    tb_complex kept = *a;
    *a = *b;
    *b = kept;
}

long tb_complex_lu_factor(long n, tb_complex *A, int *pivots) {
    for (long k = 0; k < n; k++) {
        long best = k;
        for (long i = k + 1; i < n; i++)
            if (size(A[i * n + k]) > size(A[best * n + k]))
                best = i;
        pivots[k] = (int)best;
        if (!(size(A[best * n + k]) > 0.0))
            return k + 1;
        for (long j = 0; best != k && j < n; j++)
            swap(&A[k * n + j], &A[best * n + j]);
        for (long i = k + 1; i < n; i++) {
            tb_complex ratio = A[i * n + k] = quotient(A[i * n + k], A[k * n + k]);
            for (long j = k + 1; j < n; j++)
                subtract_product(&A[i * n + j], ratio, A[k * n + j]);
        }
    }
    return 0;
}

void tb_complex_lu_solve(long n, const tb_complex *A, const int *pivots, tb_complex *x) {
    for (long k = 0; k < n; k++)
        swap(&x[k], &x[pivots[k]]);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            subtract_product(&x[i], A[i * n + j], x[j]);
    for (long i = n - 1; i >= 0; i--) {
        for (long j = i + 1; j < n; j++)
            subtract_product(&x[i], A[i * n + j], x[j]);
        x[i] = quotient(x[i], A[i * n + i]);
    }
}
