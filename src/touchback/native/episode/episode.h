/* Mechanisms whose constraints change while they run (Gillespie 1996, section 3.4): one of several
 * phases reigns at a time, each with equations of its own over the one state x, which holds the
 * numbers of the present modes, too. Nothing but x tells which phase reigns.
 *
 * A phase ends at an exit: where an indicator passes zero as wanted, or at once where it has
 * passed already when the phase begins and doesn't come back. */
#ifndef TOUCHBACK_EPISODE_H
#define TOUCHBACK_EPISODE_H

#include "constrained/constrained.h"
#include "integrate/books.h"
#include "integrate/fixed_step.h"

/* The constraints whose impulses act in a transition: those of the phase that follows, and the
 * contacts that are struck. */
typedef struct tb_impact {
    tb_constrained *set;
    const int *contacts; /* of each row: the number of its contact, -1 for what stays */
} tb_impact;

typedef struct tb_exit {
    long target, rest; /* phases; rest is -1 for none */
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

struct tb_episode;

typedef struct tb_phase {
    tb_problem problem; /* u, p and inputs are lent by the run's own problem */
    tb_constrained *constrained;
    const int *rows;        /* places of its constraint rows among all */
    const int *tracks;      /* of each row: whether an idle coordinate is to track by it */
    tb_callable indicators; /* the values: indicators, resets, restitutions */
    tb_callable outputs, updates; /* sensors, and what memories become at ticks */
    long value_count, uses_forces;
    long exit_count;
    const tb_exit *exits;
    struct tb_episode *episode;
} tb_phase;

enum { TB_TRANSITION_HEAD = 5 }; /* time, phase before, exit, phase after, gap; then both states */

typedef struct tb_episode {
    long n, velocities, nq, input_count, row_count; /* input_count: of u without forces */
    long phase_count;
    tb_phase *phases;
    long automaton_count;
    const int *mode_places, *mode_counts;
    tb_step step;      /* the method's own */
    long compensated;  /* 0: transitions wait for the end of the step */
    long most;         /* transitions in one step, before it counts as chattering */
    long looks;        /* tries to find an instant; a step that has made so many takes the first found,
                          as a clock doesn't wait for the last bits */
    double ahead;      /* part of a step by which is seen whether an indicator comes back */
    double widest_gap; /* of constraints when their phase begins [m or rad] */

    double *a, *lambda; /* of all rows, after a rate */
    double *u;          /* [t, inputs, a, lambda] */
    double *values, *end_values, *ahead_values;
    double *sides, *thresholds; /* of exits: passed where side * indicator falls to the threshold */
    long *waits;                /* of exits: whether only from `ahead` on */
    double *rate, *ahead_state, *before, *struck, *trial, *scratch, *effort;

    long looks_left;
    long transitions, chattering, failed; /* failed: the exit whose target could not begin, or -1 */
    long failed_phase;
    double failed_gap, failed_time;
    long capacity, logged; /* of the log, which may be NULL */
    double *log;
    tb_books *books; /* of energy, with phases of their own; NULL when none are kept */
} tb_episode;

/* The phase that a state is in, -1 when its numbers name none. */
long tb_phase_of(const tb_episode *episode, const double *x);
/* Functions of the one calling convention: the rate, the sensors and the memories in the phase that
 * x is in (with the episode as their context), the values of a phase (with that phase), and of these only the
 * indicators, one for each exit, less what it is passed at. */
void tb_episode_rate(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context);
void tb_episode_outputs(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context);
void tb_episode_updates(const double *x, const double *u, const double *p, double *out,
                        double *work, const void *context);
void tb_phase_values(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context);
void tb_phase_indicators(const double *x, const double *u, const double *p, double *out,
                         double *work, const void *context);
/* Makes a state from which a phase goes on consistent. */
void tb_episode_begin(tb_episode *episode, const tb_problem *problem, double t, double *x);
/* What problems of an episode can do: those whose steps are tb_episode_step, and those that settle
 * states within the phase they are in, for steps that know of no phases. */
extern const tb_motion tb_episode_motion, tb_episode_settling;
/* The values of the present phase `ahead` seconds later, in e->ahead_values. */
void tb_episode_look_ahead(tb_episode *episode, const tb_problem *problem, double t,
                           const double *x, double ahead);
/* The exit that a phase takes at once at t and x, -1 for none: its indicator lies beyond zero and
 * does so `ahead` seconds later, too (for an impact: without being on its way back). For the other
 * exits it leaves the side on which their indicators are, the values at which they are passed
 * (zero, or a little beyond what can't be told from it), and whether they must leave zero first. */
long tb_episode_fires(tb_episode *episode, const tb_problem *problem, double t, const double *x,
                      double ahead);
/* Takes an exit: resets, positions, impulses, and the first look at the next phase. `rests`: where
 * there is a phase for contacts that stay, it follows. Returns 0 when the next phase can't begin;
 * x is then not to be used. */
int tb_episode_cross(tb_episode *episode, const tb_problem *problem, double t, double *x,
                     long exit, long rests);
/* A step of a run whose rate is tb_episode_rate, with all the transitions in it. */
void tb_episode_step(const tb_problem *problem, double t, double h, const double *x, double *next,
                     double *scratch);
/* Accelerations and multipliers of all rows, and sensors, at each of many instants. */
void tb_episode_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                     double *solutions, double *outputs, long output_count);

#endif
