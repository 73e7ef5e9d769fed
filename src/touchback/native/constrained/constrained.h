/* A mechanism with constraints, as every formulation sees it:
 *
 *   M a = f + W^T lambda,   h(q, t) = 0,   J v = b,   J a + gamma = 0
 *
 * with n freedoms and m rows. W = J except for servo-constraints and for rows with friction, whose
 * W holds where lambda pushes (it is 2 J - W where lambda pulls). One struct serves one run: it
 * holds the run's memory, so a function that gets it as its context is not re-entrant.
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

static inline double *tb_terms_b(const tb_constrained *c) {
    return c->at_terms + c->m;
}
static inline double *tb_terms_gamma(const tb_constrained *c) {
    return c->at_terms + 2 * c->m;
}
static inline double *tb_terms_J(const tb_constrained *c) {
    return c->at_terms + 3 * c->m;
}
static inline double *tb_terms_W(const tb_constrained *c) {
    return tb_terms_J(c) + c->J_count;
}
static inline double *tb_terms_M(const tb_constrained *c) {
    return tb_terms_W(c) + c->W_count;
}
static inline double *tb_terms_f(const tb_constrained *c) {
    return tb_terms_M(c) + c->M_count;
}
static inline double *tb_terms_z(const tb_constrained *c) {
    return tb_terms_f(c) + c->n;
}
static inline double *tb_positions_J(const tb_constrained *c) {
    return c->at_positions + c->m;
}
static inline double *tb_velocities(const tb_constrained *c) {
    return c->x + c->nq;
}

/* The mechanism that a rate of its own gets as its context. */
static inline tb_constrained *tb_constrained_of(const void *context) {
    return (tb_constrained *)context;
}

/* ---- evaluations at c->x (constrained.c) -------------------------------------------------- */

static inline void tb_copy(double *restrict to, const double *restrict from, long count) {
    for (long i = 0; i < count; i++)
        to[i] = from[i];
}
static inline void tb_load(tb_constrained *c, const double *x) {
    tb_copy(c->x, x, c->nq + c->n + c->nz);
}
static inline void tb_terms(tb_constrained *c, const double *u, const double *p) {
    TB_CALL(c, terms, c->x, u, p, c->at_terms);
}
static inline void tb_positions(tb_constrained *c, const double *u, const double *p) {
    TB_CALL(c, positions, c->x, u, p, c->at_positions);
}
static inline void tb_velocity_level(tb_constrained *c, const double *u, const double *p) {
    if (TB_HAS(c, velocity_level))
        TB_CALL(c, velocity_level, c->x, u, p, c->b);
}
/* q <- q (+) times step, a step in velocities. */
TB_DEVICE void tb_increment(tb_constrained *c, double times, const double *step, const double *u,
                            const double *p);
/* The largest |h| at x, as it is given, of all rows but those that are marked (NULL: none is). */
TB_DEVICE double tb_widest_gap(tb_constrained *c, const double *x, const double *u, const double *p,
                               const int *but);
/* c->residual = wanted - J v. */
TB_DEVICE void tb_velocity_residual(tb_constrained *c, const double *J, const double *wanted);
/* The largest |h|, or |c->residual|, of the rows that are kept, less for rows with large entries.
 */
static inline double tb_active_rows_size(const tb_constrained *c, const double *values,
                                         long count) {
    double largest = 0.0;
    for (long k = 0; k < count; k++) {
        long i = c->rows[k];
        double size = fabs(values[i]) * c->row_weight[i];
        if (!(size <= largest)) /* a NaN must show */
            largest = size;
    }
    return largest;
}
static inline double tb_position_size(const tb_constrained *c, const double *h) {
    return tb_active_rows_size(c, h, c->position_rank);
}
static inline double tb_residual_size(const tb_constrained *c) {
    return tb_active_rows_size(c, c->residual, c->rank);
}

/* ---- linear algebra of the choice (choice.c dispatches to dense_*.c and sparse_choice.c) --- */

/* Chooses rows and dependent columns for J, timed and counted. */
TB_DEVICE void tb_choose(tb_constrained *c, const double *J, double tolerance, long rank_limit);
/* Triangulates J in the order of the choice; chooses anew when a pivot has all but vanished. */
TB_DEVICE void tb_factor(tb_constrained *c, const double *J, int level);
/* Triangulates J only where tb_solve needs it: the sparse way factors within tb_solve. */
TB_DEVICE void tb_factor_for_solve(tb_constrained *c, const double *J);
/* Triangulates J and solves J step = h for dependent positions, with zeros at other columns. */
TB_DEVICE void tb_newton_step(tb_constrained *c, const double *J, const double *h, double *step);
/* step: J step = residual with zeros at the independent columns; after tb_factor. */
TB_DEVICE void tb_correct(tb_constrained *c, const double *J, const double *residual, int level,
                          double *step);
