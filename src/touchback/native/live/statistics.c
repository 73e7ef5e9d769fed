#include "live/statistics.h"

static long bucket(int64_t value) {
    if (value < 16)
        return value < 0 ? 0 : (long)value;
    int octave = 63 - __builtin_clzll((unsigned long long)value);
    long place = (octave - 3) * 16 + (long)((value >> (octave - 4)) & 15);
    return place < TB_BUCKETS ? place : TB_BUCKETS - 1;
}

void tb_count(int64_t *counts, int64_t *largest, int64_t nanoseconds) {
    int64_t *count = counts + bucket(nanoseconds);
    __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
    if (nanoseconds > *largest)
        __atomic_store_n(largest, nanoseconds, __ATOMIC_RELAXED);
}

void tb_copy_counts(const int64_t *counts, int64_t *copy) {
    for (long i = 0; i < TB_BUCKETS; i++)
        copy[i] = __atomic_load_n(counts + i, __ATOMIC_RELAXED);
}

void tb_note(tb_live_statistics *statistics, int which, int64_t nanoseconds) {
    tb_count(statistics->counts[which], &statistics->largest[which], nanoseconds);
}

void tb_attribute_latency(tb_live_statistics *statistics, const tb_tick_times *course) {
    int64_t excess = course->step > course->period ? course->step - course->period : 0;
    int64_t own = course->worked - course->period; /* what others took is no part of the step */
    own = own < 0 ? 0 : own < excess ? own : excess;
    int64_t woken_late = course->lateness - statistics->backlog;
    statistics->delay_waiting += (woken_late > 0 ? woken_late : 0) + excess - own;
    statistics->delay_steps += own;
    if (course->lateness > course->late_limit)
        statistics->late_by_steps += 2 * statistics->by_steps > course->lateness;
    /* Time to spare pays back what was lost, whoever lost it. */
    double owed = (double)(statistics->by_steps + own) / (double)(course->lateness + excess + 1);
    statistics->backlog = course->behind > 0 ? course->behind : 0;
    statistics->by_steps = (int64_t)(owed * (double)statistics->backlog);
}

static int64_t badness(const tb_trace *trace) {
    return trace->lateness + trace->step_time;
}

void tb_note_trace(tb_live_statistics *statistics, const tb_trace *trace) {
    tb_trace *worst = statistics->worst;
    if (statistics->worst_count < TB_WORST) {
        long place = (long)statistics->worst_count++;
        worst[place] = *trace;
        if (place == 0 || badness(trace) < badness(worst + statistics->worst_mildest))
            statistics->worst_mildest = place;
        return;
    }
    if (badness(trace) <= badness(worst + statistics->worst_mildest))
        return;
    worst[statistics->worst_mildest] = *trace;
    long mildest = 0;
    for (long i = 1; i < TB_WORST; i++)
        if (badness(worst + i) < badness(worst + mildest))
            mildest = i;
    statistics->worst_mildest = mildest;
}
