#include "integrate/adaptive.h"

#include "integrate/dense_output.h"
#include "integrate/energy_balance.h"
#include "integrate/knots.h"

double tb_scaled_norm(long n, const double *values, const double *x, const double *y, double rtol,
                      double atol) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) {
        double scale = atol + rtol * fmax(fabs(x[i]), fabs(y[i]));
        sum += (values[i] / scale) * (values[i] / scale);
    }
    return n ? sqrt(sum / (double)n) : 0.0;
}

double tb_starting_step(const tb_problem *problem, double t, const double *x, const double *rate,
                        double longest, double order, double rtol, double atol, double *scratch) {
    long n = tb_state_size(problem);
    double *trial = scratch, *change = scratch + n;
    double size = tb_scaled_norm(n, x, x, x, rtol, atol);
    double slope = tb_scaled_norm(n, rate, x, x, rtol, atol);
    double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
    h = fmin(h, longest);
    for (long i = 0; i < n; i++)
        trial[i] = x[i] + h * rate[i];
    tb_rate(problem, t + h, trial, change);
    for (long i = 0; i < n; i++)
        change[i] -= rate[i];
    double curvature = tb_scaled_norm(n, change, x, x, rtol, atol) / h;
    double steepest = fmax(slope, curvature);
    double longer =
        steepest <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / steepest, 1.0 / (order + 1.0));
    double start = fmin(100.0 * h, fmin(longer, longest));
    /* A NaN at the trial state: the controller takes it from there. */
    return start > 0.0 ? start : h;
}

void tb_report_step(const tb_problem *problem, const tb_taken *step, double t_new, int active,
                    const double *times, long count, long *written, double *record) {
    long n = tb_state_size(problem);
    if (problem->energy_balance)
        tb_energy_balance_add_step(problem->energy_balance, step->t, step->h, step->rows,
                                   active ? (t_new - step->t) / step->h : 1.0);
    tb_leave_knot(problem);
    tb_note_step_end(problem, t_new);
    for (; *written < count && times[*written] <= t_new; ++*written) {
        double *state = record + *written * n, t = times[*written];
        tb_dense_state(n, step->rows, (t - step->t) / step->h, state);
        tb_settle(problem, t, state, 0);
    }
}
