/* The ways of the kernel's event devices, with an ioctl and a write that keep to its rules instead of
 * a device (Documentation/input/ff.rst): built by test_kernel.py with -Dioctl=fake_ioctl
 * -Dwrite=fake_write. Ends with a word and status 1 where they are broken. */
#include <errno.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "evdev/event_device.h"

int fake_ioctl(int file, unsigned long request, ...);
ssize_t fake_write(int file, const void *bytes, size_t count);

static struct ff_effect held;
static int holds, clock_set = -1, uploads;
static struct input_event written;

static void must(int holds_true, const char *what) {
    if (holds_true)
        return;
    printf("%s\n", what);
    exit(1);
}

static void mark(uint8_t *bits, unsigned code) { bits[code / 8] |= (uint8_t)(1u << code % 8); }

static int upload(struct ff_effect *effect) {
    if (effect->type != FF_CONSTANT)
        return errno = EINVAL, -1;
    if (effect->id == -1 && !holds) /* a new one gets an id, and there is room for one */
        effect->id = 3, holds = 1;
    else if (effect->id == -1)
        return errno = ENOSPC, -1;
    else if (!holds || effect->id != 3)
        return errno = EINVAL, -1;
    held = *effect;
    uploads++;
    return 0;
}

int fake_ioctl(int file, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *data = va_arg(rest, void *);
    va_end(rest);
    must(file == 7, "another file");
    if (request == EVIOCGID)
        return *(struct input_id *)data = (struct input_id){3, 0x046d, 0xc24f, 0x111}, 0;
    if (request == EVIOCGNAME(TB_EVDEV_NAME - 1))
        return strcpy(data, "a wheel"), 8;
    if (request == EVIOCGBIT(EV_ABS, ABS_CNT / 8))
        return mark(data, ABS_X), mark(data, ABS_RZ), ABS_CNT / 8;
    if (request == EVIOCGBIT(EV_FF, FF_CNT / 8))
        return mark(data, FF_CONSTANT), mark(data, FF_AUTOCENTER), FF_CNT / 8;
    if (request == EVIOCGEFFECTS)
        return *(int *)data = 16, 0;
    if (request == EVIOCSCLOCKID)
        return clock_set = *(int *)data, 0;
    if (request == EVIOCGABS(ABS_X))
        return *(struct input_absinfo *)data = (struct input_absinfo){9, 0, 65535, 2, 5, 1}, 0;
    if (request == EVIOCGABS(ABS_RZ))
        return *(struct input_absinfo *)data = (struct input_absinfo){255, 0, 255, 0, 15, 0}, 0;
    if (request == EVIOCSFF)
        return upload(data);
    if (request == EVIOCRMFF) { /* the id itself, not where it is */
        if (!holds || (long)data != 3)
            return errno = EINVAL, -1;
        return holds = 0;
    }
    return errno = ENOTTY, -1;
}

ssize_t fake_write(int file, const void *bytes, size_t count) {
    must(file == 7 && count == sizeof written, "an event, whole");
    memcpy(&written, bytes, count);
    return (ssize_t)count;
}

int main(void) {
    const tb_evdev_backend *backend = &tb_evdev_kernel;
    tb_evdev_about about;
    memset(&about, 0, sizeof about);
    must(!backend->describe(7, &about), "described");
    must(!strcmp((char *)about.name, "a wheel") && about.vendor == 0x046d, "its name");
    must(about.present == (1u << ABS_X | 1u << ABS_RZ) && about.effects == 16, "its axes");
    must(about.features == (TB_EVDEV_CONSTANT | TB_EVDEV_AUTOCENTRE), "its features");
    must(clock_set == CLOCK_MONOTONIC, "stamps of the monotonic clock");
    must(about.axes[ABS_X].value == 9 && about.axes[ABS_X].most == 65535 &&
             about.axes[ABS_X].fuzz == 2 && about.axes[ABS_RZ].flat == 15, "absinfo");

    int32_t effect = -1;
    must(!backend->upload(7, &effect, 12000, 200) && effect == 3, "a new effect gets an id");
    must(held.direction == 0x4000 && held.u.constant.level == 12000 && held.replay.length == 200 &&
             held.replay.delay == 0 && held.u.constant.envelope.attack_length == 0, "to the left");
    must(!backend->upload(7, &effect, -32767, 200) && effect == 3 && uploads == 2, "the same anew");
    must(held.u.constant.level == -32767, "its level");
    must(!backend->play(7, effect, 1), "played");
    must(written.type == EV_FF && written.code == 3 && written.value == 1, "by an event");
    must(!backend->set(7, FF_AUTOCENTER, 0), "set");
    must(written.type == EV_FF && written.code == FF_AUTOCENTER && written.value == 0, "so too");
    must(!backend->erase(7, effect) && !holds, "erased");
    must(backend->upload(7, &effect, 1, 200) == EINVAL, "an erased one is none");
    puts("as the kernel has it");
    return 0;
}
