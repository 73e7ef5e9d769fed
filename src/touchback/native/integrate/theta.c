/* Implicit Euler and the trapezoidal rule:
 *
 *   x+ = x + h ((1 - theta) f(t, x) + theta f(t + h, x+)),   theta = 1 and 1/2
 *
 * Both are stable on every decaying problem, at any step. Implicit Euler (order 1) damps what is
 * faster than the step; the trapezoidal rule (order 2) damps nothing, and lets what is much faster
 * than the step ring on (Hairer and Wanner, Solving Ordinary Differential Equations II (1996),
 * IV.3). Newton's method runs to tolerance with the Jacobian of the step's start, and with new ones
 * where that converges slowly. */
#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/fixed_step.h"
#include "integrate/newton.h"
#include "linear/dense.h"

static const long PATIENT = 6, ITERATIONS = 25; /* with the first Jacobian; with new ones too */
static const double SHARE = 0.01;               /* of the tolerance that may be left */

/* next = fixed + weight f(t, next), from the guess in `next`. Returns 0 when it diverges. */
static int solve(const tb_problem *problem, double t, double weight, const double *fixed,
                 double *next, double *rate, double *step) {
    tb_newton *newton = problem->newton;
    long n = tb_state_size(problem);
    double before = 0.0;
    for (long iteration = 1; iteration <= ITERATIONS; iteration++) {
        tb_rate(problem, t, next, rate);
        newton->evaluations++;
        if (iteration > PATIENT) {
            tb_rate_jacobian(problem, t, next, rate);
            if (!tb_newton_factor(newton, n, weight))
                break;
        }
        for (long i = 0; i < n; i++)
            step[i] = fixed[i] + weight * rate[i] - next[i];
        tb_lu_solve(n, newton->matrix, newton->pivots, step);
        for (long i = 0; i < n; i++)
            next[i] += step[i];
        double size = tb_scaled_norm(n, step, next, next, newton->rtol, newton->atol);
        if (!(size - size == 0.0))
            break;
        double ratio = iteration > 1 ? size / before : 1.0;
        if (size <= SHARE || (ratio < 1.0 && ratio / (1.0 - ratio) * size <= SHARE)) {
            tb_newton_count(newton, iteration, 1);
            return 1;
        }
        before = size;
    }
    tb_newton_count(newton, ITERATIONS, 0);
    return 0;
}

static void theta_step(const tb_problem *problem, double theta, double t, double h, const double *x,
                       double *next, double *scratch) {
    long n = tb_state_size(problem);
    double *start = scratch, *rate = start + n, *fixed = rate + n, *step = fixed + n;
    tb_rate(problem, t, x, start);
    problem->newton->evaluations++;
    tb_rate_jacobian(problem, t, x, start);
    for (long i = 0; i < n; i++)
        fixed[i] = x[i] + h * (1.0 - theta) * start[i];
    memcpy(next, x, (size_t)n * sizeof *x);
    if (!tb_newton_factor(problem->newton, n, h * theta) ||
        !solve(problem, t + h, h * theta, fixed, next, rate, step))
        for (long i = 0; i < n; i++) /* no state: the run ends here with the last good one */
            next[i] = NAN;
}

void tb_implicit_euler_step(const tb_problem *problem, double t, double h, const double *x,
                            double *next, double *scratch) {
    theta_step(problem, 1.0, t, h, x, next, scratch);
}

void tb_trapezoidal_step(const tb_problem *problem, double t, double h, const double *x,
                         double *next, double *scratch) {
    theta_step(problem, 0.5, t, h, x, next, scratch);
}
