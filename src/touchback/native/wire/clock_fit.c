#include "wire/clock_fit.h"

#include <math.h>

static const double QUARTER = 0.25;  /* s */
static const double FASTEST = 1e-3;  /* of a drift: no crystal, and no emulator, is worse */
static const double UNKNOWN = 100.0; /* the same, before two exchanges agree */
static const double DOUBT = 1e-4;    /* s */

int64_t tb_fit_unwrap(tb_clock_fit *fit, uint32_t time) {
    if (!fit->started)
        fit->device = (int64_t)time * 1000;
    else
        fit->device += (int64_t)(int32_t)(time - fit->last) * 1000;
    fit->started = 1;
    fit->last = time;
    return fit->device;
}

/* Least squares through the exchanges that were not much slower than the fastest. Points that are
 * less than a second apart say little of drift: a square second of doubt is added. */
static void refit(tb_clock_fit *fit) {
    double n = 0.0, at = 0.0, offset = 0.0, xx = 0.0, xy = 0.0;
    fit->round_trip = fit->line[0];
    for (int64_t i = 1; i < fit->count; i++)
        if (fit->line[i] < fit->round_trip)
            fit->round_trip = fit->line[i];
    for (int64_t i = 0; i < fit->count; i++)
        if (fit->line[i] <= 2.0 * fit->round_trip + DOUBT) {
            n += 1.0;
            at += fit->at[i];
            offset += fit->offset[i];
        }
    at /= n;
    offset /= n;
    for (int64_t i = 0; i < fit->count; i++)
        if (fit->line[i] <= 2.0 * fit->round_trip + DOUBT) {
            xx += (fit->at[i] - at) * (fit->at[i] - at);
            xy += (fit->at[i] - at) * (fit->offset[i] - offset);
        }
    double drift = xy / (xx + 1.0);
    fit->mean_at = at;
    fit->mean_offset = offset;
    fit->drift = drift > FASTEST ? FASTEST : drift < -FASTEST ? -FASTEST : drift;
    /* Each is off by half of its time on the line at most, and counts by its weight in the fit. */
    fit->doubt = fit->doubt_rate = 0.0;
    for (int64_t i = 0; i < fit->count; i++)
        if (fit->line[i] <= 2.0 * fit->round_trip + DOUBT) {
            fit->doubt += 0.5 * fit->line[i] / n;
            fit->doubt_rate += 0.5 * fit->line[i] * fabs(fit->at[i] - at) / (xx + 1.0);
        }
}

static void append(tb_clock_fit *fit, double at) {
    if (fit->count == TB_FIT_POINTS)
        for (int i = 1; i < TB_FIT_POINTS; i++) {
            fit->at[i - 1] = fit->at[i];
            fit->offset[i - 1] = fit->offset[i];
            fit->line[i - 1] = fit->line[i];
        }
    else
        fit->count++;
    fit->begin = at;
}

/* How far apart an exchange and the fit may be, if the clock runs as it did. */
static double allowed(const tb_clock_fit *fit, double at, double line) {
    double doubt = fit->doubt + (fit->doubt_rate + 2.0 * FASTEST) * fabs(at - fit->mean_at);
    return 0.5 * line + doubt + DOUBT;
}

/* Whether no clock that runs as it did can have told these times. */
static int contradicts(const tb_clock_fit *fit, double at, double offset, double line) {
    double off = offset - fit->mean_offset - fit->drift * (at - fit->mean_at);
    return fabs(off) > allowed(fit, at, line);
}

void tb_fit_take(tb_clock_fit *fit, int64_t t1, int64_t t2, int64_t t3, int64_t t4) {
    double at = 1e-9 * (double)t3, line = 1e-9 * (double)((t4 - t1) - (t3 - t2));
    if (!fit->count)
        fit->origin = (double)(t4 - t3);
    double offset = 1e-9 * (0.5 * (double)((t1 - t2) + (t4 - t3)) - fit->origin);
    if (line < 0.0)
        return; /* the device's clock was set, or the echo is of another command */
    if (fit->count && contradicts(fit, at, offset, line))
        fit->count = 0; /* it stood still, or was set: what was known holds no more */
    if (!fit->count)
        fit->first = at;
    /* A clock that is twice too fast is off by half of the time that passed by it. */
    int long_enough = fit->count && at - fit->first > 2.0 * allowed(fit, at, line);
    fit->confirmed = fit->count && (fit->confirmed || long_enough);
    if (!fit->count || line <= 2.0 * fit->round_trip + DOUBT)
        fit->agreed = at;
    int fresh = !fit->count || at - fit->begin >= QUARTER;
    if (fresh)
        append(fit, at);
    int64_t last = fit->count - 1;
    if (!fresh && line >= fit->line[last])
        return;
    fit->at[last] = at;
    fit->offset[last] = offset;
    fit->line[last] = line;
    refit(fit);
}

int64_t tb_fit_here(const tb_clock_fit *fit, int64_t device) {
    double since = 1e-9 * (double)device - fit->mean_at;
    double offset = fit->mean_offset + fit->drift * since;
    return device + (int64_t)(fit->origin + 1e9 * offset);
}

double tb_fit_doubt(const tb_clock_fit *fit, int64_t device) {
    double at = 1e-9 * (double)device;
    double drifted =
        fit->confirmed ? 2.0 * FASTEST * fabs(at - fit->agreed) : UNKNOWN * fabs(at - fit->first);
    return fit->doubt + fit->doubt_rate * fabs(at - fit->mean_at) + drifted;
}

void tb_fit_check(tb_clock_fit *fit, int64_t device, int64_t now) {
    double early = 1e-9 * (double)(tb_fit_here(fit, device) - now);
    if (fit->count && early > tb_fit_doubt(fit, device) + DOUBT)
        fit->count = 0;
}
