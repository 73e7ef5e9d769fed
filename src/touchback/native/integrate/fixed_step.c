#include "integrate/fixed_step.h"

#include <math.h>
#include <string.h>

#include "integrate/dense_output.h"
#include "integrate/energy_balance.h"
#include "integrate/sampler.h"
#include "interrupt.h"

static void part_of_step(void *method, const tb_problem *problem, double part, double *x) {
    tb_fixed *self = method;
    double t = self->t0 + (double)self->steps * self->h + self->offset;
    self->step(problem, t, part, self->x, x, self->scratch + tb_state_size(problem));
}

/* The cubic through the present state and the next one. */
static void prepare_dense_output(tb_fixed *self, const tb_problem *problem, double t, double h,
                                 double t_next) {
    long n = tb_state_size(problem);
    double *rates = self->rows + TB_DENSE_ROWS * n;
    if (self->rate_known)
        memcpy(rates, rates + n, (size_t)n * sizeof *rates);
    else
        tb_rate(problem, t, self->x, rates);
    tb_rate(problem, t_next, self->scratch, rates + n);
    self->rate_known = 1;
    tb_dense_cubic(n, h, self->x, self->scratch, rates, rates + n, self->rows);
}

/* Events between the present state and the next one. Returns 1 at an active one. */
static int scan(tb_fixed *self, const tb_problem *problem, double t, double h) {
    tb_taken taken = {t, h, self->rows, part_of_step, self, NULL, 0};
    return tb_events_scan(self->events, problem, &taken);
}

long tb_fixed_try(tb_fixed *self, const tb_problem *problem, double t, double h, double t_next) {
    long n = tb_state_size(problem);
    long changing = tb_changing_size(problem);
    double *next = self->scratch;
    const tb_sampler *sampler = problem->sampler;
    int ticks = sampler && self->offset == 0.0 && self->steps % sampler->every == 0;
    if (ticks) {
        tb_sample(sampler, problem, t, self->x);
        self->rate_known = 0;
        changing = n;
    }
    self->step(problem, t, h, self->x, next, next + n);
    tb_settle(problem, t_next, next, 1);
    long bad = tb_first_not_finite(next, changing);
    if (bad >= 0 && ticks)
        tb_take_back(sampler, self->x);
    return bad;
}

/* A part of a step, of which the state is taken over. */
static int take_part(tb_fixed *self, const tb_problem *problem, double t, double h, double t_next) {
    self->bad = tb_fixed_try(self, problem, t, h, t_next);
    if (self->bad < 0)
        memcpy(self->x, self->scratch, (size_t)tb_changing_size(problem) * sizeof *self->x);
    return self->bad < 0;
}

/* Whether a jump belongs to the steps before the one that begins at t: a jump that the numbers of
 * time place a rounding after the end of a step is the step's, which ends behind it. */
static int is_over(const tb_rate_jumps *jumps, long i, double t, int first_step) {
    return jumps->at[i] <= t || (jumps->before[i] < t && !first_step);
}

int tb_fixed_take(tb_fixed *self, const tb_problem *problem) {
    const tb_rate_jumps *jumps = &self->jumps;
    double t = self->t0 + (double)self->steps * self->h, start = t, h = self->h;
    double t_next = self->t0 + (double)(self->steps + 1) * self->h;
    int first_step = self->steps == 0, parted = 0;
    while (self->next_jump < jumps->count && is_over(jumps, self->next_jump, t, first_step))
        self->next_jump++;
    while (self->next_jump > 0 && !is_over(jumps, self->next_jump - 1, t, first_step))
        self->next_jump--; /* the step was taken back */
    if (self->next_jump > 0 && jumps->at[self->next_jump - 1] > t) {
        t = jumps->at[self->next_jump - 1];
        h = t_next - t;
    }
    for (; self->next_jump < jumps->count && jumps->before[self->next_jump] < t_next;
         self->next_jump++) {
        double before = jumps->before[self->next_jump], at = jumps->at[self->next_jump];
        if (before > t) {
            if (!take_part(self, problem, t, before - t, before))
                return TB_NOT_FINITE;
            parted = 1;
        }
        if (at < INFINITY && tb_projects(problem))
            problem->kind->project(problem, at, self->x);
        self->offset = parted ? at - start : 0.0; /* what is sampled at the start still is to be */
        t = at;
        h = t_next - at;
    }
    if (h > 0.0 && !take_part(self, problem, t, h, t_next))
        return TB_NOT_FINITE;
    self->offset = 0.0;
    self->steps++;
    return TB_REACHED;
}

int tb_fixed_advance(tb_fixed *self, const tb_problem *problem, long count, long every,
                     double *record, long *written) {
    long n = tb_state_size(problem), moving = tb_changing_size(problem);
    double *next = self->scratch;
    for (; count > 0; count--) {
        if (tb_stop_asked())
            return TB_INTERRUPTED;
        double start = self->t0 + (double)self->steps * self->h, t = start + self->offset;
        double h = self->h - self->offset, t_next = self->t0 + (double)(self->steps + 1) * self->h;
        if (self->jumps.count) { /* without events: in parts */
            if (tb_fixed_take(self, problem) != TB_REACHED)
                return TB_NOT_FINITE;
            if (self->steps % every == 0)
                memcpy(record + (*written)++ * n, self->x, (size_t)n * sizeof *next);
            continue;
        }
        self->bad = tb_fixed_try(self, problem, t, h, t_next);
        if (self->bad >= 0)
            return TB_NOT_FINITE;
        if (self->events || problem->energy_balance)
            prepare_dense_output(self, problem, t, h, t_next);
        int active = self->events && scan(self, problem, t, h);
        int early = active && tb_event_time(self->events) < t_next;
        if (problem->energy_balance)
            tb_energy_balance_add_step(problem->energy_balance, t, h, self->rows,
                                       early ? (tb_event_time(self->events) - t) / h : 1.0);
        if (early) {
            memcpy(self->x, tb_event_state(self->events, n), (size_t)n * sizeof *next);
            self->offset = tb_event_time(self->events) - start;
            return TB_EVENT;
        }
        memcpy(self->x, next, (size_t)moving * sizeof *next);
        self->offset = 0.0;
        self->steps++;
        if (self->steps % every == 0)
            memcpy(record + (*written)++ * n, self->x, (size_t)n * sizeof *next);
        if (active)
            return TB_EVENT;
        if (self->events && tb_events_full(self->events))
            return TB_PAUSED;
    }
    return TB_REACHED;
}
