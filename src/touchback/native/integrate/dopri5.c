#include "integrate/dopri5.h"

#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/cells.h"
#include "integrate/dense_output.h"
#include "integrate/knots.h"
#include "interrupt.h"

static const double C[6] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0};
static const double A[6][6] = {
    {0.0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
};
/* The weights of order 5, their difference to order 4, and the extra row of the continuous
 * extension. */
static const double B[7] = {35.0 / 384,     0.0,       500.0 / 1113, 125.0 / 192,
                            -2187.0 / 6784, 11.0 / 84, 0.0};
static const double E[7] = {71.0 / 57600,      0.0,          -71.0 / 16695, 71.0 / 1920,
                            -17253.0 / 339200, 22.0 / 525.0, -1.0 / 40};
static const double D[7] = {-12715105075.0 / 11282082432.0,  0.0,
                            87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                            701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                            69997945.0 / 29380423.0};
static const double SAFETY = 0.9, BETA = 0.04, SHRINK = 0.2, GROW = 10.0;

int tb_dopri5_start(tb_dopri5 *self, const tb_problem *problem, double t_end) {
    self->accepted = self->rejected = self->after_rejection = 0;
    self->last_error = 1e-4;
    self->evaluations = 1;
    tb_rate(problem, self->t, self->x, self->stages);
    self->bad = tb_first_not_finite(self->stages, tb_state_size(problem));
    if (self->bad >= 0)
        return TB_NOT_FINITE;
    self->h = 0.0;
    if (t_end > self->t) {
        double longest = fmin(self->max_step, tb_approach_knot(problem, self->t, t_end) - self->t);
        self->h = tb_starting_step(problem, self->t, self->x, self->stages, longest, 4.0,
                                   self->rtol, self->atol, self->next);
        tb_leave_knot(problem);
        self->evaluations++;
    }
    return TB_PAUSED;
}

int tb_dopri5_restart(tb_dopri5 *self, const tb_problem *problem) {
    self->evaluations++;
    self->last_error = 1e-4;
    tb_rate(problem, self->t, self->x, self->stages);
    self->bad = tb_first_not_finite(self->stages, tb_state_size(problem));
    return self->bad >= 0 ? TB_NOT_FINITE : TB_PAUSED;
}

/* Fills stages 2 to 6 (k[0] is the first) and the state at the end of the step. */
static void take_stages(const tb_dopri5 *self, const tb_problem *problem, double h, double *k,
                        double *next) {
    long n = tb_state_size(problem);
    const double *x = self->x;
    for (int stage = 1; stage < 6; stage++) {
        for (long i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < stage; j++)
                sum += A[stage][j] * k[j * n + i];
            next[i] = x[i] + h * sum;
        }
        tb_rate(problem, self->t + C[stage] * h, next, k + stage * n);
    }
    for (long i = 0; i < n; i++)
        next[i] = x[i] + h * (B[0] * k[i] + B[2] * k[2 * n + i] + B[3] * k[3 * n + i] +
                              B[4] * k[4 * n + i] + B[5] * k[5 * n + i]);
}

/* The state after a shorter step; the stages of the whole one stay. */
static void part_of_step(void *method, const tb_problem *problem, double part, double *x) {
    tb_dopri5 *self = method;
    memcpy(self->again, self->stages, (size_t)tb_state_size(problem) * sizeof *x);
    take_stages(self, problem, part, self->again, x);
    self->evaluations += 5;
}

/* Fills stages 2 to 7 and the trial state; returns the scaled error, infinite when something isn't
 * finite. */
static double try_step(tb_dopri5 *self, const tb_problem *problem, double h) {
    long n = tb_state_size(problem);
    double *x = self->x, *k = self->stages, *next = self->next, *error = self->next + 6 * n;
    take_stages(self, problem, h, k, next);
    tb_rate(problem, self->t + h, next, k + 6 * n);
    self->evaluations += 6;
    self->bad = tb_first_not_finite(next, n);
    for (int stage = 1; stage < 7 && self->bad < 0; stage++)
        self->bad = tb_first_not_finite(k + stage * n, n);
    if (self->bad >= 0)
        return INFINITY;
    for (long i = 0; i < n; i++)
        error[i] = h * (E[0] * k[i] + E[2] * k[2 * n + i] + E[3] * k[3 * n + i] +
                        E[4] * k[4 * n + i] + E[5] * k[5 * n + i] + E[6] * k[6 * n + i]);
    return tb_scaled_norm(n, error, x, next, self->rtol, self->atol);
}

