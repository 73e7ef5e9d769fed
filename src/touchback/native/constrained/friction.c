/* The motion at a state: accelerations, multipliers, and frictions that agree with them. The W of a
 * row with friction holds where its multiplier pushes; where it pulls, its friction is turned
 * round. */
#ifndef TB_ON_DEVICE
#include "constrained/constrained.h"

#include <math.h>
#endif

static const long TURNS = 4;    /* of frictions together, until they agree with their multipliers */
static const long SINGLES = 12; /* and then one by one, which ends where those go in circles */
static const double MEANINGLESS = 1e-9; /* of the largest force: signs of less mean nothing */

static double twin(const tb_constrained *c, long k) {
    return c->W_twins[k] >= 0 ? tb_terms_J(c)[c->W_twins[k]] : 0.0;
}

TB_DEVICE void tb_leave_friction(tb_constrained *c) {
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

/* The first row whose friction is so strong that no force agrees with it, or -1: Painleve's
 * paradox. */
static long unanswered(const tb_constrained *c) {
    double largest = 0.0, forces = 0.0, wrong = 0.0;
    long first = c->m;
    for (long j = 0; j < c->n; j++)
        largest = fmax(largest, fabs(tb_terms_f(c)[j]));
    for (long k = 0; k < c->W_count; k++) {
        double force = fabs(tb_terms_W(c)[k] * c->lambda[c->W_rows[k]]);
        forces = fmax(forces, force);
        if (c->W_twins[k] >= -1 && disagrees(c, c->W_rows[k])) {
            wrong = fmax(wrong, force);
            first = c->W_rows[k] < first ? c->W_rows[k] : first;
        }
    }
    return wrong > MEANINGLESS * (largest + forces) ? first : -1;
}

static void solve_with(tb_constrained *c, const double *W) {
    tb_solve(c, tb_terms_J(c), W, tb_terms_M(c), tb_terms_f(c), c->right, c->a, c->lambda);
    int contradicted = c->rank < c->m && tb_least_multipliers(c, tb_terms_J(c), W, c->lambda);
    if (c->shared && (contradicted || tb_first_not_finite(c->a, c->n) >= 0 ||
                      tb_first_not_finite(c->lambda, c->m) >= 0))
        tb_share_load(c, W);
}

static void solve_rubbing(tb_constrained *c) {
    solve_with(c, tb_terms_W(c));
}

/* Returns 0 when frictions may still disagree. */
static int turn_until_agreed(tb_constrained *c) {
    for (long turn = 0; turn < TURNS + SINGLES; turn++) {
        if (!turn_friction(c, turn >= TURNS))
            return 1;
        solve_rubbing(c);
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
        solve_with(c, NULL);
        turn_friction(c, 0);
        solve_rubbing(c);
        turn_until_agreed(c);
    }
    c->unanswered = unanswered(c);
    c->statistics.paradoxes += c->unanswered >= 0 || too_strong(c);
    if (c->unanswered >= 0) {
        tb_leave_friction(c);
        solve_rubbing(c);
    }
}

TB_DEVICE void tb_solve_motion(tb_constrained *c) {
    c->unanswered = -1;
    for (long i = 0; i < c->m; i++)
        c->mu[i] = 1.0;
    solve_rubbing(c);
    if (c->W_twins)
        agree(c);
}
