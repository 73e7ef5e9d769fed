#include "evdev/reports.h"

#include <string.h>

#ifdef __linux__

#include <linux/input.h>

_Static_assert(sizeof(struct input_event) == TB_EVDEV_BYTES, "an event has 24 bytes");

static int64_t stamp_of(const struct input_event *event) {
    int64_t seconds = (int64_t)event->input_event_sec, micros = (int64_t)event->input_event_usec;
    int sound = seconds >= 0 && seconds < INT64_C(4000000000) && micros >= 0 && micros < 1000000;
    return sound ? seconds * 1000000000 + micros * 1000 : 0;
}

/* Takes over what came for some axes; a value outside of its axis is not used, nor is the one
 * before it any more. */
static long commit(tb_evdev_reports *reports, const tb_evdev_about *about) {
    long found = TB_EVDEV_REPORTED;
    for (long code = 0; code < TB_EVDEV_AXES; code++) {
        uint64_t bit = UINT64_C(1) << code;
        if (!(reports->changed & bit))
            continue;
        int32_t value = reports->coming[code];
        if (value < about->axes[code].least || value > about->axes[code].most) {
            found |= reports->strange & bit ? 0 : TB_EVDEV_STRANGE;
            reports->strange |= bit;
        } else
            reports->strange &= ~bit;
        reports->values[code] = value;
    }
    reports->changed = 0;
    return found;
}

static long take_event(tb_evdev_reports *reports, const tb_evdev_about *about,
                       const struct input_event *event) {
    if (event->type == EV_SYN && event->code == SYN_DROPPED) {
        reports->dropping = 1;
        reports->changed = 0;
    } else if (event->type == EV_SYN && event->code == SYN_REPORT) {
        if (reports->dropping) {
            reports->dropping = 0;
            return TB_EVDEV_DROPPED;
        }
        reports->stamp = stamp_of(event);
        return commit(reports, about);
    } else if (event->type == EV_ABS && !reports->dropping && event->code < TB_EVDEV_AXES &&
               about->present >> event->code & 1) {
        reports->coming[event->code] = event->value;
        reports->changed |= UINT64_C(1) << event->code;
    }
    return 0;
}

void tb_evdev_begin(tb_evdev_reports *reports, const tb_evdev_about *about) {
    memset(reports, 0, sizeof *reports);
    for (long code = 0; code < TB_EVDEV_AXES; code++)
        reports->coming[code] = about->axes[code].value;
    reports->changed = about->present;
    commit(reports, about);
}

long tb_evdev_take(tb_evdev_reports *reports, const tb_evdev_about *about, const uint8_t *bytes,
                   long count) {
    long found = 0;
    while (count > 0) {
        long room = TB_EVDEV_BYTES - reports->filled, part = count < room ? count : room;
        memcpy(reports->partial + reports->filled, bytes, (size_t)part);
        reports->filled += part;
        bytes += part;
        count -= part;
        if (reports->filled < TB_EVDEV_BYTES)
            break;
        struct input_event event;
        memcpy(&event, reports->partial, sizeof event);
        reports->filled = 0;
        found |= take_event(reports, about, &event);
    }
    return found;
}

#else

void tb_evdev_begin(tb_evdev_reports *reports, const tb_evdev_about *about) {
    (void)about;
    memset(reports, 0, sizeof *reports);
}
long tb_evdev_take(tb_evdev_reports *reports, const tb_evdev_about *about, const uint8_t *bytes,
                   long count) {
    return (void)reports, (void)about, (void)bytes, (void)count, 0;
}

#endif
