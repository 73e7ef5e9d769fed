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
    int64_t stale, limited, not_finite, open_loops, stops, swaps, swaps_refused, contended, lost_rows;
    int64_t structures, structures_refused;
    int64_t chattering; /* steps with more transitions between modes than a step may have */
    int64_t paradoxes;  /* ticks in which friction of constraints left mechanics without an answer */
    int64_t largest[TB_HISTOGRAMS];
    int64_t counts[TB_HISTOGRAMS][TB_BUCKETS];
    int64_t worst_count, worst_mildest; /* how many are kept, and which of them is the mildest */
    tb_trace worst[TB_WORST];           /* by lateness and step time together */
} tb_live_statistics;

void tb_note(tb_live_statistics *statistics, int which, int64_t nanoseconds);
void tb_note_trace(tb_live_statistics *statistics, const tb_trace *trace);

#endif
