/* How instances with modes begin, chatter, and are reported. */
#include "batch/batch.h"
#include "modes/modes.h"

static double begin(const tb_batch *b, tb_batch_worker *w) {
    tb_restore_warm_start(w->problem, w->fresh);
    tb_modes_renew(w->problem->modes);
    double gap = tb_modes_open(w->problem, b->t0, w->x, 0);
    tb_modes_begin(w->problem->modes, w->problem, b->t0, w->x);
    return gap;
}

static int goes_on(const tb_batch *b, const tb_batch_worker *w) {
    return !tb_modes_crowded(w->problem->modes, b->crowded);
}

/* Whether all causes of transitions are numbers, mode by mode. */
static int is_read(const tb_batch *b, const tb_batch_worker *w, long rows) {
    tb_modes *e = w->problem->modes;
    for (long number = 0; number < e->mode_count; number++) {
        tb_mode *mode = tb_modes_lend(e, w->problem, number);
        for (long row = 0; row < rows; row++) {
            const double *x = w->states + row * b->states;
            if (tb_mode_of(e, x) == number &&
                tb_mode_unread(mode, tb_batch_instant(b, row), x) >= 0)
                return 0;
        }
    }
    return 1;
}

static int report(const tb_batch *b, tb_batch_worker *w, long instance) {
    const tb_problem *problem = w->problem;
    long rows = tb_batch_recorded_states(b), before = tb_solver_status_of(problem).paradoxes;
    if (!is_read(b, w, rows))
        return 0;
    for (long row = 0; row < rows; row++) {
        double t = tb_batch_instant(b, row);
        if (b->sensors || b->has_friction)
            tb_modes_rows(problem, 1, &t, w->states + row * b->states, w->solutions, w->shown,
                          b->sensors);
        if (row <= b->steps / b->every)
            tb_batch_note(b, w, instance, row);
    }
    tb_batch_report *report = b->reports + instance;
    report->paradoxes = (double)(tb_solver_status_of(problem).paradoxes - before);
    for (long row = 0; row < rows; row++) {
        double t = tb_batch_instant(b, row);
        double open = tb_modes_open(problem, t, w->states + row * b->states, 1);
        if (!(open <= report->largest_h))
            report->largest_h = open;
    }
    return 1;
}

const tb_batch_kind tb_batch_modal_kind = {begin, tb_batch_take_fixed, goes_on, report};
