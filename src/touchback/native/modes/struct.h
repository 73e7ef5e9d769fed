/* The memory of modes. For a graphics card it is written anew, with sizes that a compiler knows
 * (batch/gpu/modes_kernel.py); what works on it is the same text there. */
#ifndef TOUCHBACK_MODES_STRUCT_H
#define TOUCHBACK_MODES_STRUCT_H

#include "constrained/constrained.h"
#include "integrate/energy_balance.h"
#include "integrate/fixed_step.h"
#include "modes/exit.h"

struct tb_modes;

typedef struct tb_mode {
    tb_problem problem; /* u, p and inputs are lent by the run's own problem */
    const tb_constrained *constrained;
    const int *rows;              /* places of its constraint rows among all */
    const int *tracks;            /* of each row: whether an idle coordinate is to track by it */
    tb_callable indicators;       /* the values: indicators, resets, restitutions */
    tb_callable outputs, updates; /* sensors, and what memories become at ticks */
    long value_count, uses_forces;
    long exit_count;
    const tb_exit *exits;
    struct tb_modes *modes;
} tb_mode;

typedef struct tb_modes {
    long n, velocities, nq, input_count, row_count; /* input_count: of u without forces */
    long mode_count;
    tb_mode *modes;
    long set_count; /* of constraints: modes may share them, and impacts have their own */
    tb_constrained *const *sets;
    long group_count;
    const int *group_places, *group_sizes;
    tb_step step;     /* the method's own */
    long compensated; /* 0: transitions wait for the end of the step */
    long most;        /* transitions in one step, before it counts as chattering */
    long looks;   /* tries to find an instant; a step that has made so many takes the first found,
                     as a clock doesn't wait for the last bits */
    double ahead; /* part of a step by which is seen whether an indicator comes back */
    double widest_gap; /* of constraints when their mode begins [m or rad] */

    double *a, *lambda; /* of all rows, after a rate */
    double *u;          /* [t, inputs, a, lambda] */
    double *values, *end_values, *ahead_values;
    double *sides, *thresholds; /* of exits: passed where side * indicator falls to the threshold */
    long *waits;                /* of exits: whether only from `ahead` on */
    double *rate, *ahead_state, *before, *struck, *trial, *scratch, *effort;

    long looks_left;
    double *recent; /* instants of the last TB_CROWD transitions */
    long crowd;     /* how many came since one that ends in rest if it crowds */
    long transitions, chattering, failed; /* failed: the exit whose target could not begin, or -1 */
    long unmet; /* states that could not be projected onto the constraints of their mode */
    long failed_mode;
    double failed_gap, failed_time;
    long capacity, logged; /* of the log, which may be NULL */
    double *log;
    tb_energy_balance *energy_balance; /* with modes of its own; NULL when none is kept */
} tb_modes;

/* What problems with modes can do: those whose steps are tb_modes_step, and those that settle
 * states within the mode they are in, for steps that know of no modes. */
extern const tb_dynamics_kind tb_modes_kind, tb_modes_settling;

#endif
