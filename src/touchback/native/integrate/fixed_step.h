/* The loop shared by methods with a fixed step; a method is one function that takes one step. */
#ifndef TOUCHBACK_FIXED_STEP_H
#define TOUCHBACK_FIXED_STEP_H

#include "integrate/events.h"
#include "integrate/problem.h"

/* Writes the state at t + h into `next`, which doesn't overlap x. Scratch holds 4 * state size
 * doubles. */
typedef void (*tb_step)(const tb_problem *problem, double t, double h, const double *x,
                        double *next, double *scratch);

/* Instants at which prescribed rates jump, rising, and of each the last time that is read on the
 * way to it: there a state is projected, so that the impulses of the constraints act. One that is
 * infinite ends a run, before what jumps there. */
typedef struct tb_rate_jumps {
    long count;
    const double *at, *before;
} tb_rate_jumps;

/* A run with a fixed step, so that it can be taken in chunks: step k starts at t0 + k h (no drift
 * of the clock). After an active event it goes on from `offset` within the step. */
typedef struct tb_fixed {
    tb_step step;
    double t0, h, offset;
    long steps;
    long bad;          /* index of the component that was not finite, -1 when none */
    double *x;         /* the last good state */
    double *scratch;   /* 5 * state size: the next state, then the method's */
    tb_events *events; /* may be NULL */
    double *rows;    /* with events or an energy balance 7 * state size: dense output, rates at both
                        ends */
    long rate_known; /* at the end of the last step; set to 0 with another state */
    tb_rate_jumps jumps; /* that steps stop at; only where there are neither events nor a balance */
    long next_jump;
} tb_fixed;

/* One step into the scratch: memories that are due, the method, consistency. Returns the index of
 * the first number that isn't finite, -1 when all are. */
long tb_fixed_try(tb_fixed *self, const tb_problem *problem, double t, double h, double t_next);

/* Takes one step, without events and energy balance, in parts where rates jump within it:
 * TB_REACHED or TB_NOT_FINITE. */
int tb_fixed_take(tb_fixed *self, const tb_problem *problem);

/* Takes at most `count` steps and copies the state into the next row of `record` after every
 * `every`-th step since the start; *written counts these rows. */
int tb_fixed_advance(tb_fixed *self, const tb_problem *problem, long count, long every,
                     double *record, long *written);

void tb_rk4_step(const tb_problem *problem, double t, double h, const double *x, double *next,
                 double *scratch);
void tb_linear_implicit_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch);
void tb_augmented_lagrangian_step(const tb_problem *problem, double t, double h, const double *x,
                                  double *next, double *scratch);
void tb_euler_step(const tb_problem *problem, double t, double h, const double *x, double *next,
                   double *scratch);
void tb_implicit_euler_step(const tb_problem *problem, double t, double h, const double *x,
                            double *next, double *scratch);
void tb_trapezoidal_step(const tb_problem *problem, double t, double h, const double *x,
                         double *next, double *scratch);
void tb_variational_step(const tb_problem *problem, double t, double h, const double *x,
                         double *next, double *scratch);

#endif
