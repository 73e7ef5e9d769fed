/* An event device of Linux: its description, and two backends that talk to one, the kernel's (ioctl
 * on a character device) and a simulated one (records on a socket). */
#ifndef TOUCHBACK_EVDEV_EVENT_DEVICE_H
#define TOUCHBACK_EVDEV_EVENT_DEVICE_H

#include <stdint.h>

enum { TB_EVDEV_AXES = 64, TB_EVDEV_NAME = 80, TB_EVDEV_PATH = 256 };

enum {                        /* features */
       TB_EVDEV_CONSTANT = 1, /* a constant force */
       TB_EVDEV_GAIN = 2,
       TB_EVDEV_AUTOCENTRE = 4,
       TB_EVDEV_SIMULATED = 8, /* there is no such device */
};

typedef struct tb_evdev_axis { /* as struct input_absinfo */
    int32_t value, least, most, fuzz, flat, resolution;
} tb_evdev_axis;

typedef struct tb_evdev_about {
    uint8_t name[TB_EVDEV_NAME];
    uint32_t bus, vendor, product, version;
    uint64_t present; /* a bit for each axis, by its code */
    uint32_t features;
    uint32_t effects; /* how many it holds */
    tb_evdev_axis axes[TB_EVDEV_AXES];
} tb_evdev_about;

enum { /* kinds of records that a simulated device takes, each followed by a struct ff_effect */
       TB_EVDEV_UPLOAD = 1,
       TB_EVDEV_ERASE,
       TB_EVDEV_PLAY, /* the effect's id, how often */
       TB_EVDEV_SET,  /* FF_GAIN or FF_AUTOCENTER, a value of 16 bits */
       TB_EVDEV_TELL, /* values of all axes, as a report */
};

typedef struct tb_evdev_record { /* to a simulated device */
    uint32_t kind, first, second, zero;
    uint8_t effect[48]; /* struct ff_effect */
} tb_evdev_record;

struct ff_effect; /* of linux/input.h */

/* A constant force to the left, of so many 32767ths, for so long. */
void tb_evdev_constant(struct ff_effect *effect, int32_t id, int32_t level, uint32_t milliseconds);

/* Each gives 0 or an errno. */
typedef struct tb_evdev_backend {
    int (*describe)(int file, tb_evdev_about *about);
    /* Values of all axes anew, or a request for a report of them. */
    int (*read_axes)(int file, tb_evdev_about *about);
    /* A constant force: a new effect where *effect is -1, which becomes its id, else in place of
     * what that one was. */
    int (*upload)(int file, int32_t *effect, int32_t level, uint32_t milliseconds);
    int (*play)(int file, int32_t effect, int32_t times); /* 0 stops it */
    int (*set)(int file, uint32_t code, uint32_t value);  /* FF_GAIN, FF_AUTOCENTER */
    int (*erase)(int file, int32_t effect);
} tb_evdev_backend;

/* Opens a device without waiting, for this driver alone (flock); finds its backend and its
 * description. Gives the file, or minus an errno (ENOTTY: no event device, EBUSY: another
 * driver's). */
int tb_evdev_open(const char *path, const tb_evdev_backend **backend, tb_evdev_about *about);
void tb_evdev_close(int file);

extern const tb_evdev_backend tb_evdev_kernel, tb_evdev_simulated;

#endif
