/* Radau IIA of order 5 with error control: three implicit stages, stiffly accurate, and damped
 * without limit towards infinitely stiff parts.
 *
 * Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.8: the transformation
 * of the stages to one real and one complex system (eq. 8.5 to 8.7), simplified Newton iterations
 * and when to stop them (8.10, 8.11), the error estimate (8.19, 8.20), and Gustafsson's step
 * control (8.25). Their estimate is of order 3; they enter the tolerances to the power 2/3, so that
 * the error of the solution, not of the estimate, goes with the tolerance. So do we.
 */
#ifndef TOUCHBACK_RADAU5_H
#define TOUCHBACK_RADAU5_H

#include "integrate/events.h"
#include "linear/dense.h"

/* Everything that survives between calls, so that a run can be taken in chunks. */
typedef struct tb_radau5 {
    double t, h, max_step, rtol, atol;
    double last_h, last_error; /* of the last accepted step; last_h is 0 before the first */
    double factored;           /* the step of the present factors, 0 when there are none */
    double contraction;        /* what Newton's method may be trusted with from step to step */
    long accepted, rejected, evaluations, step_limit;
    long bad;
    long after_rejection, fresh; /* whether the Jacobian is that of the present state */
    double *x, *rate;            /* the state at t and its rate */
    double *Z, *W, *F;           /* 3 rows each: stages less x, transformed stages, rates */
    double *next, *rows, *error; /* the trial state, 5 rows of dense output, 2 rows */
    double *real;
    tb_complex *complex, *right; /* the complex matrix; a right side */
    int *complex_pivots;         /* the real ones are those of tb_newton */
    tb_events *events;           /* may be NULL */
} tb_radau5;

/* Evaluates the rate at the start and chooses a step. Set t, x, max_step, rtol, atol, step_limit
 * before. */
int tb_radau5_start(tb_radau5 *self, const tb_problem *problem, double t_end);
/* Goes on from another state at the same time, with the step as it is. */
int tb_radau5_restart(tb_radau5 *self, const tb_problem *problem);
/* Steps towards t_end, at most max_attempts steps, writing the state at each of the rising
 * times[*written ..] that is reached into the rows of `record`. */
int tb_radau5_advance(tb_radau5 *self, const tb_problem *problem, double t_end, long max_attempts,
                      const double *times, long count, long *written, double *record);

#endif
