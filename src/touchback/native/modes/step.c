/* A fixed step with the transitions in it: the step is taken as if nothing happened; where an
 * indicator has changed its side, the instant is found by inverse interpolation through steps of
 * the method itself, the exit is taken there, and the rest of the step follows in the next mode. */
#ifndef TB_ON_DEVICE
#include <float.h>
#include <math.h>
#include <string.h>

#include "modes/modes.h"
#endif

static const long LOOKS = 50;         /* most steps that are taken to find an instant */
static const double RESOLVED = 1e-14; /* of the step: what an instant is found to */
static const double TOGETHER = 1e-12; /* of the step: instants that can't be told apart */

typedef struct part {
    tb_modes *modes;
    tb_mode *mode;
    double t;            /* from where steps are tried */
    const double *start; /* the state there */
} part;

/* The method's own step over `length`, made consistent, in e->trial; its values in `values`. */
static void try_step(const part *from, double length, double *values) {
    tb_modes *e = from->modes;
    const tb_problem *problem = &from->mode->problem;
    double t = from->t + length;
    e->step(problem, from->t, length, from->start, e->trial, e->scratch);
    tb_settle(problem, t, e->trial, 1);
    tb_set_inputs(problem, t, e->trial);
    tb_mode_values(e->trial, problem->u, problem->p, values, NULL, from->mode);
}

/* How far an exit is from being passed, of its values in `values`. */
static double distance(const tb_modes *e, const tb_mode *mode, long k, const double *values) {
    return e->sides[k] * values[mode->exits[k].when] - e->thresholds[k];
}

/* Whether an exit is passed at the end; one that rests at zero exactly isn't. */
static int passed(const tb_modes *e, const tb_mode *mode, long k) {
    return e->sides[k] != 0.0 && distance(e, mode, k, e->end_values) <= 0.0;
}

/* From when on an exit may be passed: from `ahead` on where it is not passed then, lest the zero
 * that it leaves be found; 2 * length for never. */
static double armed_from(const tb_modes *e, const tb_mode *mode, long k, double ahead,
                         double length) {
    if (ahead < length && distance(e, mode, k, e->ahead_values) > 0.0)
        return ahead;
    return e->waits[k] ? 2.0 * length : 0.0;
}

/* Where between `low` and `high` seconds an indicator passes zero; the state there is left in
 * e->trial. A chord first, then inverse quadratic interpolation where it can be trusted, else
 * halving (Chandrupatla, Advances in Engineering Software 28, 1997): a bounce that is short beside
 * the step bends its indicator so much that interpolation alone would hardly get nearer. */
static double find(const part *from, long k, double low, double high, double f_low, double f_high) {
    tb_modes *e = from->modes;
    double near = low, f_near = f_low, far = high, f_far = f_high, third, f_third;
    double nothing = 4.0 * DBL_EPSILON * (fabs(f_low) + fabs(f_high));
    double portion = f_low / (f_low - f_high), at = high;
    for (long look = 0; look < LOOKS && look < e->looks; look++) {
        e->looks_left--;
        at = near + portion * (far - near);
        try_step(from, at, e->end_values);
        double f = distance(e, from->mode, k, e->end_values);
        if (fabs(f) <= nothing)
            return at;
        if ((f > 0.0) == (f_near > 0.0)) {
            third = near, f_third = f_near;
        } else {
            third = far, f_third = f_far;
            far = near, f_far = f_near;
        }
        near = at, f_near = f;
        double least = 0.5 * RESOLVED * high / fabs(far - near);
        if (!(least <= 0.5))
            break;
        double place = (near - far) / (third - far), level = (f_near - f_far) / (f_third - f_far);
        portion = 0.5;
        if (level * level < place && (1.0 - level) * (1.0 - level) < 1.0 - place)
            portion = f_near / (f_far - f_near) * f_third / (f_far - f_third) +
                      (third - near) / (far - near) * f_near / (f_third - f_near) * f_far /
                          (f_third - f_far);
        portion = fmin(fmax(portion, least), 1.0 - least);
    }
    if (f_near > nothing) { /* behind a jump, not before it, where what parts would meet again */
        at = far;
        try_step(from, at, e->end_values);
    }
    return at;
}

