/* Modes seen as one: which reigns, its rate, its indicators, and what is recorded of it. */
#ifndef TB_ON_DEVICE
#include "modes/modes.h"

#include <math.h>
#include <string.h>
#endif

TB_DEVICE long tb_mode_of(const tb_modes *e, const double *x) {
    long mode = 0;
    for (long i = 0; i < e->group_count; i++) {
        double number = x[e->group_places[i]];
        if (!(number >= 0.0 && number < (double)e->group_sizes[i]))
            return -1;
        mode = mode * e->group_sizes[i] + (long)number;
    }
    return mode;
}

TB_DEVICE tb_mode *tb_modes_lend(tb_modes *e, const tb_problem *problem, long number) {
    tb_mode *mode = e->modes + number;
    tb_lend_inputs(problem, &mode->problem);
    return mode;
}

TB_DEVICE void tb_mode_values_at(tb_mode *mode, double t, const double *x, double *values) {
    const tb_problem *problem = &mode->problem;
    tb_set_inputs(problem, t, x);
    tb_mode_values(x, problem->u, problem->p, values, NULL, mode);
}

/* The rate in a mode; accelerations and multipliers of all rows are left in e->a and e->lambda. */
static void mode_rate(const tb_mode *mode, const double *x, const double *u, const double *p,
                      double *out) {
    tb_modes *e = mode->modes;
    const tb_constrained_model *model = mode->constrained->model;
    const tb_constrained_work *work = mode->constrained->work;
    TB_CALL(&mode->problem, rate, x, u, p, out);
    memcpy(e->a, work->a, (size_t)e->velocities * sizeof *out);
    memset(e->lambda, 0, (size_t)e->row_count * sizeof *out);
    for (long i = 0; i < model->m; i++)
        e->lambda[mode->rows[i]] = work->lambda[i];
}

TB_DEVICE void tb_modes_rate(const double *x, const double *u, const double *p, double *out,
                             double *work, const void *context) {
    tb_modes *e = (tb_modes *)context;
    long mode = tb_mode_of(e, x);
    (void)work;
    if (mode < 0)
        for (long i = 0; i < e->n; i++)
            out[i] = NAN;
    else
        mode_rate(e->modes + mode, x, u, p, out);
}

/* Nothing is told of a state that is in no mode. */
TB_DEVICE void tb_modes_outputs(const double *x, const double *u, const double *p, double *out,
                                double *work, const void *context) {
    const tb_modes *e = (const tb_modes *)context;
    long number = tb_mode_of(e, x);
    (void)work;
    if (number < 0)
        out[0] = NAN;
    else
        TB_CALL(e->modes + number, outputs, x, u, p, out);
}

TB_DEVICE void tb_modes_updates(const double *x, const double *u, const double *p, double *out,
                                double *work, const void *context) {
    const tb_modes *e = (const tb_modes *)context;
    long number = tb_mode_of(e, x);
    (void)work;
    if (number < 0)
        out[0] = NAN;
    else
        TB_CALL(e->modes + number, updates, x, u, p, out);
}

TB_DEVICE void tb_mode_values(const double *x, const double *u, const double *p, double *out,
                              double *work, const void *context) {
    const tb_mode *mode = (const tb_mode *)context;
    tb_modes *e = mode->modes;
    (void)work;
    size_t inputs = (size_t)e->input_count;
    if (mode->uses_forces) {
        mode_rate(mode, x, u, p, e->rate);
        memcpy(e->u + inputs, e->a, (size_t)e->velocities * sizeof *u);
        memcpy(e->u + inputs + e->velocities, e->lambda, (size_t)e->row_count * sizeof *u);
    }
    memcpy(e->u, u, inputs * sizeof *u);
    if (TB_HAS(mode, indicators))
        TB_CALL(mode, indicators, x, e->u, p, out);
}

TB_DEVICE void tb_modes_rows(const tb_problem *problem, long rows, const double *times,
                             const double *x, double *solutions, double *outputs,
                             long output_count) {
    tb_modes *e = problem->modes;
    long width = e->velocities + e->row_count;
    for (long row = 0; row < rows; row++, x += e->n, solutions += width, outputs += output_count) {
        long number = tb_mode_of(e, x);
        tb_set_inputs(problem, times[row], x);
        if (number >= 0) {
            const tb_constrained_model *model = e->modes[number].constrained->model;
            tb_constrained_work *work = e->modes[number].constrained->work;
            tb_count_all(model, work, work->most_rank, x, problem->u, problem->p);
        }
        tb_modes_rate(x, problem->u, problem->p, e->rate, NULL, e);
        memcpy(solutions, e->a, (size_t)e->velocities * sizeof *x);
        memcpy(solutions + e->velocities, e->lambda, (size_t)e->row_count * sizeof *x);
        memcpy(e->u, problem->u, (size_t)e->input_count * sizeof *x);
        memcpy(e->u + e->input_count, solutions, (size_t)width * sizeof *x);
        if (output_count)
            tb_modes_outputs(x, e->u, problem->p, outputs, NULL, e);
    }
}
