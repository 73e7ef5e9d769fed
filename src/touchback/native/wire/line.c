/* The thread that serves a line. */
#define _GNU_SOURCE
#include "wire/line.h"

#include <errno.h>

#include "live/clock.h"

void tb_line_event(tb_line *line, long event, double first, double second) {
    double *row = tb_ring_next(&line->events);
    if (!row)
        return;
    row[0] = (double)line->instant;
    row[1] = (double)event;
    row[2] = first;
    row[3] = second;
    tb_ring_done(&line->events);
}

#ifdef __linux__

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int64_t MILLISECOND = 1000000;
static const int64_t REOPEN = 50000000;    /* ns between looks whether the line is back */
static const int64_t ASK_AGAIN = 20000000; /* ns */

void tb_line_close(tb_line *line, int error) {
    if (line->file < 0)
        return;
    tb_port_close((int)line->file);
    line->file = -1;
    atomic_store(&line->state, TB_LINE_CLOSED);
    if (error)
        tb_line_event(line, TB_LINE_GONE, error, 0.0);
}

static int is_away(int error) {
    return error == ENOENT || error == ENXIO || error == ENODEV || error == EIO;
}

static void open_line(tb_line *line) {
    if (line->tried && line->instant - line->tried < REOPEN)
        return;
    int first = !line->tried;
    line->tried = line->instant;
    int file = tb_port_open((const char *)line->path, line->baud), error = file < 0 ? -file : 0;
    if (first && error)
        tb_line_event(line, TB_LINE_GONE, error, 0.0);
    else if (error && !is_away(error) &&
             error != line->refused) /* it is there: who waits is told */
        tb_line_event(line, TB_LINE_REFUSED, error, 0.0);
    line->refused = error;
    if (error)
        return;
    line->file = file;
    line->unframer.count = line->pending_count = 0;
    line->asked = 0;
    line->trouble_reported = line->unasked = 0;
    atomic_fetch_add(&line->reopened, 1);
    atomic_store(&line->state, TB_LINE_ASKING);
    tb_line_event(line, TB_LINE_OPENED, 0.0, 0.0);
}

void tb_line_send(tb_line *line, const uint8_t *payload, long count) {
    if (line->pending_count) { /* the line is full: this one is lost, as on a wire */
        atomic_fetch_add(&line->unsent, 1);
        return;
    }
    line->pending_count = tb_frame(payload, count, line->pending);
}

/* What waits goes as far as the line takes it. */
static void flush(tb_line *line) {
    if (!line->pending_count || line->file < 0)
        return;
    ssize_t taken = write((int)line->file, line->pending, (size_t)line->pending_count);
    if (taken < 0) {
        if (errno != EAGAIN && errno != EINTR)
            tb_line_close(line, errno);
        return;
    }
    line->pending_count -= taken;
    memmove(line->pending, line->pending + taken, (size_t)line->pending_count);
}

static void take_bytes(tb_line *line, const uint8_t *bytes, long count) {
    for (long i = 0; i < count; i++) {
        long length;
        int found = tb_unframe(&line->unframer, bytes[i], &length);
        if (found == TB_WHOLE)
            tb_line_received(line, length);
        else if (found == TB_VERSION_1 && line->state == TB_LINE_ASKING &&
                 !line->trouble_reported) {
            line->trouble_reported = 1;
            tb_line_event(line, TB_LINE_OLD, 0.0, 0.0);
        }
    }
    atomic_store_explicit(&line->damaged, line->unframer.damaged, memory_order_relaxed);
}

static void receive(tb_line *line) {
    uint8_t bytes[1024];
    while (line->file >= 0) {
        ssize_t count = read((int)line->file, bytes, sizeof bytes);
        line->instant = tb_clock_now();
        if (count > 0)
            take_bytes(line, bytes, count);
        else if (count == 0)
            tb_line_close(line, EIO); /* hung up */
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            tb_line_close(line, errno);
    }
}

/* Another run, or none; the last word of the one before is sent first. */
static void take_binding(tb_line *line) {
    void *wanted = tb_handover_wanted(&line->binding);
    if (wanted == tb_handover_taken(&line->binding))
        return;
    if (line->state == TB_LINE_RUNNING)
        tb_line_forces(line);
    tb_handover_take(&line->binding, wanted);
}

/* Until a byte comes, or the run has published. */
static void wait_for_more(tb_line *line) {
    int64_t now = tb_clock_now(), left = 2 * MILLISECOND;
    const tb_line_binding *binding = tb_handover_taken(&line->binding);
    if (binding && binding->output_count)
        left = tb_publication_pause(&binding->publication, now);
    struct timespec timeout = {0, (long)left};
    if (line->file < 0) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &timeout, NULL);
        return;
    }
    short events = line->pending_count ? POLLIN | POLLOUT : POLLIN;
    struct pollfd file = {(int)line->file, events, 0};
    ppoll(&file, 1, &timeout, NULL);
}

static void attend(tb_line *line) {
    long state = line->state;
    if (state == TB_LINE_RUNNING && line->instant - line->sampled > line->quiet_limit) {
        tb_line_event(line, TB_LINE_QUIET, 1e-6 * (double)(line->instant - line->sampled), 0.0);
        atomic_store(&line->state, TB_LINE_ASKING);
        line->asked = 0;
    }
    if (line->state != TB_LINE_RUNNING) {
        if (line->instant - line->asked > ASK_AGAIN)
            tb_line_ask(line);
        return;
    }
    tb_line_forces(line);
    if (!line->pending_count && atomic_exchange(&line->count_asked, 0)) {
        uint8_t payload[TB_PAYLOAD];
        tb_line_send(line, payload, tb_pack_count(line->about.hello.session, payload));
    }
}

static void *body(void *data) {
    tb_line *line = data;
    pthread_setname_np(pthread_self(), "touchback-line");
    tb_clock_sharpen();
    if (line->cpu >= 0)
        tb_clock_pin((int)line->cpu);
    line->priority_error = line->priority > 0 ? tb_clock_priority((int)line->priority) : 0;
    while (!atomic_load_explicit(&line->stop, memory_order_relaxed)) {
        line->instant = tb_clock_now();
        take_binding(line);
        if (line->file < 0)
            open_line(line);
        if (line->file >= 0) {
            receive(line);
            attend(line);
            flush(line);
        }
        wait_for_more(line);
    }
    atomic_store(&line->binding.wanted, NULL);
    take_binding(line);
    if (line->state == TB_LINE_RUNNING)
        tb_line_forces(line); /* without a run: let go */
    flush(line);
    tb_line_close(line, 0);
    return NULL;
}

int tb_line_start(tb_line *line) {
    pthread_t thread;
    line->file = -1;
    int error = pthread_create(&thread, NULL, body, line);
    line->thread = error ? 0 : (int64_t)thread;
    return error;
}

void tb_line_join(tb_line *line) {
    atomic_store(&line->stop, 1);
    if (line->thread)
        pthread_join((pthread_t)line->thread, NULL);
    line->thread = 0;
}

#else

int tb_line_start(tb_line *line) {
    return (void)line, ENOSYS;
}
void tb_line_join(tb_line *line) {
    (void)line;
}
void tb_line_close(tb_line *line, int error) {
    (void)line, (void)error;
}
void tb_line_send(tb_line *line, const uint8_t *payload, long count) {
    (void)line, (void)payload, (void)count;
}

#endif
