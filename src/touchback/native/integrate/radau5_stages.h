/* The three stages of a step of Radau IIA, by simplified Newton iterations. */
#ifndef TOUCHBACK_RADAU5_STAGES_H
#define TOUCHBACK_RADAU5_STAGES_H

#include "integrate/radau5.h"

#pragma GCC visibility push(hidden)

enum { TB_RADAU5_ITERATIONS = 7 };

/* The size of an error, by the tolerances. */
double tb_radau5_norm(const tb_radau5 *self, long n, const double *values);
/* Factors of the two systems for a step; 0 where there are none. */
int tb_radau5_factor(tb_radau5 *self, const tb_problem *problem, double h);
/* The guess for the stages: the last step's polynomial, from this part of it on. */
void tb_radau5_guess(tb_radau5 *self, long n, double from, double h);
/* Z of the stages, from the guess in Z. Returns the iterations, 0 when they diverge; *rate is then
 * or otherwise the last quotient of two increments. */
long tb_radau5_solve_stages(tb_radau5 *self, const tb_problem *problem, double h, double *rate);
/* The stages of one step: 0 when Newton's method fails even with a fresh Jacobian. */
long tb_radau5_take_stages(tb_radau5 *self, const tb_problem *problem, double h, double *rate);

#pragma GCC visibility pop

#endif
