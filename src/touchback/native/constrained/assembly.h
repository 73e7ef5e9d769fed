/* States that constraints allow, for those who have only a guess: positions and velocities change
 * least, in radians and metres, where projection.c, which keeps runs on their constraints, weighs
 * changes with M. Some coordinates may be told to stay. */
#ifndef TOUCHBACK_ASSEMBLY_H
#define TOUCHBACK_ASSEMBLY_H

#include "constrained/constrained.h"

enum { TB_CLOSED, TB_OPEN, TB_NO_NUMBER };

typedef struct tb_assembly {
    const tb_constrained *constrained;
    const double *u, *p;
    double angle; /* or length, by which a guess is turned aside */
    int *met;     /* of a row: whether it is to be met */
    int *still;   /* of a velocity coordinate: whether it stays */
    int *kept;    /* of a position coordinate: whether it stays; those that are velocities too are
                     still instead */
    const int
        *tracks; /* of a row: whether it is met by idle velocity coordinates alone, which move */
    const int *idle;       /* nothing else; of a velocity coordinate: whether it is such a one */
    double *first, *error; /* of each row: h at the guess; h, or J v - b, at the end */
    double *b;             /* what the rows that are met demand of velocities */
    double *from, *step;   /* positions before a step, and the step */
    double *held; /* n x n: directions in which nothing moves, square to each other, so many: */
    long held_count;
    double *matrix, *right, *work; /* of a step: m x n, m, 2 n */
    int *order;                    /* n */
} tb_assembly;

/* All of them give TB_CLOSED, unless said.
 * q of x = [q, v, z] by Newton's method; TB_OPEN where that leads nowhere, TB_NO_NUMBER
 * where h or J aren't numbers at the guess. */
int tb_assembly_close(tb_assembly *a, double *x);
/* q turned or slid aside by some of `angle`, but for what is kept. */
int tb_assembly_turn(tb_assembly *a, double *x);
/* v nearest to that of x with J v = b; TB_NO_NUMBER where b isn't one. */
int tb_assembly_meet(tb_assembly *a, double *x);
/* All of it for a guess x at u[0] with these inputs and parameters: q, turned aside where a guess
 * leads nowhere, then v. TB_OPEN where positions or velocities can't be met. */
int tb_assembly_start(tb_assembly *a, double *x);
/* v after impulses of all constraints: v + M^-1 J^T impulse, J v = b. */
int tb_assembly_strike(tb_assembly *a, double *x);

#endif
