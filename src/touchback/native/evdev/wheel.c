/* The thread that serves a wheel. */
#define _GNU_SOURCE
#include "evdev/wheel.h"

#include <errno.h>

#include "live/clock.h"

void tb_wheel_event(tb_wheel *wheel, long event, double first, double second) {
    double *row = tb_ring_next(&wheel->events);
    if (!row)
        return;
    row[0] = (double)wheel->instant;
    row[1] = (double)event;
    row[2] = first;
    row[3] = second;
    tb_ring_done(&wheel->events);
}

#ifdef __linux__

#include <linux/input.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const long TRIES = 1000;
static const int64_t MILLISECOND = 1000000;
static const int64_t REOPEN = 50000000; /* ns between looks whether the device is back */

void tb_wheel_lose(tb_wheel *wheel, int error) {
    if (wheel->file < 0)
        return;
    tb_evdev_close((int)wheel->file);
    wheel->file = wheel->effect = -1;
    wheel->level = 0;
    atomic_store(&wheel->running, 0);
    if (error)
        tb_wheel_event(wheel, TB_WHEEL_GONE, error, 0.0);
}

static int alike(const tb_evdev_about *a, const tb_evdev_about *b) {
    if (a->present != b->present || a->features != b->features ||
        memcmp(a->name, b->name, sizeof a->name))
        return 0;
    for (long code = 0; code < TB_EVDEV_AXES; code++)
        if (a->axes[code].least != b->axes[code].least || a->axes[code].most != b->axes[code].most)
            return 0;
    return 1;
}

static void tell_values(tb_wheel *wheel, int64_t stamp) {
    double values[TB_WHEEL_LATEST];
    for (long code = 0; code < TB_EVDEV_AXES; code++)
        values[code] = wheel->values.values[code];
    tb_mailbox_write(wheel->latest, TB_WHEEL_LATEST, stamp, values, TRIES);
}

static void tell_about(tb_wheel *wheel) {
    enum { WORDS = sizeof(tb_evdev_about) / sizeof(double) };
    _Static_assert(sizeof(tb_evdev_about) % sizeof(double) == 0, "a mailbox has whole doubles");
    double words[WORDS];
    memcpy(words, &wheel->about, sizeof words);
    tb_mailbox_write(wheel->known, WORDS, wheel->instant, words, TRIES);
}

/* Whole forces, and none of its own: a spring to the centre would be felt beside the car's. */
static void prepare(tb_wheel *wheel) {
    if (wheel->about.features & TB_EVDEV_GAIN)
        wheel->backend->set((int)wheel->file, FF_GAIN, 0xFFFF);
    if (wheel->about.features & TB_EVDEV_AUTOCENTRE)
        wheel->backend->set((int)wheel->file, FF_AUTOCENTER, 0);
}

static void open_wheel(tb_wheel *wheel) {
    if (wheel->tried && wheel->instant - wheel->tried < REOPEN)
        return;
    int first = !wheel->tried;
    tb_evdev_about about;
    wheel->tried = wheel->instant;
    int file = tb_evdev_open((const char *)wheel->path, &wheel->backend, &about);
    if (file < 0) {
        if (first)
            tb_wheel_event(wheel, TB_WHEEL_GONE, -file, 0.0);
        return;
    }
    if (wheel->seen_before && !alike(&about, &wheel->about)) {
        tb_evdev_close(file);
        if (wheel->seen_before == 1)
            tb_wheel_event(wheel, TB_WHEEL_CHANGED, 0.0, 0.0);
        wheel->seen_before = 2; /* and reported that another is there */
        return;
    }
    wheel->file = file;
    wheel->about = about;
    wheel->seen_before = 1;
    wheel->effect = -1;
    wheel->level = 0;
    wheel->uploaded = wheel->played = 0;
    tb_evdev_begin(&wheel->values, &about);
    prepare(wheel);
    tell_about(wheel);
    tell_values(wheel, wheel->instant);
    atomic_fetch_add(&wheel->opened, 1);
    tb_wheel_event(wheel, TB_WHEEL_OPENED, 0.0, 0.0);
    atomic_store(&wheel->running, 1);
}

