/* Evaluations and residuals that every formulation shares. */
#include "constrained/constrained.h"

#include <math.h>
#include <string.h>

static const long TURNS = 4; /* of frictions together, until they agree with their multipliers */
static const long SINGLES = 12; /* and then one by one, which ends where those go in circles */
static const double ROUNDING = 1e-9; /* of the largest force: signs of less mean nothing */

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

static int disagrees(const tb_constrained *c, long row) {
    return c->mu[row] * c->lambda[row] < 0.0;
}

/* Turns frictions round whose multipliers have other signs than c->mu, which W holds for: all of
 * them, or the first (Murty 1974). Returns 0 when there are none. */
static int turn_friction(tb_constrained *c, int single) {
    long turned = -1;
    for (long k = 0; k < c->W_count; k++) {
        long row = c->W_rows[k];
        if (c->W_twins[k] < -1 || !disagrees(c, row) || (single && turned >= 0 && row != turned))
            continue;
        tb_terms_W(c)[k] = 2.0 * twin(c, k) - tb_terms_W(c)[k];
        turned = row;
    }
    for (long i = 0; i < c->m; i++)
        if (disagrees(c, i) && (!single || i == turned))
            c->mu[i] = -c->mu[i];
    return turned >= 0;
}

/* Whether friction is so strong that no forces agree with it: Painleve's paradox. */
static int no_answer(const tb_constrained *c) {
    double largest = 0.0, forces = 0.0, wrong = 0.0;
    for (long j = 0; j < c->n; j++)
        largest = fmax(largest, fabs(tb_terms_f(c)[j]));
    for (long k = 0; k < c->W_count; k++) {
        double force = fabs(tb_terms_W(c)[k] * c->lambda[c->W_rows[k]]);
        forces = fmax(forces, force);
        if (c->W_twins[k] >= -1 && disagrees(c, c->W_rows[k]))
            wrong = fmax(wrong, force);
    }
    return wrong > ROUNDING * (largest + forces);
}

static void solve_motion(tb_constrained *c) {
    tb_solve(c, tb_terms_J(c), tb_terms_W(c), tb_terms_M(c), tb_terms_f(c), c->right, c->a,
             c->lambda);
}

/* Returns 0 when frictions may still disagree. */
static int turn_until_agreed(tb_constrained *c) {
    for (long turn = 0; turn < TURNS + SINGLES; turn++) {
        if (!turn_friction(c, turn >= TURNS))
            return 1;
        solve_motion(c);
    }
    return 0;
}

static int is_servo(const tb_constrained *c, long k) {
    const double *J = tb_terms_J(c), *W = tb_terms_W(c);
    for (long l = 0; l < c->J_count; l++)
        if (c->J_rows[l] == c->W_rows[k] && c->J_columns[l] == c->W_columns[k])
            return W[k] != J[l];
    return 1;
}

/* Whether friction is stronger than the inertia that it acts against, so that an answer isn't the
 * one that weak friction leads to. With servos there is no telling. */
static int too_strong(const tb_constrained *c) {
    if (tb_dense_side(c) > 0)
        return 0;
    for (long k = 0; k < c->W_count; k++)
        if (c->W_twins[k] < -1 && is_servo(c, k))
            return 0;
    return 1;
}

/* Frictions that agree with their multipliers: none where no forces do, and where several do, those
 * that are found from the forces without friction. */
static void agree(tb_constrained *c) {
    int agreed = turn_until_agreed(c), strong = too_strong(c);
    if (agreed && !strong)
        return;
    if (strong) {
        tb_solve(c, tb_terms_J(c), NULL, tb_terms_M(c), tb_terms_f(c), c->right, c->a, c->lambda);
        turn_friction(c, 0);
        solve_motion(c);
        turn_until_agreed(c);
    }
    int none = no_answer(c);
    c->statistics.paradoxes += none || too_strong(c);
    if (none) {
        tb_leave_friction(c);
        solve_motion(c);
    }
}

void tb_finish_rate(tb_constrained *c, const double *u, const double *p, double *out) {
    for (long i = 0; i < c->m; i++)
        c->mu[i] = 1.0;
    solve_motion(c);
    if (c->W_twins)
        agree(c);
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
