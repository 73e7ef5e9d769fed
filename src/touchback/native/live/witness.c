#define _GNU_SOURCE
#include "live/witness.h"

#include <errno.h>

#include "live/clock.h"

#ifdef __linux__

#include <pthread.h>

static const int64_t CATCH_UP = 10; /* periods, as in live runs */

static void note(tb_witness *witness, int64_t lateness) {
    witness->wakes++;
    witness->late += lateness > witness->late_limit;
    witness->delay += lateness;
    tb_count(witness->counts, &witness->largest, lateness);
}

static void *body(void *data) {
    tb_witness *witness = data;
    pthread_setname_np(pthread_self(), "touchback-idle");
    tb_clock_sharpen();
    if (witness->cpu >= 0)
        tb_clock_pin((int)witness->cpu);
    witness->priority_error = witness->priority > 0 ? tb_clock_priority((int)witness->priority) : 0;
    int64_t epoch = tb_clock_now() + (int64_t)witness->phase,
            spin = witness->spins ? witness->lead : 0;
    for (int64_t due = 0;; due++) {
        int64_t instant = epoch + (int64_t)((double)due * witness->period);
        tb_clock_wait(instant - witness->lead + spin, spin, &witness->stop);
        if (atomic_load_explicit(&witness->stop, memory_order_relaxed))
            return NULL;
        int64_t lateness = tb_clock_now() - instant;
        note(witness, lateness > 0 ? lateness : 0);
        int64_t behind = (int64_t)((double)lateness / witness->period);
        if (behind > CATCH_UP)
            due += behind;
    }
}

int tb_witness_start(tb_witness *witness) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, body, witness);
    witness->thread = error ? 0 : (int64_t)thread;
    return error;
}

void tb_witness_join(tb_witness *witness) {
    atomic_store(&witness->stop, 1);
    if (witness->thread)
        pthread_join((pthread_t)witness->thread, NULL);
    witness->thread = 0;
}

#else

int tb_witness_start(tb_witness *witness) {
    return (void)witness, ENOSYS;
}
void tb_witness_join(tb_witness *witness) {
    (void)witness;
}

#endif
