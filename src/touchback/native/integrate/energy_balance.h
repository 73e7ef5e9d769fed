/* Energy balance: powers integrated along a run, beside it.
 *
 * Each accepted step adds the integral of every power over it, by a quadrature on the step's dense
 * output. The motion doesn't know: rates that powers need are evaluated on a problem of the
 * balance's own, so that a run with a balance has the bits of the run without.
 *
 * Why that is of the integrator's order: with a dense output that is off by O(h^k) within a step,
 * the integral over the step is off by O(h^(k+1)), one order more than each state. The cubic of the
 * fixed-step methods (k = 4) and the quartic of dopri5 (k = 5) thus give their methods' orders, 4
 * and 5, with three nodes of Gauss (order 6). The cubic of radau5 passes through its stages: with
 * the nodes of Radau the integral is what one more component of the state would become. */
#ifndef TOUCHBACK_ENERGY_BALANCE_H
#define TOUCHBACK_ENERGY_BALANCE_H

#include "integrate/problem.h"

typedef struct tb_energy_balance {
    long count;                /* of the powers */
    tb_callable powers;        /* of x and u = [t, inputs..., rates of x..., multipliers...] */
    const double *p;           /* parameters of the function */
    const tb_problem *own;     /* gives inputs, and rates where they are wanted */
    long inputs;               /* size of [t, inputs...] */
    long with_rates;           /* whether powers need rates and multipliers */
    long rows;                 /* of the multipliers */
    const double *multipliers; /* where the rate of `own` leaves them */
    long nodes;                /* of the quadrature on [0, 1] */
    const double *places, *weights;
    double *work, *rounding; /* the integrals so far [J], and what their sums have lost */
    double *x, *u, *values;
    double *dense; /* 7 * state size: a step's dense output, rates at both ends */
    double t;      /* to where they are kept; the state there is left in x */
} tb_energy_balance;

/* Adds the step from t to t + part h, given the dense output of that from t to t + h. */
void tb_energy_balance_add_step(tb_energy_balance *balance, double t, double h, const double *dense,
                                double part);

/* Adds the step from x at t to `next` at t + h, by the cubic between them. */
void tb_energy_balance_add_cubic(tb_energy_balance *balance, double t, double h, const double *x,
                                 const double *next);

/* Adds weighted powers at given states (rows). */
void tb_energy_balance_add_rows(tb_energy_balance *balance, long rows, const double *times,
                                const double *weights, const double *x);

#endif
