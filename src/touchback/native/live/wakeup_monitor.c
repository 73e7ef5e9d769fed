#define _GNU_SOURCE
#include "live/wakeup_monitor.h"

#include <errno.h>

#include "live/clock.h"

#ifdef __linux__

#include <pthread.h>

static const int64_t CATCH_UP = 10; /* periods, as in live runs */

static void note(tb_wakeup_monitor *monitor, int64_t lateness) {
    monitor->wakes++;
    monitor->late += lateness > monitor->late_limit;
    monitor->delay += lateness;
    tb_count(monitor->counts, &monitor->largest, lateness);
}

static void *body(void *data) {
    tb_wakeup_monitor *monitor = data;
    pthread_setname_np(pthread_self(), "touchback-idle");
    tb_clock_sharpen();
    if (monitor->cpu >= 0)
        tb_clock_pin((int)monitor->cpu);
    monitor->priority_error = monitor->priority > 0 ? tb_clock_priority((int)monitor->priority) : 0;
    int64_t epoch = tb_clock_now() + (int64_t)monitor->phase,
            spin = monitor->spins ? monitor->lead : 0;
    for (int64_t due = 0;; due++) {
        int64_t instant = epoch + (int64_t)((double)due * monitor->period);
        tb_clock_wait(instant - monitor->lead + spin, spin, &monitor->stop);
        if (atomic_load_explicit(&monitor->stop, memory_order_relaxed))
            return NULL;
        int64_t lateness = tb_clock_now() - instant;
        note(monitor, lateness > 0 ? lateness : 0);
        int64_t behind = (int64_t)((double)lateness / monitor->period);
        if (behind > CATCH_UP)
            due += behind;
    }
}

int tb_wakeup_monitor_start(tb_wakeup_monitor *monitor) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, body, monitor);
    monitor->thread = error ? 0 : (int64_t)thread;
    return error;
}

void tb_wakeup_monitor_join(tb_wakeup_monitor *monitor) {
    atomic_store(&monitor->stop, 1);
    if (monitor->thread)
        pthread_join((pthread_t)monitor->thread, NULL);
    monitor->thread = 0;
}

#else

int tb_wakeup_monitor_start(tb_wakeup_monitor *monitor) {
    return (void)monitor, ENOSYS;
}
void tb_wakeup_monitor_join(tb_wakeup_monitor *monitor) {
    (void)monitor;
}

#endif
