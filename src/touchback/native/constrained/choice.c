/* Which coordinates depend on which: when that is chosen, and how its use is counted.
 *
 * A choice orders rows and columns so that the pivots of elimination are as large as they get,
 * columns scaled by 1 / sqrt(M_jj) so that metres and radians compare, rows by their largest entry
 * so far: a row that has all but vanished is nearly singular, too. It is kept as long as it is
 * good. At an accepted state it is made anew when a pivot has fallen to half of the largest it
 * ever was, when one has grown a hundredfold (then it was chosen near a singular position), when
 * the rank was lower than at other positions, or when a row left out as redundant is violated;
 * within a step only when a pivot has fallen to a twentieth. The motion itself doesn't depend on
 * the choice, only its rounding errors do. */
#ifndef TB_ON_DEVICE
#include <math.h>

#include "constrained/constrained.h"
#include "seconds.h"
#endif

static const double POOR = 0.5, GROWN = 100.0;
static const double ROUNDING = 1e-14; /* part of the largest pivot that is surely rounding */
static const double VIOLATED = 1e-11; /* |h| of a row that was left out */
static const double ABLE = 1e-3;      /* part of a row's largest entry that can still meet it */
static const double PREFERRED = 4.0;  /* times the largest entry of the others */

TB_DEVICE void tb_use_choice(const tb_constrained_model *model, tb_constrained_work *work) {
    if (!model->sparse)
        tb_dense_places(model, work);
    for (long i = 0; i < model->m; i++)
        work->dropped[work->rows[i]] = i >= work->rank;
    for (long j = 0; j < model->n; j++)
        work->level[work->columns[j]] =
            j >= work->rank ? 0 : (j < work->position_rank ? TB_POSITION : TB_VELOCITY);
}

static void choose(const tb_constrained_model *model, tb_constrained_work *work, const double *J,
                   double tolerance, long rank_limit) {
    if (model->sparse)
        tb_sparse_choose(model, work, J, tolerance, rank_limit);
    else
        tb_dense_choose(model, work, J, tolerance, rank_limit);
    tb_use_choice(model, work);
    for (long i = 0; i < model->m; i++) {
        work->pivot_floor[i] = 0.0;
        work->pivot[i] = work->chosen_pivot[i] = work->best_pivot[i] = 1.0; /* until factored */
    }
    if (model->sparse) /* which factors only where velocities need a correction: that may be far off
                        */
        tb_sparse_factor(model, work, J, TB_VELOCITY);
    work->statistics.choices++;
}

static void note_time(tb_constrained_work *work, double start) {
    work->statistics.worst_choice = fmax(work->statistics.worst_choice, tb_seconds() - start);
}

TB_DEVICE void tb_choose(const tb_constrained_model *model, tb_constrained_work *work,
                         const double *J, double tolerance, long rank_limit) {
    double start = tb_seconds();
    choose(model, work, J, tolerance, rank_limit);
    note_time(work, start);
}

TB_DEVICE void tb_factor_anew(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J, int level) {
    tb_choose(model, work, J, ROUNDING, work->rank);
    tb_try_to_factor(model, work, J, level);
}

TB_DEVICE void tb_newton_step(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J, const double *h, double *step) {
    if (model->sparse) {
        tb_factor(model, work, J, TB_POSITION);
        tb_sparse_correct(model, work, J, h, TB_POSITION, step);
    } else if (tb_dense_newton_step(model, work, J, h, step)) {
        tb_choose(model, work, J, ROUNDING, work->rank);
        tb_dense_newton_step(model, work, J, h, step);
    }
}

TB_DEVICE void tb_row_shares(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *J, long row, double *shares) {
    if (model->sparse)
        tb_sparse_row_shares(model, work, J, row, shares);
    else
        tb_dense_row_shares(model, work, J, row, shares);
}

