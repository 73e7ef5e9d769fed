/* Dormand and Prince's method of order 5(4), with a PI controller, first-same-as-last and dense
 * output.
 *
 * Dormand and Prince (1980) for the coefficients; Hairer, Norsett and Wanner, Solving Ordinary
 * Differential Equations I (1993): II.4 for the starting step and the controller, II.6 for the
 * continuous extension.
 */
#ifndef TOUCHBACK_DOPRI5_H
#define TOUCHBACK_DOPRI5_H

#include "integrate/events.h"

/* Everything that survives between calls, so that a run can be taken in chunks. */
typedef struct tb_dopri5 {
    double t, h, max_step, rtol, atol;
    double last_error; /* scaled error of the last accepted step */
    long accepted, rejected, evaluations, step_limit;
    long bad;             /* index of the component that was not finite, -1 when none */
    long after_rejection; /* the step must not grow right after a rejection */
    double *x;            /* the state at t */
    double *stages;       /* 7 rows: k1 (the rate at t) .. k7 */
    double *next;         /* 7 rows: the trial state, 5 of the continuous extension, 1 of scratch */
    tb_events *events;    /* may be NULL */
    double *again;        /* with events 6 rows: stages of steps to events */
} tb_dopri5;

/* Evaluates the rate at the start and chooses a step. Set t, x, max_step, rtol, atol, step_limit
 * before. */
int tb_dopri5_start(tb_dopri5 *self, const tb_problem *problem, double t_end);
/* Goes on from another state at the same time, with the step as it is. */
int tb_dopri5_restart(tb_dopri5 *self, const tb_problem *problem);
/* Steps towards t_end, at most max_attempts steps, writing the state at each of the rising
 * times[*written ..] that is reached into the rows of `record`. */
int tb_dopri5_advance(tb_dopri5 *self, const tb_problem *problem, double t_end, long max_attempts,
                      const double *times, long count, long *written, double *record);

#endif
