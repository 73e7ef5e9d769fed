/* What a live run notes of its own punctuality, without allocation. */
#ifndef TOUCHBACK_LIVE_STATISTICS_H
#define TOUCHBACK_LIVE_STATISTICS_H

#include <stdint.h>

/* Sixteen buckets an octave: a percentile is exact to 6 %. The last bucket takes all above. */
enum { TB_BUCKETS = 608, TB_WORST = 100 };
enum { TB_LATENESS, TB_STEP_TIME, TB_INPUT_AGE, TB_HISTOGRAMS };

typedef struct tb_trace { /* one of the worst ticks; nanoseconds */
    int64_t tick, lateness, step_time, input_age, flags;
} tb_trace;

typedef struct tb_live_statistics {
    int64_t ticks, late, overruns, slipped; /* slipped: periods given up after a long delay */
    int64_t stale, limited, not_finite, open_loops, stops, swaps, swaps_refused, contended,
        lost_rows;
    int64_t structures, structures_refused, places, places_refused;
    int64_t singles;    /* ticks that were made while paused */
    int64_t chattering; /* steps with more transitions between modes than a step may have */
    int64_t diverged;   /* ticks that led where no mechanism is */
    int64_t paradoxes; /* ticks in which friction of constraints left mechanics without an answer */
    /* Whose delay it is. Of each tick only what is new counts; what it got from the tick before is
     * remembered by its cause. */
    int64_t delay_waiting; /* ns in which the thread wasn't on a processor when it should be */
    int64_t delay_steps;   /* ns in which it was, for steps that took longer than a period */
    int64_t
        late_by_steps; /* of the late ticks, those that the latter made late for the most part */
    int64_t backlog, by_steps; /* ns that the coming tick is late already, and how many by steps */
    int64_t largest[TB_HISTOGRAMS];
    int64_t counts[TB_HISTOGRAMS][TB_BUCKETS];
    int64_t worst_count, worst_mildest; /* how many are kept, and which of them is the mildest */
    tb_trace worst[TB_WORST];           /* by lateness and step time together */
} tb_live_statistics;

typedef struct tb_tick_times { /* of a tick; ns */
    int64_t lateness, step, worked, period, late_limit;
    int64_t behind; /* by how much the next tick was due when this one ended; may be negative */
} tb_tick_times;

void tb_attribute_latency(tb_live_statistics *statistics, const tb_tick_times *course);
/* One thread counts, others may copy meanwhile. */
void tb_count(int64_t *counts, int64_t *largest, int64_t nanoseconds);
void tb_copy_counts(const int64_t *counts, int64_t *copy);
void tb_note(tb_live_statistics *statistics, int which, int64_t nanoseconds);
void tb_note_trace(tb_live_statistics *statistics, const tb_trace *trace);

#endif
