/* What whoever holds a problem with modes, or watches one of them, may ask. */
#include "modes/modes.h"

void tb_mode_indicators(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context) {
    const tb_mode *mode = context;
    const tb_modes *e = mode->modes;
    tb_mode_values(x, u, p, e->end_values, work, context);
    for (long k = 0; k < mode->exit_count; k++)
        out[k] = e->end_values[k] - e->sides[k] * e->thresholds[k];
}

static long settle(const tb_problem *problem, double t, double *x, long accepted) {
    tb_modes *e = problem->modes;
    long number = tb_mode_of(e, x);
    if (number < 0)
        return 0;
    tb_mode *mode = tb_modes_lend(e, problem, number);
    return tb_settle(&mode->problem, t, x, accepted);
}

static tb_solver_status status(const tb_problem *problem) {
    const tb_modes *e = problem->modes;
    tb_solver_status sum = {.chattering = e->chattering, .not_converged = e->unmet};
    for (long i = 0; i < e->mode_count; i++)
        sum.paradoxes += e->modes[i].constrained->work->statistics.paradoxes;
    return sum;
}

static void reset_warm_start(const tb_problem *problem) {
    for (long i = 0; i < problem->modes->mode_count; i++)
        tb_reset_warm_start(&problem->modes->modes[i].problem);
}

static long save_warm_start(const tb_problem *problem, double *memory) {
    const tb_modes *e = problem->modes;
    long size = 0;
    for (long i = 0; i < e->set_count; i++)
        size += tb_constrained_save_warm_start(e->sets[i], memory ? memory + size : NULL);
    return size;
}

static int restore_warm_start(const tb_problem *problem, const double *memory) {
    const tb_modes *e = problem->modes;
    const double *at = memory;
    for (long i = 0; i < e->set_count; at += tb_constrained_save_warm_start(e->sets[i++], NULL))
        if (!tb_constrained_is_warm_start(e->sets[i], at))
            return 0;
    for (long i = 0; i < e->set_count; memory += tb_constrained_save_warm_start(e->sets[i++], NULL))
        tb_constrained_restore_warm_start(e->sets[i], memory);
    return 1;
}

void tb_modes_renew(tb_modes *e) {
    e->crowd = e->transitions = e->chattering = e->unmet = e->logged = 0;
    e->failed = -1;
}

const tb_dynamics_kind tb_modes_kind = {.project = tb_modes_project,
                                        .status = status,
                                        .reset_warm_start = reset_warm_start,
                                        .save_warm_start = save_warm_start,
                                        .restore_warm_start = restore_warm_start};
const tb_dynamics_kind tb_modes_settling = {
    .settle = settle, .status = status, .reset_warm_start = reset_warm_start};
