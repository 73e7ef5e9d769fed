/* Moreau and Jean's theta-method with contacts at the level of velocities, step by step.
 *
 * M. Jean, The non-smooth contact dynamics method (1999); V. Acary and B. Brogliato, Numerical
 * methods for nonsmooth dynamical systems (2008), ch. 10. The smooth part is linearly implicit, with
 * the true Jacobian J of the rate r of x = [q, v, z]:
 *
 *   (I - h theta J) dx = h r + [0, M^-1 E^T p, 0],
 *
 * which is the theta-method itself where forces are linear, and of second order for theta = 1/2
 * elsewhere. A contact takes part where gap + h/2 rate <= 0 at the start of the step; its velocity
 * after the step, u+, and its impulse p obey 0 <= p_n _|_ u_n+ + e u_n- >= 0 and Coulomb's law. The
 * mechanism's own constraints take part in every step, with u+ = 0; positions are then moved onto
 * them. Where W and M change, u+ is taken at the configuration that the smooth part alone would
 * reach, and impulses act half-way to it: a ball that spins rolls without slipping at the *end* of
 * a step. Nothing is allocated. */
#ifndef TOUCHBACK_MOREAU_JEAN_H
#define TOUCHBACK_MOREAU_JEAN_H

#include "contact_problem.h"
#include "problem.h"

typedef struct tb_moreau_jean {
    long nq, n, nz, bilateral, rows, contacts, groups;
    tb_callable kinematics; /* [M, u, W, E, h] */
    tb_callable smooth;     /* [dx/dt, its Jacobian, gap, coefficient, restitution] */
    const int *normals;     /* of each contact */
    const int *group_rows;  /* two of each group of friction, -1: none */
    const int *group_contact;
    double t0, h, theta;
    long steps;
    double *x, *impulses; /* the present state; the impulses of the last step */
    long bad;             /* index of a component that was not finite, -1 when none */
    long pivots, sweeps, swept, rough, unsettled; /* of solvers; steps that swept, and how */

    double *at_smooth, *now, *then; /* what functions gave */
    double *A;                      /* (nq + n + nz)^2 */
    double *free, *ahead;           /* nq + n + nz */
    double *mass;                   /* n x n */
    double *B;                      /* rows x (nq + n + nz): what unit impulses do */
    double *G;                      /* rows x rows */
    double *c, *p;                  /* rows */
    double *own, *own_right, *own_found; /* bilateral^2, rows + 1 times bilateral */
    int *pivots_of_A, *own_order, *own_columns, *local;
    tb_contact_problem problem;
    tb_contact_memory memory;
} tb_moreau_jean;

/* Takes `count` steps. Of step k the state after it, the impulses, the energy that each row takes,
 * the work that moving surfaces do through it, and the inputs go into row k of the arrays. Returns
 * TB_REACHED, or TB_NOT_FINITE with fewer steps taken. */
int tb_moreau_jean_advance(tb_moreau_jean *self, const tb_problem *problem, long count,
                           double *states, double *impulses, double *losses, double *moved,
                           double *inputs, long input_count);

#endif
