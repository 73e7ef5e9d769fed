/* The rate of a mechanism with its derivatives. Accelerations and multipliers s = [a, lambda] solve
 * r(x, u, p; s) = r0 + K s = 0, the equations of motion and, under constraints, those of their
 * accelerations; dq/dt and dz/dt are given. By the theorem of implicit functions ds = -K^-1 dr at
 * fixed s, forward, and of a weight w of the accelerations -K^-T [w, 0] is the weight of r, in
 * reverse. */
#ifndef TOUCHBACK_FLOW_H
#define TOUCHBACK_FLOW_H

#include "integrate/problem.h"

/* All functions read x and [t, inputs, s, variation, weights], and one block. */
typedef struct tb_flow {
    long nq, nv, nz, rows;                  /* rows: of constraints */
    long inputs, parameters;                /* without the time; those that vary */
    tb_callable equations;                  /* out = [r0, K by rows, dq/dt, dz/dt] */
    tb_callable tangent;                    /* out = [dr, d(dq/dt), d(dz/dt)] along the variation */
    tb_callable adjoint;                    /* out = the weights' derivative by the variables */
    tb_callable turn_tangent, turn_adjoint; /* of dq/dt alone; call is NULL where it is v */
    const double *p;
    double *u, *out, *right; /* arguments; outputs; one for each equation */
} tb_flow;

/* Where a flow is differentiated: its state, rate, factors of K and solution. */
typedef struct tb_flow_point {
    double t;
    double *x, *rate, *K, *solved;
    int *pivots;
} tb_flow_point;

static inline long tb_flow_states(const tb_flow *f) {
    return f->nq + f->nv + f->nz;
}
static inline long tb_flow_equations(const tb_flow *f) {
    return f->nv + f->rows;
}
/* Numbers of a variation of what a rate depends on: [x, t, inputs, parameters]. */
static inline long tb_flow_variables(const tb_flow *f) {
    return tb_flow_states(f) + 1 + f->inputs + f->parameters;
}

/* Solves at the point's state and time, with these inputs. Returns 0, or 1 where K is singular. */
int tb_flow_at(tb_flow *f, const double *inputs, tb_flow_point *at);
/* The rate's tangent along a variation. */
void tb_flow_tangent(tb_flow *f, const double *inputs, const tb_flow_point *at,
                     const double *variation, double *rate);
/* The derivative of weight . rate by the variables. */
void tb_flow_adjoint(tb_flow *f, const double *inputs, const tb_flow_point *at,
                     const double *weight, double *gradient);
/* The same of dq/dt at a state. */
void tb_turn_tangent(tb_flow *f, const double *inputs, double t, const double *x,
                     const double *variation, double *rate);
void tb_turn_adjoint(tb_flow *f, const double *inputs, double t, const double *x,
                     const double *weight, double *gradient);

/* The rate alone, as integrators call it: ctx is a tb_flow_rate. */
typedef struct tb_flow_rate {
    tb_flow *flow;
    tb_flow_point *at;
} tb_flow_rate;
void tb_solved_flow_rate(const double *x, const double *u, const double *p, double *out,
                         double *work, const void *ctx);

#endif
