/* Positions from sensors. */
#ifndef KEY_SENSE_H
#define KEY_SENSE_H

#include <stdint.h>

typedef struct sense {
    uint16_t last;
    int32_t count, zero;
    int32_t history[8]; /* counts of the last ticks */
    int32_t next;
} sense;

/* The running count behind a counter of 16 bits, less the zero. */
int32_t sense_counter(sense *state, uint16_t counter);
/* Of two Hall sensors in opposition: U_f² − U_r² is linear in the position (Docquier 2021, eq. 17). */
int32_t sense_hall(int32_t front, int32_t rear);
/* Counts a second over the last eight ticks. */
int32_t sense_velocity(sense *state, int32_t count, int32_t rate);

#endif
