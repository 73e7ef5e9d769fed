#include "batch/batch.h"

#include <math.h>
#include <pthread.h>

#include "integrate/sampler.h"
#include "integrate/state_vectors.h"
#include "interrupt.h"

/* ---- inputs: [t, inputs...], of each number all lanes side by side --------------------------- */

static void in_pairs(double t, const double *x, double *u, const tb_samples *samples) {
    u[1] = t;
    tb_sampled_input(t, x, u, samples);
}

static void in_fours(double t, const double *x, double *u, const tb_samples *samples) {
    u[1] = u[2] = u[3] = t;
    tb_sampled_input(t, x, u, samples);
}

static void in_eights(double t, const double *x, double *u, const tb_samples *samples) {
    for (int lane = 1; lane < 8; lane++)
        u[lane] = t;
    tb_sampled_input(t, x, u, samples);
}

static tb_input input_of(long lanes) {
    return lanes == 8   ? in_eights
           : lanes == 4 ? in_fours
           : lanes == 2 ? in_pairs
                        : tb_sampled_input;
}

/* ---- a group --------------------------------------------------------------------------------- */

/* Which instance a lane has; the last one fills the last group. */
static long instance_of(const tb_batch *b, long first, long lane) {
    return first + lane < b->count ? first + lane : b->count - 1;
}

static void spread(const double *row, long size, long lanes, long lane, double *to) {
    for (long k = 0; k < size; k++)
        to[k * lanes + lane] = row[k];
}

void tb_batch_load(const tb_batch *b, tb_batch_worker *w, long first) {
    long lanes = b->lanes;
    for (long lane = 0; lane < lanes; lane++) {
        long i = instance_of(b, first, lane);
        spread(b->x + i * b->states, b->states, lanes, lane, w->x);
        spread(b->u + i * b->u_stride, b->inputs, lanes, lane, w->problem->u);
        spread(b->p + i * b->p_stride, b->block, lanes, lane, w->p);
        for (long s = 0, at = 0; s < b->series; at += b->samples[s++]) {
            w->tables[s * lanes + lane] = (tb_table){b->samples[s], 0, b->times + at, NULL,
                                                     b->values + i * b->values_stride + at};
            w->slots[s * lanes + lane] = b->places[s] * lanes + lane;
        }
    }
    w->samples = (tb_samples){b->series * lanes, w->slots, w->tables};
    w->problem->input = input_of(lanes);
    w->problem->samples = &w->samples;
    w->problem->p = w->p;
}

/* The instant at which so many steps were made. */
static void note(const tb_batch *b, tb_batch_worker *w, long first, long steps, const long *made) {
    long lanes = b->lanes, rows = b->steps / b->every + 1;
    if (w->sensors.call) {
        tb_set_inputs(w->problem, b->t0 + (double)steps * b->h, w->x);
        w->sensors.call(w->x, w->problem->u, w->p, w->shown, w->sensors.work, w->sensors.context);
    }
    for (long lane = 0; lane < lanes && first + lane < b->count; lane++) {
        double *row = b->record + ((first + lane) * rows + steps / b->every) * b->width;
        for (long k = 0; k < b->width; k++)
            row[k] = made[lane] < steps ? NAN : tb_batch_column(b, w, w->x, k, lane);
    }
}

static void tick(tb_batch_worker *w, double t) {
    const tb_sampler *sampler = w->problem->sampler;
    for (long i = 0; i < sampler->count; i++)
        w->remembered[i] = w->x[sampler->places[i]];
    tb_sample(sampler, w->problem, t, w->x);
}

static void undo_tick(const tb_sampler *sampler, const double *remembered, double *x) {
    for (long i = 0; i < sampler->count; i++)
        x[sampler->places[i]] = remembered[i];
}

/* A lane that would become no number stays where it was before the step, and before its tick if it
 * began with one: the others aren't to know. */
static void hold_bad_lanes(const tb_batch *b, tb_batch_worker *w, long step, int ticked,
                           long *made) {
    long lanes = b->lanes;
    if (ticked)
        undo_tick(w->problem->sampler, w->remembered, w->x);
    for (long lane = 0; lane < lanes; lane++) {
        int bad = 0;
        for (long k = 0; k < b->states; k++)
            bad |= !isfinite(w->next[k * lanes + lane]);
        if (!bad && made[lane] == b->steps)
            continue;
        if (made[lane] == b->steps)
            made[lane] = step;
        for (long k = 0; k < b->states; k++)
            w->next[k * lanes + lane] = w->x[k * lanes + lane];
    }
}

int tb_batch_stopped(atomic_int *stop, int answers) {
    if (answers && tb_stop_asked())
        atomic_store(stop, 1);
    return atomic_load_explicit(stop, memory_order_relaxed);
}

static void group(const tb_batch *b, tb_batch_worker *w, long first, atomic_int *stop,
                  int answers) {
    const tb_sampler *sampler = w->problem->sampler;
    long size = b->states * b->lanes, failed = 0, made[8];
    long to_tick = 1, to_row = b->every; /* steps */
    for (long lane = 0; lane < b->lanes; lane++)
        made[lane] = b->steps;
    tb_batch_load(b, w, first);
    note(b, w, first, 0, made);
    for (long step = 0; step < b->steps; step++) {
        double t = b->t0 + (double)step * b->h;
        if (tb_batch_stopped(stop, answers))
            return;
        int ticked = sampler && --to_tick == 0;
        if (ticked) {
            tick(w, t);
            to_tick = sampler->every;
        }
        b->step(w->problem, t, b->h, w->x, w->next, w->scratch);
        if (failed || !tb_all_finite(size, w->next)) {
            failed = 1;
            hold_bad_lanes(b, w, step, ticked, made);
        }
        double *before = w->x;
        w->x = w->next;
        w->next = before;
        if (--to_row == 0) {
            note(b, w, first, step + 1, made);
            to_row = b->every;
        }
    }
    for (long lane = 0; lane < b->lanes && first + lane < b->count; lane++) {
        for (long k = 0; k < b->states; k++)
            b->x[(first + lane) * b->states + k] = w->x[k * b->lanes + lane];
        b->made[first + lane] = made[lane];
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct crew {
    const tb_batch *batch;
    atomic_long next;
    atomic_int stop;
    long end;
} crew;

typedef struct member {
    crew *crew;
    tb_batch_worker *worker;
    int answers; /* to Ctrl-C, for all */
} member;

static void *work(void *given) {
    member *self = given;
    crew *c = self->crew;
    void (*run)(const tb_batch *, tb_batch_worker *, long, atomic_int *, int) =
        c->batch->kind ? tb_batch_run_instance : group;
    for (long first; (first = atomic_fetch_add(&c->next, c->batch->lanes)) < c->end;) {
        if (tb_batch_stopped(&c->stop, self->answers))
            break;
        run(c->batch, self->worker, first, &c->stop, self->answers);
    }
    return NULL;
}

int tb_batch_run(const tb_batch *batch, tb_batch_worker *workers, long worker_count, long first,
                 long end) {
    pthread_t threads[TB_MOST_WORKERS];
    member members[TB_MOST_WORKERS];
    crew all = {batch, first, 0, end};
    long started = 1;
    for (long i = 0; i < worker_count && i < TB_MOST_WORKERS; i++)
        members[i] = (member){&all, &workers[i], i == 0};
    while (started < worker_count && started < TB_MOST_WORKERS &&
           !pthread_create(&threads[started], NULL, work, &members[started]))
        started++;
    work(&members[0]);
    for (long i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&all.stop) ? TB_INTERRUPTED : TB_REACHED;
}
