/* A device on a serial line, served by a thread of its own beside the ticks of a live run: it reads
 * and writes the line, estimates the device's clock, and hands over by mailboxes. Nothing of it is
 * in a tick, and no Python is in its way. All memory is given.
 *
 * Positions come as messages of input ports, stamped with when they were measured, in our clock.
 * Forces are taken from what the run publishes, and sent whenever that is new: a run that stops
 * publishing is one whose commands stay away, and the device's watchdog lets go. */
#ifndef TOUCHBACK_WIRE_LINE_H
#define TOUCHBACK_WIRE_LINE_H

#include <stdatomic.h>
#include <stdint.h>

#include "live/handover.h"
#include "live/live.h"
#include "live/publication.h"
#include "wire/clock_fit.h"
#include "wire/messages.h"

enum { TB_LINE_CLOSED, TB_LINE_ASKING, TB_LINE_DESCRIBING, TB_LINE_RUNNING }; /* states */

enum { /* events, for whoever tells people */
       TB_LINE_OPENED = 1,
       TB_LINE_GONE,     /* with an errno */
       TB_LINE_QUIET,    /* no sample came for so many ms */
       TB_LINE_MET,      /* a session began */
       TB_LINE_OLD,      /* version 1 is spoken there */
       TB_LINE_STRANGER, /* no version in common, or numbers that can't be */
       TB_LINE_STATUS,   /* a device's fault began; its status */
       TB_LINE_OUTSIDE,  /* a value beyond its input's range, of binding, and the value */
       TB_LINE_RESET,    /* it says hello in another session, unasked */
       TB_LINE_CHANGED, /* another device: axes, their scales or what it measures aren't those known
                         */
       TB_LINE_REFUSED, /* a line that is back can't be opened; with an errno */
       TB_LINE_FLAWED,  /* a number of the device or of an axis can't be: axis + 8 × which; the
                           number */
};

enum { /* which number of an axis, or of the device, can't be */
       TB_POSITION_UNIT = 1,
       TB_VELOCITY_UNIT,
       TB_FORCE_UNIT,
       TB_CURRENT_UNIT,
       TB_VOLTAGE_UNIT,
       TB_FORCE_LIMIT,
       TB_VELOCITY_LIMIT,
       TB_LOWEST,
       TB_HIGHEST,
       TB_KIND,
       TB_AXIS_COUNT,
       TB_PERIOD,
       TB_WATCHDOG,
       TB_GRANTED, /* features that weren't asked for */
};

enum { /* what of an axis an input takes */
       TB_LINE_POSITION,
       TB_LINE_VELOCITY,
       TB_LINE_FORCE,
       TB_LINE_CURRENT,
       TB_LINE_VOLTAGE,
       TB_LINE_FIELDS,
};

enum { TB_LINE_PATH = 256, TB_LINE_HISTORY = 256, TB_LINE_EVENT = 4 };
/* Doubles of the last sample: host time [s], device time [s], status, session, and of the clock's
 * fit round trip [s], drift, exchanges and doubt [s]; then TB_LINE_FIELDS of each axis. */
enum { TB_LINE_HEAD = 8, TB_LINE_LATEST = TB_LINE_HEAD + TB_AXES * TB_LINE_FIELDS };

typedef struct tb_line_input {
    tb_mailbox *mailbox;
    long axis, field;
    double gain, offset; /* value = gain × what is measured + offset */
    double low, high;
    long outside; /* whether the last value was */
} tb_line_input;

typedef struct tb_line_output {
    long axis, place; /* in what is published */
    double gain;      /* force = gain × value */
} tb_line_output;

typedef struct tb_line_binding { /* to a live run */
    long input_count, output_count;
    tb_line_input *inputs;
    tb_line_output *outputs;
    tb_publication publication;
} tb_line_binding;

typedef struct tb_line_about { /* what the device has told of itself */
    tb_hello hello;
    tb_axis axes[TB_AXES];
    tb_counts counts;
    uint8_t word[TB_WORDS_ROOM]; /* what it said last */
    int64_t counted;             /* how often it told its counts */
} tb_line_about;

typedef struct tb_line {
    /* Wanted. */
    uint8_t path[TB_LINE_PATH];
    long baud;
    tb_ask ask;
    int64_t quiet_limit; /* ns without a sample, after which the device is asked anew */
    int64_t
        oldest; /* ns: what may be an older sample is not handed over, an older force not sent */
    long priority, cpu;  /* 0 and -1 for none */
    tb_mailbox *latest;  /* of TB_LINE_LATEST doubles */
    tb_mailbox *known;   /* the bytes of a tb_line_about, for other threads: never half of one */
    tb_ring events;      /* rows: ns, event, two numbers */
    tb_ring log;         /* rows: every sample, as in `latest`; none without room */
    tb_handover binding; /* a tb_line_binding, or none */
    _Atomic long stop, clear, count_asked;

    /* Found. */
    _Atomic long state;
    _Atomic int64_t greeted; /* how many sessions so far */
    long priority_error;
    _Atomic int64_t samples, lost, late, unhomed, commands, unsent, reopened, outside, damaged;

    /* The thread's own. */
    tb_line_about about;
    int64_t thread;
    int64_t file;                                 /* −1: closed */
    int64_t instant, tried, asked, sampled, sent; /* ns: now; when it opened, asked, got, sent */
    long described;                               /* axes so far */
    uint32_t number, last, status, echo, granted;
    int64_t first;         /* whether no sample came yet in this session */
    long trouble_reported; /* whether the present one was */
    long refused;          /* the errno of the last look whether the line is back */
    long unasked;          /* hellos one after the other that grant more than was asked for */
    int64_t departures[TB_LINE_HISTORY]; /* ns, of commands by their number */
    tb_clock_fit fit;
    tb_unframer unframer;
    uint8_t pending[TB_FRAME]; /* the rest of a frame that the line didn't take whole */
    long pending_count;
} tb_line;

/* Returns 0 or an errno. */
int tb_line_start(tb_line *line);
/* Sends zero forces, ends and joins the thread, closes the line. */
void tb_line_join(tb_line *line);

/* Opens a serial line without waiting: raw bytes, no echo, a speed where it has one; for itself
 * alone (flock). Returns the file or minus an errno (ENOTTY: no serial line, EINVAL: no such speed,
 * EBUSY: another program, or this one, has it). */
int tb_port_open(const char *path, long baud);
void tb_port_close(int file);
/* Which number of a hello can't be, where samples that stay away for so long [ns] are silence, and
 * that number; 0: none. */
long tb_hello_flaw(const tb_hello *hello, int64_t quiet_limit, double *value);
/* The same of an axis, with these features of its samples. */
long tb_axis_flaw(const tb_axis *axis, uint32_t features, double *value);

/* Of the thread alone. */
void tb_line_event(tb_line *line, long event, double first, double second);
void tb_line_received(tb_line *line, long count); /* a payload, in the unframer */
void tb_line_send(tb_line *line, const uint8_t *payload, long count);
void tb_line_forces(tb_line *line); /* what the run has published since, if it has */
void tb_line_ask(tb_line *line);
void tb_line_close(tb_line *line, int error);

#endif
