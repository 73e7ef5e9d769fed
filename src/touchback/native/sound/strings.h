/* Strings that sound while they are played: sums of fading sines, block by block.
 *
 * One thread asks (strikes, dampers) through a ring, another computes samples; neither waits for
 * the other. A string's mode k is a complex number that turns and fades by a factor each sample;
 * what is heard is the sum of the real parts, the force on the bridge [N]. */
#ifndef TOUCHBACK_STRINGS_H
#define TOUCHBACK_STRINGS_H

#include <stdint.h>

#include "live/live.h"

enum { TB_MODES_AT_ONCE = 4 }; /* modes that are computed side by side; strings have whole groups */
enum { TB_SOUND_STRIKE = 1, TB_SOUND_DAMPER = 2 };
enum {
    TB_SOUND_HEAD = 5,
    TB_SOUND_BEGUN = 4
}; /* doubles of a row before its modes; of a row told */

typedef struct tb_string {
    double *pulsation, *decay; /* ω [rad/s] without damping, σ [1/s] without the damper */
    double *cosine, *sine;     /* amplitudes now [N] */
    double *turn, *wind;       /* factor of a sample */
    double damper;             /* 1/s, added to every decay */
    long count;                /* modes, whole groups */
    long sounding;
} tb_string;

typedef struct tb_strings {
    tb_ring asked; /* rows of kind, string, frame (0: at once), number, damper, cosines, sines */
    tb_ring begun; /* rows of number, ns at which its block was begun, s from then to the output,
                      frame */
    tb_string *strings;
    int64_t string_count;
    double rate, gain; /* samples a second; of full scale a newton, beyond it is rounded off */
    int64_t frame;     /* the next sample */
    int64_t channels;
    _Atomic int64_t blocks, underflows, unseen; /* unseen: begun rows that nobody took in time */
    _Atomic int64_t longest;                    /* ns that a block has taken */
} tb_strings;

/* What PortAudio tells of a block: seconds on its own clock. */
typedef struct tb_sound_times {
    double input, now, output;
} tb_sound_times;

/* Sets a string's factors anew for a damper, at the instant at hand. */
void tb_string_damp(tb_string *string, double damper, double rate);
/* Asks for a strike (modes' amplitudes without the damper) or for another damper; −1: too much
 * waits. One thread at a time. */
long tb_strings_ask(tb_strings *strings, long kind, long string, int64_t frame, double number,
                    double damper, const double *cosine, const double *sine);
/* The next samples [N]. */
void tb_strings_render(tb_strings *strings, double *samples, long frames);
/* A callback of PortAudio, for interleaved floats. */
int tb_strings_callback(const void *input, void *output, unsigned long frames,
                        const tb_sound_times *times, unsigned long flags, void *strings);

#endif
