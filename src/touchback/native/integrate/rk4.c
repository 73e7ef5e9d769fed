/* The classical Runge-Kutta method of order 4 (Kutta 1901). */
#ifndef TB_ON_DEVICE
#include "integrate/fixed_step.h"
#include "integrate/state_vectors.h"
#endif

TB_DEVICE void tb_rk4_step(const tb_problem *problem, double t, double h, const double *x,
                           double *next, double *scratch) {
    long n = tb_state_size(problem);
    double *k1 = scratch, *k2 = k1 + n, *k3 = k2 + n, *k4 = k3 + n;
    tb_rate(problem, t, x, k1);
    tb_add_scaled(n, x, 0.5 * h, k1, next);
    tb_rate(problem, t + 0.5 * h, next, k2);
    tb_add_scaled(n, x, 0.5 * h, k2, next);
    tb_rate(problem, t + 0.5 * h, next, k3);
    tb_add_scaled(n, x, h, k3, next);
    tb_rate(problem, t + h, next, k4);
    for (long i = 0; i < n; i++)
        next[i] = x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
}
