/* A mechanism with constraints, as every formulation sees it:
 *
 *   M a = f + W^T lambda,   h(q, t) = 0,   J v = b,   J a + gamma = 0
 *
 * with n freedoms and m rows. W = J except for servo-constraints and for rows with friction, whose
 * W holds where lambda pushes (it is 2 J - W where lambda pulls). What the mechanism is stands in a
 * model, which no step changes; a workspace serves one run (struct.h), so a function that gets both
 * as its context is not re-entrant.
 *
 * Which coordinates depend on the others is data of the run, here the *choice*: an order of the
 * rows and of the columns of J whose leading block, `rank` wide, is triangulated without further
 * pivoting. Rows beyond the rank are redundant there and take no part. Rows with a position-level
 * equation come first, so that the leading `position_rank` pivots serve Newton's method.
 */
#ifndef TOUCHBACK_CONSTRAINED_H
#define TOUCHBACK_CONSTRAINED_H

#ifndef TB_ON_DEVICE
#include <math.h>
#include <string.h>

#include "constrained/struct.h"
#endif

#ifndef TB_ON_DEVICE
#pragma GCC visibility push(hidden) /* functions of the library's own: calls need no table */
#endif

enum { TB_POSITION = 1, TB_VELOCITY = 2 };
#define TB_ITERATIONS 20 /* the most of a position solve */
#define TB_STAGNANT 1e3  /* times the tolerance: rounding may keep |h| from falling */
#define TB_SPENT 0.05    /* part of the largest pivot that is left at its floor */

/* ---- where things are in the outputs of terms and positions ------------------------------- */

static inline double *tb_terms_b(const tb_constrained_model *model,
                                 const tb_constrained_work *work) {
    return work->at_terms + model->m;
}
static inline double *tb_terms_gamma(const tb_constrained_model *model,
                                     const tb_constrained_work *work) {
    return work->at_terms + 2 * model->m;
}
static inline double *tb_terms_J(const tb_constrained_model *model,
                                 const tb_constrained_work *work) {
    return work->at_terms + 3 * model->m;
}
static inline double *tb_terms_W(const tb_constrained_model *model,
                                 const tb_constrained_work *work) {
    return tb_terms_J(model, work) + model->J_count;
}
static inline double *tb_terms_M(const tb_constrained_model *model,
                                 const tb_constrained_work *work) {
    return tb_terms_W(model, work) + model->W_count;
}
static inline double *tb_terms_f(const tb_constrained_model *model,
                                 const tb_constrained_work *work) {
    return tb_terms_M(model, work) + model->M_count;
}
static inline double *tb_terms_z(const tb_constrained_model *model,
                                 const tb_constrained_work *work) {
    return tb_terms_f(model, work) + model->n;
}
static inline double *tb_positions_J(const tb_constrained_model *model,
                                     const tb_constrained_work *work) {
    return work->at_positions + model->m;
}
static inline double *tb_velocities(const tb_constrained_model *model,
                                    const tb_constrained_work *work) {
    return work->x + model->nq;
}

/* The mechanism that a rate of its own gets as its context. */
static inline const tb_constrained *tb_constrained_of(const void *context) {
    return (const tb_constrained *)context;
}

/* ---- evaluations at work->x (constrained.c) -------------------------------------------------- */

static inline void tb_copy(double *restrict to, const double *restrict from, long count) {
    for (long i = 0; i < count; i++)
        to[i] = from[i];
}
static inline void tb_load(const tb_constrained_model *model, tb_constrained_work *work,
                           const double *x) {
    tb_copy(work->x, x, model->nq + model->n + model->nz);
}
static inline void tb_terms(const tb_constrained_model *model, tb_constrained_work *work,
                            const double *u, const double *p) {
    TB_CALL(model, terms, work->x, u, p, work->at_terms);
}
static inline void tb_positions(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *u, const double *p) {
    TB_CALL(model, positions, work->x, u, p, work->at_positions);
}
static inline void tb_velocity_level(const tb_constrained_model *model, tb_constrained_work *work,
                                     const double *u, const double *p) {
    if (TB_HAS(model, velocity_level))
        TB_CALL(model, velocity_level, work->x, u, p, work->b);
}
/* q <- q (+) times step, a step in velocities. */
TB_DEVICE void tb_increment(const tb_constrained_model *model, tb_constrained_work *work,
                            double times, const double *step, const double *u, const double *p);
/* The largest |h| at x, as it is given, of all rows but those that are marked (NULL: none is). */
TB_DEVICE double tb_widest_gap(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *x, const double *u, const double *p, const int *but);
/* work->residual = wanted - J v. */
TB_DEVICE void tb_velocity_residual(const tb_constrained_model *model, tb_constrained_work *work,
                                    const double *J, const double *wanted);
