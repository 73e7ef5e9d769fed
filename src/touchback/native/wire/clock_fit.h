/* Where a device's clock stands in ours: offset and drift, from commands that the device echoes.
 *
 * A command left here at t1 and came there at t2; a sample left there at t3 and came here at t4.
 * Then the device's clock is behind ours by ((t1 + t4) - (t2 + t3))/2, off by half of the time on
 * the line (t4 - t1) - (t3 - t2) at most (Mills 1991). Of each quarter of a second the exchange
 * that was fastest on the line is kept; a line through the last sixteen, without the slow ones,
 * gives offset and drift. An exchange that a steady clock can't have told begins it all anew. */
#ifndef TOUCHBACK_WIRE_CLOCK_FIT_H
#define TOUCHBACK_WIRE_CLOCK_FIT_H

#include <stdint.h>

enum { TB_FIT_POINTS = 16 };

typedef struct tb_clock_fit {
    uint32_t last;   /* the device's time, µs, which wraps … */
    int64_t device;  /* … and unwrapped, ns */
    int64_t started; /* whether there was any */
    double at[TB_FIT_POINTS], offset[TB_FIT_POINTS], line[TB_FIT_POINTS]; /* s, s, s; newest last */
    int64_t count;
    double begin;  /* s of the device, of the quarter that goes on */
    double origin; /* ns: an offset near all of them, so that none loses digits */
    double mean_at, mean_offset, drift;
    double round_trip;        /* s on the line, of the exchange that was fastest, of those kept */
    double doubt, doubt_rate; /* s at mean_at, and for each second from there */
    double first;             /* s of the device, of the exchange with which it began */
    double agreed; /* s of the device, of the last exchange that agreed and was not much slower */
    int64_t confirmed; /* whether one did so long after the first that a clock twice too fast
                          couldn't */
} tb_clock_fit;

/* The device's time without wraps, ns; samples come in order. */
int64_t tb_fit_unwrap(tb_clock_fit *fit, uint32_t time);
/* An exchange: t1 and t4 in ns here, t2 and t3 in ns there. */
void tb_fit_take(tb_clock_fit *fit, int64_t t1, int64_t t2, int64_t t3, int64_t t4);
/* A time of the device [ns] in ours; needs one exchange at least (count > 0). */
int64_t tb_fit_here(const tb_clock_fit *fit, int64_t device);
/* By how much that may be off [s] because of what the line did, however lopsided it was, and of
 * what the device's clock may have done since an exchange agreed with it. */
double tb_fit_doubt(const tb_clock_fit *fit, int64_t device);
/* A time of the device [ns] was told by `now`, in ours: a later date can't be, then the clock is
 * too fast, or was set, and what was known holds no more (count = 0). */
void tb_fit_check(tb_clock_fit *fit, int64_t device, int64_t now);

#endif
