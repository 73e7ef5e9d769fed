/* What methods with error control share: the size of an error, the length of a first step, and what
 * is told of a step. */
#ifndef TOUCHBACK_ADAPTIVE_H
#define TOUCHBACK_ADAPTIVE_H

#include <float.h>
#include <math.h>

#include "integrate/events.h"

/* The root mean square of the values, each over atol + rtol times the larger of |x| and |y|. */
double tb_scaled_norm(long n, const double *values, const double *x, const double *y, double rtol,
                      double atol);

/* A step for a method whose error estimate is of the given order, from the sizes of the state, its
 * rate and the change of its rate (Hairer, Norsett and Wanner 1993, II.4). Evaluates the rate
 * once. Scratch holds 2 * state size doubles. */
double tb_starting_step(const tb_problem *problem, double t, const double *x, const double *rate,
                        double longest, double order, double rtol, double atol, double *scratch);

/* Adds a step up to t_new to the energy balance, notes where it ended, and writes its states at
 * each of the rising times[*written ..] that are reached; `active`: an event ends it there. From
 * here on a knot at its end is seen from behind. */
void tb_report_step(const tb_problem *problem, const tb_taken *step, double t_new, int active,
                    const double *times, long count, long *written, double *record);

/* Whether a step is too short to move the clock. */
static inline int tb_step_vanished(double t, double h) {
    return h <= 16.0 * DBL_EPSILON * fmax(fabs(t), DBL_MIN / DBL_EPSILON);
}

#endif
