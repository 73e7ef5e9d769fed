/* Ticks against the clock, in the calling thread or in one of their own. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "interrupt.h"
#include "live/clock.h"
#include "live/live.h"
#include "live/swap.h"

static int64_t due_at(const tb_live *live) {
    return live->epoch + (int64_t)((double)live->due * live->period);
}

/* Overload: periods that are left out add up, and a tenth of the time that passes is forgiven. */
static void account_slip(tb_commands *commands, int64_t now, double slipped) {
    static const double FORGIVEN = 0.1;
    double left = commands->slip_debt - FORGIVEN * (double)(now - commands->slip_time);
    commands->slip_debt = (left > 0.0 ? left : 0.0) + slipped;
    commands->slip_time = now;
    if (commands->slip_limit > 0.0 && commands->slip_debt > commands->slip_limit) {
        commands->overloaded = 1;
        commands->slip_debt = 0.0; /* whoever resumes allows as much once more */
    }
}

static void schedule(tb_live *live, int64_t now) {
    int64_t instant = due_at(live);
    int64_t behind = (int64_t)((double)(now - instant) / live->period);
    if (behind > live->catch_up) { /* too late to catch up: the schedule moves */
        live->epoch += (int64_t)((double)behind * live->period);
        live->statistics->slipped += behind;
        account_slip(live->commands, now, (double)behind * live->period);
    }
}

/* Whether no tick is to follow. */
static int finished(const tb_live *live) {
    if (atomic_load_explicit(&live->commands->stop, memory_order_relaxed) || tb_stop_asked())
        return 1;
    if (!atomic_load_explicit(&live->commands->closing, memory_order_relaxed))
        return 0;
    for (long i = 0; i < live->guard_count; i++)
        if (live->guards[i].fall < 1.0 && live->guards[i].blend > 0.0)
            return 0;
    return 1;
}

int64_t tb_live_loop(tb_live **current, int64_t count) {
    tb_live *live = *current;
    tb_live_statistics *statistics = live->statistics;
    int64_t done = 0;
    while (done < count && !finished(live)) {
        if (live->period == 0.0) {
            *current = tb_live_take_swap(live);
            if (*current != live)
                break;
            tb_live_tick(live, tb_clock_now(), 0);
            done++;
            continue;
        }
        tb_live_follow_speed(live);
        int64_t instant = due_at(live), worked = tb_clock_worked();
        if (tb_live_rests(live) || !tb_live_wait(live, instant))
            continue;
        int64_t now = tb_clock_now(), lateness = now - instant;
        live->due++;
        *current = live = tb_live_take_swap(live);
        tb_live_tick(live, now, lateness);
        int64_t ended = tb_clock_now(), step = ended - now, period = (int64_t)live->period;
        statistics->late += lateness > live->late_limit;
        statistics->overruns += (double)(ended - instant) > live->period;
        schedule(live, ended);
        tb_tick_times course = {lateness,
                                step,
                                step > period ? tb_clock_worked() - worked : step,
                                period,
                                live->late_limit,
                                ended - due_at(live)};
        tb_attribute_latency(statistics, &course);
        done++;
    }
    return done;
}

#ifdef __linux__

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Thread-local memory of all libraries is taken from the stack too, and can be most of 512 KiB.
 * Pages that nobody touches cost nothing. */
enum { STACK = 4096 * 1024, TOUCHED = 128 * 1024 };

/* The stack's pages are there before the first tick asks for them. */
static void __attribute__((noinline)) touch_stack(void) {
    char pages[TOUCHED];
    for (volatile char *page = pages; page < pages + TOUCHED; page += 1024)
        *page = 0;
}

static int64_t page_faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* Nanoseconds that the calling thread was ready to run while others did; -1 where none can say. */
static int64_t queued(void) {
    char text[96] = "", *second; /* "ran waited slices" */
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    strtoll(text, &second, 10);
    return length > 0 ? strtoll(second, NULL, 10) : -1;
}

/* What the kernel says of the thread; after its last tick, for it reads a file. */
static void account(tb_live *live) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    live->switches_asked = usage.ru_nvcsw;
    live->switches_forced = usage.ru_nivcsw;
    live->queued = queued();
}

static void *body(void *data) {
    tb_live *live = data, *current = data; /* the thread's own things stay where they were */
    live->page_faults = -1;
    live->thread_id = syscall(SYS_gettid);
    pthread_setname_np(pthread_self(), "touchback-live");
    live->pin_error = live->cpu >= 0 ? tb_clock_pin((int)live->cpu) : 0;
    live->priority_error = live->priority > 0 ? tb_clock_priority((int)live->priority) : 0;
    tb_clock_sharpen();
    touch_stack();
    tb_stop_by(&live->commands->stop); /* a tick of many substeps ends early, too */
    live->epoch = tb_clock_now() + (int64_t)live->period;
    live->due = 0;
    atomic_store(&live->running, 1);
    tb_live_loop(&current, 1);
    int64_t before = page_faults();
    tb_live_loop(&current, INT64_MAX);
    live->page_faults = page_faults() - before;
    account(live);
    atomic_store(&live->running, 0);
    return NULL;
}

int tb_live_start(tb_live *live) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    int error = pthread_create(&thread, &attributes, body, live);
    pthread_attr_destroy(&attributes);
    live->thread = error ? 0 : (int64_t)thread;
    if (!error && live->wakeup_monitor)
        tb_wakeup_monitor_start(live->wakeup_monitor); /* a run without one is as good */
    return error;
}

void tb_live_join(tb_live *live) {
    if (live->thread)
        pthread_join((pthread_t)live->thread, NULL);
    live->thread = 0;
    if (live->wakeup_monitor)
        tb_wakeup_monitor_join(live->wakeup_monitor);
}

#else

int tb_live_start(tb_live *live) {
    return (void)live, ENOSYS;
}
void tb_live_join(tb_live *live) {
    (void)live;
}

#endif

int64_t tb_live_advance(tb_live *live, int64_t count) {
    return tb_live_loop(&live, count);
}
void tb_live_stop(tb_live *live) {
    atomic_store(&live->commands->stop, 1);
}
void tb_live_wind_down(tb_live *live) {
    atomic_store(&live->commands->closing, 1);
}
void tb_live_resume(tb_live *live, long faults) {
    atomic_fetch_or(&live->commands->resume, faults & TB_LATCHED);
}
void tb_live_note(tb_live *live) {
    atomic_store(&live->commands->note, 1);
}
void tb_live_fail(tb_live *live) {
    atomic_store(&live->commands->failed, 1);
}
void tb_live_halt(tb_live *live) {
    atomic_fetch_add(&live->commands->halts, 1);
}
void tb_live_ask_substeps(tb_live *live, long substeps) {
    atomic_store(&live->commands->substeps, substeps);
}

void tb_live_offer_swap(tb_live *live, tb_swap *swap) {
    atomic_store(&live->commands->swap, swap);
}

void tb_live_set_gain(_Atomic uint64_t *gains, long output, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    atomic_store_explicit(gains + output, bits, memory_order_relaxed);
}