static double redundant_size(const tb_constrained_model *model, const tb_constrained_work *work,
                             const double *h) {
    double largest = 0.0;
    for (long i = work->rank; i < model->m; i++)
        if (model->holonomic[work->rows[i]])
            largest = fmax(largest, fabs(h[work->rows[i]]));
    return largest;
}

/* Whether a pivot of the choice has become poor. */
static int review_pivots(tb_constrained_work *work) {
    int poor = 0;
    for (long k = 0; k < work->rank; k++) {
        double now = work->pivot[k], then = work->chosen_pivot[k];
        if (now > work->best_pivot[k]) {
            work->best_pivot[k] = now;
            work->pivot_floor[k] = TB_SPENT * now;
        }
        poor |= now < POOR * work->best_pivot[k] || work->best_pivot[k] > GROWN * then;
    }
    return poor;
}

TB_DEVICE void tb_review_choice(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *h, const double *J) {
    double violated = redundant_size(model, work, h);
    int poor = review_pivots(work);
    work->statistics.singular += work->rank < work->most_rank || work->truncated ||
                                 tb_smallest_pivot(work) < TB_NEARLY_SINGULAR;
    if (!poor && work->rank == work->most_rank && !work->truncated &&
        (violated <= VIOLATED || violated <= 10.0 * work->redundant_h))
        return;
    tb_choose(model, work, J, model->rank_tolerance, model->m);
    work->truncated = 0;
    work->redundant_h = redundant_size(model, work, h);
    if (work->rank > work->most_rank) { /* so the positions before were singular */
        work->most_rank = work->rank;
        work->statistics.singular++;
    }
}

TB_DEVICE void tb_count_all(const tb_constrained_model *model, tb_constrained_work *work, long most,
                            const double *x, const double *u, const double *p) {
    if (!work->started || work->rank >= most)
        return;
    tb_load(model, work, x);
    tb_positions(model, work, u, p);
    tb_choose(model, work, tb_positions_J(model, work), model->rank_tolerance, model->m);
}

/* A row that the effort of one coordinate keeps is met by that coordinate where it can be: what it
 * follows may jump with an input, and is not to give way. */
static void prefer_what_keeps(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J) {
    for (long k = 0; k < model->W_count; k++) {
        long row = model->W_rows[k], own = -1;
        double largest = 0.0;
        int alone = 1;
        for (long i = 0; i < model->W_count; i++)
            alone &= i == k || model->W_rows[i] != row;
        for (long i = 0; alone && i < model->J_count; i++) {
            if (model->J_rows[i] != row)
                continue;
            largest = fmax(largest, fabs(J[i]) * work->scale[model->J_columns[i]]);
            own = model->J_columns[i] == model->W_columns[k] ? i : own;
        }
        double size = own < 0 ? 0.0 : fabs(J[own]) * work->scale[model->J_columns[own]];
        if (size > ABLE * largest && size < PREFERRED * largest)
            work->scale[model->J_columns[own]] *= PREFERRED * largest / size;
    }
}

TB_DEVICE void tb_choose_at_terms(const tb_constrained_model *model, tb_constrained_work *work) {
    const double *M = tb_terms_M(model, work), *J = tb_terms_J(model, work);
    for (long k = 0; k < model->M_count; k++)
        if (model->M_rows[k] == model->M_columns[k])
            work->scale[model->M_rows[k]] = M[k] > 0.0 ? 1.0 / sqrt(M[k]) : 1.0;
    for (long i = 0; i < model->m; i++)
        work->row_weight[i] = 1.0;
    for (long k = 0; k < model->J_count; k++)
        work->row_weight[model->J_rows[k]] =
            fmin(work->row_weight[model->J_rows[k]], 1.0 / fabs(J[k]));
    prefer_what_keeps(model, work, J);
    choose(model, work, J, model->rank_tolerance, model->m);
    work->most_rank = work->rank;
    work->started = 1;
}

TB_DEVICE void tb_first_choice(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *u, const double *p) {
    tb_terms(model, work, u, p);
    double start = tb_seconds();
    tb_choose_at_terms(model, work);
    note_time(work, start);
}
