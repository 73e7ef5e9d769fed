/* Events: instants at which a function of time and state changes its sign.
 *
 * Each step is scanned on its dense output, made consistent where the problem has a settle: signs
 * are compared at `samples` equal parts of the step, so that two crossings within one part are
 * taken for none, except of the first `sloped` functions: these tell their slopes, and one that is
 * above zero at both ends of a part is looked at where it is lowest in between. A function that
 * leaves its side and is back within a part is found where an instant that is recorded lies in
 * between. A crossing is located on the dense output (root.c), then corrected by taking the
 * method's own step to it: what is recorded is as accurate as an accepted state, and how far the
 * dense output was from it is recorded as its error, as a multiple of the tolerances.
 *
 * A function that reaches exactly zero has its event there; one that is zero at the start has none.
 * One with a floor that starts within it of zero stands on neither side until it leaves it: above
 * it is over zero from then on, and below it has fallen, which is its event. Where a watched
 * function is no number, its step ends where it began, with a row whose index is -1 - that of the
 * function. After an event its function is locked: it is not looked at for `locking` seconds, and
 * its sign is then read anew.
 */
#ifndef TOUCHBACK_EVENTS_H
#define TOUCHBACK_EVENTS_H

#include "integrate/problem.h"

/* Values of event functions that aren't compiled. */
typedef void (*tb_event_callback)(double t, const double *x, double *values);

/* A step from t to t + h. */
typedef struct tb_taken {
    double t, h;
    const double *rows; /* of its dense output */
    /* The state that the method reaches in one step from t to t + part. */
    void (*again)(void *method, const tb_problem *problem, double part, double *x);
    void *method;
    const double *times; /* rising, of which those within the step are recorded */
    long count;
} tb_taken;

typedef struct tb_events {
    long count, compiled, samples;
    long sloped;                /* without callback: slopes that follow the values */
    long watched;               /* from this one on, one that is no number ends the step */
    tb_callable function;       /* the values of the first `compiled` events; call may be NULL */
    const double *p;            /* parameters of the function */
    tb_event_callback callback; /* those of the others; may be NULL */
    const int *direction;       /* of each event: +1 rising, -1 falling, 0 both */
    const int *active;          /* whether it ends the step: the run ends or jumps there */
    const double *locking;      /* [s] */
    const double *floor;        /* of each event; 0: none */
    double rtol, atol;

    int *sign;                   /* of each function before the part being scanned; 0 unknown */
    double *locked_until;        /* [s] */
    double *values, *end_values; /* count + sloped */
    double *slopes;              /* where the part being scanned begins */
    double *away;                /* where in it a function is first seen off its side; 2: nowhere */
    double *state, *exact;

    long capacity, found; /* rows of what was found */
    double *times, *errors, *states;
    int *indices, *directions;
} tb_events;

/* Reads the signs at a state from which a run starts. */
void tb_events_start(tb_events *events, const tb_problem *problem, double t, const double *x);

/* Records the events of a step in the order of time. Returns 1 when the last of them is active:
 * the step then ends at its time, in its state. */
int tb_events_scan(tb_events *events, const tb_problem *problem, const tb_taken *step);

/* Whether a further step might find more events than there are rows left. */
static inline int tb_events_full(const tb_events *events) {
    return events->found + 2 * events->count * events->samples > events->capacity;
}

static inline double tb_event_time(const tb_events *events) {
    return events->times[events->found - 1];
}

static inline const double *tb_event_state(const tb_events *events, long n) {
    return events->states + (events->found - 1) * n;
}

#endif
