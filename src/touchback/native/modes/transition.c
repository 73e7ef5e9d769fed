/* A transition: resets, then positions onto the constraints of the mode that follows (weighted
 * with M), then velocities by impulses, M dv = W^T Lambda over the whole mechanism. What stays is
 * met, J v = b; a contact that is struck rebounds, by Newton's law J v+ - b = -e (J v- - b), or by
 * Poisson's: of the impulses that stop it a part e acts again. Impulses don't rub: so a transition
 * never gives energy. */
#ifndef TB_ON_DEVICE
#include <math.h>
#include <string.h>

#include "modes/modes.h"
#endif

static const long ITERATIONS = 20;
static const double MET = 1e-10; /* |h| of constraints that count as met [m or rad] */

/* A choice of dependent coordinates that knows nothing of earlier ones, at x. */
static void load_anew(const tb_constrained_model *model, tb_constrained_work *work, const double *x,
                      const tb_problem *problem) {
    work->started = work->truncated = 0;
    tb_load(model, work, x);
    tb_first_choice(model, work, problem->u, problem->p);
}

static int any_tracks(const tb_mode *mode) {
    for (long i = 0; i < mode->constrained->model->m; i++)
        if (mode->tracks[i])
            return 1;
    return 0;
}

/* The step by which the coordinates that track, and no others, meet their rows; `off` is what the
 * rows lack. */
static void follow(const tb_mode *mode, const double *J, const double *off) {
    const tb_constrained_model *model = mode->constrained->model;
    tb_constrained_work *work = mode->constrained->work;
    memset(work->step, 0, (size_t)model->n * sizeof *work->step);
    for (long k = 0; k < model->W_count; k++)
        for (long l = 0; mode->tracks[model->W_rows[k]] && l < model->J_count; l++)
            if (model->J_rows[l] == model->W_rows[k] &&
                model->J_columns[l] == model->W_columns[k] && J[l] != 0.0)
                work->step[model->J_columns[l]] += off[model->J_rows[l]] / J[l];
}

static void follow_positions(const tb_mode *mode) {
    const tb_constrained_model *model = mode->constrained->model;
    tb_constrained_work *work = mode->constrained->work;
    const double *u = mode->problem.u, *p = mode->problem.p;
    for (long i = 0; i < model->m; i++)
        work->right[i] = -work->at_positions[i];
    follow(mode, tb_positions_J(model, work), work->right);
    tb_increment(model, work, 1.0, work->step, u, p);
    tb_positions(model, work, u, p);
}

static void follow_velocities(const tb_mode *mode, double *x) {
    const tb_constrained_model *model = mode->constrained->model;
    tb_constrained_work *work = mode->constrained->work;
    load_anew(model, work, x, &mode->problem);
    tb_velocity_residual(model, work, tb_terms_J(model, work), tb_terms_b(model, work));
    follow(mode, tb_terms_J(model, work), work->residual);
    for (long j = 0; j < model->n; j++)
        x[model->nq + j] += work->step[j];
}

/* Positions of x onto the constraints of a mode: coordinates that track go alone where they are to
 * be, the others through what keeps them, M step = W^T mu. Returns how far these were off. */
static double meet_positions(tb_mode *mode, double t, double *x) {
    const tb_constrained_model *model = mode->constrained->model;
    tb_constrained_work *work = mode->constrained->work;
    const double *u = mode->problem.u, *p = mode->problem.p;
    double gap = 0.0, size = INFINITY, before;
    tb_set_inputs(&mode->problem, t, x);
    load_anew(model, work, x, &mode->problem);
    tb_leave_friction(model, work);
    for (long i = 0; i < model->m; i++)
        if (model->holonomic[i] && !mode->tracks[i] && !(fabs(work->at_terms[i]) <= gap))
            gap = fabs(work->at_terms[i]);
    int tracks = any_tracks(mode);
    for (long iteration = 0; iteration < ITERATIONS; iteration++) {
        tb_positions(model, work, u, p);
        if (tracks)
            follow_positions(mode);
        before = size;
        size = tb_position_size(work, work->at_positions);
        if (size <= model->tolerance || size - size != 0.0 || (size > 0.5 * before && size <= MET))
            break;
        tb_factor_for_solve(model, work, tb_positions_J(model, work));
        for (long i = 0; i < model->m; i++)
            work->right[i] = model->holonomic[i] ? -work->at_positions[i] : 0.0;
        tb_solve(model, work, tb_positions_J(model, work), tb_terms_W(model, work),
                 tb_terms_M(model, work), work->no_force, work->right, work->step, work->mu);
        tb_increment(model, work, 1.0, work->step, u, p);
    }
    memcpy(x, work->x, (size_t)model->nq * sizeof *x);
    return size <= MET ? gap : INFINITY;
}

