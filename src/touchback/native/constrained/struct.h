/* The memory of one run of a mechanism with constraints, of any size. For a
 * graphics card it is written anew, with sizes that a compiler knows
 * (batch/gpu/constrained_kernel.py); what works on it is the same text there. */
#ifndef TOUCHBACK_CONSTRAINED_STRUCT_H
#define TOUCHBACK_CONSTRAINED_STRUCT_H

#include "constrained/statistics.h"
#include "integrate/problem.h"
#include "linear/sparse.h"

/* Memory with which rows that contradict each other are met as well as can be (shared_load.c). */
typedef struct tb_shared_load {
    double *matrix, *right, *solution; /* (n + m) squared, n + m, n + m */
    double *work;                      /* 2 (n + m) */
    int *order;                        /* n + m */
} tb_shared_load;

typedef struct tb_constrained {
    long nq, n, nz, m;
    long J_count, W_count, M_count; /* nonzeros; W_count = 0 when W = J */
    tb_callable terms;              /* [h, b, gamma, J, W, M (lower triangle), f, dz/dt] */
    tb_callable positions;          /* [h, J] */
    tb_callable velocity_level;     /* [b]; call is NULL when b = 0 at all times */
    tb_callable configuration_rate;
    tb_callable stiffness; /* [df/dq, df/dv, df/dz], then the same of dz/dt; dense, dq by increments
                              of velocity; may be NULL */
    const int *J_rows, *J_columns, *W_rows, *W_columns;
    const int *W_twins; /* of a nonzero of W in a row with friction: its place in J, -1 for none; -2
                           in other rows; NULL when nothing rubs */
    const int *M_rows, *M_columns;
    const int *holonomic;  /* of each row: whether it has an equation for positions */
    const int *driven;     /* of each row: whether it prescribes a coordinate */
    double tolerance;      /* of |h|, times the row's largest entry where that is above 1 */
    double rank_tolerance; /* pivots below this part of the largest make a row redundant */
    double alpha, beta;    /* Baumgarte's; [1/s] */
    double penalty;        /* of the augmented Lagrangian, free of units */

    /* The choice. */
    long rank, position_rank, most_rank;
    int *rows, *columns; /* in the order of pivots */
    int *level;          /* of a column: 0 independent, 1 dependent, 2 dependent in velocity only */
    int *dropped;        /* of a row */
    double *chosen_pivot, *best_pivot, *pivot; /* when chosen, the largest since, the latest */
    double *pivot_floor; /* below which a choice isn't used even within a step */
    double *chosen_size; /* of each pivot when chosen: part of the largest, by scaled entries */
    double *row_size; /* the largest scaled entry of a row at any choice, as a whole row may vanish;
                         the largest pivot where pivots are as small as the order makes them */
    double redundant_h; /* the largest |h| of redundant rows when they were found redundant */
    long started, truncated;

    /* What was evaluated last. */
    double *x, *settled; /* the state worked on, and the last accepted one */
    double *at_terms, *at_positions, *b;
    double *a, *lambda; /* the result of the last solution of the equations of motion */
    double *scale;      /* of a column: 1 / sqrt(M_jj) */

    /* Memory for the dense way: LU is m x n in the order of the choice, then a place of no use. */
    double *LU, *inverse_pivot, *B, *mass, *T, *reduced, *A, *candidates;
    int *J_places, *M_places, *pivots;
    double *residual, *right, *step, *row_weight, *n_scratch, *m_scratch, *increment;
    double *no_force, *mu;   /* n zeros; multipliers of corrections */
    double *stiff, *matrix;  /* what stiffness gave; the matrix of the implicit formulations */
    double *z_lack, *z_step; /* nz: what further states lack of the rule, and their increments */
    int *z_pivots;

    double *load_shares,
        *load_gram; /* of redundant rows (least_multipliers.c): m^2 / 4, m (m + 1) / 2 */

    const tb_sparse *sparse;      /* NULL for the dense way */
    const tb_shared_load *shared; /* NULL in runs */
    long unanswered; /* the first row whose friction no force agrees with, where the motion was
                        solved last; -1 for none */
    tb_constraint_statistics statistics;
} tb_constrained;

#endif
