#include "integrate/radau5.h"

#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/cells.h"
#include "integrate/dense_output.h"
#include "integrate/knots.h"
#include "integrate/newton.h"
#include "integrate/radau5_stages.h"
#include "interrupt.h"

#define ROOT6 2.449489742783178
static const double E[3] = {(-13.0 - 7.0 * ROOT6) / 3.0, (-13.0 + 7.0 * ROOT6) / 3.0, -1.0 / 3.0};
/* The slopes of the collocation polynomial at the ends of the step, from its three stages. */
static const double FIRST[3] = {(13.0 + 7.0 * ROOT6) / 3.0, (13.0 - 7.0 * ROOT6) / 3.0, 1.0 / 3.0};
static const double LAST[3] = {-1.0 + 8.0 * ROOT6 / 3.0, -1.0 - 8.0 * ROOT6 / 3.0, 5.0};
static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 8.0;

/* The scaled error of the step; the first time and after a rejection filtered once more, because
 * the estimate alone is too pessimistic on stiff parts that haven't died down. */
static double estimate(tb_radau5 *self, const tb_problem *problem, double h) {
    long n = tb_state_size(problem);
    double *error = self->error, *fixed = self->error + n;
    const double *Z = self->Z;
    for (long i = 0; i < n; i++) {
        fixed[i] = (E[0] * Z[i] + E[1] * Z[n + i] + E[2] * Z[2 * n + i]) / h;
        error[i] = self->rate[i] + fixed[i];
    }
    tb_lu_solve(n, self->real, problem->newton->pivots, error);
    double size = tb_radau5_norm(self, n, error);
    if (size < 1.0 || (self->last_h > 0.0 && !self->after_rejection))
        return size;
    for (long i = 0; i < n; i++)
        self->next[i] = self->x[i] + error[i];
    tb_rate(problem, self->t, self->next, error);
    self->evaluations++;
    for (long i = 0; i < n; i++)
        error[i] += fixed[i];
    tb_lu_solve(n, self->real, problem->newton->pivots, error);
    return tb_radau5_norm(self, n, error);
}

/* The state after a shorter step, solved with the Jacobian at hand from the dense output. */
static void part_of_step(void *method, const tb_problem *problem, double part, double *x) {
    tb_radau5 *self = method;
    long n = tb_state_size(problem);
    double ignored;
    tb_radau5_guess(self, n, 0.0, part);
    int solved = tb_radau5_factor(self, problem, part) &&
                 tb_radau5_solve_stages(self, problem, part, &ignored);
    if (solved)
        for (long i = 0; i < n; i++)
            x[i] = self->x[i] + self->Z[2 * n + i];
    else /* no correction: what the dense output says */
        tb_dense_state(n, self->rows, part / self->last_h, x);
    self->factored = 0.0;
}

static void prepare_dense_output(tb_radau5 *self, long n, double h) {
    const double *Z = self->Z;
    double *first = self->error, *last = self->error + n;
    for (long i = 0; i < n; i++) {
        first[i] = (FIRST[0] * Z[i] + FIRST[1] * Z[n + i] + FIRST[2] * Z[2 * n + i]) / h;
        last[i] = (LAST[0] * Z[i] + LAST[1] * Z[n + i] + LAST[2] * Z[2 * n + i]) / h;
    }
    tb_dense_cubic(n, h, self->x, self->next, first, last, self->rows);
}

int tb_radau5_restart(tb_radau5 *self, const tb_problem *problem) {
    self->last_h = self->factored = 0.0;
    self->contraction = 1.0;
    self->fresh = 1;
    self->evaluations++;
    tb_rate(problem, self->t, self->x, self->rate);
    self->bad = tb_first_not_finite(self->rate, tb_state_size(problem));
    if (self->bad >= 0)
        return TB_NOT_FINITE;
    tb_rate_jacobian(problem, self->t, self->x, self->rate);
    return TB_PAUSED;
}

int tb_radau5_start(tb_radau5 *self, const tb_problem *problem, double t_end) {
    self->accepted = self->rejected = self->evaluations = self->after_rejection = 0;
    self->h = 0.0;
    int status = tb_radau5_restart(self, problem);
    if (status == TB_PAUSED && t_end > self->t) {
        double longest = fmin(self->max_step, tb_approach_knot(problem, self->t, t_end) - self->t);
        self->h = tb_starting_step(problem, self->t, self->x, self->rate, longest, 3.0, self->rtol,
                                   self->atol, self->error);
        tb_leave_knot(problem);
        self->evaluations++;
    }
    return status;
}

