#include "integrate/state_vectors.h"

#include "calls/interleave.h"
#include "calls/processor.h"
#include "integrate/problem.h"

/* Numbers from which vectors are worth their while: two joints in four lanes, six in eight. */
enum { SOME = 8, MANY = 48 };

static int has_four, has_eight;

__attribute__((constructor)) static void ask(void) {
    has_four = tb_has_avx();
    has_eight = tb_has_avx512();
}

/* Whole vectors from number i on, as wide as those of the code that reads them next: it would wait
 * for narrower ones to reach the cache. Returns where they end. */
TB_WITH_EIGHT static long eights_along(long i, long n, const double *x, double h,
                                       const double *rate, double *next) {
    for (; i + 8 <= n; i += 8)
        *(tb_loose_eight *)(next + i) =
            *(const tb_loose_eight *)(x + i) + h * *(const tb_loose_eight *)(rate + i);
    return i;
}

TB_WITH_FOUR static long fours_along(long i, long n, const double *x, double h, const double *rate,
                                     double *next) {
    for (; i + 4 <= n; i += 4)
        *(tb_loose_four *)(next + i) =
            *(const tb_loose_four *)(x + i) + h * *(const tb_loose_four *)(rate + i);
    return i;
}

void tb_add_scaled(long n, const double *x, double h, const double *rate, double *next) {
    long i = has_eight && n >= MANY ? eights_along(0, n, x, h, rate, next) : 0;
    i = has_four && n >= SOME ? fours_along(i, n, x, h, rate, next) : i;
    for (; i < n; i++)
        next[i] = x[i] + h * rate[i];
}

/* 0 times a number is 0, unless it is none or infinite. */
TB_WITH_FOUR static int fours_finite(long n, const double *x) {
    tb_four sums[4] = {{0}};
    long i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 4; k++)
            sums[k] += 0.0 * *(const tb_loose_four *)(x + i + 4 * k);
    for (; i + 4 <= n; i += 4)
        sums[0] += 0.0 * *(const tb_loose_four *)(x + i);
    tb_four sum = sums[0] + sums[1] + (sums[2] + sums[3]);
    return sum[0] + sum[1] + (sum[2] + sum[3]) == 0.0 && tb_first_not_finite(x + i, n - i) < 0;
}

int tb_all_finite(long n, const double *x) {
    return has_four && n > SOME ? fours_finite(n, x) : tb_first_not_finite(x, n) < 0;
}
