/* Evaluations and residuals that every formulation shares. */
#include "constrained.h"

#include <math.h>
#include <string.h>

static void call(const tb_callable *f, const double *x, const double *u, const double *p,
                 double *out) {
    f->call(x, u, p, out, f->work, f->context);
}

void tb_load(tb_constrained *c, const double *x) {
    memcpy(c->x, x, (size_t)(c->nq + c->n + c->nz) * sizeof *x);
}

void tb_terms(tb_constrained *c, const double *u, const double *p) {
    call(&c->terms, c->x, u, p, c->at_terms);
}

void tb_positions(tb_constrained *c, const double *u, const double *p) {
    call(&c->positions, c->x, u, p, c->at_positions);
}

void tb_velocity_level(tb_constrained *c, const double *u, const double *p) {
    if (c->velocity_level.call)
        call(&c->velocity_level, c->x, u, p, c->b);
}

void tb_increment(tb_constrained *c, const double *step, const double *u, const double *p) {
    double *v = tb_velocities(c), *kept = c->n_scratch;
    if (!c->configuration_rate.call) {
        for (long i = 0; i < c->n; i++)
            c->x[i] += step[i];
        return;
    }
    /* dq/dt is linear in v: at v = step it is the increment. */
    double *increment = c->increment;
    memcpy(kept, v, (size_t)c->n * sizeof *v);
    memcpy(v, step, (size_t)c->n * sizeof *v);
    call(&c->configuration_rate, c->x, u, p, increment);
    memcpy(v, kept, (size_t)c->n * sizeof *v);
    for (long i = 0; i < c->nq; i++)
        c->x[i] += increment[i];
}

void tb_velocity_residual(tb_constrained *c, const double *J, const double *wanted) {
    const double *v = tb_velocities(c);
    double *residual = c->residual;
    for (long i = 0; i < c->m; i++)
        residual[i] = wanted[i];
    for (long k = 0; k < c->J_count; k++)
        residual[c->J_rows[k]] -= J[k] * v[c->J_columns[k]];
}

double tb_residual_size(const tb_constrained *c) {
    double largest = 0.0;
    for (long k = 0; k < c->rank; k++) {
        long i = c->rows[k];
        double size = fabs(c->residual[i]) * c->row_weight[i];
        if (!(size <= largest)) /* a NaN must show */
            largest = size;
    }
    return largest;
}

double tb_position_size(const tb_constrained *c, const double *h) {
    double largest = 0.0;
    for (long k = 0; k < c->position_rank; k++) {
        long i = c->rows[k];
        double size = fabs(h[i]) * c->row_weight[i];
        if (!(size <= largest))
            largest = size;
    }
    return largest;
}

void tb_begin_rate(tb_constrained *c, const double *x, const double *u, const double *p) {
    tb_load(c, x);
    if (c->started)
        tb_terms(c, u, p);
    else
        tb_first_choice(c, u, p);
    tb_factor_for_solve(c, tb_terms_J(c));
}

void tb_finish_rate(tb_constrained *c, const double *u, const double *p, double *out) {
    tb_solve(c, tb_terms_J(c), tb_terms_W(c), tb_terms_M(c), tb_terms_f(c), c->right, c->a,
             c->lambda);
    if (c->configuration_rate.call)
        call(&c->configuration_rate, c->x, u, p, out);
    else
        memcpy(out, tb_velocities(c), (size_t)c->n * sizeof *out);
    memcpy(out + c->nq, c->a, (size_t)c->n * sizeof *out);
    memcpy(out + c->nq + c->n, tb_terms_z(c), (size_t)c->nz * sizeof *out);
}

void tb_count_solve(tb_constrained *c, long iterations) {
    tb_constraint_statistics *s = &c->statistics;
    s->solves++;
    s->iterations_last = iterations;
    s->iterations += iterations;
    if (iterations > s->iterations_most)
        s->iterations_most = iterations;
}

void tb_accept(tb_constrained *c, int first) {
    const double *h = c->at_positions;
    for (long i = 0; i < c->m; i++)
        if (c->holonomic[i])
            c->statistics.largest_h = fmax(c->statistics.largest_h, fabs(h[i]));
    if (first) { /* redundant rows show themselves at a consistent state only */
        tb_choose(c, tb_positions_J(c), c->rank_tolerance, c->m);
        c->most_rank = c->rank;
    } else
        tb_review_choice(c, h, tb_positions_J(c));
    memcpy(c->settled, c->x, (size_t)(c->nq + c->n + c->nz) * sizeof *c->x);
}