static void prepare_dense_output(tb_dopri5 *self, long n, double h) {
    double *k = self->stages, *rows = self->next + n;
    tb_dense_cubic(n, h, self->x, self->next, k, k + 6 * n, rows);
    for (long i = 0; i < n; i++)
        rows[4 * n + i] = h * (D[0] * k[i] + D[2] * k[2 * n + i] + D[3] * k[3 * n + i] +
                               D[4] * k[4 * n + i] + D[5] * k[5 * n + i] + D[6] * k[6 * n + i]);
}

static int advance(tb_dopri5 *self, const tb_problem *problem, double t_end, long max_attempts,
                   const double *times, long count, long *written, double *record) {
    long n = tb_state_size(problem);
    for (; max_attempts > 0 && self->t < t_end && !tb_ends_full(problem); max_attempts--) {
        if (tb_stop_asked())
            return TB_INTERRUPTED;
        if (self->accepted + self->rejected >= self->step_limit)
            return TB_STEP_LIMIT;
        double h = fmin(self->h, self->max_step);
        /* Stretch or shorten a little so that the last step ends exactly at t_end, or at a knot,
         * and is never a sliver. */
        double end = tb_approach_knot(problem, self->t, t_end);
        int last = self->t + 1.01 * h >= end;
        if (last)
            h = end - self->t;
        double error = try_step(self, problem, h);
        if (error > 1.0) {
            self->rejected++;
            self->after_rejection = 1;
            self->h = h * fmax(SHRINK, SAFETY * pow(error, -0.2));
            if (tb_step_vanished(self->t, self->h))
                return self->bad >= 0 ? TB_NOT_FINITE : TB_STEP_TOO_SMALL;
            continue;
        }
        double far = tb_too_far(problem, self->x, self->next);
        if (far > 1.0 && !tb_step_vanished(self->t, 0.5 * h)) {
            self->rejected++;
            self->after_rejection = 1;
            self->h = h * fmax(SHRINK, SAFETY / far);
            continue;
        }
        double growth =
            SAFETY * pow(fmax(error, 1e-10), BETA * 0.75 - 0.2) * pow(self->last_error, BETA);
        growth = fmin(fmax(growth, SHRINK), self->after_rejection ? 1.0 : GROW);
        double t_new = last ? end : self->t + h;
        if (self->events || problem->energy_balance ||
            (*written < count && times[*written] <= t_new))
            prepare_dense_output(self, n, h);
        tb_taken taken = {self->t,         h, self->next + n, part_of_step, self, times + *written,
                          count - *written};
        int active = self->events && tb_events_scan(self->events, problem, &taken);
        if (active)
            t_new = fmin(tb_event_time(self->events), t_new);
        tb_report_step(problem, &taken, t_new, active, times, count, written, record);
        if (active) {
            memcpy(self->x, tb_event_state(self->events, n), (size_t)n * sizeof *self->x);
            self->t = t_new;
            self->accepted++;
            return TB_EVENT;
        }
        memcpy(self->x, self->next, (size_t)n * sizeof *self->x);
        memcpy(self->stages, self->stages + 6 * n, (size_t)n * sizeof *self->x);
        self->t = t_new;
        int knot = tb_at_knot(problem, t_new);
        if (tb_settle(problem, t_new, self->x, 1) || knot) {
            tb_rate(problem, t_new, self->x, self->stages);
            self->evaluations++;
        }
        self->h = h * growth;
        self->last_error = knot ? 1e-4 : fmax(error, 1e-4);
        self->after_rejection = 0;
        self->accepted++;
        if (self->events && tb_events_full(self->events))
            break;
    }
    return self->t < t_end ? TB_PAUSED : TB_REACHED;
}

int tb_dopri5_advance(tb_dopri5 *self, const tb_problem *problem, double t_end, long max_attempts,
                      const double *times, long count, long *written, double *record) {
    int status = advance(self, problem, t_end, max_attempts, times, count, written, record);
    tb_leave_knot(problem);
    return status;
}
