/* What a method with fixed steps needs for its derivatives; each is a file. */
#ifndef TOUCHBACK_STEP_DERIVATIVES_H
#define TOUCHBACK_STEP_DERIVATIVES_H

#include "gradients/rollout.h"

#pragma GCC visibility push(hidden)

typedef struct step_slopes {
    /* Solves at all stages of a step. Returns 0 where one has no solution. */
    int (*prepare)(tb_rollout *r, const double *inputs, double t, double h, const double *x);
    void (*tangent)(tb_rollout *r, const double *inputs, double h, const double *variation,
                    double *next);
    void (*adjoint)(tb_rollout *r, const double *inputs, double h, const double *weight,
                    double *gradient);
} step_slopes;

extern const step_slopes TB_RK4_SLOPES, TB_EULER_SLOPES;

#pragma GCC visibility pop

#endif
