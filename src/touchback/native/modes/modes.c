/* Modes seen as one: which reigns, its rate, its indicators, and what is recorded of it. */
#include "modes/modes.h"

#include <math.h>
#include <string.h>

long tb_mode_of(const tb_modes *e, const double *x) {
    long mode = 0;
    for (long i = 0; i < e->group_count; i++) {
        double number = x[e->group_places[i]];
        if (!(number >= 0.0 && number < (double)e->group_sizes[i]))
            return -1;
        mode = mode * e->group_sizes[i] + (long)number;
    }
    return mode;
}

tb_mode *tb_modes_lend(tb_modes *e, const tb_problem *problem, long number) {
    tb_mode *mode = e->modes + number;
    mode->problem.u = problem->u;
    mode->problem.p = problem->p;
    mode->problem.input = problem->input;
    mode->problem.samples = problem->samples;
    return mode;
}

void tb_mode_values_at(tb_mode *mode, double t, const double *x, double *values) {
    const tb_problem *problem = &mode->problem;
    tb_set_inputs(problem, t, x);
    tb_mode_values(x, problem->u, problem->p, values, NULL, mode);
}

/* The rate in a mode; accelerations and multipliers of all rows are left in e->a and e->lambda. */
static void mode_rate(const tb_mode *mode, const double *x, const double *u, const double *p,
                      double *out) {
    tb_modes *e = mode->modes;
    const tb_constrained *c = mode->constrained;
    mode->problem.rate.call(x, u, p, out, mode->problem.rate.work, mode->problem.rate.context);
    memcpy(e->a, c->a, (size_t)e->velocities * sizeof *out);
    memset(e->lambda, 0, (size_t)e->row_count * sizeof *out);
    for (long i = 0; i < c->m; i++)
        e->lambda[mode->rows[i]] = c->lambda[i];
}

void tb_modes_rate(const double *x, const double *u, const double *p, double *out, double *work,
                   const void *context) {
    tb_modes *e = (tb_modes *)context;
    long mode = tb_mode_of(e, x);
    (void)work;
    if (mode < 0)
        for (long i = 0; i < e->n; i++)
            out[i] = NAN;
    else
        mode_rate(e->modes + mode, x, u, p, out);
}

/* One of a mode's functions, NaN for a state that is in none. */
static void dispatch(const tb_callable *f, const double *x, const double *u, const double *p,
                     double *out) {
    if (f)
        f->call(x, u, p, out, f->work, f->context);
    else
        out[0] = NAN;
}

void tb_modes_outputs(const double *x, const double *u, const double *p, double *out,
                      double *work, const void *context) {
    const tb_modes *e = context;
    long number = tb_mode_of(e, x);
    (void)work;
    dispatch(number < 0 ? NULL : &e->modes[number].outputs, x, u, p, out);
}

void tb_modes_updates(const double *x, const double *u, const double *p, double *out,
                      double *work, const void *context) {
    const tb_modes *e = context;
    long number = tb_mode_of(e, x);
    (void)work;
    dispatch(number < 0 ? NULL : &e->modes[number].updates, x, u, p, out);
}

void tb_mode_values(const double *x, const double *u, const double *p, double *out, double *work,
                    const void *context) {
    const tb_mode *mode = context;
    tb_modes *e = mode->modes;
    (void)work;
    size_t inputs = (size_t)e->input_count;
    if (mode->uses_forces) {
        mode_rate(mode, x, u, p, e->rate);
        memcpy(e->u + inputs, e->a, (size_t)e->velocities * sizeof *u);
        memcpy(e->u + inputs + e->velocities, e->lambda, (size_t)e->row_count * sizeof *u);
    }
    memcpy(e->u, u, inputs * sizeof *u);
    if (mode->indicators.call)
        mode->indicators.call(x, e->u, p, out, mode->indicators.work,
                              mode->indicators.context);
}

void tb_mode_indicators(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context) {
    const tb_mode *mode = context;
    const tb_modes *e = mode->modes;
    tb_mode_values(x, u, p, e->end_values, work, context);
    for (long k = 0; k < mode->exit_count; k++)
        out[k] = e->end_values[k] - e->sides[k] * e->thresholds[k];
}

void tb_modes_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                   double *solutions, double *outputs, long output_count) {
    tb_modes *e = problem->modes;
    long width = e->velocities + e->row_count;
    for (long row = 0; row < rows; row++, x += e->n, solutions += width, outputs += output_count) {
        tb_set_inputs(problem, times[row], x);
        tb_modes_rate(x, problem->u, problem->p, e->rate, NULL, e);
        memcpy(solutions, e->a, (size_t)e->velocities * sizeof *x);
        memcpy(solutions + e->velocities, e->lambda, (size_t)e->row_count * sizeof *x);
        memcpy(e->u, problem->u, (size_t)e->input_count * sizeof *x);
        memcpy(e->u + e->input_count, solutions, (size_t)width * sizeof *x);
        if (output_count)
            tb_modes_outputs(x, e->u, problem->p, outputs, NULL, e);
    }
}

static long settle(const tb_problem *problem, double t, double *x, long accepted) {
    tb_modes *e = problem->modes;
    long number = tb_mode_of(e, x);
    if (number < 0)
        return 0;
    tb_mode *mode = tb_modes_lend(e, problem, number);
    return tb_settle(&mode->problem, t, x, accepted);
}

static tb_troubles troubles(const tb_problem *problem) {
    const tb_modes *e = problem->modes;
    tb_troubles sum = {.chattering = e->chattering, .not_converged = e->unmet};
    for (long i = 0; i < e->mode_count; i++)
        sum.paradoxes += e->modes[i].constrained->statistics.paradoxes;
    return sum;
}

static void forget(const tb_problem *problem) {
    for (long i = 0; i < problem->modes->mode_count; i++)
        tb_forget_way(&problem->modes->modes[i].problem);
}

static long remember(const tb_problem *problem, double *memory) {
    const tb_modes *e = problem->modes;
    long size = 0;
    for (long i = 0; i < e->set_count; i++)
        size += tb_constrained_remember(e->sets[i], memory ? memory + size : NULL);
    return size;
}

static int recall(const tb_problem *problem, const double *memory) {
    const tb_modes *e = problem->modes;
    const double *at = memory;
    for (long i = 0; i < e->set_count; at += tb_constrained_remember(e->sets[i++], NULL))
        if (!tb_constrained_fits(e->sets[i], at))
            return 0;
    for (long i = 0; i < e->set_count; memory += tb_constrained_remember(e->sets[i++], NULL))
        tb_constrained_recall(e->sets[i], memory);
    return 1;
}

const tb_motion tb_modes_motion = {.project = tb_modes_project, .troubles = troubles,
                                   .forget = forget, .remember = remember, .recall = recall};
const tb_motion tb_modes_settling = {.settle = settle, .troubles = troubles, .forget = forget};
