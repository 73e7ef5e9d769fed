/* Tick after tick with new inputs, each timed alone. Nothing of the engines is linked here: they come
 * as addresses. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <time.h>

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000LL * t.tv_sec + t.tv_nsec;
}

typedef struct live_run {
    void (*tick)(void *live, int64_t now, int64_t lateness);
    void *live;
    int (*write)(void *box, uint64_t count, int64_t stamp, const double *value, long tries);
    void *const *boxes; /* mailboxes of the inputs */
    long inputs;
} live_run;

/* A device's thread would fill the mailboxes: only the tick is timed. */
void ticks_of_live(const live_run *run, const double *values, long count, int64_t *spent) {
    for (long k = 0; k < count; k++, values += run->inputs) {
        for (long i = 0; i < run->inputs; i++)
            run->write(run->boxes[i], 1, now(), values + i, 1);
        int64_t begin = now();
        run->tick(run->live, begin, 0);
        spent[k] = now() - begin;
    }
}

typedef struct peer_run {
    void (*step)(const void *model, void *data);
    const void *model;
    void *data;
    const double *key, *key_rate, *hammer, *hammer_rate;
    double *effort; /* on the key's hinge */
    double front, stiffness, damping;
} peer_run;

/* The finger of the model, explicit: one that pushes and never pulls. */
static double push(const peer_run *run, double depth, double speed) {
    double inside = depth - run->front * sin(*run->key);
    double force = run->stiffness * inside + run->damping * (speed - run->front * *run->key_rate);
    return inside > 0.0 && force > 0.0 ? force : 0.0;
}

void ticks_of_peer(const peer_run *run, const double *values, long count, int64_t *spent,
                   double *hammer) {
    for (long k = 0; k < count; k++, values += 2) {
        int64_t begin = now();
        *run->effort = run->front * push(run, values[0], values[1]);
        run->step(run->model, run->data);
        spent[k] = now() - begin;
        hammer[2 * k] = *run->hammer;
        hammer[2 * k + 1] = *run->hammer_rate;
    }
}
