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

static double twin(const tb_constrained_model *model, const tb_constrained_work *work, long k) {
    return model->W_twins[k] >= 0 ? tb_terms_J(model, work)[model->W_twins[k]] : 0.0;
}

TB_DEVICE void tb_leave_friction(const tb_constrained_model *model, tb_constrained_work *work) {
    for (long k = 0; model->W_twins && k < model->W_count; k++)
        if (model->W_twins[k] >= -1)
            tb_terms_W(model, work)[k] = twin(model, work, k);
}

static int disagrees(const tb_constrained_work *work, long row) {
    return work->mu[row] * work->lambda[row] < 0.0;
}

/* Turns frictions round whose multipliers have other signs than work->mu, which W holds for: all of
 * them, or the first (Murty 1974). Returns 0 when there are none. */
static int turn_friction(const tb_constrained_model *model, tb_constrained_work *work, int single) {
    long turned = -1;
    for (long k = 0; k < model->W_count; k++) {
        long row = model->W_rows[k];
        if (model->W_twins[k] < -1 || !disagrees(work, row) ||
            (single && turned >= 0 && row != turned))
            continue;
        tb_terms_W(model, work)[k] = 2.0 * twin(model, work, k) - tb_terms_W(model, work)[k];
        turned = row;
    }
    for (long i = 0; i < model->m; i++)
        if (disagrees(work, i) && (!single || i == turned))
            work->mu[i] = -work->mu[i];
    return turned >= 0;
}

/* The first row whose friction is so strong that no force agrees with it, or -1: Painleve's
 * paradox. */
static long unanswered(const tb_constrained_model *model, const tb_constrained_work *work) {
    double largest = 0.0, forces = 0.0, wrong = 0.0;
    long first = model->m;
    for (long j = 0; j < model->n; j++)
        largest = fmax(largest, fabs(tb_terms_f(model, work)[j]));
    for (long k = 0; k < model->W_count; k++) {
        double force = fabs(tb_terms_W(model, work)[k] * work->lambda[model->W_rows[k]]);
        forces = fmax(forces, force);
        if (model->W_twins[k] >= -1 && disagrees(work, model->W_rows[k])) {
            wrong = fmax(wrong, force);
            first = model->W_rows[k] < first ? model->W_rows[k] : first;
        }
    }
    return wrong > MEANINGLESS * (largest + forces) ? first : -1;
}

static void solve_with(const tb_constrained_model *model, tb_constrained_work *work,
                       const double *W) {
    tb_solve(model, work, tb_terms_J(model, work), W, tb_terms_M(model, work),
             tb_terms_f(model, work), work->right, work->a, work->lambda);
    int contradicted = work->rank < model->m &&
                       tb_least_multipliers(model, work, tb_terms_J(model, work), W, work->lambda);
    if (work->shared && (contradicted || tb_first_not_finite(work->a, model->n) >= 0 ||
                         tb_first_not_finite(work->lambda, model->m) >= 0))
        tb_share_load(model, work, W);
}

static void solve_with_friction(const tb_constrained_model *model, tb_constrained_work *work) {
    solve_with(model, work, tb_terms_W(model, work));
}

/* Returns 0 when frictions may still disagree. */
static int turn_until_agreed(const tb_constrained_model *model, tb_constrained_work *work) {
    for (long turn = 0; turn < TURNS + SINGLES; turn++) {
        if (!turn_friction(model, work, turn >= TURNS))
            return 1;
        solve_with_friction(model, work);
    }
    return 0;
}

static int is_servo(const tb_constrained_model *model, const tb_constrained_work *work, long k) {
    const double *J = tb_terms_J(model, work), *W = tb_terms_W(model, work);
    for (long l = 0; l < model->J_count; l++)
        if (model->J_rows[l] == model->W_rows[k] && model->J_columns[l] == model->W_columns[k])
            return W[k] != J[l];
    return 1;
}

/* Whether friction is stronger than the inertia that it acts against, so that an answer isn't the
 * one that weak friction leads to. With servos there is no telling. */
static int too_strong(const tb_constrained_model *model, const tb_constrained_work *work) {
    if (tb_dense_side(model, work) > 0)
        return 0;
    for (long k = 0; k < model->W_count; k++)
        if (model->W_twins[k] < -1 && is_servo(model, work, k))
            return 0;
    return 1;
}

/* Frictions that agree with their multipliers: none where no forces do, and where several do, those
 * that are found from the forces without friction. */
static void agree(const tb_constrained_model *model, tb_constrained_work *work) {
    int agreed = turn_until_agreed(model, work), strong = too_strong(model, work);
    if (agreed && !strong)
        return;
    if (strong) {
        solve_with(model, work, NULL);
        turn_friction(model, work, 0);
        solve_with_friction(model, work);
        turn_until_agreed(model, work);
    }
    work->unanswered = unanswered(model, work);
    work->statistics.paradoxes += work->unanswered >= 0 || too_strong(model, work);
    if (work->unanswered >= 0) {
        tb_leave_friction(model, work);
        solve_with_friction(model, work);
    }
}

TB_DEVICE void tb_solve_motion(const tb_constrained_model *model, tb_constrained_work *work) {
    work->unanswered = -1;
    for (long i = 0; i < model->m; i++)
        work->mu[i] = 1.0;
    solve_with_friction(model, work);
    if (model->W_twins)
        agree(model, work);
}
