/* A wheel or pedals as an event device, served by a thread of its own beside the ticks of a live
 * run: axes become messages of input ports, and what the run publishes the level of one constant
 * force. Nothing of it is in a tick, and no Python is in its way. All memory is given.
 *
 * The kernel reports changes only: an axis without news is where it was, as long as its file is
 * open and has nothing more to read. So values are handed over again all the time, stamped with the
 * report's time while it is news and else with now.
 *
 * The force ends in four ways whatever happens: without news of the run this thread takes it to
 * zero; the effect has an end of its own, which this thread puts off as long as it lives; the
 * thread stops and erases it when it closes the file; and the kernel erases all effects of a file
 * that is closed, as it is when a process dies. */
#ifndef TOUCHBACK_EVDEV_WHEEL_H
#define TOUCHBACK_EVDEV_WHEEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "evdev/reports.h"
#include "live/handover.h"
#include "live/live.h"
#include "live/publication.h"

enum { /* events, for whoever tells people */
       TB_WHEEL_OPENED = 1,
       TB_WHEEL_GONE,    /* with an errno */
       TB_WHEEL_LOST,    /* reports were lost in the kernel: all values were asked for */
       TB_WHEEL_STRANGE, /* an axis' value lies outside of what was told of it: code and value */
       TB_WHEEL_OUTSIDE, /* a value beyond its input's range: of binding, and the value */
       TB_WHEEL_REFUSED, /* the device didn't take a force: an errno */
       TB_WHEEL_LET_GO,  /* the run published nothing for so many ms: there is no force */
       TB_WHEEL_CHANGED, /* another device is there now */
};

enum { TB_WHEEL_EVENT = 4, TB_WHEEL_LATEST = TB_EVDEV_AXES, TB_WHEEL_FULL = 32767 };

typedef struct tb_wheel_input {
    tb_mailbox *mailbox;
    long code;           /* of the axis */
    double gain, offset; /* value = gain × what is reported + offset … */
    double least, most;  /* … or the nearest of these */
    double low, high;    /* of the port */
    long outside;        /* whether the last value was */
} tb_wheel_input;

typedef struct tb_wheel_binding { /* to a live run */
    long input_count;
    tb_wheel_input *inputs;
    tb_publication publication;
    long place;  /* of the torque in what is published */
    double full; /* the torque of a full level; below zero where the device's left is right */
} tb_wheel_binding;

typedef struct tb_wheel {
    /* Wanted. */
    uint8_t path[TB_EVDEV_PATH];
    int64_t oldest;     /* ns: what was published longer ago is no force any more */
    int64_t spacing;    /* ns at least from one level to the next */
    long priority, cpu; /* 0 and -1 for none */
    tb_mailbox *latest; /* values of all axes */
    tb_mailbox *known;  /* the bytes of a tb_evdev_about */
    tb_ring events;     /* rows: ns, event, two numbers */
    tb_handover binding;
    _Atomic long stop;

    /* Found. */
    _Atomic long running;
    long priority_error;
    _Atomic int64_t reports, lost, strange, outside, opened;
    _Atomic int64_t taken, saturated, late; /* torques of the run, how many beyond full, too old */
    _Atomic int64_t levels, refused,
        longest; /* given to the device; not taken; ns of the longest */

    /* The thread's own. */
    tb_evdev_about about;
    const tb_evdev_backend *backend;
    int64_t thread, file;                     /* −1: closed */
    int64_t instant, tried, uploaded, played; /* ns: now; when it opened, gave a level, a play */
    int32_t effect, level;                    /* −1: none; what the device was given */
    int32_t wanted;
    long seen_before;      /* 1: a device was; 2: it was reported that another is there now */
    long trouble_reported; /* whether the present one was */
    tb_evdev_reports values;
} tb_wheel;

/* Returns 0 or an errno. */
int tb_wheel_start(tb_wheel *wheel);
/* Takes the force away, ends and joins the thread, closes the device. */
void tb_wheel_join(tb_wheel *wheel);

/* Of the thread alone. */
void tb_wheel_event(tb_wheel *wheel, long event, double first, double second);
void tb_wheel_give(tb_wheel *wheel, int64_t stamp); /* values to the run */
void tb_wheel_push(tb_wheel *wheel);                /* the run's torque to the device */
void tb_wheel_let_go(tb_wheel *wheel);              /* before it is closed */
void tb_wheel_lose(tb_wheel *wheel, int error);     /* the device is gone, or given up */

#endif
