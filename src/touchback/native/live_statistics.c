#include "live_statistics.h"

static long bucket(int64_t value) {
    if (value < 16)
        return value < 0 ? 0 : (long)value;
    int octave = 63 - __builtin_clzll((unsigned long long)value);
    long place = (octave - 3) * 16 + (long)((value >> (octave - 4)) & 15);
    return place < TB_BUCKETS ? place : TB_BUCKETS - 1;
}

void tb_note(tb_live_statistics *statistics, int which, int64_t nanoseconds) {
    statistics->counts[which][bucket(nanoseconds)]++;
    if (nanoseconds > statistics->largest[which])
        statistics->largest[which] = nanoseconds;
}

static int64_t badness(const tb_trace *trace) { return trace->lateness + trace->step_time; }

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
