/* From what a model gives to what a device may get: limits, slew, safe values, ramps. */
#ifndef TOUCHBACK_LIVE_SAFETY_H
#define TOUCHBACK_LIVE_SAFETY_H

enum { TB_CLIP = 0, TB_TRIP = 1 };       /* what a value beyond its limits does */
enum { TB_SAFE_VALUE = 0, TB_HOLD = 1 }; /* what is delivered when all is not well */

typedef struct tb_guard { /* of one output */
    long output;          /* its place among the outputs */
    double low, high;
    double slew;  /* the largest change in a tick while all is well */
    double safe;  /* with TB_HOLD the last value delivered while all was well */
    double fall;  /* of the blend in a tick once a fault shows: 1 at once, less along a ramp */
    double rise;  /* of the blend in a tick after start or recovery */
    double blend; /* between the safe value (0) and the model's (1) */
    double delivered;
    long at_limit, safe_kind, started;
} tb_guard;

/* Whether the value trips the guard. */
int tb_guard_trips(const tb_guard *guard, double value);
/* What the device gets for the model's value. Returns 1 when a limit changed it. */
int tb_guard_deliver(tb_guard *guard, double value, int healthy, double *delivered);

#endif
