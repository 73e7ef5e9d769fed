#include "integrate/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/dense.h"

static const double LEAST =
    1e-2; /* the size below which a component's difference shrinks no more */

/* One-sided differences, for rates that solve equations themselves. */
static void by_differences(const tb_problem *problem, double t, const double *x,
                           const double *rate) {
    tb_newton *newton = problem->newton;
    long n = tb_state_size(problem);
    double *moved = newton->scratch, *changed = newton->scratch + n;
    memcpy(moved, x, (size_t)n * sizeof *x);
    for (long j = 0; j < n; j++) {
        moved[j] = x[j] + sqrt(DBL_EPSILON) * copysign(fmax(fabs(x[j]), LEAST), x[j]);
        double apart = moved[j] - x[j];
        tb_rate(problem, t, moved, changed);
        moved[j] = x[j];
        for (long i = 0; i < n; i++)
            newton->J[i * n + j] = (changed[i] - rate[i]) / apart;
    }
    newton->evaluations += n;
}

void tb_rate_jacobian(const tb_problem *problem, double t, const double *x, const double *rate) {
    tb_newton *newton = problem->newton;
    const tb_callable *f = &newton->jacobian;
    newton->jacobians++;
    if (!f->call) {
        by_differences(problem, t, x, rate);
        return;
    }
    tb_set_inputs(problem, t, x);
    f->call(x, problem->u, newton->p, newton->J, f->work, f->context);
}

int tb_newton_factor(tb_newton *newton, long n, double weight) {
    for (long i = 0; i < n * n; i++)
        newton->matrix[i] = -weight * newton->J[i];
    for (long i = 0; i < n; i++)
        newton->matrix[i * n + i] += 1.0;
    newton->factorisations++;
    return tb_lu_factor(n, newton->matrix, newton->pivots) == 0;
}

void tb_newton_count(tb_newton *newton, long iterations, int converged) {
    newton->solves++;
    newton->iterations += iterations;
    newton->iterations_last = iterations;
    if (iterations > newton->iterations_most)
        newton->iterations_most = iterations;
    newton->not_converged += !converged;
}
