#include "constrained/assembly.h"

#include "linear/least_squares.h"

static const long ITERATIONS = 60, HALVINGS = 12;
static const double TOLERANCE = 1e-13;
static const double ROUNDED = 1e-11; /* |h| that may be left where rounding ends the iteration, of
                                        levers [m] and positions of 1 */
static const double RANK = 1e-9;     /* of the largest: what is less counts as nothing */
static const double LONGEST = 0.5;   /* step of a coordinate [rad, m] */
static const double UNMET = 1e-9;    /* of velocities and of 1: what no velocities can meet */
/* How far guesses are turned aside when they lead nowhere; the same as of closing.py. */
static const double ASIDE[] = {0.0, 0.05, -0.3, 1.0, -2.0};

/* ---- what must not move -------------------------------------------------------------------- */

static double along(const double *x, const double *y, long count) {
    double sum = 0.0;
    for (long i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x less its parts along the directions that are held. */
static void let_go(const tb_assembly *a, double *x) {
    long n = a->constrained->model->n;
    for (long k = 0; k < a->held_count; k++) {
        double part = along(a->held + k * n, x, n);
        for (long j = 0; j < n; j++)
            x[j] -= part * a->held[k * n + j];
    }
    for (long j = 0; j < n; j++)
        x[j] = a->still[j] ? 0.0 : x[j];
}

/* The increments that would change a position coordinate which is kept: a row of dq = N step. */
static void changing(tb_assembly *a, long coordinate, double *row) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    double *v = tb_velocities(model, work);
    for (long j = 0; j < model->n; j++) {
        memset(v, 0, (size_t)model->n * sizeof *v);
        v[j] = 1.0;
        tb_call(&model->configuration_rate, work->x, a->u, a->p, work->increment);
        row[j] = work->increment[coordinate];
    }
    memset(v, 0, (size_t)model->n * sizeof *v);
}

static void hold(tb_assembly *a) {
    const tb_constrained_model *model = a->constrained->model;
    a->held_count = 0;
    for (long i = 0; i < model->nq && model->configuration_rate.call && a->held_count < model->n;
         i++) {
        if (!a->kept[i])
            continue;
        double *row = a->held + a->held_count * model->n;
        changing(a, i, row);
        double before = sqrt(along(row, row, model->n));
        let_go(a, row);
        let_go(a, row); /* twice is enough */
        double rest = sqrt(along(row, row, model->n));
        if (!(rest > RANK * before))
            continue;
        for (long j = 0; j < model->n; j++)
            row[j] /= rest;
        a->held_count++;
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

static void evaluate(tb_assembly *a) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    tb_positions(model, work, a->u, a->p);
    for (long i = 0; i < model->m; i++)
        a->error[i] = a->met[i] ? work->at_positions[i] : 0.0;
}

static int has_slopes(const tb_constrained_model *model, const tb_constrained_work *work) {
    return tb_first_not_finite(tb_positions_J(model, work), model->J_count) < 0;
}

static double length_of(const tb_assembly *a) {
    return sqrt(along(a->error, a->error, a->constrained->model->m));
}

static double largest_of(const double *values, long count) {
    double largest = 0.0;
    for (long i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

/* a->step: the shortest with which J step comes nearest to -a->error, in the rows that are met. */
static void shortest_step(tb_assembly *a, const double *J) {
    const tb_constrained_model *model = a->constrained->model;
    memset(a->matrix, 0, (size_t)(model->m * model->n) * sizeof *a->matrix);
    for (long k = 0; k < model->J_count; k++)
        if (a->met[model->J_rows[k]])
            a->matrix[model->J_rows[k] * model->n + model->J_columns[k]] = J[k];
    for (long i = 0; i < model->m; i++) {
        let_go(a, a->matrix + i * model->n);
        a->right[i] = -a->error[i];
    }
    tb_least_squares(model->m, model->n, a->matrix, a->right, RANK, a->step, a->work, a->order);
}

static void go(tb_assembly *a, double part) {
    tb_copy(a->constrained->work->x, a->from, a->constrained->model->nq);
    tb_increment(a->constrained->model, a->constrained->work, part, a->step, a->u, a->p);
    evaluate(a);
}

/* A Newton step, at most half a radian or metre, halved until the error falls; whole where none of
 * these helps; none where that leads to what is no number. */
static void take_step(tb_assembly *a, double error) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    double longest = largest_of(a->step, model->n),
           whole = longest > LONGEST ? LONGEST / longest : 1.0;
    double part = whole;
    tb_copy(a->from, work->x, model->nq);
    for (long halving = 0; halving < HALVINGS; halving++, part *= 0.5) {
        go(a, part);
        if (length_of(a) < error && has_slopes(model, work))
            return;
    }
    go(a, whole);
    if (!has_slopes(model, work))
        go(a, 0.0);
}

static void load(tb_assembly *a, const double *x) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    tb_load(model, work, x);
    memset(tb_velocities(model, work), 0, (size_t)model->n * sizeof *x);
}

/* How large the numbers are that h is made of: levers, and positions. */
static double size_of(const tb_assembly *a, const double *J) {
    const tb_constrained_model *model = a->constrained->model;
    const tb_constrained_work *work = a->constrained->work;
    int plain = !model->configuration_rate.call;
    double size = plain ? 1.0 : fmax(1.0, largest_of(work->x, model->nq));
    for (long k = 0; k < model->J_count; k++)
        if (a->met[model->J_rows[k]])
            size = fmax(size,
                        fabs(J[k]) * (plain ? fmax(1.0, fabs(work->x[model->J_columns[k]])) : 1.0));
    return size;
}

static int close_loops(tb_assembly *a) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    for (long iteration = 0; iteration < ITERATIONS; iteration++) {
        double error = length_of(a);
        if (largest_of(a->error, model->m) <= TOLERANCE)
            return TB_CLOSED;
        hold(a);
        double rounded = ROUNDED * size_of(a, tb_positions_J(model, work));
        shortest_step(a, tb_positions_J(model, work));
        take_step(a, error);
        if (error <= rounded && !(length_of(a) < error)) {
            tb_copy(work->x, a->from, model->nq);
            return TB_CLOSED;
        }
    }
    return TB_OPEN;
}

int tb_assembly_close(tb_assembly *a, double *x) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    load(a, x);
    evaluate(a);
    tb_copy(a->first, work->at_positions, model->m);
    if (tb_first_not_finite(work->at_positions, model->m) >= 0 || !has_slopes(model, work))
        return TB_NO_NUMBER;
    int status = close_loops(a);
    tb_copy(x, work->x, model->nq);
    return status;
}

