/* Event devices as the kernel has them (Documentation/input/event-codes.rst and ff.rst of Linux).
 */
#define _GNU_SOURCE
#include "evdev/event_device.h"

#ifdef __linux__

#include <errno.h>
#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const uint16_t LEFT = 0x4000;

static int has(const uint8_t *bits, unsigned code) {
    return bits[code / 8] >> code % 8 & 1;
}

static int read_axes(int file, tb_evdev_about *about) {
    for (unsigned code = 0; code < TB_EVDEV_AXES; code++) {
        struct input_absinfo axis;
        if (!(about->present >> code & 1))
            continue;
        if (ioctl(file, EVIOCGABS(code), &axis) < 0)
            return errno;
        about->axes[code] = (tb_evdev_axis){axis.value, axis.minimum, axis.maximum,
                                            axis.fuzz,  axis.flat,    axis.resolution};
    }
    return 0;
}

static int describe(int file, tb_evdev_about *about) {
    uint8_t axes[ABS_CNT / 8] = {0}, forces[FF_CNT / 8] = {0};
    struct input_id id;
    int effects = 0, clock = CLOCK_MONOTONIC;
    if (ioctl(file, EVIOCGID, &id) < 0)
        return errno == EINVAL ? ENOTTY : errno;
    about->bus = id.bustype;
    about->vendor = id.vendor;
    about->product = id.product;
    about->version = id.version;
    ioctl(file, EVIOCGNAME(sizeof about->name - 1), about->name);
    if (ioctl(file, EVIOCGBIT(EV_ABS, sizeof axes), axes) < 0)
        return errno;
    ioctl(file, EVIOCGBIT(EV_FF, sizeof forces), forces);
    for (unsigned code = 0; code < TB_EVDEV_AXES; code++)
        about->present |= (uint64_t)has(axes, code) << code;
    about->features = (has(forces, FF_CONSTANT) ? TB_EVDEV_CONSTANT : 0) |
                      (has(forces, FF_GAIN) ? TB_EVDEV_GAIN : 0) |
                      (has(forces, FF_AUTOCENTER) ? TB_EVDEV_AUTOCENTRE : 0);
    if (ioctl(file, EVIOCGEFFECTS, &effects) >= 0)
        about->effects = (uint32_t)effects;
    if (ioctl(file, EVIOCSCLOCKID, &clock) < 0)
        return errno; /* stamps of another clock would be of no use */
    return read_axes(file, about);
}

void tb_evdev_constant(struct ff_effect *effect, int32_t id, int32_t level, uint32_t milliseconds) {
    memset(effect, 0, sizeof *effect);
    effect->type = FF_CONSTANT;
    effect->id = (int16_t)id;
    effect->direction = LEFT;
    effect->replay.length = (uint16_t)milliseconds;
    effect->u.constant.level = (int16_t)level;
}

static int upload(int file, int32_t *effect, int32_t level, uint32_t milliseconds) {
    struct ff_effect wanted;
    tb_evdev_constant(&wanted, *effect, level, milliseconds);
    if (ioctl(file, EVIOCSFF, &wanted) < 0)
        return errno;
    *effect = wanted.id;
    return 0;
}

static int set(int file, uint32_t code, uint32_t value) {
    struct input_event event;
    memset(&event, 0, sizeof event);
    event.type = EV_FF;
    event.code = (uint16_t)code;
    event.value = (int32_t)value;
    return write(file, &event, sizeof event) == (ssize_t)sizeof event ? 0 : errno;
}

static int play(int file, int32_t effect, int32_t times) {
    return set(file, (uint32_t)effect, (uint32_t)times);
}

static int erase(int file, int32_t effect) {
    return ioctl(file, EVIOCRMFF, (unsigned long)effect) < 0 ? errno : 0;
}

const tb_evdev_backend tb_evdev_kernel = {describe, read_axes, upload, play, set, erase};

#endif
