/* A simulated device at the other end of a socket: it says who it is, reports as the kernel does,
 * and takes records where a device of the kernel takes ioctl. */
#define _GNU_SOURCE
#include "evdev/event_device.h"

#ifdef __linux__

#include <errno.h>
#include <linux/input.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

static int describe(int file, tb_evdev_about *about) {
    struct timeval patience = {1, 0};
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t count = recv(file, about, sizeof *about, MSG_WAITALL);
    if (count != (ssize_t)sizeof *about)
        return count < 0 ? errno : EPROTO;
    about->name[TB_EVDEV_NAME - 1] = 0;
    about->features |= TB_EVDEV_SIMULATED;
    return 0;
}

static int ask(int file, uint32_t kind, uint32_t first, uint32_t second,
               const struct ff_effect *effect) {
    tb_evdev_record record = {kind, first, second, 0, {0}};
    _Static_assert(sizeof *effect == sizeof record.effect, "an effect has 48 bytes");
    if (effect)
        memcpy(record.effect, effect, sizeof record.effect);
    /* A device that takes no whole record at once isn't read from any more. */
    ssize_t count = send(file, &record, sizeof record, MSG_DONTWAIT | MSG_NOSIGNAL);
    return count == (ssize_t)sizeof record ? 0 : count < 0 ? errno : EPIPE;
}

static int read_axes(int file, tb_evdev_about *about) {
    (void)about;
    return ask(file, TB_EVDEV_TELL, 0, 0, NULL);
}

static int upload(int file, int32_t *effect, int32_t level, uint32_t milliseconds) {
    struct ff_effect wanted;
    *effect = *effect < 0 ? 0 : *effect;
    tb_evdev_constant(&wanted, *effect, level, milliseconds);
    return ask(file, TB_EVDEV_UPLOAD, (uint32_t)*effect, 0, &wanted);
}

static int play(int file, int32_t effect, int32_t times) {
    return ask(file, TB_EVDEV_PLAY, (uint32_t)effect, (uint32_t)times, NULL);
}

static int set(int file, uint32_t code, uint32_t value) {
    return ask(file, TB_EVDEV_SET, code, value, NULL);
}

static int erase(int file, int32_t effect) {
    return ask(file, TB_EVDEV_ERASE, (uint32_t)effect, 0, NULL);
}

const tb_evdev_backend tb_evdev_simulated = {describe, read_axes, upload, play, set, erase};

#endif