/* All values anew, since some reports were lost. */
static void ask_again(tb_wheel *wheel) {
    atomic_fetch_add(&wheel->lost, 1);
    tb_wheel_event(wheel, TB_WHEEL_LOST, 0.0, 0.0);
    int error = wheel->backend->read_axes((int)wheel->file, &wheel->about);
    if (error)
        tb_wheel_lose(wheel, error);
    else if (wheel->backend == &tb_evdev_kernel)
        tb_evdev_begin(&wheel->values, &wheel->about);
}

static void strange(tb_wheel *wheel) {
    atomic_fetch_add(&wheel->strange, 1);
    for (long code = 0; code < TB_EVDEV_AXES; code++)
        if (wheel->values.strange >> code & 1)
            tb_wheel_event(wheel, TB_WHEEL_STRANGE, (double)code, wheel->values.values[code]);
}

/* All that waits; gives when the last report was made, or 0 without one. */
static int64_t receive(tb_wheel *wheel) {
    uint8_t bytes[64 * TB_EVDEV_BYTES];
    int64_t reported = 0;
    while (wheel->file >= 0) {
        ssize_t count = read((int)wheel->file, bytes, sizeof bytes);
        wheel->instant = tb_clock_now();
        if (count > 0) {
            long found = tb_evdev_take(&wheel->values, &wheel->about, bytes, count);
            if (found & TB_EVDEV_REPORTED) {
                atomic_fetch_add(&wheel->reports, 1);
                reported = wheel->values.stamp;
            }
            if (found & TB_EVDEV_STRANGE)
                strange(wheel);
            if (found & TB_EVDEV_DROPPED)
                ask_again(wheel);
        } else if (count < 0 && errno == EAGAIN)
            return reported;
        else if (count == 0 || errno != EINTR)
            tb_wheel_lose(wheel, count == 0 ? ENODEV : errno);
    }
    return 0;
}

static void attend(tb_wheel *wheel) {
    int64_t stamp = receive(wheel);
    if (wheel->file < 0)
        return;
    if (stamp <= 0 || stamp > wheel->instant)
        stamp = wheel->instant;
    tell_values(wheel, stamp);
    tb_wheel_give(wheel, stamp);
}

/* Until a report comes, or the run has published. */
static void wait_for_more(tb_wheel *wheel) {
    const tb_wheel_binding *binding = tb_handover_taken(&wheel->binding);
    int64_t left = MILLISECOND;
    if (binding && binding->publication.mailbox)
        left = tb_publication_pause(&binding->publication, tb_clock_now());
    struct timespec timeout = {0, (long)left};
    struct pollfd file = {(int)wheel->file, POLLIN, 0};
    ppoll(&file, wheel->file >= 0, &timeout, NULL);
}

static void *body(void *data) {
    tb_wheel *wheel = data;
    pthread_setname_np(pthread_self(), "touchback-wheel");
    tb_clock_sharpen();
    if (wheel->cpu >= 0)
        tb_clock_pin((int)wheel->cpu);
    wheel->priority_error = wheel->priority > 0 ? tb_clock_priority((int)wheel->priority) : 0;
    while (!atomic_load_explicit(&wheel->stop, memory_order_relaxed)) {
        wheel->instant = tb_clock_now();
        tb_handover_take(&wheel->binding, tb_handover_wanted(&wheel->binding));
        if (wheel->file < 0)
            open_wheel(wheel);
        if (wheel->file >= 0)
            attend(wheel);
        tb_wheel_push(wheel);
        wait_for_more(wheel);
    }
    tb_handover_take(&wheel->binding, NULL);
    tb_wheel_let_go(wheel);
    tb_wheel_lose(wheel, 0);
    return NULL;
}

int tb_wheel_start(tb_wheel *wheel) {
    pthread_t thread;
    wheel->file = wheel->effect = -1;
    int error = pthread_create(&thread, NULL, body, wheel);
    wheel->thread = error ? 0 : (int64_t)thread;
    return error;
}

void tb_wheel_join(tb_wheel *wheel) {
    atomic_store(&wheel->stop, 1);
    if (wheel->thread)
        pthread_join((pthread_t)wheel->thread, NULL);
    wheel->thread = 0;
}

#else

int tb_wheel_start(tb_wheel *wheel) {
    return (void)wheel, ENOSYS;
}
void tb_wheel_join(tb_wheel *wheel) {
    (void)wheel;
}
void tb_wheel_lose(tb_wheel *wheel, int error) {
    (void)wheel, (void)error;
}

#endif
