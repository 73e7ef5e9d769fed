/* The loop shared by methods with a fixed step; a method is one function that takes one step. */
#ifndef TOUCHBACK_FIXED_STEP_H
#define TOUCHBACK_FIXED_STEP_H

#include "problem.h"

/* Writes the state at t + h into `next`, which doesn't overlap x. Scratch holds 4 * state size
 * doubles. */
typedef void (*tb_step)(const tb_problem *problem, double t, double h, const double *x,
                        double *next, double *scratch);

void tb_rk4_step(const tb_problem *problem, double t, double h, const double *x, double *next,
                 double *scratch);
void tb_linear_implicit_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch);
void tb_augmented_lagrangian_step(const tb_problem *problem, double t, double h, const double *x,
                                  double *next, double *scratch);
void tb_euler_step(const tb_problem *problem, double t, double h, const double *x, double *next,
                   double *scratch);

#endif
