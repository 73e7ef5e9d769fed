/* The device's end of the line: who it is, limits, watchdog, counts. What firmware and simulated
 * devices share. Freestanding C, no heap; times are µs of the device's own clock, which wraps. */
#ifndef TOUCHBACK_WIRE_FAR_END_H
#define TOUCHBACK_WIRE_FAR_END_H

#include <stdint.h>

#include "wire/messages.h"

enum { TB_OUTBOX = 512 };

typedef struct tb_far_end {
    /* What the device is; set before tb_far_open. */
    tb_hello hello; /* name, axes, flags, firmware; features: all that it has */
    tb_axis axes[TB_AXES];
    uint32_t tick;     /* µs between calls of tb_far_tick */
    uint32_t watchdog; /* µs, its own; no driver gets a longer one */

    uint32_t greeted; /* whether a driver has asked since the reset; only then samples are sent */
    uint32_t granted; /* features */
    uint32_t every, ticks; /* ticks from sample to sample; since the last one */
    uint32_t status;
    uint32_t renewed;                 /* a driver has asked: its numbers may begin anywhere */
    uint32_t commanded, commanded_at; /* whether, and when, the last command was taken */
    tb_command command;
    tb_counts counts;
    tb_unframer unframer;
    uint8_t outbox[TB_OUTBOX]; /* what is to be sent: whoever sends it sets `waiting` to 0 */
    uint32_t waiting;
} tb_far_end;

/* Begins a session; says hello unasked, so that a driver notices a reset at once. */
void tb_far_open(tb_far_end *far, uint32_t session);
/* Takes a byte of the line. */
void tb_far_take(tb_far_end *far, uint8_t byte, uint32_t now);
/* A tick: takes the readings of all axes (forces in them are set here), gives the force for each in
 * its units, and queues a sample when one is due. `status` has TB_HOMED, TB_BAD_SENSOR and
 * TB_OVERCURRENT as the device finds them. */
void tb_far_tick(tb_far_end *far, uint32_t now, uint32_t status, tb_reading *readings,
                 int32_t *forces);

#endif
