#include "integrate/events.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/dense_output.h"
#include "integrate/root.h"

static const long CORRECTIONS = 4; /* of a time by steps of the method itself */

static int sign_of(double value) {
    return (value > 0.0) - (value < 0.0);
}

/* On which side of zero a function is; 0 within its floor. */
static int side_of(const tb_events *e, long i, double value) {
    return fabs(value) > e->floor[i] ? sign_of(value) : 0;
}

/* Values of all event functions at a consistent state. */
static void evaluate(const tb_events *e, const tb_problem *problem, double t, const double *x,
                     double *values) {
    const tb_callable *f = &e->function;
    tb_set_inputs(problem, t, x);
    if (f->call)
        f->call(x, problem->u, e->p, values, f->work, f->context);
    if (e->callback)
        e->callback(t, x, values + e->compiled);
}

/* The state at a fraction of the step, made consistent, in e->state. */
static void interpolate(tb_events *e, const tb_problem *problem, const tb_taken *step, double s) {
    tb_dense_state(tb_state_size(problem), step->rows, s, e->state);
    tb_settle(problem, step->t + s * step->h, e->state, 0);
}

typedef struct located {
    tb_events *events;
    const tb_problem *problem;
    const tb_taken *step;
    long index;
    double level; /* through which it falls */
} located;

static void evaluate_at(const located *at, double s) {
    tb_events *e = at->events;
    interpolate(e, at->problem, at->step, s);
    evaluate(e, at->problem, at->step->t + s * at->step->h, e->state, e->values);
}

/* The value of one event function at a fraction of the step, over its level. */
static double value_at(void *data, double s) {
    const located *at = data;
    evaluate_at(at, s);
    return at->events->values[at->index] - at->level;
}

static double slope_at(void *data, double s) {
    const located *at = data;
    evaluate_at(at, s);
    return at->events->values[at->events->count + at->index];
}

/* A time that rounding allows, as a fraction of the step. */
static double resolution(const tb_taken *step) {
    return 8.0 * DBL_EPSILON * fmax(fabs(step->t), fabs(step->t + step->h)) / step->h +
           8.0 * DBL_EPSILON;
}

/* A function that isn't on its other side yet falls through this. */
static double level_of(const tb_events *e, long i) {
    return e->sign[i] == 0 ? -e->floor[i] : 0.0;
}

/* Where in (a, b) a function that is above its level at both ends is lowest; b where it only falls
 * or rises. */
static double lowest(const located *at, double a, double b) {
    const tb_events *e = at->events;
    long i = at->index;
    if (i >= e->sloped || e->sign[i] < 0)
        return b;
    double f_a = e->slopes[i], f_b = e->end_values[e->count + i];
    if (!(f_a < 0.0 && f_b > 0.0))
        return b;
    return tb_root(slope_at, (void *)at, a, b, f_a, f_b, 1e-6 * (b - a));
}

/* Where in (a, b] an event's function changes its sign as wanted, 2 when nowhere. */
static double crossing(tb_events *e, const tb_problem *problem, const tb_taken *step, long i,
                       double a, double b) {
    located at = {e, problem, step, i, 0.0};
    if (step->t + b * step->h <= e->locked_until[i])
        return 2.0;
    if (step->t + a * step->h < e->locked_until[i]) {
        a = (e->locked_until[i] - step->t) / step->h;
        e->sign[i] = side_of(e, i, value_at(&at, a));
        e->locked_until[i] = -INFINITY;
    }
    int side = e->sign[i] ? e->sign[i] : e->floor[i] > 0.0;
    at.level = level_of(e, i);
    double f_b = e->end_values[i] - at.level;
    if (side == 0 || isnan(f_b) || (e->direction[i] != 0 && e->direction[i] == side))
        return 2.0;
    if (sign_of(f_b) == side) {
        double low = lowest(&at, a, b);
        if (low == b || (f_b = value_at(&at, low)) >= 0.0)
            return 2.0;
        b = low;
    }
    double f_a = value_at(&at, a);
    if (sign_of(f_a) != side) /* it left its side just where this part begins */
        return a;
    return tb_root(value_at, &at, a, b, f_a, f_b, resolution(step));
}

/* Corrects the place of an event by steps of the method itself, whose last state is in e->exact.
 * The slope comes from the dense output: it needs no more than a digit or two. */
static double correct(tb_events *e, const tb_problem *problem, const tb_taken *step, long i,
                      double a, double b, double s) {
    located at = {e, problem, step, i, level_of(e, i)};
    double apart = 1e-3 * (b - a), low = fmax(s - apart, 0.0), high = fmin(s + apart, 1.0);
    double slope = (value_at(&at, high) - value_at(&at, low)) / (high - low);
    for (long round = 0;; round++) {
        double t = step->t + s * step->h;
        step->again(step->method, problem, s * step->h, e->exact);
        tb_settle(problem, t, e->exact, 0);
        evaluate(e, problem, t, e->exact, e->values);
        double change = -(e->values[i] - at.level) / slope;
        if (round == CORRECTIONS || !(fabs(change) <= b - a) || fabs(change) <= resolution(step))
            return s;
        double next = fmin(fmax(s + change, a), 1.0);
        if (next == s || next <= 0.0)
            return s;
        s = next;
    }
}

/* Notes an event at a fraction s of the step, which the dense output has at `seen`: up to there it
 * would show the same crossing again. */
