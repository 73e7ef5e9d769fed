#define _GNU_SOURCE
#include "live/clock.h"

#include <errno.h>
#include <time.h>

int64_t tb_clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#ifdef __linux__

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static const int64_t SLICE = 20000000; /* ns: how soon a stop is noticed at slow rates */

void tb_clock_wait(int64_t instant, int64_t spin, const _Atomic long *stop) {
    int64_t now = tb_clock_now();
    while (now < instant - spin && !atomic_load_explicit(stop, memory_order_relaxed)) {
        int64_t until = now + SLICE < instant - spin ? now + SLICE : instant - spin;
        struct timespec wake = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
        now = tb_clock_now();
    }
    while (now < instant && !atomic_load_explicit(stop, memory_order_relaxed))
        now = tb_clock_now();
}

int64_t tb_clock_worked(void) {
    struct timespec worked;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
    return (int64_t)worked.tv_sec * 1000000000 + worked.tv_nsec;
}

void tb_clock_sharpen(void) {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

int tb_clock_priority(int priority) {
    struct sched_param wanted = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted);
}

int tb_clock_pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

int tb_memory_lock(void *start, int64_t bytes) {
    return mlock(start, (size_t)bytes) ? errno : 0;
}

int tb_memory_unlock(void *start, int64_t bytes) {
    return munlock(start, (size_t)bytes) ? errno : 0;
}

#else

void tb_clock_wait(int64_t instant, int64_t spin, const _Atomic long *stop) {
    (void)spin;
    while (tb_clock_now() < instant && !atomic_load_explicit(stop, memory_order_relaxed))
        ;
}

int64_t tb_clock_worked(void) {
    return 0;
}
void tb_clock_sharpen(void) {}
int tb_clock_priority(int priority) {
    return (void)priority, ENOSYS;
}
int tb_clock_pin(int cpu) {
    return (void)cpu, ENOSYS;
}
int tb_memory_lock(void *start, int64_t bytes) {
    return (void)start, (void)bytes, ENOSYS;
}
int tb_memory_unlock(void *start, int64_t bytes) {
    return (void)start, (void)bytes, ENOSYS;
}

#endif
