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
    double *increment = c->keep;
    memcpy(kept, v, (size_t)c->n * sizeof *v);
    memcpy(v, step, (size_t)c->n * sizeof *v);
    call(&c->configuration_rate, c->x, u, p, increment);
    memcpy(v, kept, (size_t)c->n * sizeof *v);
    for (long i = 0; i < c->nq; i++)
        c->x[i] += increment[i];
}

double tb_velocity_residual(tb_constrained *c, const double *J, const double *wanted) {
    const double *v = tb_velocities(c);
    double largest = 0.0;
    for (long i = 0; i < c->m; i++)
        c->residual[i] = wanted[i];
    for (long k = 0; k < c->J_count; k++)
        c->residual[c->J_rows[k]] -= J[k] * v[c->J_columns[k]];
    for (long i = 0; i < c->m; i++)
        if (!c->dropped[i])
            largest = fmax(largest, fabs(c->residual[i]) / c->row_size[i]);
    return largest;
}

double tb_position_size(const tb_constrained *c, const double *h, int all) {
    double largest = 0.0;
    for (long i = 0; i < c->m; i++) {
        if (!c->holonomic[i] || (c->dropped[i] && !all))
            continue;
        double size = fabs(h[i]) / c->row_size[i];
        if (!(size <= largest)) /* a NaN must show */
            largest = size;
    }
    return largest;
}

void tb_note_position_error(tb_constrained *c, const double *h) {
    for (long i = 0; i < c->m; i++)
        if (c->holonomic[i])
            c->statistics.largest_h = fmax(c->statistics.largest_h, fabs(h[i]));
}

void tb_write_rate(tb_constrained *c, const double *u, const double *p, double *out) {
    const double *dz = tb_terms_z(c);
    if (c->configuration_rate.call)
        call(&c->configuration_rate, c->x, u, p, out);
    else
        memcpy(out, tb_velocities(c), (size_t)c->n * sizeof *out);
    memcpy(out + c->nq, c->a, (size_t)c->n * sizeof *out);
    memcpy(out + c->nq + c->n, dz, (size_t)c->nz * sizeof *out);
}
