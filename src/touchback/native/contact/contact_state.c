#include "contact/contact_state.h"

#include <math.h>
#include <string.h>

#include "linear/dense.h"
#include "linear/full_pivoting.h"

static const double REDUNDANT = 1e-11; /* part of the largest pivot: less repeats other rows */
static const double STOPPING = 1e-7;   /* m/s or rad/s: below it the way of slipping stays */
static const double KEPT = 1e-14;      /* m or rad: distances not worth a correction */
enum { CORRECTIONS = 4 };

/* ---- where things are in what `forces` gives ---------------------------------------------- */

static double *f_of(const tb_contact_state *c) {
    return c->at + c->n * c->n;
}
static double *z_of(const tb_contact_state *c) {
    return f_of(c) + c->n;
}
static double *u_of(const tb_contact_state *c) {
    return z_of(c) + c->nz;
}
static double *W_of(const tb_contact_state *c) {
    return u_of(c) + c->rows;
}
static double *E_of(const tb_contact_state *c) {
    return W_of(c) + c->rows * c->n;
}
static double *bias_of(const tb_contact_state *c) {
    return E_of(c) + c->rows * c->n;
}
static double *h_of(const tb_contact_state *c) {
    return bias_of(c) + c->rows;
}
static double *gap_of(const tb_contact_state *c) {
    return h_of(c) + c->bilateral;
}
static double *coefficient_of(const tb_contact_state *c) {
    return gap_of(c) + c->contacts;
}
static double *hold_of(const tb_contact_state *c) {
    return coefficient_of(c) + c->groups + c->contacts;
}

static double dot(long n, const double *x, const double *y) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static int has_friction(const tb_contact_state *c, long group) {
    return c->closed[c->group_contact[group]] && coefficient_of(c)[group] > 0.0;
}

/* Evaluates at c->x and factors the mass. */
static void evaluate(tb_contact_state *c, const double *u, const double *p) {
    c->forces.call(c->x, u, p, c->at, c->forces.work, c->forces.context);
    memcpy(c->mass, c->at, (size_t)(c->n * c->n) * sizeof *c->mass);
    tb_cholesky_factor(c->n, c->mass);
}

/* Lists the rows that hold; with `speeds` those of sticking friction too. */
static long list_active(tb_contact_state *c, int speeds) {
    long count = 0;
    for (long i = 0; i < c->bilateral; i++)
        c->active[count++] = (int)i;
    for (long i = 0; i < c->contacts; i++)
        if (c->closed[i])
            c->active[count++] = c->normals[i];
    for (long g = 0; speeds && g < c->groups; g++)
        for (long k = 0; k < 2 && has_friction(c, g) && c->stuck[g]; k++)
            if (c->group_rows[2 * g + k] >= 0)
                c->active[count++] = c->group_rows[2 * g + k];
    return count;
}

/* The way along which a group slips: that of its speed, except where it is about to stop. */
static void slipping_way(const tb_contact_state *c, long g, double *way) {
    const int *rows = c->group_rows + 2 * g;
    way[0] = c->way[2 * g];
    way[1] = c->way[2 * g + 1];
    if (rows[1] < 0)
        return;
    double x = u_of(c)[rows[0]], y = u_of(c)[rows[1]];
    if (x * way[0] + y * way[1] > STOPPING) {
        double speed = hypot(x, y);
        way[0] = x / speed;
        way[1] = y / speed;
    }
}

/* Solves G x = right, both overwritten; rows that repeat others share what they bear. */
static void solve_few(tb_contact_state *c, long count, double *x) {
    long rank = tb_full_factor(count, c->G, c->order, c->columns, REDUNDANT);
    tb_full_solve(count, rank, c->G, c->order, c->columns, c->right, x);
    if (rank < count)
        tb_full_shortest(count, rank, c->G, c->order, c->columns, x, c->null);
}

/* What the force of an active row does to the freedoms: with slipping friction for a normal. */
static void effect_of(const tb_contact_state *c, int row, double *effect) {
    long n = c->n;
    memcpy(effect, E_of(c) + row * n, (size_t)n * sizeof *effect);
    for (long g = 0; g < c->groups; g++) {
        double way[2], coefficient = coefficient_of(c)[g];
        if (c->normals[c->group_contact[g]] != row || !has_friction(c, g) || c->stuck[g])
            continue;
        slipping_way(c, g, way);
        for (long k = 0; k < 2 && c->group_rows[2 * g + k] >= 0; k++)
            for (long j = 0; j < n; j++)
                effect[j] -= coefficient * way[k] * E_of(c)[c->group_rows[2 * g + k] * n + j];
    }
}

/* M^-1 E^T of the active rows in c->spread (a row each) and W M^-1 E^T in c->G. */
static void build(tb_contact_state *c, long count, int with_friction) {
    long n = c->n;
    for (long k = 0; k < count; k++) {
        double *column = c->spread + k * n;
        if (with_friction)
            effect_of(c, c->active[k], column);
        else
            memcpy(column, W_of(c) + c->active[k] * n, (size_t)n * sizeof *column);
        tb_cholesky_solve(n, c->mass, column);
    }
    for (long i = 0; i < count; i++)
        for (long k = 0; k < count; k++)
            c->G[i * count + k] = dot(n, W_of(c) + c->active[i] * n, c->spread + k * n);
}

