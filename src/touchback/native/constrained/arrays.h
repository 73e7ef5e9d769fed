/* The arrays of tb_constrained, stated once, by type, name and how many numbers each has: for the
 * struct, for its sizes (tb_constrained_array_sizes), for what is saved of it (warm_start.c), for
 * Python, which allocates them (describe_headers.py reads these tables), and for a graphics card
 * (batch/gpu/constrained_kernel.py). Sizes are those of `c`. */
#ifndef TOUCHBACK_CONSTRAINED_ARRAYS_H
#define TOUCHBACK_CONSTRAINED_ARRAYS_H

#define TB_ARRAY_FIELD(type, name, count) type *name;

/* The choice, in the order in which a warm start has it: first rows, then columns.
 *   rows, columns     in the order of pivots
 *   chosen_pivot      when chosen; then the largest since, and the latest
 *   pivot_floor       below which a choice isn't used even within a step
 *   chosen_size       of each pivot when chosen: part of the largest, by scaled entries
 *   row_size          the largest scaled entry of a row at any choice, as a whole row may vanish;
 *                     the largest pivot where pivots are as small as the order makes them
 *   scale             of a column: 1 / sqrt(M_jj) */
#define TB_CHOICE_ARRAYS(X)                                                                        \
    X(int, rows, c->m)                                                                             \
    X(int, columns, c->n)                                                                          \
    X(double, chosen_pivot, c->m)                                                                  \
    X(double, best_pivot, c->m)                                                                    \
    X(double, pivot, c->m)                                                                         \
    X(double, pivot_floor, c->m)                                                                   \
    X(double, chosen_size, c->m)                                                                   \
    X(double, row_size, c->m)                                                                      \
    X(double, row_weight, c->m)                                                                    \
    X(double, scale, c->n)

/* What a warm start has after it: the last accepted state, and the last solution of the equations
 * of motion. */
#define TB_SOLUTION_ARRAYS(X)                                                                      \
    X(double, settled, c->nq + c->n + c->nz)                                                       \
    X(double, a, c->n)                                                                             \
    X(double, lambda, c->m)

/* What every formulation works on.
 *   level             of a column: 0 independent, 1 dependent, 2 dependent in velocity only
 *   dropped           of a row
 *   x                 the state worked on
 *   LU                m x n in the order of the choice, then a place of no use
 *   no_force          n zeros
 *   mu                multipliers of corrections
 *   load_shares, load_gram   of redundant rows (least_multipliers.c) */
#define TB_WORK_ARRAYS(X)                                                                          \
    X(int, level, c->n)                                                                            \
    X(int, dropped, c->m)                                                                          \
    X(double, x, c->nq + c->n + c->nz)                                                             \
    X(double, increment, c->nq + c->n + c->nz)                                                     \
    X(double, at_terms, 3 * c->m + c->J_count + c->W_count + c->M_count + c->n + c->nz)            \
    X(double, at_positions, c->m + c->J_count)                                                     \
    X(double, b, c->m)                                                                             \
    X(double, residual, c->m)                                                                      \
    X(double, right, c->m)                                                                         \
    X(double, m_scratch, c->m)                                                                     \
    X(double, mu, c->m)                                                                            \
    X(double, inverse_pivot, c->m)                                                                 \
    X(double, load_shares, c->m * c->m / 4)                                                        \
    X(double, load_gram, c->m *(c->m + 1) / 2)                                                     \
    X(double, step, c->n)                                                                          \
    X(double, n_scratch, c->n)                                                                     \
    X(double, no_force, c->n)                                                                      \
    X(double, LU, c->sparse ? 1 : c->m * c->n + 1)                                                 \
    X(double, B, c->sparse ? 1 : c->m * c->n)                                                      \
    X(double, candidates, c->sparse ? c->m : c->m * c->n)                                          \
    X(double, mass, c->sparse ? 1 : c->n * c->n)                                                   \
    X(double, T, c->sparse ? 1 : c->n * c->n)                                                      \
    X(double, reduced, c->sparse ? 1 : c->n * c->n)                                                \
    X(double, A, c->sparse || !c->W_count ? 1 : c->n * c->n)                                       \
    X(int, J_places, c->J_count)                                                                   \
    X(int, M_places, 2 * c->M_count)                                                               \
    X(int, pivots, c->n > c->m ? c->n : c->m)

/* What implicit formulations work on besides: what stiffness gave, their matrix, and of auxiliary
 * states what they lack of the rule and their increments. */
#define TB_IMPLICIT_ARRAYS(X)                                                                      \
    X(double, stiff, c->stiffness.call ? (c->n + c->nz) * (2 * c->n + c->nz) : 1)                  \
    X(double, matrix, c->sparse ? 1 : c->n * c->n)                                                 \
    X(double, z_lack, c->nz)                                                                       \
    X(double, z_step, c->nz)                                                                       \
    X(int, z_pivots, c->nz)

#endif
