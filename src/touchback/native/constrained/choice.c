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

TB_DEVICE void tb_use_choice(tb_constrained *c) {
    if (!c->sparse)
        tb_dense_places(c);
    for (long i = 0; i < c->m; i++)
        c->dropped[c->rows[i]] = i >= c->rank;
    for (long j = 0; j < c->n; j++)
        c->level[c->columns[j]] =
            j >= c->rank ? 0 : (j < c->position_rank ? TB_POSITION : TB_VELOCITY);
}

static void choose(tb_constrained *c, const double *J, double tolerance, long rank_limit) {
    if (c->sparse)
        tb_sparse_choose(c, J, tolerance, rank_limit);
    else
        tb_dense_choose(c, J, tolerance, rank_limit);
    tb_use_choice(c);
    for (long i = 0; i < c->m; i++) {
        c->pivot_floor[i] = 0.0;
        c->pivot[i] = c->chosen_pivot[i] = c->best_pivot[i] = 1.0; /* until factored */
    }
    if (c->sparse) /* which factors only where velocities need a correction: that may be far off */
        tb_sparse_factor(c, J, TB_VELOCITY);
    c->statistics.choices++;
}

static void note_time(tb_constrained *c, double start) {
    c->statistics.worst_choice = fmax(c->statistics.worst_choice, tb_seconds() - start);
}

TB_DEVICE void tb_choose(tb_constrained *c, const double *J, double tolerance, long rank_limit) {
    double start = tb_seconds();
    choose(c, J, tolerance, rank_limit);
    note_time(c, start);
}

static int try_to_factor(tb_constrained *c, const double *J, int level) {
    return c->sparse ? tb_sparse_factor(c, J, level) : tb_dense_factor(c, J);
}

TB_DEVICE void tb_factor(tb_constrained *c, const double *J, int level) {
    if (try_to_factor(c, J, level)) {
        tb_choose(c, J, ROUNDING, c->rank);
        try_to_factor(c, J, level);
    }
}

TB_DEVICE void tb_factor_for_solve(tb_constrained *c, const double *J) {
    if (!c->sparse)
        tb_factor(c, J, TB_VELOCITY);
}

TB_DEVICE void tb_newton_step(tb_constrained *c, const double *J, const double *h, double *step) {
    if (c->sparse) {
        tb_factor(c, J, TB_POSITION);
        tb_sparse_correct(c, J, h, TB_POSITION, step);
    } else if (tb_dense_newton_step(c, J, h, step)) {
        tb_choose(c, J, ROUNDING, c->rank);
        tb_dense_newton_step(c, J, h, step);
    }
}

TB_DEVICE void tb_correct(tb_constrained *c, const double *J, const double *residual, int level,
                          double *step) {
    if (c->sparse)
        tb_sparse_correct(c, J, residual, level, step);
    else
        tb_dense_correct(c, residual, level, step);
}

TB_DEVICE void tb_solve(tb_constrained *c, const double *J, const double *W, const double *M,
                        const double *f, const double *right, double *a, double *lambda) {
    if (c->sparse)
        tb_sparse_solve(c, J, M, f, right, 0, a, lambda);
    else
        tb_dense_solve(c, W, M, f, right, a, lambda);
}

TB_DEVICE void tb_row_shares(tb_constrained *c, const double *J, long row, double *shares) {
    if (c->sparse)
        tb_sparse_row_shares(c, J, row, shares);
    else
        tb_dense_row_shares(c, J, row, shares);
}

static double redundant_size(const tb_constrained *c, const double *h) {
    double largest = 0.0;
    for (long i = c->rank; i < c->m; i++)
        if (c->holonomic[c->rows[i]])
            largest = fmax(largest, fabs(h[c->rows[i]]));
    return largest;
}

/* Whether a pivot of the choice has become poor. */
static int review_pivots(tb_constrained *c) {
    int poor = 0;
    for (long k = 0; k < c->rank; k++) {
        double now = c->pivot[k], then = c->chosen_pivot[k];
        if (now > c->best_pivot[k]) {
            c->best_pivot[k] = now;
            c->pivot_floor[k] = TB_SPENT * now;
        }
        poor |= now < POOR * c->best_pivot[k] || c->best_pivot[k] > GROWN * then;
    }
    return poor;
}

TB_DEVICE void tb_review_choice(tb_constrained *c, const double *h, const double *J) {
    double violated = redundant_size(c, h);
    int poor = review_pivots(c);
    c->statistics.singular +=
        c->rank < c->most_rank || c->truncated || tb_smallest_pivot(c) < TB_NEARLY_SINGULAR;
    if (!poor && c->rank == c->most_rank && !c->truncated &&
        (violated <= VIOLATED || violated <= 10.0 * c->redundant_h))
        return;
    tb_choose(c, J, c->rank_tolerance, c->m);
    c->truncated = 0;
    c->redundant_h = redundant_size(c, h);
    if (c->rank > c->most_rank) { /* so the positions before were singular */
        c->most_rank = c->rank;
        c->statistics.singular++;
    }
}

TB_DEVICE void tb_count_all(tb_constrained *c, long most, const double *x, const double *u,
                            const double *p) {
    if (!c->started || c->rank >= most)
        return;
    tb_load(c, x);
    tb_positions(c, u, p);
    tb_choose(c, tb_positions_J(c), c->rank_tolerance, c->m);
}

/* A row that the effort of one coordinate keeps is met by that coordinate where it can be: what it
 * follows may jump with an input, and is not to give way. */
static void prefer_what_keeps(tb_constrained *c, const double *J) {
    for (long k = 0; k < c->W_count; k++) {
        long row = c->W_rows[k], own = -1;
        double largest = 0.0;
        int alone = 1;
        for (long i = 0; i < c->W_count; i++)
            alone &= i == k || c->W_rows[i] != row;
        for (long i = 0; alone && i < c->J_count; i++) {
            if (c->J_rows[i] != row)
                continue;
            largest = fmax(largest, fabs(J[i]) * c->scale[c->J_columns[i]]);
            own = c->J_columns[i] == c->W_columns[k] ? i : own;
        }
        double size = own < 0 ? 0.0 : fabs(J[own]) * c->scale[c->J_columns[own]];
        if (size > ABLE * largest && size < PREFERRED * largest)
            c->scale[c->J_columns[own]] *= PREFERRED * largest / size;
    }
}

TB_DEVICE void tb_choose_at_terms(tb_constrained *c) {
    const double *M = tb_terms_M(c), *J = tb_terms_J(c);
    for (long k = 0; k < c->M_count; k++)
        if (c->M_rows[k] == c->M_columns[k])
            c->scale[c->M_rows[k]] = M[k] > 0.0 ? 1.0 / sqrt(M[k]) : 1.0;
    for (long i = 0; i < c->m; i++)
        c->row_weight[i] = 1.0;
    for (long k = 0; k < c->J_count; k++)
        c->row_weight[c->J_rows[k]] = fmin(c->row_weight[c->J_rows[k]], 1.0 / fabs(J[k]));
    prefer_what_keeps(c, J);
    choose(c, J, c->rank_tolerance, c->m);
    c->most_rank = c->rank;
    c->started = 1;
}

TB_DEVICE void tb_first_choice(tb_constrained *c, const double *u, const double *p) {
    tb_terms(c, u, p);
    double start = tb_seconds();
    tb_choose_at_terms(c);
    note_time(c, start);
}
