#include "integrate/state_vectors.h"

#include "integrate/problem.h"

void tb_add_scaled(long n, const double *x, double h, const double *rate, double *next) {
    for (long i = 0; i < n; i++)
        next[i] = x[i] + h * rate[i];
}

int tb_all_finite(long n, const double *x) { return tb_first_not_finite(x, n) < 0; }
