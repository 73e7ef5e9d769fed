/* Evaluations and residuals that every formulation shares. */
#include "constrained.h"

#include <math.h>
#include <string.h>

static const long TURNS = 4; /* of frictions until they agree with their multipliers */

void tb_increment(tb_constrained *c, double times, const double *restrict step, const double *u,
                  const double *p) {
    double *v = tb_velocities(c), *kept = c->n_scratch, *q = c->x;
    if (!c->configuration_rate.call) {
        for (long i = 0; i < c->n; i++)
            q[i] += times * step[i];
        return;
    }
    /* dq/dt is linear in v: at v = step it is the increment. */
    double *increment = c->increment;
    memcpy(kept, v, (size_t)c->n * sizeof *v);
    memcpy(v, step, (size_t)c->n * sizeof *v);
    tb_call(&c->configuration_rate, c->x, u, p, increment);
    memcpy(v, kept, (size_t)c->n * sizeof *v);
    for (long i = 0; i < c->nq; i++)
        q[i] += times * increment[i];
}

void tb_velocity_residual(tb_constrained *c, const double *J, const double *wanted) {
    const double *v = tb_velocities(c);
    double *residual = c->residual;
    for (long i = 0; i < c->m; i++)
        residual[i] = wanted[i];
    for (long k = 0; k < c->J_count; k++)
        residual[c->J_rows[k]] -= J[k] * v[c->J_columns[k]];
}

void tb_begin_rate(tb_constrained *c, const double *x, const double *u, const double *p) {
    tb_load(c, x);
    if (c->started)
        tb_terms(c, u, p);
    else
        tb_first_choice(c, u, p);
    tb_factor_for_solve(c, tb_terms_J(c));
}

static double twin(const tb_constrained *c, long k) {
    return c->W_twins[k] >= 0 ? tb_terms_J(c)[c->W_twins[k]] : 0.0;
}

void tb_leave_friction(tb_constrained *c) {
    for (long k = 0; c->W_twins && k < c->W_count; k++)
        if (c->W_twins[k] >= -1)
            tb_terms_W(c)[k] = twin(c, k);
}

/* Turns the frictions round whose multipliers have changed their signs, c->mu being those that W
 * holds for. Returns 0 when there are none. */
static int turn_friction(tb_constrained *c) {
    int any = 0;
    for (long k = 0; k < c->W_count; k++) {
        long row = c->W_rows[k];
        if (c->W_twins[k] >= -1 && c->mu[row] * c->lambda[row] < 0.0) {
            tb_terms_W(c)[k] = 2.0 * twin(c, k) - tb_terms_W(c)[k];
            any = 1;
        }
    }
    for (long i = 0; i < c->m; i++)
        c->mu[i] = c->lambda[i] < 0.0 ? -1.0 : 1.0;
    return any;
}

static void solve_motion(tb_constrained *c) {
    tb_solve(c, tb_terms_J(c), tb_terms_W(c), tb_terms_M(c), tb_terms_f(c), c->right, c->a,
             c->lambda);
}

void tb_finish_rate(tb_constrained *c, const double *u, const double *p, double *out) {
    for (long i = 0; i < c->m; i++)
        c->mu[i] = 1.0;
    solve_motion(c);
    for (long turn = 0; c->W_twins && turn < TURNS && turn_friction(c); turn++)
        solve_motion(c);
    if (c->configuration_rate.call)
        tb_call(&c->configuration_rate, c->x, u, p, out);
    else
        tb_copy(out, tb_velocities(c), c->n);
    tb_copy(out + c->nq, c->a, c->n);
    tb_copy(out + c->nq + c->n, tb_terms_z(c), c->nz);
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
