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
    long n = a->constrained->n;
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
    tb_constrained *c = a->constrained;
    double *v = tb_velocities(c);
    for (long j = 0; j < c->n; j++) {
        memset(v, 0, (size_t)c->n * sizeof *v);
        v[j] = 1.0;
        tb_call(&c->configuration_rate, c->x, a->u, a->p, c->increment);
        row[j] = c->increment[coordinate];
    }
    memset(v, 0, (size_t)c->n * sizeof *v);
}

static void hold(tb_assembly *a) {
    tb_constrained *c = a->constrained;
    a->held_count = 0;
    for (long i = 0; i < c->nq && c->configuration_rate.call && a->held_count < c->n; i++) {
        if (!a->kept[i])
            continue;
        double *row = a->held + a->held_count * c->n;
        changing(a, i, row);
        double before = sqrt(along(row, row, c->n));
        let_go(a, row);
        let_go(a, row); /* twice is enough */
        double rest = sqrt(along(row, row, c->n));
        if (!(rest > RANK * before))
            continue;
        for (long j = 0; j < c->n; j++)
            row[j] /= rest;
        a->held_count++;
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

static void evaluate(tb_assembly *a) {
    tb_constrained *c = a->constrained;
    tb_positions(c, a->u, a->p);
    for (long i = 0; i < c->m; i++)
        a->error[i] = a->met[i] ? c->at_positions[i] : 0.0;
}

static int has_slopes(const tb_constrained *c) {
    return tb_first_not_finite(tb_positions_J(c), c->J_count) < 0;
}

static double length_of(const tb_assembly *a) {
    return sqrt(along(a->error, a->error, a->constrained->m));
}

static double largest_of(const double *values, long count) {
    double largest = 0.0;
    for (long i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

/* a->step: the shortest with which J step comes nearest to -a->error, in the rows that are met. */
static void shortest_step(tb_assembly *a, const double *J) {
    tb_constrained *c = a->constrained;
    memset(a->matrix, 0, (size_t)(c->m * c->n) * sizeof *a->matrix);
    for (long k = 0; k < c->J_count; k++)
        if (a->met[c->J_rows[k]])
            a->matrix[c->J_rows[k] * c->n + c->J_columns[k]] = J[k];
    for (long i = 0; i < c->m; i++) {
        let_go(a, a->matrix + i * c->n);
        a->right[i] = -a->error[i];
    }
    tb_least_squares(c->m, c->n, a->matrix, a->right, RANK, a->step, a->work, a->order);
}

static void go(tb_assembly *a, double part) {
    tb_copy(a->constrained->x, a->from, a->constrained->nq);
    tb_increment(a->constrained, part, a->step, a->u, a->p);
    evaluate(a);
}

/* A Newton step, at most half a radian or metre, halved until the error falls; whole where none of
 * these helps; none where that leads to what is no number. */
static void take_step(tb_assembly *a, double error) {
    tb_constrained *c = a->constrained;
    double longest = largest_of(a->step, c->n), whole = longest > LONGEST ? LONGEST / longest : 1.0;
    double part = whole;
    tb_copy(a->from, c->x, c->nq);
    for (long halving = 0; halving < HALVINGS; halving++, part *= 0.5) {
        go(a, part);
        if (length_of(a) < error && has_slopes(c))
            return;
    }
    go(a, whole);
    if (!has_slopes(c))
        go(a, 0.0);
}

static void load(tb_assembly *a, const double *x) {
    tb_constrained *c = a->constrained;
    tb_load(c, x);
    memset(tb_velocities(c), 0, (size_t)c->n * sizeof *x);
}

/* How large the numbers are that h is made of: levers, and positions. */
static double size_of(const tb_assembly *a, const double *J) {
    const tb_constrained *c = a->constrained;
    int plain = !c->configuration_rate.call;
    double size = plain ? 1.0 : fmax(1.0, largest_of(c->x, c->nq));
    for (long k = 0; k < c->J_count; k++)
        if (a->met[c->J_rows[k]])
            size = fmax(size, fabs(J[k]) * (plain ? fmax(1.0, fabs(c->x[c->J_columns[k]])) : 1.0));
    return size;
}

static int close_loops(tb_assembly *a) {
    tb_constrained *c = a->constrained;
    for (long iteration = 0; iteration < ITERATIONS; iteration++) {
        double error = length_of(a);
        if (largest_of(a->error, c->m) <= TOLERANCE)
            return TB_CLOSED;
        hold(a);
        double rounded = ROUNDED * size_of(a, tb_positions_J(c));
        shortest_step(a, tb_positions_J(c));
        take_step(a, error);
        if (error <= rounded && !(length_of(a) < error)) {
            tb_copy(c->x, a->from, c->nq);
            return TB_CLOSED;
        }
    }
    return TB_OPEN;
}

int tb_assembly_close(tb_assembly *a, double *x) {
    tb_constrained *c = a->constrained;
    load(a, x);
    evaluate(a);
    tb_copy(a->first, c->at_positions, c->m);
    if (tb_first_not_finite(c->at_positions, c->m) >= 0 || !has_slopes(c))
        return TB_NO_NUMBER;
    int status = close_loops(a);
    tb_copy(x, c->x, c->nq);
    return status;
}

int tb_assembly_turn(tb_assembly *a, double *x) {
    tb_constrained *c = a->constrained;
    load(a, x);
    hold(a);
    for (long j = 0; j < c->n; j++)
        a->step[j] = a->angle * cos((double)(j + 1));
    let_go(a, a->step);
    tb_increment(c, 1.0, a->step, a->u, a->p);
    tb_copy(x, c->x, c->nq);
    return TB_CLOSED;
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* a->error = J v - b. */
static void violate(tb_assembly *a) {
    tb_constrained *c = a->constrained;
    tb_velocity_residual(c, tb_terms_J(c), a->b);
    for (long i = 0; i < c->m; i++)
        a->error[i] = a->met[i] ? -c->residual[i] : 0.0;
}

int tb_assembly_meet(tb_assembly *a, double *x) {
    tb_constrained *c = a->constrained;
    double *v = tb_velocities(c);
    tb_load(c, x);
    tb_terms(c, a->u, a->p);
    for (long i = 0; i < c->m; i++)
        a->b[i] = a->met[i] ? tb_terms_b(c)[i] : 0.0;
    if (tb_first_not_finite(a->b, c->m) >= 0)
        return TB_NO_NUMBER;
    violate(a);
    a->held_count = 0;
    shortest_step(a, tb_terms_J(c));
    for (long j = 0; j < c->n; j++)
        v[j] += a->step[j];
    violate(a);
    tb_copy(x + c->nq, v, c->n);
    return TB_CLOSED;
}

/* ---- a whole state --------------------------------------------------------------------------- */

static int tracking(const tb_assembly *a) {
    for (long j = 0; j < a->constrained->n; j++)
        if (a->idle[j])
            return 1;
    return 0;
}

/* Which rows are met and which coordinates stay: all of them, or first those that don't track by
 * what isn't idle, then all by what is. */
enum { ALL, WITHOUT_IDLE, BY_IDLE };
static void mark(tb_assembly *a, int which, int positions) {
    const tb_constrained *c = a->constrained;
    for (long i = 0; i < c->m; i++)
        a->met[i] = (!positions || c->holonomic[i]) && !(which == WITHOUT_IDLE && a->tracks[i]);
    for (long j = 0; j < c->n; j++)
        a->still[j] = which != ALL && (which == WITHOUT_IDLE) == (a->idle[j] != 0);
    memset(a->kept, 0, (size_t)c->nq * sizeof *a->kept);
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
    const tb_constrained *c = a->constrained;
    int apart = tracking(a), status = TB_CLOSED;
    for (int which = apart ? WITHOUT_IDLE : ALL; status == TB_CLOSED; which = BY_IDLE) {
        mark(a, which, 0);
        status = tb_assembly_meet(a, x);
        double limit = UNMET * fmax(1.0, largest_of(x + c->nq, c->n));
        if (status == TB_CLOSED && !(largest_of(a->error, c->m) <= limit))
            status = TB_OPEN;
        if (which != WITHOUT_IDLE)
            break;
    }
    return status;
}

int tb_assembly_start(tb_assembly *a, double *x) {
    const tb_constrained *c = a->constrained;
    double *guess = c->settled; /* whoever starts a run takes it anew */
    int status = TB_OPEN;
    tb_copy(guess, x, c->nq);
    for (size_t k = 0; k < sizeof ASIDE / sizeof *ASIDE && status == TB_OPEN; k++) {
        tb_copy(x, guess, c->nq);
        a->angle = ASIDE[k];
        mark(a, ALL, 1);
        if (ASIDE[k] != 0.0)
            tb_assembly_turn(a, x);
        status = start_positions(a, x);
    }
    return status == TB_CLOSED ? start_velocities(a, x) : status;
}

int tb_assembly_strike(tb_assembly *a, double *x) {
    tb_constrained *c = a->constrained;
    tb_reset_run(c);
    tb_load(c, x);
    tb_first_choice(c, a->u, a->p);
    tb_positions(c, a->u, a->p);
    tb_factor_for_solve(c, tb_positions_J(c));
    tb_project_velocities(c, a->u, a->p);
    tb_copy(x + c->nq, tb_velocities(c), c->n);
    return TB_CLOSED;
}
