/* Moreau and Jean's theta-method with contacts at the level of velocities, step by step.
 *
 * M. Jean, The non-smooth contact dynamics method (1999); V. Acary and B. Brogliato, Numerical
 * methods for nonsmooth dynamical systems (2008), ch. 10. The smooth part is linearly implicit,
 * with the true Jacobian J of the rate r of x = [q, v, z]:
 *
 *   (I - h theta J) dx = h r + [0, M^-1 E^T p, 0],
 *
 * which is the theta-method itself where forces are linear, and of second order for theta = 1/2
 * elsewhere. A contact takes part where gap + h/2 rate <= 0 at the start of the step; its velocity
 * after the step, u+, and its impulse p obey 0 <= p_n _|_ u_n+ + e u_n- >= 0 and Coulomb's law. The
 * mechanism's own constraints take part in every step, with u+ = 0; positions are then moved onto
 * them. Where W and M change, u+ is taken at the configuration that the smooth part alone would
 * reach, and impulses act half-way to it: a ball that spins rolls without slipping at the *end* of
 * a step. Nothing is allocated.
 *
 * Matrices are sparse in blocks. A *part* is a set of coordinates that the smooth equations, the
 * mass matrix or the mechanism's own constraints tie to each other: each body of a heap is one, a
 * tree is one. Within a part matrices are dense; a row of a contact touches one part or two, and
 * two rows act on each other where they share one. Contacts that hang together make an *island*,
 * which is solved by itself (contact/islands.c). */
#ifndef TOUCHBACK_MOREAU_JEAN_H
#define TOUCHBACK_MOREAU_JEAN_H

#include "contact/problem.h"
#include "integrate/problem.h"

/* The pattern, worked out once (moreau_jean.py). A *pair* is a row and a part that it touches. */
typedef struct tb_contact_pattern {
    long parts, masses, slopes, entries;      /* counts; nonzeros of M, of the Jacobian, of W */
    const int *mass_places;                   /* of each nonzero of M in the blocks of parts */
    const int *slope_places;                  /* the same for the Jacobian */
    const int *part_starts, *part_places;     /* the places in x of a part's unknowns, rising */
    const int *part_moving, *part_velocities; /* its first velocity, and how many */
    const int *mass_starts, *slope_starts;    /* where blocks of parts start */
    const int *own_starts, *own_rows;         /* bilateral rows of a part */
    const int *own_places;                    /* where a part's square of them starts */
    const int *pair_starts;                   /* of each row */
    const int *pair_row, *pair_part, *pair_contact; /* -1 of own rows */
    const int *pair_entries;                        /* its first nonzero (one more at the end) */
    const int *pair_B, *pair_found;                 /* where it keeps what its impulse does */
    const int *places;                              /* of each nonzero of W and E in its part */
    const int *group_starts;                        /* of each contact */
} tb_contact_pattern;

typedef struct tb_moreau_jean {
    long nq, n, nz, bilateral, rows, contacts, groups;
    tb_callable kinematics; /* [M, u, W, E, h]; nonzeros of M, W, and E of bilateral rows: impulses
                               of contacts act through W */
    tb_callable smooth;     /* [dx/dt, nonzeros of its Jacobian, gap, coefficient, restitution] */
    const int *normals;     /* of each contact; its other rows follow it */
    const int *group_rows;  /* two of each group of friction, -1: none */
    double t0, h, theta;
    long lifts; /* whether bodies are lifted out of each other (contact/penetration_correction.c) */
    double credit; /* what contacts have taken so far and lifting may give back [J] */
    double *gaps;  /* of contacts, at the start of a step that lifts */
    double *aims;  /* of contacts in islands: gaps as lifting is to change them */
    double *least; /* how far it lifts at least: less than 0 where it sets down */
    long steps;
    double *x;                 /* the present state */
    double *impulses, *before; /* of the last step, of the one before it */
    long bad;                  /* index of a component that was not finite, -1 when none */
    long pivots, sweeps, swept, rough, unsettled; /* of solvers; islands that swept, and how */
    tb_contact_pattern pattern;

    double *at_smooth, *now, *then; /* what functions gave */
    double *A, *mass;               /* blocks of parts */
    double *free, *ahead, *delta;   /* nq + n + nz */
    double *block;                  /* the unknowns of a part */
    double *spread;                 /* of a part and all rows that touch it */
    int *together;                  /* the pairs of these */
    double *B, *found;              /* of pairs: what unit impulses do, and own rows against them */
    double *p;                      /* of all rows */
    double *own, *own_right,
        *own_start; /* squares of own rows, a part's, impulses without contacts */
    int *reached;   /* the first unknown of a part that impulses reach */
    int *pivots_of_A, *own_order, *own_columns, *own_rank;
    int *active, *ordered;      /* contacts that take part; the same in islands */
    int *listed, *place;        /* their rows; the place of a row there */
    int *heads, *nexts, *queue; /* of parts, pairs, contacts: who touches a part */
    int *island_rows, *island_contacts, *island_groups; /* where islands start, and the end */
    int *marks;                                         /* of rows */
    tb_contact_problem problem;                         /* of all islands, one after the other */
    tb_contact_memory memory;
} tb_moreau_jean;

/* Lists the contacts that take part, island by island, with their rows in the problem; returns how
 * many islands there are. `touches` tells which contacts do. */
long tb_list_islands(tb_moreau_jean *self, int (*touches)(const tb_moreau_jean *self, long contact),
                     const double *coefficient);

/* Enters the listed rows' pairs into lists of parts, in `heads` and `nexts`. */
void tb_list_rows(tb_moreau_jean *self);

/* G of all listed rows, which are entered, from W at the end of the free step and B. */
void tb_assemble_islands(tb_moreau_jean *self, const double *W);

/* The impulses of an island into p; returns whether there are any. */
int tb_solve_island(tb_moreau_jean *self, long island, double fastest, double *p);

/* Takes one step: TB_REACHED, or without a change of x TB_NOT_FINITE or TB_INTERRUPTED. What each
 * row takes of energy, and the work that moving surfaces do through it, goes into the entries of
 * rows that took part. */
int tb_moreau_jean_take(tb_moreau_jean *self, const tb_problem *problem, double *losses,
                        double *moved);

/* Takes `count` steps. Of step k the state after it, the impulses, the energy that each row takes,
 * the work that moving surfaces do through it, and the inputs go into row k of the arrays. Returns
 * TB_REACHED, or with fewer steps taken TB_NOT_FINITE or TB_INTERRUPTED. */
int tb_moreau_jean_advance(tb_moreau_jean *self, const tb_problem *problem, long count,
                           double *states, double *impulses, double *losses, double *moved,
                           double *inputs, long input_count);

#endif
