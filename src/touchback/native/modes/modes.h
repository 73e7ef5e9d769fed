/* Mechanisms whose constraints change while they run (Gillespie 1996, section 3.4): one of several
 * modes reigns at a time, each with equations of its own over the one state x, which holds the
 * numbers of the present modes, too. Nothing but x tells which mode reigns.
 *
 * A mode ends at an exit: where an indicator passes zero as wanted, or at once where it has
 * passed already when the mode begins and doesn't come back. */
#ifndef TOUCHBACK_MODES_H
#define TOUCHBACK_MODES_H

#include "constrained/constrained.h"
#include "integrate/books.h"
#include "integrate/fixed_step.h"

/* The constraints whose impulses act in a transition: those of the mode that follows, and the
 * contacts that are struck. */
typedef struct tb_impact {
    tb_constrained *set;
    const int *contacts; /* of each row: the number of its contact, -1 for what stays */
} tb_impact;

typedef struct tb_exit {
    long target, rest; /* modes; rest is -1 for none */
    long mode_place;   /* in x, of the number that changes */
    double target_number, rest_number;
    long direction, when; /* of the indicator, and its place among the values */
    long reset_count;
    const int *reset_places; /* in x */
    long reset_start, restitution_start; /* among the values */
    long struck;         /* rows of contacts */
    long poisson;        /* restitution compares impulses instead of velocities */
    double rest_speed;   /* rebounds slower than this [m/s] lead to `rest` */
    tb_impact impact, rest_impact;
} tb_exit;

struct tb_modes;

typedef struct tb_mode {
    tb_problem problem; /* u, p and inputs are lent by the run's own problem */
    tb_constrained *constrained;
    const int *rows;        /* places of its constraint rows among all */
    const int *tracks;      /* of each row: whether an idle coordinate is to track by it */
    tb_callable indicators; /* the values: indicators, resets, restitutions */
    tb_callable outputs, updates; /* sensors, and what memories become at ticks */
    long value_count, uses_forces;
    long exit_count;
    const tb_exit *exits;
    struct tb_modes *modes;
} tb_mode;

enum { TB_TRANSITION_HEAD = 5 }; /* time, mode before, exit, mode after, gap; then both states */

typedef struct tb_modes {
    long n, velocities, nq, input_count, row_count; /* input_count: of u without forces */
    long mode_count;
    tb_mode *modes;
    long set_count; /* of constraints: modes may share them, and impacts have their own */
    tb_constrained *const *sets;
    long group_count;
    const int *group_places, *group_sizes;
    tb_step step;      /* the method's own */
    long compensated;  /* 0: transitions wait for the end of the step */
    long most;         /* transitions in one step, before it counts as chattering */
    long looks;        /* tries to find an instant; a step that has made so many takes the first found,
                          as a clock doesn't wait for the last bits */
    double ahead;      /* part of a step by which is seen whether an indicator comes back */
    double widest_gap; /* of constraints when their mode begins [m or rad] */

    double *a, *lambda; /* of all rows, after a rate */
    double *u;          /* [t, inputs, a, lambda] */
    double *values, *end_values, *ahead_values;
    double *sides, *thresholds; /* of exits: passed where side * indicator falls to the threshold */
    long *waits;                /* of exits: whether only from `ahead` on */
    double *rate, *ahead_state, *before, *struck, *trial, *scratch, *effort;

    long looks_left;
    long transitions, chattering, failed; /* failed: the exit whose target could not begin, or -1 */
    long unmet; /* states that could not be projected onto the constraints of their mode */
    long failed_mode;
    double failed_gap, failed_time;
    long capacity, logged; /* of the log, which may be NULL */
    double *log;
    tb_books *books; /* of energy, with modes of their own; NULL when none are kept */
} tb_modes;

/* The mode that a state is in, -1 when its numbers name none. */
long tb_mode_of(const tb_modes *modes, const double *x);
/* Functions of the one calling convention: the rate, the sensors and the memories in the mode that
 * x is in (with tb_modes as their context), the values of a mode (with that mode), and of these only the
 * indicators, one for each exit, less what it is passed at. */
void tb_modes_rate(const double *x, const double *u, const double *p, double *out, double *work,
                   const void *context);
void tb_modes_outputs(const double *x, const double *u, const double *p, double *out,
                      double *work, const void *context);
void tb_modes_updates(const double *x, const double *u, const double *p, double *out,
                      double *work, const void *context);
void tb_mode_values(const double *x, const double *u, const double *p, double *out, double *work,
                    const void *context);
void tb_mode_indicators(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context);
/* A mode with the inputs and parameters of the run, and its values at a state then. */
tb_mode *tb_modes_lend(tb_modes *modes, const tb_problem *problem, long number);
void tb_mode_values_at(tb_mode *mode, double t, const double *x, double *values);
/* Makes a state from which a mode goes on consistent. */
void tb_modes_begin(tb_modes *modes, const tb_problem *problem, double t, double *x);
/* Moves a state from anywhere onto the constraints of its mode (weighted with M) and makes it
 * consistent; where it can't, x stays, and that is counted as unmet. */
void tb_modes_project(const tb_problem *problem, double t, double *x);
/* What problems with modes can do: those whose steps are tb_modes_step, and those that settle
 * states within the mode they are in, for steps that know of no modes. */
extern const tb_motion tb_modes_motion, tb_modes_settling;
/* The values of the present mode `ahead` seconds later, in e->ahead_values. */
void tb_modes_look_ahead(tb_modes *modes, const tb_problem *problem, double t,
                         const double *x, double ahead);
/* The exit that a mode takes at once at t and x, -1 for none: its indicator lies beyond zero and
 * does so `ahead` seconds later, too (for an impact: without being on its way back). For the other
 * exits it leaves the side on which their indicators are, the values at which they are passed
 * (zero, or a little beyond what can't be told from it), and whether they must leave zero first. */
long tb_modes_fires(tb_modes *modes, const tb_problem *problem, double t, const double *x,
                    double ahead);
/* Takes an exit: resets, positions, impulses, and the first look at the next mode. `rests`: where
 * there is a mode for contacts that stay, it follows. Returns 0 when the next mode can't begin;
 * x is then not to be used. */
int tb_modes_cross(tb_modes *modes, const tb_problem *problem, double t, double *x,
                   long exit, long rests);
/* A step of a run whose rate is tb_modes_rate, with all the transitions in it. */
void tb_modes_step(const tb_problem *problem, double t, double h, const double *x, double *next,
                   double *scratch);
/* Accelerations and multipliers of all rows, and sensors, at each of many instants. */
void tb_modes_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                   double *solutions, double *outputs, long output_count);

#endif
