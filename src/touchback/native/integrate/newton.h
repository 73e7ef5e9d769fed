/* What implicit methods need beside the rate: its Jacobian, and memory for Newton's method. */
#ifndef TOUCHBACK_NEWTON_H
#define TOUCHBACK_NEWTON_H

#include "integrate/problem.h"

typedef struct tb_newton {
    tb_callable jacobian; /* out = d(dx/dt)/dx, row-major; call is NULL: by differences */
    const double *p;      /* parameters of the Jacobian */
    tb_callable momentum; /* out = [M, d(M v)/dt, dz/dt] of what needs momenta (variational.c) */
    const double *momentum_p; /* its parameters */
    double *momenta;          /* what it gave; M is factored in place */
    double rtol, atol;        /* of the solution at fixed steps */
    double *J, *matrix;       /* state size squared */
    double *scratch;          /* 3 * state size */
    int *pivots;
    long jacobians, factorisations, evaluations; /* of the rate for differences included */
    long solves, iterations, iterations_last, iterations_most, not_converged;
} tb_newton;

/* Fills newton->J at a state whose rate is known. */
void tb_rate_jacobian(const tb_problem *problem, double t, const double *x, const double *rate);

/* LU of I - weight J into newton->matrix, of the size n. Returns 0 when it is singular. */
int tb_newton_factor(tb_newton *newton, long n, double weight);

/* Counts a solution, or that there is none. */
void tb_newton_count(tb_newton *newton, long iterations, int converged);

#endif
