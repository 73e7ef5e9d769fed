/* Reports of an event device: from bytes as the kernel writes them (struct input_event) to values
 * of axes. Whatever the bytes are, values stay within what the device told of its axes. */
#ifndef TOUCHBACK_EVDEV_REPORTS_H
#define TOUCHBACK_EVDEV_REPORTS_H

#include <stdint.h>

#include "evdev/event_device.h"

enum { TB_EVDEV_BYTES = 24 }; /* of an event, on machines of 64 bits */

enum { /* what came of some bytes */
       TB_EVDEV_REPORTED = 1,
       TB_EVDEV_DROPPED = 2, /* some were lost, and values must be asked for */
       TB_EVDEV_STRANGE = 4, /* a value lies outside of its axis */
};

typedef struct tb_evdev_reports {
    int32_t values[TB_EVDEV_AXES]; /* as of the last whole report */
    int32_t coming[TB_EVDEV_AXES]; /* of the one that isn't whole yet … */
    uint64_t changed;              /* … and which of them */
    uint64_t strange;              /* axes whose last value lies outside, and isn't used */
    int64_t stamp; /* ns of the last report in the device's clock; 0: nobody knows */
    long dropping; /* whether all is passed over until the next report */
    long filled;
    uint8_t partial[TB_EVDEV_BYTES];
} tb_evdev_reports;

/* Begins with what the device said of its axes. */
void tb_evdev_begin(tb_evdev_reports *reports, const tb_evdev_about *about);
/* Takes bytes; returns what came of them. */
long tb_evdev_take(tb_evdev_reports *reports, const tb_evdev_about *about, const uint8_t *bytes,
                   long count);

#endif
