/* Phases seen as one: which reigns, its rate, its indicators, and what is recorded of it. */
#include "episode/episode.h"

#include <math.h>
#include <string.h>

long tb_phase_of(const tb_episode *e, const double *x) {
    long phase = 0;
    for (long i = 0; i < e->automaton_count; i++) {
        double number = x[e->mode_places[i]];
        if (!(number >= 0.0 && number < (double)e->mode_counts[i]))
            return -1;
        phase = phase * e->mode_counts[i] + (long)number;
    }
    return phase;
}

/* The rate in a phase; accelerations and multipliers of all rows are left in e->a and e->lambda. */
static void phase_rate(const tb_phase *phase, const double *x, const double *u, const double *p,
                       double *out) {
    tb_episode *e = phase->episode;
    const tb_constrained *c = phase->constrained;
    phase->problem.rate.call(x, u, p, out, phase->problem.rate.work, phase->problem.rate.context);
    memcpy(e->a, c->a, (size_t)e->velocities * sizeof *out);
    memset(e->lambda, 0, (size_t)e->row_count * sizeof *out);
    for (long i = 0; i < c->m; i++)
        e->lambda[phase->rows[i]] = c->lambda[i];
}

void tb_episode_rate(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context) {
    tb_episode *e = (tb_episode *)context;
    long phase = tb_phase_of(e, x);
    (void)work;
    if (phase < 0)
        for (long i = 0; i < e->n; i++)
            out[i] = NAN;
    else
        phase_rate(e->phases + phase, x, u, p, out);
}

/* One of a phase's functions, NaN for a state that is in none. */
static void dispatch(const tb_callable *f, const double *x, const double *u, const double *p,
                     double *out) {
    if (f)
        f->call(x, u, p, out, f->work, f->context);
    else
        out[0] = NAN;
}

void tb_episode_outputs(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context) {
    const tb_episode *e = context;
    long number = tb_phase_of(e, x);
    (void)work;
    dispatch(number < 0 ? NULL : &e->phases[number].outputs, x, u, p, out);
}

void tb_episode_updates(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context) {
    const tb_episode *e = context;
    long number = tb_phase_of(e, x);
    (void)work;
    dispatch(number < 0 ? NULL : &e->phases[number].updates, x, u, p, out);
}

void tb_phase_values(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context) {
    const tb_phase *phase = context;
    tb_episode *e = phase->episode;
    (void)work;
    size_t inputs = (size_t)e->input_count;
    if (phase->uses_forces) {
        phase_rate(phase, x, u, p, e->rate);
        memcpy(e->u + inputs, e->a, (size_t)e->velocities * sizeof *u);
        memcpy(e->u + inputs + e->velocities, e->lambda, (size_t)e->row_count * sizeof *u);
    }
    memcpy(e->u, u, inputs * sizeof *u);
    if (phase->indicators.call)
        phase->indicators.call(x, e->u, p, out, phase->indicators.work,
                               phase->indicators.context);
}

void tb_phase_indicators(const double *x, const double *u, const double *p, double *out,
                         double *work, const void *context) {
    const tb_phase *phase = context;
    const tb_episode *e = phase->episode;
    tb_phase_values(x, u, p, e->end_values, work, context);
    for (long k = 0; k < phase->exit_count; k++)
        out[k] = e->end_values[k] - e->sides[k] * e->thresholds[k];
}

void tb_episode_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                     double *solutions, double *outputs, long output_count) {
    tb_episode *e = problem->episode;
    long width = e->velocities + e->row_count;
    for (long row = 0; row < rows; row++, x += e->n, solutions += width, outputs += output_count) {
        tb_set_inputs(problem, times[row], x);
        tb_episode_rate(x, problem->u, problem->p, e->rate, NULL, e);
        memcpy(solutions, e->a, (size_t)e->velocities * sizeof *x);
        memcpy(solutions + e->velocities, e->lambda, (size_t)e->row_count * sizeof *x);
        memcpy(e->u, problem->u, (size_t)e->input_count * sizeof *x);
        memcpy(e->u + e->input_count, solutions, (size_t)width * sizeof *x);
        if (output_count)
            tb_episode_outputs(x, e->u, problem->p, outputs, NULL, e);
    }
}
