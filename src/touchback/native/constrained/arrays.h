/* The arrays of tb_constrained_work, stated once, by type, name and how many numbers each has: for
 * the struct, for its sizes (tb_constrained_array_sizes), for what is saved of it (warm_start.c),
 * for Python, which allocates them (describe_headers.py reads these tables), and for a graphics
 * card (batch/gpu/constrained_kernel.py). Sizes follow from the `model`. */
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
    X(int, rows, model->m)                                                                         \
    X(int, columns, model->n)                                                                      \
    X(double, chosen_pivot, model->m)                                                              \
    X(double, best_pivot, model->m)                                                                \
    X(double, pivot, model->m)                                                                     \
    X(double, pivot_floor, model->m)                                                               \
    X(double, chosen_size, model->m)                                                               \
    X(double, row_size, model->m)                                                                  \
    X(double, row_weight, model->m)                                                                \
    X(double, scale, model->n)

/* What a warm start has after it: the last accepted state, and the last solution of the equations
 * of motion. */
#define TB_SOLUTION_ARRAYS(X)                                                                      \
    X(double, settled, model->nq + model->n + model->nz)                                           \
    X(double, a, model->n)                                                                         \
    X(double, lambda, model->m)

/* What every formulation works on.
 *   level             of a column: 0 independent, 1 dependent, 2 dependent in velocity only
 *   dropped           of a row
 *   x                 the state worked on
 *   LU                m x n in the order of the choice, then a place of no use
 *   no_force          n zeros
 *   mu                multipliers of corrections
 *   load_shares, load_gram   of redundant rows (least_multipliers.c) */
#define TB_WORK_ARRAYS(X)                                                                          \
    X(int, level, model->n)                                                                        \
    X(int, dropped, model->m)                                                                      \
    X(double, x, model->nq + model->n + model->nz)                                                 \
    X(double, increment, model->nq + model->n + model->nz)                                         \
    X(double, at_terms,                                                                            \
      3 * model->m + model->J_count + model->W_count + model->M_count + model->n + model->nz)      \
    X(double, at_positions, model->m + model->J_count)                                             \
    X(double, b, model->m)                                                                         \
    X(double, residual, model->m)                                                                  \
    X(double, right, model->m)                                                                     \
    X(double, m_scratch, model->m)                                                                 \
    X(double, mu, model->m)                                                                        \
    X(double, inverse_pivot, model->m)                                                             \
    X(double, load_shares, model->m * model->m / 4)                                                \
    X(double, load_gram, model->m *(model->m + 1) / 2)                                             \
    X(double, step, model->n)                                                                      \
    X(double, n_scratch, model->n)                                                                 \
    X(double, no_force, model->n)                                                                  \
    X(double, LU, model->sparse ? 1 : model->m * model->n + 1)                                     \
    X(double, B, model->sparse ? 1 : model->m * model->n)                                          \
    X(double, candidates, model->sparse ? model->m : model->m * model->n)                          \
    X(double, mass, model->sparse ? 1 : model->n * model->n)                                       \
    X(double, T, model->sparse ? 1 : model->n * model->n)                                          \
    X(double, reduced, model->sparse ? 1 : model->n * model->n)                                    \
    X(double, A, model->sparse || !model->W_count ? 1 : model->n * model->n)                       \
    X(int, J_places, model->J_count)                                                               \
    X(int, M_places, 2 * model->M_count)                                                           \
    X(int, pivots, model->n > model->m ? model->n : model->m)

/* What implicit formulations work on besides: what stiffness gave, their matrix, and of auxiliary
 * states what they lack of the rule and their increments. */
#define TB_IMPLICIT_ARRAYS(X)                                                                      \
    X(double, stiff,                                                                               \
      model->stiffness.call ? (model->n + model->nz) * (2 * model->n + model->nz) : 1)             \
    X(double, matrix, model->sparse ? 1 : model->n * model->n)                                     \
    X(double, z_lack, model->nz)                                                                   \
    X(double, z_step, model->nz)                                                                   \
    X(int, z_pivots, model->nz)

#endif