/* Velocities after impulses on what stays alone. */
static void meet_impulses(const tb_mode *mode, const double *impulses, double *x) {
    const tb_constrained_model *model = mode->constrained->model;
    tb_constrained_work *work = mode->constrained->work;
    load_anew(model, work, x, &mode->problem);
    tb_leave_friction(model, work);
    tb_factor_for_solve(model, work, tb_terms_J(model, work));
    memset(work->right, 0, (size_t)model->m * sizeof *x);
    tb_solve(model, work, tb_terms_J(model, work), tb_terms_W(model, work), tb_terms_M(model, work),
             impulses, work->right, work->step, work->mu);
    for (long j = 0; j < model->n; j++)
        x[model->nq + j] += work->step[j];
}

/* Impulses of the rows of `c` that meet what stays and stop or turn back what is struck; `contacts`
 * are those of tb_impact, NULL for none, `e_of` their restitutions. Poisson's second part acts on
 * what stays alone, in `after`. */
static void strike(const tb_mode *after, const tb_constrained *c, const int *contacts, int poisson,
                   double *x, const double *e_of, tb_modes *e) {
    const tb_constrained_model *model = c->model;
    tb_constrained_work *work = c->work;
    const tb_problem *problem = &after->problem;
    if (any_tracks(after))
        follow_velocities(after, x);
    load_anew(model, work, x, problem);
    tb_leave_friction(model, work);
    tb_factor_for_solve(model, work, tb_terms_J(model, work));
    tb_velocity_residual(model, work, tb_terms_J(model, work), tb_terms_b(model, work));
    for (long i = 0; i < model->m; i++) {
        int turned = !poisson && contacts && contacts[i] >= 0;
        work->right[i] = (turned ? 1.0 + e_of[contacts[i]] : 1.0) * work->residual[i];
    }
    tb_solve(model, work, tb_terms_J(model, work), tb_terms_W(model, work), tb_terms_M(model, work),
             work->no_force, work->right, work->step, work->mu);
    for (long j = 0; j < model->n; j++)
        x[model->nq + j] += work->step[j];
    if (!poisson)
        return;
    const double *W = model->W_count ? tb_terms_W(model, work) : tb_terms_J(model, work);
    const int *rows = model->W_count ? model->W_rows : model->J_rows;
    const int *columns = model->W_count ? model->W_columns : model->J_columns;
    memset(e->effort, 0, (size_t)model->n * sizeof *x);
    for (long k = 0; k < (model->W_count ? model->W_count : model->J_count); k++)
        if (contacts[rows[k]] >= 0)
            e->effort[columns[k]] += W[k] * e_of[contacts[rows[k]]] * work->mu[rows[k]];
    meet_impulses(after, e->effort, x);
}

/* Lets a mode go on from a state that meets its constraints but for rounding. */
static void go_on(tb_mode *mode, double t, double *x) {
    mode->constrained->work->started = mode->constrained->work->truncated = 0;
    tb_settle(&mode->problem, t, x, 1);
}

TB_DEVICE void tb_modes_begin(tb_modes *e, const tb_problem *problem, double t, double *x) {
    long number = tb_mode_of(e, x);
    if (number < 0)
        return;
    tb_mode *mode = tb_modes_lend(e, problem, number);
    if (any_tracks(mode)) { /* what tracks moves, not what it follows */
        memcpy(e->struck, x, (size_t)e->n * sizeof *x);
        if (meet_positions(mode, t, x) < INFINITY)
            strike(mode, mode->constrained, NULL, 0, x, NULL, e);
        else
            memcpy(x, e->struck, (size_t)e->n * sizeof *x);
    }
    go_on(mode, t, x);
}

