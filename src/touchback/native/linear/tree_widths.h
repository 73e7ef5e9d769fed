/* What the files tree_of_two.c, tree_of_four.c and tree_of_eight.c share: tree_lanes.h for
 * registers of so many doubles, each width compiled by itself, since they take the compiler longest
 * of all. */
#ifndef TOUCHBACK_TREE_WIDTHS_H
#define TOUCHBACK_TREE_WIDTHS_H

#include "linear/tree_derivatives.h"

#define INLINED static inline __attribute__((always_inline))

/* What derivatives by so many coordinates are products of, by q and by v. */
typedef struct products {
    double row[3][TB_COLUMNS];        /* the angular part of S^T 2 B */
    double turning[2][3][TB_COLUMNS]; /* what sums of rows of what j carries are multiplied with:
                                         the angular part of psi' or S */
    double moved[2][6][TB_COLUMNS];   /* and wrenches that it leaves to its carrier: psi'' or
                                         psi' + S', twists */
    double above[2][6][TB_COLUMNS];   /* wrenches that accelerations of its carrier are, too */
} products;

INLINED long groups(const tb_tree_derivatives *self) {
    return (self->n + TB_COLUMNS - 1) / TB_COLUMNS;
}

/* Where coordinate j stands: in which of tb_columns, and where there. */
#define GROUP(j) ((unsigned long)(j) / TB_COLUMNS)
#define LANE(j) ((unsigned long)(j) % TB_COLUMNS)

#pragma GCC visibility push(hidden)

/* out = [da/dq, da/dv, M^-1] from what generated code gives. */
#ifdef __x86_64__
void tb_solve_tree_of_eight(const tb_tree_derivatives *self, const tb_columns *columns, double *out,
                            double *work);
void tb_solve_tree_of_four(const tb_tree_derivatives *self, const tb_columns *columns, double *out,
                           double *work);
#endif
void tb_solve_tree_of_two(const tb_tree_derivatives *self, const tb_columns *columns, double *out,
                          double *work);

#pragma GCC visibility pop

#endif
