/* What whoever holds a problem may ask of its constraints, whatever the formulation. */
#include <string.h>

#include "constrained/formulations.h"

static double gap(const tb_problem *problem, double t, const double *x) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    tb_set_inputs(problem, t, x);
    tb_load(model, work, x);
    if (!work->started)
        tb_first_choice(model, work, problem->u, problem->p);
    tb_positions(model, work, problem->u, problem->p);
    return tb_position_size(work, work->at_positions);
}

static void project(const tb_problem *problem, double t, double *x) {
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    tb_set_inputs(problem, t, x);
    tb_load(model, work, x);
    if (work->started)
        tb_terms(model, work, problem->u, problem->p);
    else
        tb_first_choice(model, work, problem->u, problem->p);
    tb_project_state(model, work, problem->u, problem->p);
    memcpy(x, work->x, (size_t)(model->nq + model->n) * sizeof *x);
    tb_settle(problem, t, x, 1);
}

static double largest_open(const tb_constrained_model *model, const tb_constrained_work *work,
                           int driven) {
    double largest = 0.0;
    for (long i = 0; i < model->m; i++)
        if (model->holonomic[i] && (driven || !model->driven[i]) &&
            !(fabs(work->at_positions[i]) <= largest)) {
            largest = fabs(work->at_positions[i]);
            if (isnan(largest))
                return INFINITY;
        }
    return largest;
}

static double settled_gap(const tb_problem *problem) {
    return largest_open(problem->constrained->model, problem->constrained->work, 1);
}

/* Index 1 lets a coordinate follow what an encoder's steps prescribe, which are jumps. */
static double left_open_undriven(const tb_problem *problem) {
    return largest_open(problem->constrained->model, problem->constrained->work, 0);
}

static void reset_warm_start(const tb_problem *problem) {
    tb_reset_choice(problem->constrained->model, problem->constrained->work);
}

static void count_all(const tb_problem *problem, double t, const double *x) {
    tb_set_inputs(problem, t, x);
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    tb_count_all(model, work, work->most_rank, x, problem->u, problem->p);
}

/* Steps of their own review no choice, so that nobody knows how many rows counted at most. */
static void count_unknown(const tb_problem *problem, double t, const double *x) {
    tb_set_inputs(problem, t, x);
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    tb_count_all(model, work, model->m, x, problem->u, problem->p);
}

static tb_solver_status status(const tb_problem *problem) {
    const tb_constraint_statistics *s = &problem->constrained->work->statistics;
    return (tb_solver_status){.paradoxes = s->paradoxes, .not_converged = s->not_converged};
}

static long save_warm_start(const tb_problem *problem, double *memory) {
    return tb_constrained_save_warm_start(problem->constrained, memory);
}

static int restore_warm_start(const tb_problem *problem, const double *memory) {
    if (!tb_constrained_is_warm_start(problem->constrained, memory))
        return 0;
    tb_constrained_restore_warm_start(problem->constrained, memory);
    return 1;
}

const tb_dynamics_kind tb_partitioning_kind = {
    tb_partitioning_settle, project,  gap, settled_gap, status, reset_warm_start, save_warm_start,
    restore_warm_start,     count_all};
const tb_dynamics_kind tb_multipliers_kind = {tb_multipliers_settle,
                                              project,
                                              gap,
                                              left_open_undriven,
                                              status,
                                              reset_warm_start,
                                              save_warm_start,
                                              restore_warm_start,
                                              count_all};
const tb_dynamics_kind tb_projection_kind = {
    tb_projection_settle, project,  gap, settled_gap, status, reset_warm_start, save_warm_start,
    restore_warm_start,   count_all};
/* These see to consistency themselves, step by step. */
const tb_dynamics_kind tb_stepped_kind = {
    NULL,         project, gap, NULL, status, reset_warm_start, save_warm_start, restore_warm_start,
    count_unknown};