/* a, lambda: M a - W^T lambda = f and J a = right; after tb_factor_for_solve. */
TB_DEVICE void tb_solve(tb_constrained *c, const double *J, const double *W, const double *M,
                        const double *f, const double *right, double *a, double *lambda);
/* Notes the size of a pivot; returns 1 when it has fallen to its floor. */
static inline int tb_note_pivot(tb_constrained *c, long k, double size) {
    c->pivot[k] = size;
    if (!(size > c->pivot_floor[k]))
        return 1;
    if (c->pivot_floor[k] == 0.0) { /* the first time since the choice */
        c->chosen_pivot[k] = c->best_pivot[k] = size;
        c->pivot_floor[k] = TB_SPENT * size;
    }
    return 0;
}

#define TB_NEARLY_SINGULAR 0.02
/* The smallest pivot that was factored last, as a part of the largest. */
static inline double tb_smallest_pivot(const tb_constrained *c) {
    double smallest = 1.0;
    for (long k = 0; k < c->rank; k++) {
        double part = c->chosen_size[k] * c->pivot[k];
        if (part < smallest * c->chosen_pivot[k])
            smallest = part / c->chosen_pivot[k];
    }
    return smallest;
}
/* At an accepted state: chooses anew when the present choice has become poor. */
TB_DEVICE void tb_review_choice(tb_constrained *c, const double *h, const double *J);
/* Before the rate at a state that nobody settles: while fewer rows than so many count, those that
 * had no direction at the one before count again where they have one. */
TB_DEVICE void tb_count_all(tb_constrained *c, long most, const double *x, const double *u,
                            const double *p);
/* The first choice of a run, from the terms at c->x. */
TB_DEVICE void tb_first_choice(tb_constrained *c, const double *u, const double *p);
/* The same from the last terms, and untimed: reading the clock costs as much as a small choice. */
TB_DEVICE void tb_choose_at_terms(tb_constrained *c);

/* What follows from the order of rows and columns and from the ranks of a choice. */
TB_DEVICE void tb_use_choice(tb_constrained *c);

TB_DEVICE void tb_dense_choose(tb_constrained *c, const double *J, double tolerance,
                               long rank_limit);
/* Where each nonzero of J goes in LU, and each of M in mass. */
TB_DEVICE void tb_dense_places(tb_constrained *c);
TB_DEVICE int tb_dense_factor(tb_constrained *c, const double *J);
TB_DEVICE void tb_dense_correct(tb_constrained *c, const double *residual, int level, double *step);
TB_DEVICE int tb_dense_newton_step(tb_constrained *c, const double *J, const double *h,
                                   double *step);
/* Dependent velocities in v from the independent ones; b may be NULL for zeros. */
TB_DEVICE void tb_dense_velocities(tb_constrained *c, const double *b, double *v);
TB_DEVICE void tb_dense_solve(tb_constrained *c, const double *W, const double *M, const double *f,
                              const double *right, double *a, double *lambda);
/* After tb_solve, where rows are redundant: the multipliers of least norm among those with the same
 * forces (least_multipliers.c). W may be NULL for J. Returns 1 where c->right contradicts itself.
 */
TB_DEVICE int tb_least_multipliers(tb_constrained *c, const double *J, const double *W,
                                   double *lambda);
/* After it, if rows are redundant: the same forces by the rows that are kept alone. */
TB_DEVICE void tb_active_multipliers(const tb_constrained *c, const double *lambda, double *kept);
/* After tb_solve: a row that is left out as a sum of those that are kept, in the order of the
 * choice. */
TB_DEVICE void tb_row_shares(tb_constrained *c, const double *J, long row, double *shares);
TB_DEVICE void tb_dense_row_shares(const tb_constrained *c, const double *J, long row,
                                   double *shares);
TB_DEVICE void tb_sparse_row_shares(const tb_constrained *c, const double *J, long row,
                                    double *shares);
/* After tb_solve, where rows contradict each other or are singular: accelerations that come nearest
 * to meeting all of them, and |[a, lambda]| as small as can be (shared_load.c). W may be NULL for
 * J. */
TB_DEVICE void tb_share_load(tb_constrained *c, const double *W);
/* After tb_dense_solve with W: 1 where the matrix of the motion, [[M, -W^T], [J, 0]], has a
 * determinant of the same sign as with W = J, -1 where of the other, 0 where it has none. */
