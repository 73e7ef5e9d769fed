/* Blocks of measurements from a board, taken by a thread of its own beside the ticks of a live run:
 * it drains the board's pipe, estimates the board's clock, computes quantities from raw numbers by
 * a compiled function, block by block, and hands the freshest over by mailboxes, stamped with when
 * they were measured. Nothing of it is in a tick, and no Python is in its way. All memory is given.
 *
 * A board says on a second pipe when block 0 was sampled and answers questions for its time.
 * Records there are four int64: kind, and three numbers. */
#ifndef TOUCHBACK_DAQ_STREAM_H
#define TOUCHBACK_DAQ_STREAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "daq/pipe_reader.h"
#include "integrate/problem.h"
#include "live/handover.h"
#include "live/live.h"
#include "wire/clock_fit.h"

enum { /* how a channel's numbers are written, little-endian */
       TB_DAQ_INT8,
       TB_DAQ_UINT8,
       TB_DAQ_INT16,
       TB_DAQ_UINT16,
       TB_DAQ_INT32,
       TB_DAQ_UINT32,
       TB_DAQ_FLOAT32,
       TB_DAQ_FLOAT64,
};

enum {                     /* kinds of records from a board */
       TB_DAQ_STARTED = 1, /* when block 0 began [ns of its clock], ns between blocks */
       TB_DAQ_TIME,        /* the number of a question, when it came, when this answer left [ns] */
       TB_DAQ_OVERFLOW,    /* its buffer is full: how many blocks there were, and are no more */
       TB_DAQ_ENDED,       /* how many blocks there were */
       TB_DAQ_GONE,        /* of ours: the pipe is closed, or an errno */
       TB_DAQ_OUTSIDE,     /* of ours: which output, and the value beyond its input's range */
       TB_DAQ_JUMPED,      /* its clock was set: ns that it is ahead of what was expected */
       TB_DAQ_NOT_FINITE,  /* of ours: which channel of a block, and what it has instead of a number
                            */
       TB_DAQ_STRANGE,     /* of ours: the kind of a record that can't be, and its first number */
};

enum { TB_DAQ_CHANNELS = 64, TB_DAQ_RECORD = 4, TB_DAQ_HISTORY = 64 };
enum { TB_DAQ_EVENT = 4 }; /* row: ns, kind, two numbers */
enum {
    TB_DAQ_DRAIN = 6
}; /* row: ns when it ended, of the call without sleep, of its sleep,
    * bytes, blocks, age of the block used [ns; -1: none] */
enum {
    TB_DAQ_STAMP = 16
}; /* bytes before a block that says itself when it began [ns here], and
    * which number it has: two int64 */
enum {
    TB_DAQ_BLOCK_HEAD = 3
}; /* row of a block: number, when it began, arrival [s of our clock] */

typedef struct tb_daq_field { /* a channel's numbers in a block */
    long offset, type, count;
    int64_t skew, spacing; /* ns after the block's beginning of the first; between them */
    long behind; /* which of the block's numbers says by how many seconds all of them were measured
                  * before that, -1: none */
} tb_daq_field;

typedef struct tb_daq_output { /* an input port that takes a quantity */
    tb_mailbox *mailbox;
    long place, field; /* of the quantity in x, and the channel that dates it */
    int64_t delay;     /* ns that it is older than the channel: that of a filter */
    double low, high;
    long outside; /* whether the last value was */
} tb_daq_output;

typedef struct tb_daq_binding { /* to a live run */
    long count;
    tb_daq_output *outputs;
} tb_daq_binding;

typedef struct tb_daq {
    /* Wanted. */
    tb_daq_pipe pipe;
    long control_in, control_out; /* files of the second pipes, -1: none; out: to the board */
    tb_daq_want want;
    long whole;   /* whether it is remembered over calls where in a block the stream is */
    int64_t pace; /* ns between calls; 0: at once */
    long block, field_count, raw_count; /* bytes; how many channels; how many numbers in all */
    long stamped;                       /* whether blocks have a stamp */
    tb_daq_field fields[TB_DAQ_CHANNELS];
    int64_t started, period; /* ns of the board's clock */
    tb_callable updates; /* x after a block, of [x, u = block's time, raw numbers, ages, block] */
    double *x, *next, *u;
    const double *p;
    long x_count;
    uint8_t *bytes;     /* room for want.most */
    uint8_t *partial;   /* and for a block */
    long priority, cpu; /* 0 and -1 for none */
    tb_mailbox *latest; /* a row of a block, with x behind it */
    tb_ring events, drains, blocks;
    tb_handover binding; /* a tb_daq_binding, or none */
    _Atomic long stop;

    /* Found. */
    _Atomic int64_t received, calls, undated, unlogged, outside, lost;
    _Atomic int64_t not_finite; /* blocks with numbers that are none: kept, not used */
    _Atomic long doubted;       /* whether the clock jumped, so that nothing is handed over */
    _Atomic int64_t unheard; /* blocks that found a mailbox held by somebody who doesn't let go */
    _Atomic long running,
        dated; /* whether the pipe is open; whether the board said when it began */
    long priority_error;

    /* The thread's own. */
    int64_t thread, asked, question;
    long lost_time; /* whether the board's clock jumped, and is asked no more */
    long strange,
        broken; /* whether a strange record was told; whether the last block wasn't finite */
    int64_t departures[TB_DAQ_HISTORY]; /* ns, of questions */
    long filled, primed;                /* bytes of a block that came; whether x has seen one */
    int64_t began, index; /* ns here, of the last block, and its number; -1: none yet */
    tb_clock_fit fit;
} tb_daq;

/* Returns 0 or an errno. */
int tb_daq_start(tb_daq *daq);
void tb_daq_join(tb_daq *daq);
/* All that comes of bytes which a call took until `arrival`: blocks, and how many they were. */
long tb_daq_take(tb_daq *daq, const uint8_t *bytes, int64_t count, int64_t arrival);

/* Of the thread alone. */
void tb_daq_event(tb_daq *daq, long kind, double first, double second);

#endif