/* The largest |h|, or |work->residual|, of the rows that are kept, less for rows with large
 * entries.
 */
static inline double tb_active_rows_size(const tb_constrained_work *work, const double *values,
                                         long count) {
    double largest = 0.0;
    for (long k = 0; k < count; k++) {
        long i = work->rows[k];
        double size = fabs(values[i]) * work->row_weight[i];
        if (!(size <= largest)) /* a NaN must show */
            largest = size;
    }
    return largest;
}
static inline double tb_position_size(const tb_constrained_work *work, const double *h) {
    return tb_active_rows_size(work, h, work->position_rank);
}
static inline double tb_residual_size(const tb_constrained_work *work) {
    return tb_active_rows_size(work, work->residual, work->rank);
}

/* ---- linear algebra of the choice (choice.c, dense_*.c, sparse_choice.c) ------------------- */

/* Chooses rows and dependent columns for J, timed and counted. */
TB_DEVICE void tb_choose(const tb_constrained_model *model, tb_constrained_work *work,
                         const double *J, double tolerance, long rank_limit);
/* Triangulates J and solves J step = h for dependent positions, with zeros at other columns. */
TB_DEVICE void tb_newton_step(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J, const double *h, double *step);
/* Notes the size of a pivot; returns 1 when it has fallen to its floor. */
static inline int tb_note_pivot(tb_constrained_work *work, long k, double size) {
    work->pivot[k] = size;
    if (!(size > work->pivot_floor[k]))
        return 1;
    if (work->pivot_floor[k] == 0.0) { /* the first time since the choice */
        work->chosen_pivot[k] = work->best_pivot[k] = size;
        work->pivot_floor[k] = TB_SPENT * size;
    }
    return 0;
}

#define TB_NEARLY_SINGULAR 0.02
/* The smallest pivot that was factored last, as a part of the largest. */
static inline double tb_smallest_pivot(const tb_constrained_work *work) {
    double smallest = 1.0;
    for (long k = 0; k < work->rank; k++) {
        double part = work->chosen_size[k] * work->pivot[k];
        if (part < smallest * work->chosen_pivot[k])
            smallest = part / work->chosen_pivot[k];
    }
    return smallest;
}
/* At an accepted state: chooses anew when the present choice has become poor. */
TB_DEVICE void tb_review_choice(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *h, const double *J);
/* Before the rate at a state that nobody settles: while fewer rows than so many count, those that
 * had no direction at the one before count again where they have one. */
TB_DEVICE void tb_count_all(const tb_constrained_model *model, tb_constrained_work *work, long most,
                            const double *x, const double *u, const double *p);
/* The first choice of a run, from the terms at work->x. */
TB_DEVICE void tb_first_choice(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *u, const double *p);
/* The same from the last terms, and untimed: reading the clock costs as much as a small choice. */
TB_DEVICE void tb_choose_at_terms(const tb_constrained_model *model, tb_constrained_work *work);

/* What follows from the order of rows and columns and from the ranks of a choice. */
TB_DEVICE void tb_use_choice(const tb_constrained_model *model, tb_constrained_work *work);

TB_DEVICE void tb_dense_choose(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *J, double tolerance, long rank_limit);
/* Where each nonzero of J goes in LU, and each of M in mass. */
TB_DEVICE void tb_dense_places(const tb_constrained_model *model, tb_constrained_work *work);
TB_DEVICE int tb_dense_factor(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J);
TB_DEVICE void tb_dense_correct(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *residual, int level, double *step);
TB_DEVICE int tb_dense_newton_step(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *J, const double *h, double *step);
/* Dependent velocities in v from the independent ones; b may be NULL for zeros. */
TB_DEVICE void tb_dense_velocities(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *b, double *v);
TB_DEVICE void tb_dense_solve(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *W, const double *M, const double *f,
                              const double *right, double *a, double *lambda);
/* After tb_solve, where rows are redundant: the multipliers of least norm among those with the same
 * forces (least_multipliers.c). W may be NULL for J. Returns 1 where work->right contradicts
 * itself.
 */
TB_DEVICE int tb_least_multipliers(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *J, const double *W, double *lambda);
/* After it, if rows are redundant: the same forces by the rows that are kept alone. */
TB_DEVICE void tb_active_multipliers(const tb_constrained_model *model,
                                     const tb_constrained_work *work, const double *lambda,
                                     double *kept);
