/* Many instances of one problem, each from a state of its own with inputs and parameters of its
 * own, by fixed steps: as many at once as a vector register holds, on threads. A group of instances
 * makes all of its steps before the next one begins, so that it stays near the processor. */
#ifndef TOUCHBACK_BATCH_H
#define TOUCHBACK_BATCH_H

#include <stdatomic.h>

#include "integrate/fixed_step.h"
#include "integrate/samples.h"

enum { TB_MOST_WORKERS = 64 };

struct tb_batch;
struct tb_batch_worker;
struct tb_moreau_jean;

/* What is reported of an instance with constraints: whether nothing ended it, how far they were
 * open where it starts and, at most, on its way [m or rad], and how often it was almost singular,
 * could not be made consistent, and frictions had no answer. With modes all but the first two are
 * of what was recorded. */
typedef struct tb_batch_report {
    double whole, gap, largest_h, singular, not_converged, paradoxes;
} tb_batch_report;

/* What instances that run one at a time do in their own way: under constraints
 * (constrained_instances.c), in modes (modal_instances.c), or with rigid contacts
 * (contact_instances.c). */
typedef struct tb_batch_kind {
    /* Lets one begin at the worker's x as if nothing had run before. Returns how far that was open.
     */
    double (*begin)(const struct tb_batch *batch, struct tb_batch_worker *worker);
    /* Makes the next step: TB_REACHED, or why it can't be. */
    int (*take)(struct tb_batch_worker *worker);
    /* Whether it may go on, where a run of its own looks; NULL: it may. */
    int (*goes_on)(const struct tb_batch *batch, const struct tb_batch_worker *worker);
    /* Records an instance that has made all steps, and reports it. Returns 0 where what is
     * recorded ends it after all. */
    int (*report)(const struct tb_batch *batch, struct tb_batch_worker *worker, long instance);
} tb_batch_kind;

extern const tb_batch_kind tb_batch_modal_kind, tb_batch_constrained_kind, tb_batch_contact_kind;

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
    long series;                  /* inputs that follow samples, linear in between */
    const long *places;           /* of these inputs, in [t, inputs...] */
    const long *samples;          /* how many each has */
    const double *times, *values; /* of each instance, series by series */
    long values_stride;
    long width;           /* numbers that are recorded of an instance at an instant */
    const long *recorded; /* their places in [state, sensors] */
    double *record;       /* of each instance a row for each instant */
    const long *jump_starts; /* count + 1: of the jumps of each instance; NULL without any */
    const double *jump_at, *jump_before;
    long *made; /* of each instance: its steps, fewer where it was no number; -1: not run */

    /* Of mechanisms with constraints or rigid contacts, one lane wide. */
    const tb_batch_kind *kind; /* NULL without any */
    tb_batch_report *reports;  /* of each instance */
    /* With modes: */
    double crowded;    /* seconds within which transitions chatter */
    long look;         /* steps from one look at that to the next */
    long sensors;      /* how many there are, 0 where none is recorded */
    long has_friction; /* whether rows have friction */
    /* With rigid contacts: */
    const double *sensor_p; /* parameters that sensors read */
    long sensor_stride;
} tb_batch;

/* Who works on a group at a time. The problem is that of `lanes` instances; all else is memory. */
typedef struct tb_batch_worker {
    tb_problem *problem;
    tb_callable sensors;                /* call is NULL where none is recorded, and with modes */
    double *x, *next, *scratch, *shown; /* of `lanes` states, one more, five more; of sensors */
    double *remembered;                 /* memories as they were before the last tick */
    double *p;
    tb_table *tables; /* of each series for each lane */
    long *slots;
    tb_samples samples;
    /* One at a time: of an instance the states that are recorded, with the last one, and what was
     * solved for at one of them: accelerations and multipliers, without modes behind [t,
     * inputs...]; of a step with contacts what rows took of energy, and what moving surfaces did
     * through them. */
    double *states, *solutions;
    tb_fixed run;                   /* by steps without contacts */
    const double *fresh;            /* what its motion remembered before any run */
    struct tb_moreau_jean *stepper; /* by steps with contacts */
} tb_batch_worker;

/* What column k of the record shows: a state, or a sensor, as sensors stand behind the states; of
 * arrays with `lanes` numbers side by side, that of one lane. Texts of kernels have the same rule:
 * `sensor_number` of batch/batch_spec.py. */
static inline double tb_batch_column(const tb_batch *batch, const tb_batch_worker *worker,
                                     const double *x, long k, long lane) {
    long place = batch->recorded[k], sensor = place - batch->states;
    return sensor < 0 ? x[place * batch->lanes + lane]
                      : worker->shown[sensor * batch->lanes + lane];
}

/* Runs the instances from `first` to before `end`, which begin a group each `lanes`, on so many
 * workers and threads. Returns TB_REACHED, or TB_INTERRUPTED where somebody asked it to end: then
 * groups that weren't finished have made -1 steps. */
int tb_batch_run(const tb_batch *batch, tb_batch_worker *workers, long worker_count, long first,
                 long end);

#pragma GCC visibility push(hidden) /* between the files of this folder */
/* Gives a worker the states, inputs and parameters of the group from `first` on. */
void tb_batch_load(const tb_batch *batch, tb_batch_worker *worker, long first);
/* Whether the crew is to stop; who answers to Ctrl-C tells the others. */
int tb_batch_stopped(atomic_int *stop, int answers);
/* Runs an instance in its way (instance_run.c). */
void tb_batch_run_instance(const tb_batch *batch, tb_batch_worker *worker, long instance,
                           atomic_int *stop, int answers);
/* A step without contacts. */
int tb_batch_take_fixed(tb_batch_worker *worker);
/* How many states of it are kept, the instant of one of them, and what is recorded there. */
long tb_batch_recorded_states(const tb_batch *batch);
double tb_batch_instant(const tb_batch *batch, long row);
void tb_batch_note(const tb_batch *batch, const tb_batch_worker *worker, long instance, long row);
#pragma GCC visibility pop

#endif