TB_DEVICE int tb_dense_side(const tb_constrained *c);
/* The same with any square matrix A (n x n, row-major) in place of M. */
TB_DEVICE void tb_dense_solve_general(tb_constrained *c, const double *A, const double *f,
                                      const double *right, double *a, double *lambda);

TB_DEVICE void tb_sparse_choose(tb_constrained *c, const double *J, double tolerance,
                                long rank_limit);
TB_DEVICE int tb_sparse_factor(tb_constrained *c, const double *J, int level);
TB_DEVICE void tb_sparse_correct(tb_constrained *c, const double *J, const double *residual,
                                 int level, double *step);
/* As tb_solve, with -softness on the diagonal of the multipliers (zero: exact constraints). */
TB_DEVICE void tb_sparse_solve(tb_constrained *c, const double *J, const double *M, const double *f,
                               const double *right, const double *softness, double *a,
                               double *lambda);

/* ---- shared by formulations --------------------------------------------------------------- */

/* What comes next doesn't hang on what was before. */
TB_DEVICE void tb_reset_choice(tb_constrained *c);
/* What it hangs on instead, as tb_dynamics_kind has it (remember.c). */
TB_DEVICE long tb_constrained_save_warm_start(const tb_constrained *c, double *memory);
TB_DEVICE int tb_constrained_is_warm_start(const tb_constrained *c, const double *memory);
TB_DEVICE void tb_constrained_restore_warm_start(tb_constrained *c, const double *memory);
/* The same as tb_reset_choice, and nothing is counted yet. */
TB_DEVICE void tb_reset_run(tb_constrained *c);
/* Terms at x, and their J factored where tb_solve needs that. */
TB_DEVICE void tb_begin_rate(tb_constrained *c, const double *x, const double *u, const double *p);
/* c->a and c->lambda of the last terms with J a = c->right (friction.c). */
TB_DEVICE void tb_solve_motion(tb_constrained *c);
/* Makes the W of the last terms that of rows without friction: impulses and corrections of
 * positions don't rub. */
TB_DEVICE void tb_leave_friction(tb_constrained *c);
/* Makes c->a and c->lambda no numbers where the last terms are none: a choice of rows drops those
 * that have no pivot, and what is left would look like an answer. */
TB_DEVICE void tb_refuse_unknown(tb_constrained *c);
/* Accelerations for J a = c->right, written as a rate. */
TB_DEVICE void tb_finish_rate(tb_constrained *c, const double *u, const double *p, double *out);
/* dq/dt, the accelerations that were found, and dz/dt. */
TB_DEVICE void tb_write_rate(const tb_constrained *c, const double *u, const double *p,
                             double *out);
/* c->right = what J a must be with Baumgarte's feedback. */
TB_DEVICE void tb_baumgarte_pull(tb_constrained *c);
/* Penalties by row into c->right, and M + h/2 C + h^2/4 K + J^T w J with them, factored
 * (augmented_lagrangian.c). */
TB_DEVICE void tb_soft_factor(tb_constrained *c, double h, const double *u, const double *p);
/* d with [that matrix] d = force - J^T w g, and c->mu = -w (g + J d); not the same arrays. */
TB_DEVICE void tb_soft_solve(tb_constrained *c, const double *force, const double *g, double *d);
/* Further states z by the trapezoidal rule within the same iterations (auxiliary_states.c): takes
 * them out of that matrix, after stiffness, and out of the force. */
TB_DEVICE void tb_auxiliary_out_of_matrix(tb_constrained *c, double h);
TB_DEVICE void tb_auxiliary_out_of_force(tb_constrained *c, double h, double *force);
/* Adds a share of their increments with d to zeta; returns the largest, in parts of states above 1.
 */
TB_DEVICE double tb_auxiliary_move(tb_constrained *c, const double *d, double share, double *zeta);
/* Moves the positions of c->x onto their constraints by corrections weighted with M (of the last
 * terms); leaves h and J in c->at_positions. Returns the size of h and counts the iterations. */
TB_DEVICE double tb_project_positions(tb_constrained *c, const double *u, const double *p);
/* Velocities onto J v = b likewise, with the J that was factored last. */
TB_DEVICE void tb_project_velocities(tb_constrained *c, const double *u, const double *p);
/* Both; a failure of the first is counted. */
TB_DEVICE void tb_project_state(tb_constrained *c, const double *u, const double *p);
/* c->x is an accepted state whose h and J are in c->at_positions. */
TB_DEVICE void tb_accept(tb_constrained *c, int first);
static inline void tb_count_solve(tb_constrained *c, long iterations) {
    tb_constraint_statistics *s = &c->statistics;
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
