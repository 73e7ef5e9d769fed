/* A mechanism with constraints, of any size, in two structs: the model, which nothing changes while
 * it runs, and the workspace of one run, which has all that a step writes. For a graphics card both
 * are written anew, with sizes that a compiler knows (batch/gpu/constrained_kernel.py); what works
 * on them is the same text there. */
#ifndef TOUCHBACK_CONSTRAINED_STRUCT_H
#define TOUCHBACK_CONSTRAINED_STRUCT_H

#include "constrained/arrays.h"
#include "constrained/statistics.h"
#include "integrate/problem.h"
#include "linear/sparse.h"

/* Memory with which rows that contradict each other are met as well as can be (shared_load.c). */
typedef struct tb_shared_load {
    double *matrix, *right, *solution; /* (n + m) squared, n + m, n + m */
    double *work;                      /* 2 (n + m) */
    int *order;                        /* n + m */
} tb_shared_load;

/* What the mechanism is. A function's scratch memory goes with it: so threads that run at the same
 * time have models of their own, too. */
typedef struct tb_constrained_model {
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
    const int *holonomic;    /* of each row: whether it has an equation for positions */
    const int *driven;       /* of each row: whether it prescribes a coordinate */
    double tolerance;        /* of |h|, times the row's largest entry where that is above 1 */
    double rank_tolerance;   /* pivots below this part of the largest make a row redundant */
    double alpha, beta;      /* Baumgarte's; [1/s] */
    double penalty;          /* of the augmented Lagrangian, free of units */
    const tb_sparse *sparse; /* NULL for the dense way */
} tb_constrained_model;

/* What one run of it works on. */
typedef struct tb_constrained_work {
    TB_CHOICE_ARRAYS(TB_ARRAY_FIELD)
    TB_SOLUTION_ARRAYS(TB_ARRAY_FIELD)
    TB_WORK_ARRAYS(TB_ARRAY_FIELD)
    TB_IMPLICIT_ARRAYS(TB_ARRAY_FIELD)
    long rank, position_rank, most_rank; /* of the choice */
    long started, truncated;
    double redundant_h; /* the largest |h| of redundant rows when they were found redundant */

    const tb_sparse_work *sparse; /* NULL for the dense way */
    const tb_shared_load *shared; /* NULL in runs */
    long unanswered; /* the first row whose friction no force agrees with, where the motion was
                        solved last; -1 for none */
    tb_constraint_statistics statistics;
} tb_constrained_work;

/* Both, for those who pass them on: problems, modes, contexts of rates. */
typedef struct tb_constrained {
    const tb_constrained_model *model;
    tb_constrained_work *work;
} tb_constrained;

/* How many numbers each array of a workspace has, in the order of the four tables of arrays.h. */
void tb_constrained_array_sizes(const tb_constrained_model *model, long *sizes);

#endif