int tb_assembly_turn(tb_assembly *a, double *x) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    load(a, x);
    hold(a);
    for (long j = 0; j < model->n; j++)
        a->step[j] = a->angle * cos((double)(j + 1));
    let_go(a, a->step);
    tb_increment(model, work, 1.0, a->step, a->u, a->p);
    tb_copy(x, work->x, model->nq);
    return TB_CLOSED;
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* a->error = J v - b. */
static void violate(tb_assembly *a) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    tb_velocity_residual(model, work, tb_terms_J(model, work), a->b);
    for (long i = 0; i < model->m; i++)
        a->error[i] = a->met[i] ? -work->residual[i] : 0.0;
}

int tb_assembly_meet(tb_assembly *a, double *x) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    double *v = tb_velocities(model, work);
    tb_load(model, work, x);
    tb_terms(model, work, a->u, a->p);
    for (long i = 0; i < model->m; i++)
        a->b[i] = a->met[i] ? tb_terms_b(model, work)[i] : 0.0;
    if (tb_first_not_finite(a->b, model->m) >= 0)
        return TB_NO_NUMBER;
    violate(a);
    a->held_count = 0;
    shortest_step(a, tb_terms_J(model, work));
    for (long j = 0; j < model->n; j++)
        v[j] += a->step[j];
    violate(a);
    tb_copy(x + model->nq, v, model->n);
    return TB_CLOSED;
}

/* ---- a whole state --------------------------------------------------------------------------- */

static int tracking(const tb_assembly *a) {
    for (long j = 0; j < a->constrained->model->n; j++)
        if (a->idle[j])
            return 1;
    return 0;
}

/* Which rows are met and which coordinates stay: all of them, or first those that don't track by
 * what isn't idle, then all by what is. */
enum { ALL, WITHOUT_IDLE, BY_IDLE };
static void mark(tb_assembly *a, int which, int positions) {
    const tb_constrained_model *model = a->constrained->model;
    for (long i = 0; i < model->m; i++)
        a->met[i] = (!positions || model->holonomic[i]) && !(which == WITHOUT_IDLE && a->tracks[i]);
    for (long j = 0; j < model->n; j++)
        a->still[j] = which != ALL && (which == WITHOUT_IDLE) == (a->idle[j] != 0);
    memset(a->kept, 0, (size_t)model->nq * sizeof *a->kept);
}

static int start_positions(tb_assembly *a, double *x) {
    int apart = tracking(a);
    mark(a, apart ? WITHOUT_IDLE : ALL, 1);
    int status = tb_assembly_close(a, x);
    if (status != TB_CLOSED || !apart)
        return status;
    mark(a, BY_IDLE, 1);
    return tb_assembly_close(a, x);
}

static int start_velocities(tb_assembly *a, double *x) {
    const tb_constrained_model *model = a->constrained->model;
    int apart = tracking(a), status = TB_CLOSED;
    for (int which = apart ? WITHOUT_IDLE : ALL; status == TB_CLOSED; which = BY_IDLE) {
        mark(a, which, 0);
        status = tb_assembly_meet(a, x);
        double limit = UNMET * fmax(1.0, largest_of(x + model->nq, model->n));
        if (status == TB_CLOSED && !(largest_of(a->error, model->m) <= limit))
            status = TB_OPEN;
        if (which != WITHOUT_IDLE)
            break;
    }
    return status;
}

int tb_assembly_start(tb_assembly *a, double *x) {
    const tb_constrained_model *model = a->constrained->model;
    const tb_constrained_work *work = a->constrained->work;
    double *guess = work->settled; /* whoever starts a run takes it anew */
    int status = TB_OPEN;
    tb_copy(guess, x, model->nq);
    for (size_t k = 0; k < sizeof ASIDE / sizeof *ASIDE && status == TB_OPEN; k++) {
        tb_copy(x, guess, model->nq);
        a->angle = ASIDE[k];
        mark(a, ALL, 1);
        if (ASIDE[k] != 0.0)
            tb_assembly_turn(a, x);
        status = start_positions(a, x);
    }
    return status == TB_CLOSED ? start_velocities(a, x) : status;
}

int tb_assembly_strike(tb_assembly *a, double *x) {
    const tb_constrained_model *model = a->constrained->model;
    tb_constrained_work *work = a->constrained->work;
    tb_reset_run(model, work);
    tb_load(model, work, x);
    tb_first_choice(model, work, a->u, a->p);
    tb_positions(model, work, a->u, a->p);
    tb_factor_for_solve(model, work, tb_positions_J(model, work));
    tb_project_velocities(model, work, a->u, a->p);
    tb_copy(x + model->nq, tb_velocities(model, work), model->n);
    return TB_CLOSED;
}
