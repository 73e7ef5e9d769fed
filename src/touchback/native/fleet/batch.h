/* Many instances of one problem, each from a state of its own with inputs and parameters of its own, by
 * fixed steps: as many at once as a vector register holds, on threads. A group of instances makes all of
 * its steps before the next one begins, so that it stays near the processor. */
#ifndef TOUCHBACK_BATCH_H
#define TOUCHBACK_BATCH_H

#include <stdatomic.h>

#include "integrate/fixed_step.h"
#include "integrate/samples.h"

enum { TB_MOST_WORKERS = 64 };

/* What is told of an instance with modes: whether nothing ended it, how far its constraints were open
 * where it starts and, at most, where it was recorded [m or rad], and how often frictions had no answer
 * there. */
typedef struct tb_batch_told {
    double whole, gap, largest_h, paradoxes;
} tb_batch_told;

/* What all have in common. Strides are from instance to instance: 0 where all have the same. */
typedef struct tb_batch {
    tb_step step;
    double t0, h;
    long steps, every; /* the start is recorded, and what is reached after each `every` steps */
    long lanes, count;
    long states, inputs, block; /* numbers of an instance: state, [t, inputs...], parameters */
    double *x;                  /* a row of each: where it starts, and then where it ended */
    const double *u, *p;
    long u_stride, p_stride;
    long series;                /* inputs that follow samples, linear in between */
    const long *places;         /* of these inputs, in [t, inputs...] */
    const long *samples;        /* how many each has */
    const double *times, *values; /* of each instance, series by series */
    long values_stride;
    long width;            /* numbers that are recorded of an instance at an instant */
    const long *recorded;  /* their places in [state, sensors] */
    double *record;        /* of each instance a row for each instant */
    long *made;            /* of each instance: its steps, fewer where it was no number; -1: not run */

    /* Of mechanisms with modes, one lane wide. */
    double crowded;      /* seconds within which transitions chatter */
    long look;           /* steps from one look at that to the next */
    long sensors, rubs;  /* how many sensors there are, 0 where none is recorded; whether rows rub */
    tb_batch_told *told; /* of each instance */
} tb_batch;

/* Who works on a group at a time. The problem is that of `lanes` instances; all else is memory. */
typedef struct tb_batch_worker {
    tb_problem *problem;
    tb_callable sensors; /* call is NULL where none is recorded, and with modes */
    double *x, *next, *scratch, *shown; /* of `lanes` states, one more, five more; of sensors */
    double *remembered; /* memories as they were before the last tick */
    double *p;
    tb_table *tables; /* of each series for each lane */
    long *slots;
    tb_samples samples;
    /* With modes: what their motion remembered before any run, and of one instance the states that are
     * recorded, with the last one, and the accelerations and multipliers at one of them. */
    const double *fresh;
    double *states, *solutions;
} tb_batch_worker;

/* Runs the instances from `first` to before `end`, which begin a group each `lanes`, on so many workers
 * and threads. Returns TB_REACHED, or TB_INTERRUPTED where somebody asked it to end: then groups that
 * weren't finished have made -1 steps. */
int tb_batch_run(const tb_batch *batch, tb_batch_worker *workers, long worker_count, long first,
                 long end);

#pragma GCC visibility push(hidden) /* between the files of this folder */
/* Gives a worker the states, inputs and parameters of the group from `first` on. */
void tb_batch_load(const tb_batch *batch, tb_batch_worker *worker, long first);
/* Whether the crew is to stop; who answers to Ctrl-C tells the others. */
int tb_batch_stopped(atomic_int *stop, int answers);
/* Runs an instance with modes (in_modes.c). */
void tb_batch_in_modes(const tb_batch *batch, tb_batch_worker *worker, long instance,
                       atomic_int *stop, int answers);
#pragma GCC visibility pop

#endif