/* Accelerations and forces at c->x. */
static void solve(tb_contact_state *c, const double *u, const double *p) {
    long n = c->n;
    evaluate(c, u, p);
    memcpy(c->a, f_of(c), (size_t)n * sizeof *c->a);
    tb_cholesky_solve(n, c->mass, c->a);
    long count = list_active(c, 1);
    build(c, count, 1);
    for (long k = 0; k < count; k++)
        c->right[k] = -bias_of(c)[c->active[k]] - dot(n, W_of(c) + c->active[k] * n, c->a);
    double *found = c->effect; /* free here */
    solve_few(c, count, found);
    memset(c->lambda, 0, (size_t)c->rows * sizeof *c->lambda);
    for (long k = 0; k < count; k++) {
        c->lambda[c->active[k]] = found[k];
        for (long j = 0; j < n; j++)
            c->a[j] += c->spread[k * n + j] * found[k];
    }
    for (long g = 0; g < c->groups; g++) {
        double way[2], force = coefficient_of(c)[g] * c->lambda[c->normals[c->group_contact[g]]];
        if (!has_friction(c, g) || c->stuck[g])
            continue;
        slipping_way(c, g, way);
        for (long k = 0; k < 2 && c->group_rows[2 * g + k] >= 0; k++)
            c->lambda[c->group_rows[2 * g + k]] = -force * way[k];
    }
}

static void load(tb_contact_state *c, const double *x) {
    memcpy(c->x, x, (size_t)(c->nq + c->n + c->nz) * sizeof *x);
}

static void position_rate(tb_contact_state *c, const double *u, const double *p, double *out) {
    if (c->configuration_rate.call)
        c->configuration_rate.call(c->x, u, p, out, c->configuration_rate.work,
                                   c->configuration_rate.context);
    else
        memcpy(out, c->x + c->nq, (size_t)c->n * sizeof *out);
}

void tb_contact_rate(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context) {
    tb_contact_state *c = (tb_contact_state *)context;
    (void)work;
    load(c, x);
    solve(c, u, p);
    position_rate(c, u, p, out);
    memcpy(out + c->nq, c->a, (size_t)c->n * sizeof *out);
    memcpy(out + c->nq + c->n, z_of(c), (size_t)c->nz * sizeof *out);
}

void tb_contact_indicators(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *context) {
    tb_contact_state *c = (tb_contact_state *)context;
    (void)work;
    load(c, x);
    solve(c, u, p);
    double *slopes = out + c->contacts + c->groups;
    for (long i = 0; i < c->contacts; i++) {
        out[i] = c->closed[i] ? c->lambda[c->normals[i]] : gap_of(c)[i];
        slopes[i] = c->closed[i] ? 0.0 : u_of(c)[c->normals[i]];
    }
    for (long g = 0; g < c->groups; g++) {
        const int *rows = c->group_rows + 2 * g;
        double *values = c->stuck[g] ? c->lambda : u_of(c);
        double first = rows[0] < 0 ? 0.0 : values[rows[0]];
        double second = rows[1] < 0 ? 0.0 : values[rows[1]];
        if (!has_friction(c, g) || c->pinned[g])
            out[c->contacts + g] = 1.0;
        else if (c->stuck[g])
            out[c->contacts + g] =
                hold_of(c)[g] * c->lambda[c->normals[c->group_contact[g]]] - hypot(first, second);
        else
            out[c->contacts + g] = first * c->way[2 * g] + second * c->way[2 * g + 1];
    }
}

/* Positions of c->x onto the rows that have a distance. */
static void settle_positions(tb_contact_state *c, const double *u, const double *p) {
    long n = c->n;
    for (int round = 0; round < CORRECTIONS; round++) {
        double largest = 0.0;
        evaluate(c, u, p);
        long count = list_active(c, 0);
        for (long k = 0; k < count; k++) {
            long i = c->active[k] - c->bilateral;
            double distance = i < 0 ? h_of(c)[c->active[k]] : 0.0;
            for (long j = 0; i >= 0 && j < c->contacts; j++)
                if (c->normals[j] == c->active[k])
                    distance = gap_of(c)[j];
            c->right[k] = -distance;
            largest = fmax(largest, fabs(distance));
        }
        if (!(largest > KEPT))
            return;
        build(c, count, 0);
        double *found = c->effect, *v = c->x + c->nq;
        solve_few(c, count, found);
        memcpy(c->step, v, (size_t)n * sizeof *v);
        memset(v, 0, (size_t)n * sizeof *v);
        for (long k = 0; k < count; k++)
            for (long j = 0; j < n; j++)
                v[j] += c->spread[k * n + j] * found[k];
        position_rate(c, u, p, c->increment); /* linear in v: an increment */
        memcpy(v, c->step, (size_t)n * sizeof *v);
        for (long i = 0; i < c->nq; i++)
            c->x[i] += c->increment[i];
    }
    evaluate(c, u, p);
}

/* Notes along which way friction slips. */
static void note_ways(tb_contact_state *c) {
    for (long g = 0; g < c->groups; g++)
        if (has_friction(c, g) && !c->stuck[g])
            slipping_way(c, g, c->way + 2 * g);
}

static long settle(const tb_problem *problem, double t, double *x, long accepted) {
    tb_contact_state *c = problem->contact_state;
    long n = c->n;
    tb_set_inputs(problem, t, x);
    load(c, x);
    settle_positions(c, problem->u, problem->p);
    long count = list_active(c, 1);
    build(c, count, 0);
    for (long k = 0; k < count; k++)
        c->right[k] = -u_of(c)[c->active[k]];
    solve_few(c, count, c->effect);
    for (long k = 0; k < count; k++)
        for (long j = 0; j < n; j++)
            c->x[c->nq + j] += c->spread[k * n + j] * c->effect[k];
    if (accepted)
        note_ways(c);
    memcpy(x, c->x, (size_t)(c->nq + n) * sizeof *x);
    return 1;
}

const tb_dynamics_kind tb_contact_kind = {.settle = settle};