static void record(tb_events *e, const tb_problem *problem, const tb_taken *step, long i, double s,
                   double seen) {
    long n = tb_state_size(problem), row = e->found++;
    interpolate(e, problem, step, s);
    for (long k = 0; k < n; k++)
        e->state[k] -= e->exact[k];
    e->errors[row] = tb_scaled_norm(n, e->state, e->exact, e->exact, e->rtol, e->atol);
    e->times[row] = step->t + s * step->h;
    e->indices[row] = (int)i;
    e->directions[row] = e->sign[i] ? -e->sign[i] : -1;
    memcpy(e->states + row * n, e->exact, (size_t)n * sizeof *e->exact);
    e->sign[i] = e->directions[row];
    e->locked_until[i] = step->t + fmax(s, seen) * step->h + e->locking[i];
}

/* Which watched function is no number at the end of a part, -1 when none. */
static long first_undefined(const tb_events *e) {
    for (long i = e->watched; i < e->count; i++)
        if (isnan(e->end_values[i]))
            return i;
    return -1;
}

/* Notes that the step can't be looked at: it ends where it began. */
static void give_up(tb_events *e, const tb_problem *problem, const tb_taken *step, long i) {
    long n = tb_state_size(problem), row = e->found++;
    memcpy(e->states + row * n, step->rows, (size_t)n * sizeof *e->states);
    e->errors[row] = 0.0;
    e->times[row] = step->t;
    e->indices[row] = (int)(-1 - i);
    e->directions[row] = 0;
}

/* Takes over signs and slopes at the end of a part. */
static void pass(tb_events *e, double t) {
    for (long i = 0; i < e->count; i++) {
        int now = side_of(e, i, e->end_values[i]);
        if (now != 0 && t > e->locked_until[i])
            e->sign[i] = now;
    }
    for (long i = 0; i < e->sloped; i++)
        e->slopes[i] = e->end_values[e->count + i];
}

/* Notes which functions are off their sides at a fraction s of the step. Returns where one that is
 * back was seen off its side first, 2 when none is. */
static double back_from(tb_events *e, const tb_taken *step, double s, const double *values) {
    double first = 2.0;
    for (long i = 0; i < e->count; i++) {
        int now = side_of(e, i, values[i]);
        if (now == 0 || e->sign[i] == 0 || step->t + s * step->h <= e->locked_until[i])
            continue;
        if (now != e->sign[i])
            e->away[i] = fmin(e->away[i], s);
        else
            first = fmin(first, e->away[i]);
    }
    return first;
}

/* The end of a part that begins at a: b, or where an instant that is recorded shows a function off
 * its side that is back by b. */
static double end_of_part(tb_events *e, const tb_problem *problem, const tb_taken *step, double a,
                          double b) {
    double t_a = step->t + a * step->h, t_b = step->t + b * step->h, first = 2.0;
    for (long i = 0; i < e->count; i++)
        e->away[i] = 2.0;
    for (long k = 0; k < step->count && step->times[k] < t_b && first > b; k++) {
        if (step->times[k] <= t_a)
            continue;
        double s = (step->times[k] - step->t) / step->h;
        interpolate(e, problem, step, s);
        evaluate(e, problem, step->times[k], e->state, e->values);
        first = back_from(e, step, s, e->values);
    }
    return fmin(fmin(first, back_from(e, step, b, e->end_values)), b);
}

void tb_events_start(tb_events *e, const tb_problem *problem, double t, const double *x) {
    evaluate(e, problem, t, x, e->values);
    for (long i = 0; i < e->count; i++) {
        e->sign[i] = side_of(e, i, e->values[i]);
        e->locked_until[i] = -INFINITY;
    }
    for (long i = 0; i < e->sloped; i++)
        e->slopes[i] = e->values[e->count + i];
}

int tb_events_scan(tb_events *e, const tb_problem *problem, const tb_taken *step) {
    long n = tb_state_size(problem), more = e->samples; /* parts than usual */
    double a = 0.0;
    for (long part = 1; part <= e->samples;) {
        double whole = (double)part / (double)e->samples, t_b = step->t + whole * step->h;
        interpolate(e, problem, step, whole);
        evaluate(e, problem, t_b, e->state, e->end_values);
        double b = more ? end_of_part(e, problem, step, a, whole) : whole;
        if (b < whole) {
            more--;
            t_b = step->t + b * step->h;
            interpolate(e, problem, step, b);
            evaluate(e, problem, t_b, e->state, e->end_values);
        }
        long undefined = first_undefined(e);
        if (undefined >= 0) {
            give_up(e, problem, step, undefined);
            return 1;
        }
        for (long fired = 0; fired < e->count; fired++) {
            double first = 2.0, together = 4.0 * resolution(step);
            long which = -1;
            for (long i = 0; i < e->count; i++) {
                double s = crossing(e, problem, step, i, a, b);
                if (s < first - together) { /* of two at one instant the one described first */
                    first = s;
                    which = i;
                }
            }
            if (which < 0)
                break;
            double seen = first;
            if (first > 0.0)
                first = correct(e, problem, step, which, a, b, first);
            else
                memcpy(e->exact, step->rows, (size_t)n * sizeof *e->exact);
            record(e, problem, step, which, first, seen);
            if (e->active[which])
                return 1;
            a = fmin(first, b);
        }
        pass(e, t_b);
        a = b;
        part += b == whole;
    }
    return 0;
}