TB_DEVICE void tb_modes_project(const tb_problem *problem, double t, double *x) {
    tb_modes *e = problem->modes;
    long number = tb_mode_of(e, x);
    if (number < 0) {
        e->unmet++;
        return;
    }
    tb_mode *mode = tb_modes_lend(e, problem, number);
    memcpy(e->struck, x, (size_t)e->n * sizeof *x);
    if (meet_positions(mode, t, x) < INFINITY) {
        strike(mode, mode->constrained, NULL, 0, x, NULL, e);
        go_on(mode, t, x);
    } else {
        memcpy(x, e->struck, (size_t)e->n * sizeof *x);
        e->unmet++;
    }
}

/* The fastest of the contacts' velocities. */
static double rebound(const tb_constrained *c, const int *contacts, const double *x) {
    const tb_constrained_model *model = c->model;
    tb_constrained_work *work = c->work;
    double fastest = 0.0;
    memcpy(tb_velocities(model, work), x + model->nq, (size_t)model->n * sizeof *x);
    tb_velocity_residual(model, work, tb_terms_J(model, work), tb_terms_b(model, work));
    for (long i = 0; i < model->m; i++)
        if (contacts[i] >= 0)
            fastest = fmax(fastest, fabs(work->residual[i]));
    return fastest;
}

static void note(tb_modes *e, double t, long from, long exit, long to, double gap,
                 const double *x) {
    e->transitions++;
    e->recent[e->crowd % TB_CROWD] = t;
    e->crowd = e->modes[from].exits[exit].rest < 0 ? e->crowd + 1 : 0;
    if (!e->log || e->logged == e->capacity)
        return;
    double *row = e->log + e->logged++ * (TB_TRANSITION_HEAD + 2 * e->n);
    const double head[TB_TRANSITION_HEAD] = {t, (double)from, (double)exit, (double)to, gap};
    memcpy(row, head, sizeof head);
    memcpy(row + TB_TRANSITION_HEAD, e->before, (size_t)e->n * sizeof *x);
    memcpy(row + TB_TRANSITION_HEAD + e->n, x, (size_t)e->n * sizeof *x);
}

TB_DEVICE int tb_modes_crowded(const tb_modes *e, double span) {
    const double *recent = e->recent;
    long crowd = e->crowd;
    return crowd >= TB_CROWD && recent[(crowd - 1) % TB_CROWD] - recent[crowd % TB_CROWD] <= span;
}

static int fail(tb_modes *e, double t, long mode, long exit, double gap) {
    e->failed = exit;
    e->failed_mode = mode;
    e->failed_gap = gap;
    e->failed_time = t;
    return 0;
}

TB_DEVICE int tb_modes_cross(tb_modes *e, const tb_problem *problem, double t, double *x,
                             long number, long rests) {
    long from = tb_mode_of(e, x), to;
    const tb_exit *exit = e->modes[from].exits + number;
    tb_mode_values_at(tb_modes_lend(e, problem, from), t, x, e->values);
    memcpy(e->before, x, (size_t)e->n * sizeof *x);
    for (long i = 0; i < exit->reset_count; i++)
        x[exit->reset_places[i]] = e->values[exit->reset_start + i];
    memcpy(e->struck, x, (size_t)e->n * sizeof *x);
    const double *e_of = e->values + exit->restitution_start;
    x[exit->mode_place] = exit->target_number;
    to = exit->target;
    tb_mode *after = tb_modes_lend(e, problem, to);
    double gap = meet_positions(after, t, x);
    if (!(gap <= e->widest_gap))
        return fail(e, t, from, number, gap);
    const tb_constrained *struck = e->sets[exit->impact.set];
    strike(after, struck, exit->impact.contacts, exit->poisson && exit->struck, x, e_of, e);
    if (exit->rest >= 0 &&
        (rests || rebound(struck, exit->impact.contacts, x) < exit->rest_speed)) {
        memcpy(x, e->struck, (size_t)e->n * sizeof *x);
        x[exit->mode_place] = exit->rest_number;
        to = exit->rest;
        after = tb_modes_lend(e, problem, to);
        gap = meet_positions(after, t, x);
        if (!(gap <= e->widest_gap))
            return fail(e, t, from, number, gap);
        memset(e->values, 0, (size_t)e->modes[from].value_count * sizeof *x);
        strike(after, e->sets[exit->rest_impact.set], exit->rest_impact.contacts, 0, x, e_of, e);
    }
    go_on(after, t, x);
    if (tb_first_not_finite(x, e->n) >= 0)
        return fail(e, t, from, number, NAN);
    note(e, t, from, number, to, gap, x);
    return 1;
}
