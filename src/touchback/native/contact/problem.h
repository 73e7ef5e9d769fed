/* Impulses of rigid contacts with friction: u = G p + c, 0 <= p_n _|_ u_n >= 0, and friction in
 * groups of one or two rows, |p_t| <= coefficient * p_n, against the slip
 * (contact/contact_impulses.py). */
#ifndef TOUCHBACK_CONTACT_PROBLEM_H
#define TOUCHBACK_CONTACT_PROBLEM_H

typedef struct tb_contact_problem {
    long rows, contacts, groups;
    double *G;             /* nonzeros, row by row */
    int *starts, *columns; /* of rows in G (one more at the end); of nonzeros */
    double *own;           /* G's diagonal */
    double *c;
    int *normals;                /* of each contact */
    int *group_rows;             /* two of each group, -1: none */
    int *group_contact;          /* rising */
    double *coefficient, *scale; /* of each group; what sweeps divide its speeds by */
} tb_contact_problem;

/* Memory for problems of up to `rows` rows, and for pivoting with up to `size` = contacts + 3
 * groups; larger ones can only be swept. */
typedef struct tb_contact_memory {
    long rows, size;
    double *tableau;               /* size x (2 size + 2) */
    double *matrix, *spread;       /* rows x rows */
    double *right, *found, *trial; /* rows */
    int *basis;                    /* 2 size */
    int *order, *columns, *held;   /* rows */
} tb_contact_memory;

/* Velocity of a row, by three sums that don't wait for each other. */
static inline double tb_contact_velocity(const tb_contact_problem *q, long row, const double *p) {
    const double *G = q->G;
    const int *columns = q->columns;
    long k = q->starts[row], end = q->starts[row + 1];
    double first = q->c[row], second = 0.0, third = 0.0;
    for (; k + 2 < end; k += 3) {
        first += G[k] * p[columns[k]];
        second += G[k + 1] * p[columns[k + 1]];
        third += G[k + 2] * p[columns[k + 2]];
    }
    for (; k < end; k++)
        first += G[k] * p[columns[k]];
    return first + (second + third);
}

/* Projected Gauss-Seidel from the guess in p, until a sweep changes no velocity by more than
 * `target`; returns the sweeps, or -1 when they don't settle. `least` are the least normal impulses
 * of contacts, NULL: none. */
long tb_gauss_seidel(const tb_contact_problem *problem, const double *least, double *p,
                     double target, long limit);

/* Newton's method from p; returns whether p has become better. */
int tb_contact_newton(const tb_contact_problem *problem, double *p, tb_contact_memory *memory);

/* Lemke's pivoting, for groups of one row; returns the pivots, or -1 when it ends without one. */
long tb_lemke(const tb_contact_problem *problem, double *p, tb_contact_memory *memory);

#endif