/* After tb_solve: a row that is left out as a sum of those that are kept, in the order of the
 * choice. */
TB_DEVICE void tb_row_shares(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *J, long row, double *shares);
TB_DEVICE void tb_dense_row_shares(const tb_constrained_model *model,
                                   const tb_constrained_work *work, const double *J, long row,
                                   double *shares);
TB_DEVICE void tb_sparse_row_shares(const tb_constrained_model *model,
                                    const tb_constrained_work *work, const double *J, long row,
                                    double *shares);
/* After tb_solve, where rows contradict each other or are singular: accelerations that come nearest
 * to meeting all of them, and |[a, lambda]| as small as can be (shared_load.c). W may be NULL for
 * J. */
TB_DEVICE void tb_share_load(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *W);
/* After tb_dense_solve with W: 1 where the matrix of the motion, [[M, -W^T], [J, 0]], has a
 * determinant of the same sign as with W = J, -1 where of the other, 0 where it has none. */
TB_DEVICE int tb_dense_side(const tb_constrained_model *model, const tb_constrained_work *work);
/* The same with any square matrix A (n x n, row-major) in place of M. */
TB_DEVICE void tb_dense_solve_general(const tb_constrained_model *model, tb_constrained_work *work,
                                      const double *A, const double *f, const double *right,
                                      double *a, double *lambda);

TB_DEVICE void tb_sparse_choose(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *J, double tolerance, long rank_limit);
TB_DEVICE int tb_sparse_factor(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *J, int level);
TB_DEVICE void tb_sparse_correct(const tb_constrained_model *model, tb_constrained_work *work,
                                 const double *J, const double *residual, int level, double *step);
/* As tb_solve, with -softness on the diagonal of the multipliers (zero: exact constraints). */
TB_DEVICE void tb_sparse_solve(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *J, const double *M, const double *f,
                               const double *right, const double *softness, double *a,
                               double *lambda);

/* Each of these takes the dense or the sparse way. They are inline, as are those that begin and end
 * rates: as calls of their own they took 3 % of the step of a small loop. */

/* Triangulates J in the order of the choice. Returns 1 when a pivot has all but vanished. */
static inline int tb_try_to_factor(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *J, int level) {
    return model->sparse ? tb_sparse_factor(model, work, J, level)
                         : tb_dense_factor(model, work, J);
}
/* Triangulates J in the order of a new choice. */
TB_DEVICE void tb_factor_anew(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J, int level);
/* Triangulates J in the order of the choice; chooses anew when a pivot has all but vanished. */
static inline void tb_factor(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *J, int level) {
    if (tb_try_to_factor(model, work, J, level))
        tb_factor_anew(model, work, J, level);
}
/* Triangulates J only where tb_solve needs it: the sparse way factors within tb_solve. */
static inline void tb_factor_for_solve(const tb_constrained_model *model, tb_constrained_work *work,
                                       const double *J) {
    if (!model->sparse)
        tb_factor(model, work, J, TB_VELOCITY);
}
/* step: J step = residual with zeros at the independent columns; after tb_factor. */
static inline void tb_correct(const tb_constrained_model *model, tb_constrained_work *work,
                              const double *J, const double *residual, int level, double *step) {
    if (model->sparse)
        tb_sparse_correct(model, work, J, residual, level, step);
    else
        tb_dense_correct(model, work, residual, level, step);
}
/* a, lambda: M a - W^T lambda = f and J a = right; after tb_factor_for_solve. */
static inline void tb_solve(const tb_constrained_model *model, tb_constrained_work *work,
                            const double *J, const double *W, const double *M, const double *f,
                            const double *right, double *a, double *lambda) {
    if (model->sparse)
        tb_sparse_solve(model, work, J, M, f, right, 0, a, lambda);
    else
        tb_dense_solve(model, work, W, M, f, right, a, lambda);
}

/* ---- shared by formulations --------------------------------------------------------------- */

/* What comes next doesn't hang on what was before. */
TB_DEVICE void tb_reset_choice(const tb_constrained_model *model, tb_constrained_work *work);
/* What it hangs on instead, as tb_dynamics_kind has it (warm_start.c). */
TB_DEVICE long tb_constrained_save_warm_start(const tb_constrained *c, double *memory);
TB_DEVICE int tb_constrained_is_warm_start(const tb_constrained *c, const double *memory);
TB_DEVICE void tb_constrained_restore_warm_start(const tb_constrained *c, const double *memory);
/* The same as tb_reset_choice, and nothing is counted yet. */
TB_DEVICE void tb_reset_run(const tb_constrained_model *model, tb_constrained_work *work);
/* Terms at x, and their J factored where tb_solve needs that. */
static inline void tb_begin_rate(const tb_constrained_model *model, tb_constrained_work *work,
                                 const double *x, const double *u, const double *p) {
    tb_load(model, work, x);
    if (work->started)
        tb_terms(model, work, u, p);
    else
        tb_first_choice(model, work, u, p);
    tb_factor_for_solve(model, work, tb_terms_J(model, work));
}
/* work->a and work->lambda of the last terms with J a = work->right (friction.c). */
TB_DEVICE void tb_solve_motion(const tb_constrained_model *model, tb_constrained_work *work);
/* Makes the W of the last terms that of rows without friction: impulses and corrections of
 * positions don't rub. */
