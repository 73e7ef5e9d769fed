/* Many instances of one problem, each from a state of its own with inputs and parameters of its own, by
 * fixed steps: as many at once as a vector register holds, on threads. A group of instances makes all of
 * its steps before the next one begins, so that it stays near the processor. */
#ifndef TOUCHBACK_BATCH_H
#define TOUCHBACK_BATCH_H

#include <stdatomic.h>

#include "integrate/fixed_step.h"
#include "integrate/samples.h"

enum { TB_MOST_WORKERS = 64 };

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
} tb_batch;

/* Who works on a group at a time. The problem is that of `lanes` instances; all else is memory. */
typedef struct tb_batch_worker {
    tb_problem *problem;
    tb_callable sensors; /* call is NULL where none is recorded */
    double *x, *next, *scratch, *shown; /* of `lanes` states, one more, four more; of sensors */
    double *p;
    tb_table *tables; /* of each series for each lane */
    long *slots;
    tb_samples samples;
} tb_batch_worker;

/* Runs the instances from `first` to before `end`, which begin a group each `lanes`, on so many workers
 * and threads. Returns TB_REACHED, or TB_INTERRUPTED where somebody asked it to end: then groups that
 * weren't finished have made -1 steps. */
int tb_batch_run(const tb_batch *batch, tb_batch_worker *workers, long worker_count, long first,
                 long end);

#endif
