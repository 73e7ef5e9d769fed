/* How instances whose constraints stay begin, and are reported. */
#include "batch/batch.h"
#include "constrained/constrained.h"

static double begin(const tb_batch *b, tb_batch_worker *w) {
    const tb_problem *problem = w->problem;
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    tb_restore_warm_start(problem, w->fresh);
    memset(&work->statistics, 0, sizeof work->statistics);
    tb_set_inputs(problem, b->t0, w->x);
    double gap = tb_widest_gap(model, work, w->x, problem->u, problem->p, NULL);
    tb_settle(problem, b->t0, w->x, 1);
    return gap;
}

/* What sensors show at a state, from the accelerations and multipliers there. */
static void measure(const tb_batch *b, const tb_batch_worker *w, double t, const double *x) {
    const tb_problem *problem = w->problem;
    const tb_constrained_model *model = problem->constrained->model;
    const tb_constrained_work *work = problem->constrained->work;
    double *solutions = w->solutions;
    tb_solved_rows(problem, 1, &t, x, work->a, model->n, work->lambda, model->m, w->next,
                   solutions + b->inputs);
    tb_copy(solutions, problem->u, b->inputs);
    tb_call(&w->sensors, x, solutions, problem->p, w->shown);
}

/* What is counted is of the steps, not of the looks at them. */
static int report(const tb_batch *b, tb_batch_worker *w, long instance) {
    const tb_constraint_statistics *s = &w->problem->constrained->work->statistics;
    tb_batch_report *report = b->reports + instance;
    report->largest_h = s->largest_h;
    report->singular = (double)s->singular;
    report->not_converged = (double)s->not_converged;
    report->paradoxes = (double)s->paradoxes;
    for (long row = 0; row <= b->steps / b->every; row++) {
        if (TB_HAS(w, sensors))
            measure(b, w, tb_batch_instant(b, row), w->states + row * b->states);
        tb_batch_note(b, w, instance, row);
    }
    return 1;
}

const tb_batch_kind tb_batch_constrained_kind = {begin, tb_batch_take_fixed, NULL, report};