/* Gustafsson's controller: the next step over this one. */
static double growth(const tb_radau5 *self, double h, double error, long iterations) {
    const long most = 2 * TB_RADAU5_ITERATIONS;
    double safety = SAFETY * (double)(most + 1) / (double)(most + iterations);
    double factor = pow(fmax(error, 1e-12), -0.25);
    if (self->last_h > 0.0 && error > 0.0)
        factor *= fmin(1.0, h / self->last_h * pow(self->last_error / error, 0.25));
    return fmin(fmax(safety * factor, SHRINK), self->after_rejection ? 1.0 : GROW);
}

/* A shorter step is tried next: half of it where Newton's method failed. */
static void reject(tb_radau5 *self, double h, double error, long iterations) {
    double shrink = 0.5;
    if (iterations)
        shrink = self->last_h == 0.0 ? 0.1 : growth(self, h, error, iterations);
    self->rejected++;
    self->after_rejection = 1;
    self->h = h * fmin(shrink, 0.9);
}

static int advance(tb_radau5 *self, const tb_problem *problem, double t_end, long max_attempts,
                   const double *times, long count, long *written, double *record) {
    long n = tb_state_size(problem);
    for (; max_attempts > 0 && self->t < t_end && !tb_ends_full(problem); max_attempts--) {
        if (tb_stop_asked())
            return TB_INTERRUPTED;
        if (self->accepted + self->rejected >= self->step_limit)
            return TB_STEP_LIMIT;
        double h = fmin(self->h, self->max_step), rate = 0.0;
        double end = tb_approach_knot(problem, self->t, t_end);
        int last = self->t + 1.01 * h >= end;
        if (last)
            h = end - self->t;
        long iterations = tb_radau5_take_stages(self, problem, h, &rate);
        double error = iterations ? estimate(self, problem, h) : INFINITY;
        if (!(error < 1.0)) {
            reject(self, h, error, iterations);
            if (tb_step_vanished(self->t, self->h))
                return self->bad >= 0 ? TB_NOT_FINITE : TB_STEP_TOO_SMALL;
            continue;
        }
        for (long i = 0; i < n; i++)
            self->next[i] = self->x[i] + self->Z[2 * n + i];
        double far = tb_too_far(problem, self->x, self->next);
        if (far > 1.0 && !tb_step_vanished(self->t, 0.5 * h)) {
            self->rejected++;
            self->after_rejection = 1;
            self->h = h * fmax(SHRINK, SAFETY / far);
            continue;
        }
        double factor = growth(self, h, error, iterations), t_new = last ? end : self->t + h;
        prepare_dense_output(self, n, h);
        self->last_h = h;
        self->last_error = fmax(error, 1e-2);
        tb_taken taken = {self->t,         h, self->rows, part_of_step, self, times + *written,
                          count - *written};
        int active = self->events && tb_events_scan(self->events, problem, &taken);
        if (active)
            t_new = fmin(tb_event_time(self->events), t_new);
        tb_report_step(problem, &taken, t_new, active, times, count, written, record);
        tb_dense_state(n, self->rows, 1.0, self->x);
        self->t = t_new;
        self->accepted++;
        self->after_rejection = 0;
        if (active) {
            memcpy(self->x, tb_event_state(self->events, n), (size_t)n * sizeof *self->x);
            return TB_EVENT;
        }
        tb_settle(problem, t_new, self->x, 1);
        if (tb_at_knot(problem, t_new)) {
            self->h = h * factor;
            if (tb_radau5_restart(self, problem) == TB_NOT_FINITE)
                return TB_NOT_FINITE;
        } else {
            tb_rate(problem, t_new, self->x, self->rate);
            self->evaluations++;
            self->bad = tb_first_not_finite(self->rate, n);
            if (self->bad >= 0)
                return TB_NOT_FINITE;
            int slow = iterations > 2 && rate > 1e-3;
            self->fresh = slow;
            if (slow) {
                tb_rate_jacobian(problem, t_new, self->x, self->rate);
                self->factored = 0.0;
            }
            /* A step that would change little is kept, with its factors. */
            self->h = !slow && factor >= 1.0 && factor <= 1.2 ? h : h * factor;
        }
        if (self->events && tb_events_full(self->events))
            break;
    }
    return self->t < t_end ? TB_PAUSED : TB_REACHED;
}

int tb_radau5_advance(tb_radau5 *self, const tb_problem *problem, double t_end, long max_attempts,
                      const double *times, long count, long *written, double *record) {
    int status = advance(self, problem, t_end, max_attempts, times, count, written, record);
    tb_leave_knot(problem);
    return status;
}
