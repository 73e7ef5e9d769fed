#include "sound/strings.h"

#include <math.h>
#include <string.h>

#include "live/clock.h"

typedef double pair __attribute__((vector_size(16)));
enum { BLOCK = 256 };
static const double SILENT = 1e-5;             /* N, summed over modes: a string below it rests */
static const double NOTHING = 1e-30;           /* N: a mode below it would only cost time */
static const unsigned long UNDERFLOW_FLAG = 4; /* paOutputUnderflow */

static double turning(double pulsation, double decay) {
    double square = pulsation * pulsation;
    return sqrt(fmax(square - decay * decay, 1e-6 * square));
}

void tb_string_damp(tb_string *string, double damper, double rate) {
    for (long k = 0; k < string->count; k++) {
        double before = string->decay[k] + string->damper, now = string->decay[k] + damper;
        double omega = turning(string->pulsation[k], now), fade = exp(-now / rate);
        /* Position and velocity stay: v = ω sine − σ cosine. */
        if (omega > 0.0)
            string->sine[k] = (turning(string->pulsation[k], before) * string->sine[k] +
                               (now - before) * string->cosine[k]) /
                              omega;
        string->turn[k] = fade * cos(omega / rate);
        string->wind[k] = fade * sin(omega / rate);
    }
    string->damper = damper;
}

long tb_strings_ask(tb_strings *strings, long kind, long string, int64_t frame, double number,
                    double damper, const double *cosine, const double *sine) {
    double *row = tb_ring_next(&strings->asked);
    if (!row)
        return -1;
    const double head[TB_SOUND_HEAD] = {(double)kind, (double)string, (double)frame, number,
                                        damper};
    memcpy(row, head, sizeof head);
    if (kind == TB_SOUND_STRIKE) {
        size_t bytes = (size_t)strings->strings[string].count * sizeof *row;
        memcpy(row + TB_SOUND_HEAD, cosine, bytes);
        memcpy(row + TB_SOUND_HEAD + strings->strings[string].count, sine, bytes);
    }
    tb_ring_done(&strings->asked);
    return 0;
}

/* A strike adds to what the string does already. */
static void apply_command(tb_strings *strings, const double *row, int64_t instant, double ahead) {
    tb_string *string = strings->strings + (long)row[1];
    if (string->damper != row[4])
        tb_string_damp(string, row[4], strings->rate);
    if ((long)row[0] != TB_SOUND_STRIKE)
        return;
    const double *cosine = row + TB_SOUND_HEAD, *sine = cosine + string->count;
    for (long k = 0; k < string->count; k++) {
        string->cosine[k] += cosine[k];
        string->sine[k] += sine[k];
    }
    string->sounding = 1;
    double *begun = tb_ring_next(&strings->begun);
    if (!begun) {
        atomic_fetch_add_explicit(&strings->unseen, 1, memory_order_relaxed);
        return;
    }
    begun[0] = row[3];
    begun[1] = (double)instant;
    begun[2] = ahead;
    begun[3] = (double)strings->frame;
    tb_ring_done(&strings->begun);
}

/* Obeys what is due; gives how many of the frames there are before more is. */
static long due(tb_strings *strings, long frames, int64_t instant, double ahead) {
    tb_ring *ring = &strings->asked;
    int64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    int64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    for (; read < written; read++) {
        const double *row = ring->rows + read % ring->capacity * ring->width;
        int64_t left = (int64_t)row[2] - strings->frame;
        if (left > 0)
            return left < frames ? (long)left : frames;
        apply_command(strings, row, instant, ahead);
        atomic_store_explicit(&ring->read, read + 1, memory_order_release);
    }
    return frames;
}

/* What is left of a mode, 0 where that is nothing. */
static double keep(double *cosine, double *sine, pair x, pair y) {
    double left = 0.0;
    for (int j = 0; j < 2; j++) {
        double size = fabs(x[j]) + fabs(y[j]);
        cosine[j] = size > NOTHING ? x[j] : 0.0;
        sine[j] = size > NOTHING ? y[j] : 0.0;
        left += size;
    }
    return left;
}

/* Adds a string to some sums, two of a sample: two pairs of modes go side by side (what registers
 * hold), always in the same order. */
static void sound(tb_string *string, pair *sums, long frames) {
    double left = 0.0;
    for (long k = 0; k < string->count; k += TB_MODES_AT_ONCE) {
        double *x = string->cosine + k, *y = string->sine + k;
        const double *c = string->turn + k, *s = string->wind + k;
        pair xa = {x[0], x[1]}, ya = {y[0], y[1]}, ca = {c[0], c[1]}, sa = {s[0], s[1]};
        pair xb = {x[2], x[3]}, yb = {y[2], y[3]}, cb = {c[2], c[3]}, sb = {s[2], s[3]};
        for (long i = 0; i < frames; i++) {
            sums[i] += xa + xb;
            pair na = ca * xa + sa * ya, nb = cb * xb + sb * yb;
            ya = ca * ya - sa * xa, yb = cb * yb - sb * xb;
            xa = na, xb = nb;
        }
        left += keep(x, y, xa, ya) + keep(x + 2, y + 2, xb, yb);
    }
    if (left < SILENT) {
        memset(string->cosine, 0, (size_t)string->count * sizeof *string->cosine);
        memset(string->sine, 0, (size_t)string->count * sizeof *string->sine);
        string->sounding = 0;
    }
}

/* At most a block. `ahead`: s from the instant until the first of these samples is put out. */
static void render(tb_strings *strings, double *samples, long frames, int64_t instant,
                   double ahead) {
    pair sums[BLOCK];
    memset(sums, 0, (size_t)frames * sizeof *sums);
    for (long done = 0; done < frames;) {
        double wait = ahead + (double)done / strings->rate;
        long some = due(strings, frames - done, instant, wait);
        for (int64_t i = 0; i < strings->string_count; i++)
            if (strings->strings[i].sounding)
                sound(strings->strings + i, sums + done, some);
        strings->frame += some;
        done += some;
    }
    for (long i = 0; i < frames; i++)
        samples[i] = sums[i][0] + sums[i][1];
}

void tb_strings_render(tb_strings *strings, double *samples, long frames) {
    int64_t now = tb_clock_now();
    for (long done = 0; done < frames; done += BLOCK)
        render(strings, samples + done, frames - done < BLOCK ? frames - done : BLOCK, now,
               (double)done / strings->rate);
}

int tb_strings_callback(const void *input, void *output, unsigned long frames,
                        const tb_sound_times *times, unsigned long flags, void *data) {
    (void)input;
    tb_strings *strings = data;
    int64_t begun = tb_clock_now();
    double block[BLOCK], ahead = times->output - times->now;
    float *out = output;
    for (unsigned long done = 0; done < frames;) {
        long some = frames - done < BLOCK ? (long)(frames - done) : BLOCK;
        render(strings, block, some, begun, ahead + (double)done / strings->rate);
        for (long i = 0; i < some; i++) {
            float value = (float)tanh(block[i] * strings->gain);
            for (int64_t c = 0; c < strings->channels; c++)
                *out++ = value;
        }
        done += (unsigned long)some;
    }
    int64_t took = tb_clock_now() - begun;
    if (took > atomic_load_explicit(&strings->longest, memory_order_relaxed))
        atomic_store_explicit(&strings->longest, took, memory_order_relaxed);
    if (flags & UNDERFLOW_FLAG)
        atomic_fetch_add_explicit(&strings->underflows, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&strings->blocks, 1, memory_order_relaxed);
    return 0;
}