TB_DEVICE void tb_leave_friction(const tb_constrained_model *model, tb_constrained_work *work);
/* Makes work->a and work->lambda no numbers where the last terms are none: a choice of rows drops
 * those that have no pivot, and what is left would look like an answer. */
TB_DEVICE void tb_refuse_unknown(const tb_constrained_model *model, tb_constrained_work *work);
/* dq/dt, the accelerations that were found, and dz/dt. */
static inline void tb_write_rate(const tb_constrained_model *model, const tb_constrained_work *work,
                                 const double *u, const double *p, double *out) {
    if (TB_HAS(model, configuration_rate))
        TB_CALL(model, configuration_rate, work->x, u, p, out);
    else
        tb_copy(out, tb_velocities(model, work), model->n);
    tb_copy(out + model->nq, work->a, model->n);
    tb_copy(out + model->nq + model->n, tb_terms_z(model, work), model->nz);
}
/* Accelerations for J a = work->right, written as a rate. */
static inline void tb_finish_rate(const tb_constrained_model *model, tb_constrained_work *work,
                                  const double *u, const double *p, double *out) {
    tb_solve_motion(model, work);
    if (work->rank < model->m)
        tb_refuse_unknown(model, work);
    tb_write_rate(model, work, u, p, out);
}
/* work->right = what J a must be with Baumgarte's feedback. */
TB_DEVICE void tb_baumgarte_pull(const tb_constrained_model *model, tb_constrained_work *work);
/* Penalties by row into work->right, and M + h/2 C + h^2/4 K + J^T w J with them, factored
 * (augmented_lagrangian.c). */
TB_DEVICE void tb_soft_factor(const tb_constrained_model *model, tb_constrained_work *work,
                              double h, const double *u, const double *p);
/* d with [that matrix] d = force - J^T w g, and work->mu = -w (g + J d); not the same arrays. */
TB_DEVICE void tb_soft_solve(const tb_constrained_model *model, tb_constrained_work *work,
                             const double *force, const double *g, double *d);
/* Further states z by the trapezoidal rule within the same iterations (auxiliary_states.c): takes
 * them out of that matrix, after stiffness, and out of the force. */
TB_DEVICE void tb_auxiliary_out_of_matrix(const tb_constrained_model *model,
                                          tb_constrained_work *work, double h);
TB_DEVICE void tb_auxiliary_out_of_force(const tb_constrained_model *model,
                                         tb_constrained_work *work, double h, double *force);
/* Adds a share of their increments with d to zeta; returns the largest, in parts of states above 1.
 */
TB_DEVICE double tb_auxiliary_move(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *d, double share, double *zeta);
/* Moves the positions of work->x onto their constraints by corrections weighted with M (of the last
 * terms); leaves h and J in work->at_positions. Returns the size of h and counts the iterations. */
TB_DEVICE double tb_project_positions(const tb_constrained_model *model, tb_constrained_work *work,
                                      const double *u, const double *p);
/* Velocities onto J v = b likewise, with the J that was factored last. */
TB_DEVICE void tb_project_velocities(const tb_constrained_model *model, tb_constrained_work *work,
                                     const double *u, const double *p);
/* Both; a failure of the first is counted. */
TB_DEVICE void tb_project_state(const tb_constrained_model *model, tb_constrained_work *work,
                                const double *u, const double *p);
/* work->x is an accepted state whose h and J are in work->at_positions. */
TB_DEVICE void tb_accept(const tb_constrained_model *model, tb_constrained_work *work, int first);
static inline void tb_count_solve(tb_constrained_work *work, long iterations) {
    tb_constraint_statistics *s = &work->statistics;
    s->solves++;
    s->iterations_last = iterations;
    s->iterations += iterations;
    if (iterations > s->iterations_most)
        s->iterations_most = iterations;
}

#ifndef TB_ON_DEVICE
#pragma GCC visibility pop
#endif

#endif
