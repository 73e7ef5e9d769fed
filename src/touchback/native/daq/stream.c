/* The thread that drains a board's pipe. */
#define _GNU_SOURCE
#include "daq/stream.h"

#include <errno.h>
#include <math.h>

#include "live/clock.h"

void tb_daq_event(tb_daq *daq, long kind, double first, double second) {
    double *row = tb_ring_next(&daq->events);
    if (!row)
        return;
    row[0] = (double)tb_clock_now();
    row[1] = (double)kind;
    row[2] = first;
    row[3] = second;
    tb_ring_done(&daq->events);
}

#ifdef __linux__

#include <pthread.h>
#include <unistd.h>

static const int64_t ASK_AGAIN = 20000000; /* ns between questions for the board's time */
static const int64_t REST = 2000000;       /* ns between looks when nobody is there any more */
static const int64_t SPIN = 20000;
static const int64_t JUMP = 10000000; /* ns beyond an exchange's own doubt: a clock that was set */
static const double DRIFT = 2e-3; /* that an estimate may be wrong by: no crystal is half as bad */
static const int64_t FAR = (int64_t)1
                           << 61; /* ns: beyond any clock, and sums of two don't overflow */
static const int64_t LONG = 1000000000000000; /* ns: beyond any time between blocks */
static const int64_t SLICE = 10000000; /* ns after which a call that waits for ever looks up */

/* How far an answer is off what is known of the board's clock, ns; 0 while that is within doubt. */
static int64_t jumped(const tb_daq *daq, int64_t t1, int64_t t2, int64_t t3, int64_t t4) {
    if (!daq->fit.count)
        return 0;
    int64_t off = (t1 + t4) / 2 - tb_fit_here(&daq->fit, (t2 + t3) / 2);
    double since = fabs(1e-9 * (double)t3 - daq->fit.mean_at);
    int64_t doubt = JUMP + (t4 - t1) + (int64_t)(1e9 * (2.0 * daq->fit.round_trip + DRIFT * since));
    return off > doubt || off < -doubt ? -off : 0;
}

static void heard_time(tb_daq *daq, const int64_t *record, int64_t now) {
    int64_t late = daq->question - record[1]; /* an answer to a question of long ago says nothing */
    if (late < 0 || late >= TB_DAQ_HISTORY || daq->lost_time)
        return;
    int64_t asked = daq->departures[record[1] % TB_DAQ_HISTORY];
    int64_t ahead = jumped(daq, asked, record[2], record[3], now);
    if (!ahead) {
        tb_fit_take(&daq->fit, asked, record[2], record[3], now);
        return;
    }
    /* Whether it samples by that clock as well isn't known: from now on dates are those of arrival.
     */
    daq->lost_time = 1;
    atomic_store(&daq->dated, 0);
    atomic_store(&daq->doubted, 1);
    tb_daq_event(daq, TB_DAQ_JUMPED, (double)ahead, 0.0);
}

static int near(int64_t time) {
    return time > -FAR && time < FAR;
}

/* Whether a board can mean it: boards are anybody's. */
static int possible(const int64_t *record) {
    switch (record[0]) {
    case TB_DAQ_STARTED: return near(record[1]) && record[2] > 0 && record[2] < LONG;
    case TB_DAQ_TIME: return record[1] > 0 && near(record[2]) && near(record[3]);
    case TB_DAQ_OVERFLOW:
    case TB_DAQ_ENDED:
    case TB_DAQ_JUMPED: return 1;
    default: return 0;
    }
}

static void heard(tb_daq *daq, const int64_t *record, int64_t now) {
    if (!possible(record)) {
        if (!daq->strange)
            tb_daq_event(daq, TB_DAQ_STRANGE, (double)record[0], (double)record[1]);
        daq->strange = 1;
        return;
    }
    if (record[0] == TB_DAQ_STARTED) {
        daq->started = record[1];
        daq->period = record[2];
        atomic_store(&daq->dated, 1);
    } else if (record[0] == TB_DAQ_TIME) {
        heard_time(daq, record, now);
        return;
    } else if (record[0] == TB_DAQ_JUMPED)
        atomic_store(&daq->doubted, 1);
    tb_daq_event(daq, record[0], (double)record[1], (double)record[2]);
}

