#include "integrate/along.h"

#include "calls/interleave.h"
#include "calls/processor.h"
#include "integrate/problem.h"

enum { MANY = 64 }; /* numbers from which wide vectors are worth waking */

static int has_eight;

__attribute__((constructor)) static void ask(void) { has_eight = tb_has_avx512(); }

/* Whole vectors of eight; returns how many numbers they have. */
TB_WITH_EIGHT static long eights_along(long n, const double *x, double h, const double *rate,
                                       double *next) {
    long i = 0;
    for (; i + 8 <= n; i += 8)
        *(tb_loose_eight *)(next + i) =
            *(const tb_loose_eight *)(x + i) + h * *(const tb_loose_eight *)(rate + i);
    return i;
}

void tb_go_along(long n, const double *x, double h, const double *rate, double *next) {
    long i = has_eight && n >= MANY ? eights_along(n, x, h, rate, next) : 0;
    for (; i < n; i++)
        next[i] = x[i] + h * rate[i];
}

/* 0 times a number is 0, unless it is none or infinite. */
TB_WITH_EIGHT static int eights_finite(long n, const double *x) {
    tb_eight first = {0}, second = {0};
    long i = 0;
    for (; i + 16 <= n; i += 16) {
        first += 0.0 * *(const tb_loose_eight *)(x + i);
        second += 0.0 * *(const tb_loose_eight *)(x + i + 8);
    }
    double sum = 0.0;
    first += second;
    for (int k = 0; k < 8; k++)
        sum += first[k];
    return sum == 0.0 && tb_first_not_finite(x + i, n - i) < 0;
}

int tb_all_finite(long n, const double *x) {
    return has_eight && n >= MANY ? eights_finite(n, x) : tb_first_not_finite(x, n) < 0;
}
