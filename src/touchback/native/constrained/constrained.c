/* Evaluations and residuals that every formulation shares. */
#ifndef TB_ON_DEVICE
#include "constrained/constrained.h"

#include <math.h>
#include <string.h>
#endif

TB_DEVICE void tb_increment(tb_constrained *c, double times, const double *restrict step,
                            const double *u, const double *p) {
    double *v = tb_velocities(c), *kept = c->n_scratch, *q = c->x;
    if (!TB_HAS(c, configuration_rate)) {
        for (long i = 0; i < c->n; i++)
            q[i] += times * step[i];
        return;
    }
    /* dq/dt is linear in v: at v = step it is the increment. */
    double *increment = c->increment;
    memcpy(kept, v, (size_t)c->n * sizeof *v);
    memcpy(v, step, (size_t)c->n * sizeof *v);
    TB_CALL(c, configuration_rate, c->x, u, p, increment);
    memcpy(v, kept, (size_t)c->n * sizeof *v);
    for (long i = 0; i < c->nq; i++)
        q[i] += times * increment[i];
}

TB_DEVICE double tb_widest_gap(tb_constrained *c, const double *x, const double *u, const double *p,
                               const int *but) {
    double largest = 0.0;
    tb_load(c, x);
    tb_positions(c, u, p);
    for (long i = 0; i < c->m; i++)
        if (!(but && but[i]) && !(fabs(c->at_positions[i]) <= largest))
            largest = fabs(c->at_positions[i]);
    return largest;
}

TB_DEVICE void tb_velocity_residual(tb_constrained *c, const double *J, const double *wanted) {
    const double *v = tb_velocities(c);
    double *residual = c->residual;
    for (long i = 0; i < c->m; i++)
        residual[i] = wanted[i];
    for (long k = 0; k < c->J_count; k++)
        residual[c->J_rows[k]] -= J[k] * v[c->J_columns[k]];
}

TB_DEVICE void tb_reset_choice(tb_constrained *c) {
    c->started = c->truncated = 0;
    c->redundant_h = 0.0;
    memset(c->row_size, 0, (size_t)c->m * sizeof *c->row_size);
}

TB_DEVICE void tb_reset_run(tb_constrained *c) {
    tb_reset_choice(c);
    memset(&c->statistics, 0, sizeof c->statistics);
}

TB_DEVICE void tb_begin_rate(tb_constrained *c, const double *x, const double *u, const double *p) {
    tb_load(c, x);
    if (c->started)
        tb_terms(c, u, p);
    else
        tb_first_choice(c, u, p);
    tb_factor_for_solve(c, tb_terms_J(c));
}

TB_DEVICE void tb_refuse_unknown(tb_constrained *c) {
    double sum = 0.0; /* 0 as long as all are finite */
    for (const double *each = c->at_terms; each < tb_terms_z(c); each++)
        sum += 0.0 * *each;
    if (sum == 0.0)
        return;
    for (long j = 0; j < c->n; j++)
        c->a[j] = NAN;
    for (long i = 0; i < c->m; i++)
        c->lambda[i] = NAN;
}

TB_DEVICE void tb_write_rate(const tb_constrained *c, const double *u, const double *p,
                             double *out) {
    if (TB_HAS(c, configuration_rate))
        TB_CALL(c, configuration_rate, c->x, u, p, out);
    else
        tb_copy(out, tb_velocities(c), c->n);
    tb_copy(out + c->nq, c->a, c->n);
    tb_copy(out + c->nq + c->n, tb_terms_z(c), c->nz);
}

TB_DEVICE void tb_finish_rate(tb_constrained *c, const double *u, const double *p, double *out) {
    tb_solve_motion(c);
    if (c->rank < c->m)
        tb_refuse_unknown(c);
    tb_write_rate(c, u, p, out);
}

TB_DEVICE void tb_accept(tb_constrained *c, int first) {
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
