/* Derivatives of fixed steps, and of as many in a row, forward (tangents) and in reverse
 * (adjoints). A step is a function of [x, t, inputs, parameters, h]: at a located event its length
 * varies too. */
#ifndef TOUCHBACK_ROLLOUT_H
#define TOUCHBACK_ROLLOUT_H

#include "gradients/gradient_rate.h"
#include "integrate/fixed_step.h"

enum { TB_MOST_STAGES = 4 };

typedef struct tb_rollout {
    tb_gradient_rate *flow;
    tb_problem *problem; /* the same mechanism as integrators see it */
    tb_step step;
    double t0, h;
    const double *inputs; /* a row for each step, through which they are held */
    tb_gradient_rate_point stages[TB_MOST_STAGES];
    double *scratch;                      /* four states */
    double *variation, *gradient, *stage; /* of a step, of a stage; memory of one more state */
} tb_rollout;

/* Numbers of a variation of what a step depends on. */
static inline long tb_step_variables(const tb_gradient_rate *f) {
    return tb_gradient_rate_variables(f) + 1;
}

/* Takes `count` steps from the `first` on, in place; states after each go to `rows` (or NULL).
 * Returns how many were taken: fewer where a number was none, or somebody asked it to end. */
long tb_rollout_advance(tb_rollout *r, long first, long count, double *x, double *rows);
/* One step of some length. Returns 0 where it is no number. */
int tb_rollout_step(tb_rollout *r, const double *inputs, double t, double h, const double *x,
                    double *next);

/* The tangent of such a step, and the derivative of weight . next; 0 where its equations have no
 * one solution. */
int tb_rollout_step_tangent(tb_rollout *r, const double *inputs, double t, double h,
                            const double *x, const double *variation, double *next);
int tb_rollout_step_adjoint(tb_rollout *r, const double *inputs, double t, double h,
                            const double *x, const double *weight, double *gradient);

/* Tangents along `count` steps: x, and of each column `dx`, go on in place; `du` (or NULL) has of
 * each column a row for every step of the rollout, `all` of them, `dp` the parameters' variation of
 * each. Returns the steps taken. */
long tb_rollout_tangents(tb_rollout *r, long first, long count, double *x, long columns, double *dx,
                         const double *du, long all, const double *dp);

/* In reverse along `count` steps from the state x: `weight` of the end becomes that of the start,
 * with `weights` of the states after each step (or NULL) added; `by_inputs` gets a row for each
 * step, and to `by_parameters` is added. Every `every`-th state is kept, in `kept`; those between
 * two of them, in `between`, are computed again. Returns the steps that were taken back. */
long tb_rollout_adjoints(tb_rollout *r, long first, long count, const double *x, double *weight,
                         const double *weights, double *by_inputs, double *by_parameters,
                         long every, double *kept, double *between);

#endif
