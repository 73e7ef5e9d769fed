/* The ways in which constraints are enforced: rates, what keeps their states consistent, and the
 * Jacobians of the rates. Two are steps of their own (linear_implicit.c, augmented_lagrangian.c).
 */
#ifndef TOUCHBACK_FORMULATIONS_H
#define TOUCHBACK_FORMULATIONS_H

#include "constrained/constrained.h"

/* Rates of the one calling convention, with a tb_constrained as their context. */
void tb_partitioning_rate(const double *x, const double *u, const double *p, double *out,
                          double *scratch, const void *context);
void tb_multipliers_rate(const double *x, const double *u, const double *p, double *out,
                         double *scratch, const void *context);
void tb_baumgarte_rate(const double *x, const double *u, const double *p, double *out,
                       double *scratch, const void *context);
void tb_penalty_rate(const double *x, const double *u, const double *p, double *out,
                     double *scratch, const void *context);

/* What settles in each; baumgarte and penalty take that of multipliers, steps of their own the
 * last. */
extern const tb_dynamics_kind tb_partitioning_kind, tb_multipliers_kind, tb_projection_kind,
    tb_stepped_kind;
long tb_partitioning_settle(const tb_problem *problem, double t, double *x, long accepted);
long tb_multipliers_settle(const tb_problem *problem, double t, double *x, long accepted);
long tb_projection_settle(const tb_problem *problem, double t, double *x, long accepted);

typedef struct tb_rate_derivatives {
    const tb_problem *problem;
    tb_callable slopes; /* the nonzeros from x, [t, inputs, a, lambda] and parameters */
    const int *rows;    /* of each nonzero: in the stack of the blocks below */
    const int *starts;  /* of each column of [q, v, z] among the nonzeros, and their end */
    long row_count;     /* of the stack */
    long input_count;   /* time included */
    double *u, *values;
    double *stacks; /* a stack for each element of the state: what changes with it */
    double *column; /* state size */
    double *matrix; /* n + m squared: that of the motion; none for many loops */
    double *right;  /* n + m: forces, then what J da must be */
    int *pivots;
} tb_rate_derivatives;

/* Jacobians of the rates, likewise, with a tb_rate_derivatives as their context. */
void tb_partitioning_jacobian(const double *x, const double *u, const double *p, double *out,
                              double *scratch, const void *context);
void tb_multipliers_jacobian(const double *x, const double *u, const double *p, double *out,
                             double *scratch, const void *context);
void tb_baumgarte_jacobian(const double *x, const double *u, const double *p, double *out,
                           double *scratch, const void *context);

#endif