/* Records are written whole: pipes keep what is shorter than 4 kB together. */
static void listen(tb_daq *daq) {
    int64_t record[TB_DAQ_RECORD];
    while (daq->control_in >= 0) {
        ssize_t count = read((int)daq->control_in, record, sizeof record);
        if (count == (ssize_t)sizeof record)
            heard(daq, record, tb_clock_now());
        else if (count < 0 && errno == EINTR)
            continue;
        else {
            if (count >= 0 || errno != EAGAIN) /* closed: nobody is there to listen to */
                daq->control_in = daq->pipe.other = -1;
            return;
        }
    }
}

static void ask(tb_daq *daq) {
    int64_t now = tb_clock_now();
    if (daq->control_out < 0 || (daq->asked && now - daq->asked < ASK_AGAIN))
        return;
    daq->asked = now;
    int64_t question = daq->question + 1;
    daq->departures[question % TB_DAQ_HISTORY] = tb_clock_now();
    if (write((int)daq->control_out, &question, sizeof question) == (ssize_t)sizeof question)
        daq->question = question;
}

static void note_drain(tb_daq *daq, int64_t begin, int64_t arrival, int64_t bytes, long blocks) {
    double *row = tb_ring_next(&daq->drains);
    if (!row)
        return;
    row[0] = (double)arrival;
    row[1] = (double)(tb_clock_now() - begin - daq->pipe.waited);
    row[2] = (double)daq->pipe.waited;
    row[3] = (double)bytes;
    row[4] = (double)blocks;
    row[5] = blocks ? (double)(arrival - daq->began) : -1.0;
    tb_ring_done(&daq->drains);
}

static void drain(tb_daq *daq) {
    int64_t begin = tb_clock_now();
    int64_t count = tb_daq_get(&daq->pipe, &daq->want, daq->bytes), arrival = tb_clock_now();
    if (count == -EINTR)
        return; /* the board said something, or nothing for long */
    if (count < 0) {
        listen(daq); /* its last words */
        tb_daq_event(daq, TB_DAQ_GONE, (double)-count, (double)daq->received);
        atomic_store(&daq->running, 0);
        return;
    }
    listen(daq); /* what was said before these blocks */
    atomic_fetch_add(&daq->calls, 1);
    note_drain(daq, begin, arrival, count, tb_daq_take(daq, daq->bytes, count, arrival));
}

static void *body(void *data) {
    tb_daq *daq = data;
    pthread_setname_np(pthread_self(), "touchback-daq");
    tb_clock_sharpen();
    if (daq->cpu >= 0)
        tb_clock_pin((int)daq->cpu);
    daq->priority_error = daq->priority > 0 ? tb_clock_priority((int)daq->priority) : 0;
    daq->pipe.slice = SLICE;
    int64_t due = tb_clock_now();
    while (!atomic_load_explicit(&daq->stop, memory_order_relaxed)) {
        tb_handover_take(&daq->binding, tb_handover_wanted(&daq->binding));
        listen(daq);
        ask(daq);
        if (daq->running)
            drain(daq);
        int64_t pace = daq->running ? daq->pace : REST;
        if (pace) {
            due = due + pace > tb_clock_now() ? due + pace : tb_clock_now();
            tb_clock_wait(due, SPIN, &daq->stop);
        }
    }
    tb_handover_take(&daq->binding, NULL);
    return NULL;
}

int tb_daq_start(tb_daq *daq) {
    pthread_t thread;
    atomic_store(&daq->running, 1);
    int error = pthread_create(&thread, NULL, body, daq);
    daq->thread = error ? 0 : (int64_t)thread;
    return error;
}

void tb_daq_join(tb_daq *daq) {
    atomic_store(&daq->stop, 1);
    if (daq->thread)
        pthread_join((pthread_t)daq->thread, NULL);
    daq->thread = 0;
}

#else

int tb_daq_start(tb_daq *daq) {
    return (void)daq, ENOSYS;
}
void tb_daq_join(tb_daq *daq) {
    (void)daq;
}

#endif