/* The exit that is passed first within `length` seconds, -1 for none; *at is its instant. The state
 * there, or at the end, is left in e->trial. Of those passed at one instant the one described first
 * is taken, as where steps adapt. */
static long first_exit(const part *from, double length, double ahead, double *at) {
    tb_modes *e = from->modes;
    const tb_mode *mode = from->mode;
    double together = TOGETHER * length + 4.0 * DBL_EPSILON * fabs(from->t);
    long first = -1, any = 0;
    *at = length;
    try_step(from, length, e->end_values);
    for (long k = 0; k < mode->exit_count; k++)
        any |= passed(e, mode, k);
    if (!any)
        return -1;
    tb_modes_look_ahead(e, &mode->problem, from->t, from->start, ahead);
    /* Until no other indicator has passed before the one found, or no more tries are left. */
    for (long again = 1, tries = 0; again && tries < mode->exit_count; tries++) {
        again = 0;
        for (long k = 0; k < mode->exit_count; k++) {
            double low = armed_from(e, mode, k, ahead, length), before = *at;
            if (k == first || !(low < before) || !passed(e, mode, k) ||
                (first >= 0 && e->looks_left <= 0))
                continue;
            if (!e->compensated)
                return k;
            double f_low = distance(e, mode, k, low > 0.0 ? e->ahead_values : e->values);
            *at = find(from, k, low, before, f_low, distance(e, mode, k, e->end_values));
            again |= before - *at > together;
            first = first < 0 || before - *at > together || k < first ? k : first;
        }
    }
    return first;
}

static void give_up(double *next, long n) {
    for (long i = 0; i < n; i++)
        next[i] = NAN;
}

/* Books what happens in a mode; nothing of a part that ended in a bad number. */
static void book_part(const tb_modes *e, double t, double length, const double *x) {
    if (e->energy_balance && tb_first_not_finite(e->trial, e->n) < 0)
        tb_energy_balance_add_cubic(e->energy_balance, t, length, x, e->trial);
}

/* Lets the energy balance go on in the mode that x is in. */
static void book_on(const tb_modes *e, double t, const double *x) {
    tb_energy_balance *balance = e->energy_balance;
    if (!balance)
        return;
    memcpy(balance->x, x, (size_t)e->n * sizeof *x);
    balance->t = t;
    tb_modes_begin(balance->own->modes, balance->own, t, balance->x);
}

TB_DEVICE void tb_modes_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch) {
    tb_modes *e = problem->modes;
    size_t bytes = (size_t)e->n * sizeof *x;
    long number = tb_mode_of(e, x);
    (void)scratch;
    memcpy(next, x, bytes);
    if (number < 0) {
        give_up(next, e->n);
        return;
    }
    size_t moving = (size_t)(e->nq + e->velocities) * sizeof *x;
    if (memcmp(x, e->modes[number].constrained->work->settled, moving) !=
        0) /* not where it was left */
        tb_modes_begin(e, problem, t, next);
    double now = t, end = t + h, ahead = e->ahead * h;
    long most = e->most;
    e->looks_left = e->looks;
    for (long count = 0; now < end; count++) {
        long exit = tb_modes_fires(e, problem, now, next, ahead);
        int spent = count >= most;
        if (spent && e->log) { /* a run that can be looked into ends here, a live one goes on */
            e->chattering++;
            give_up(next, e->n);
            return;
        }
        if (exit < 0 || spent) {
            part from = {e, e->modes + tb_mode_of(e, next), now, next};
            double length = end - now, at = length;
            if (spent)
                try_step(&from, length, e->end_values);
            exit = spent ? -1 : first_exit(&from, length, ahead, &at);
            book_part(e, now, at, next);
            memcpy(next, e->trial, bytes);
            now = at == length ? end : now + at;
            e->chattering += spent;
        }
        /* After so many bounces contacts stay where they may; that ends the crowd, once. */
        int rests = count == e->most - 1 && exit >= 0 &&
                    e->modes[tb_mode_of(e, next)].exits[exit].rest >= 0;
        most += rests ? e->most : 0;
        if (exit >= 0 && !tb_modes_cross(e, problem, now, next, exit, rests)) {
            give_up(next, e->n);
            return;
        }
        if (exit >= 0)
            book_on(e, now, next);
    }
}
