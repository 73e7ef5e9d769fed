/* The rate of a mechanism with its derivatives. Accelerations and multipliers s = [a, lambda] solve
 * r(x, u, p; s) = r0 + K s = 0, the equations of motion and, under constraints, those of their
 * accelerations; dq/dt and dz/dt are given. By the theorem of implicit functions ds = -K^-1 dr at
 * fixed s, forward, and of a weight w of the accelerations -K^-T [w, 0] is the weight of r, in
 * reverse. */
#ifndef TOUCHBACK_GRADIENT_RATE_H
#define TOUCHBACK_GRADIENT_RATE_H

#include "integrate/problem.h"

/* All functions read x and [t, inputs, s, variation, weights], and one block. */
typedef struct tb_gradient_rate {
    long nq, nv, nz, rows;                  /* rows: of constraints */
    long inputs, parameters;                /* without the time; those that vary */
    tb_callable equations;                  /* out = [r0, K by rows, dq/dt, dz/dt] */
    tb_callable tangent;                    /* out = [dr, d(dq/dt), d(dz/dt)] along the variation */
    tb_callable adjoint;                    /* out = the weights' derivative by the variables */
    tb_callable turn_tangent, turn_adjoint; /* of dq/dt alone; call is NULL where it is v */
    const double *p;
    double *u, *out, *right; /* arguments; outputs; one for each equation */
} tb_gradient_rate;

/* Where a flow is differentiated: its state, rate, factors of K and solution. */
typedef struct tb_gradient_rate_point {
    double t;
    double *x, *rate, *K, *solved;
    int *pivots;
} tb_gradient_rate_point;

static inline long tb_gradient_rate_states(const tb_gradient_rate *f) {
    return f->nq + f->nv + f->nz;
}
static inline long tb_gradient_rate_equations(const tb_gradient_rate *f) {
    return f->nv + f->rows;
}
/* Numbers of a variation of what a rate depends on: [x, t, inputs, parameters]. */
static inline long tb_gradient_rate_variables(const tb_gradient_rate *f) {
    return tb_gradient_rate_states(f) + 1 + f->inputs + f->parameters;
}

/* Solves at the point's state and time, with these inputs. Returns 0, or 1 where K is singular. */
int tb_gradient_rate_at(tb_gradient_rate *f, const double *inputs, tb_gradient_rate_point *at);
/* The rate's tangent along a variation. */
void tb_gradient_rate_tangent(tb_gradient_rate *f, const double *inputs,
                              const tb_gradient_rate_point *at, const double *variation,
                              double *rate);
/* The derivative of weight . rate by the variables. */
void tb_gradient_rate_adjoint(tb_gradient_rate *f, const double *inputs,
                              const tb_gradient_rate_point *at, const double *weight,
                              double *gradient);
/* The same of dq/dt at a state. */
void tb_turn_tangent(tb_gradient_rate *f, const double *inputs, double t, const double *x,
                     const double *variation, double *rate);
void tb_turn_adjoint(tb_gradient_rate *f, const double *inputs, double t, const double *x,
                     const double *weight, double *gradient);

/* The rate alone, as integrators call it: ctx is a tb_gradient_rate_value. */
typedef struct tb_gradient_rate_value {
    tb_gradient_rate *flow;
    tb_gradient_rate_point *at;
} tb_gradient_rate_value;
void tb_solved_gradient_rate(const double *x, const double *u, const double *p, double *out,
                             double *work, const void *ctx);

#endif
