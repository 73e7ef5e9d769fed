/* What a device and its driver tell each other: serial protocol, version 2. Little-endian; the
 * first byte of a payload says which message it is. Layouts are in docs/wire.md. Freestanding C. */
#ifndef TOUCHBACK_WIRE_MESSAGES_H
#define TOUCHBACK_WIRE_MESSAGES_H

#include <stdint.h>

#include "wire/frames.h"

enum { TB_WIRE_VERSION = 2, TB_AXES = 6 };
enum { TB_NAME = 32, TB_AXIS_NAME = 24, TB_WORDS = 80 }; /* bytes of text at most; with a zero: */
enum { TB_NAME_ROOM = TB_NAME + 1, TB_AXIS_ROOM = TB_AXIS_NAME + 1, TB_WORDS_ROOM = TB_WORDS + 1 };

enum { /* kinds; those of version 1 were 1 to 4 */
       TB_ASK = 0x21,
       TB_HELLO = 0x22,
       TB_DESCRIBE = 0x23,
       TB_AXIS = 0x24,
       TB_LIMIT = 0x25,
       TB_SAMPLE = 0x26,
       TB_COMMAND = 0x27,
       TB_COUNT = 0x28,
       TB_COUNTS = 0x29,
       TB_WORD = 0x2A,
};

enum { /* features: what a sample has for each axis beside its position */
       TB_HAS_VELOCITY = 1,
       TB_HAS_FORCE = 2,
       TB_HAS_CURRENT = 4,
       TB_HAS_VOLTAGE = 8,
       TB_FEATURES = 15,
};

enum {                       /* status of a device */
       TB_ENABLED = 1,       /* forces act as commanded */
       TB_LET_GO = 2,        /* no command came for the watchdog's time: forces are zero */
       TB_HOMED = 4,         /* positions count from where they should */
       TB_CLIPPED = 8,       /* a command went beyond a limit */
       TB_FAULT = 16,        /* latched; forces are zero until a command clears it */
       TB_BEYOND = 32,       /* a position or velocity beyond its limit; the reason of the fault */
       TB_BAD_SENSOR = 64,   /* likewise */
       TB_OVERCURRENT = 128, /* likewise */
       TB_SIMULATED = 256,   /* there is no such device */
};

enum { TB_ENABLE = 1, TB_CLEAR = 2 }; /* flags of a command */
enum { TB_ROTARY, TB_LINEAR };        /* axes: rad and N m, or m and N */
enum { TB_LONG_AGO = 65535 };         /* µs since a command that is none */
enum { TB_SHORTEST_WATCHDOG = 1000, TB_LONGEST_WATCHDOG = 60000000 }; /* µs */

typedef struct tb_ask { /* driver: which versions it speaks, and what it wishes for */
    uint32_t lowest, highest;
    uint32_t features;
    uint32_t watchdog; /* µs; 0: as the device likes */
    uint32_t period;   /* µs between samples; 0: as the device likes */
} tb_ask;

typedef struct tb_hello { /* device: what it is, and what it grants */
    uint32_t version;     /* 0: none of those asked for */
    uint32_t session;     /* another one after each reset, 0 to 255 */
    uint32_t axes, flags, features;
    uint32_t period, watchdog; /* µs */
    uint32_t firmware;
    uint8_t name[TB_NAME_ROOM];
} tb_hello;

typedef struct tb_axis { /* device: how an axis' numbers are meant, in SI units, and its limits */
    uint32_t session, axis, kind;
    double position_unit; /* of one count */
    float velocity_unit, force_unit, current_unit, voltage_unit;
    float force, velocity, low, high; /* limits; low and high of the position */
    uint8_t name[TB_AXIS_ROOM];
} tb_axis;

typedef struct tb_limit { /* driver: narrower limits; the device answers with the axis */
    uint32_t session, axis;
    float force, velocity, low, high;
} tb_limit;

typedef struct tb_reading { /* of an axis, in its units */
    int32_t position, velocity, force, current, voltage;
} tb_reading;

typedef struct tb_readings { /* device, each period: one and the same instant of all axes */
    uint32_t session, number, time, status;
    uint32_t echo, since; /* the last command's number, and µs since it came (TB_LONG_AGO) */
    tb_reading axes[TB_AXES];
} tb_readings;

typedef struct tb_command { /* driver: forces in the axes' units */
    uint32_t session, number, flags;
    int32_t forces[TB_AXES];
} tb_command;

typedef struct tb_counts { /* device: what has happened since its reset */
    uint32_t session, samples, commands, lost, refused, damaged, let_go;
    uint32_t longest; /* µs that a force acted without a new command, at most */
} tb_counts;

/* Bytes that a sample's axis has with these features. */
long tb_axis_bytes(uint32_t features);

/* Each writes a payload (at most TB_PAYLOAD bytes) and returns its length. */
long tb_pack_ask(const tb_ask *ask, uint8_t *payload);
long tb_pack_hello(const tb_hello *hello, uint8_t *payload);
long tb_pack_describe(uint32_t session, uint32_t axis, uint8_t *payload);
long tb_pack_axis(const tb_axis *axis, uint8_t *payload);
long tb_pack_limit(const tb_limit *limit, uint8_t *payload);
long tb_pack_sample(const tb_readings *sample, uint32_t axes, uint32_t features, uint8_t *payload);
long tb_pack_command(const tb_command *command, uint32_t axes, uint8_t *payload);
long tb_pack_count(uint32_t session, uint8_t *payload);
long tb_pack_counts(const tb_counts *counts, uint8_t *payload);
long tb_pack_word(const uint8_t *text, uint8_t *payload); /* ends with a zero; cut at TB_WORDS */

/* Each reads a payload of its kind; returns 0 when it has another kind, size, or impossible numbers
 * (what a device says of itself and its axes is judged by tb_hello_flaw and tb_axis_flaw).
 * Text is what is given as bytes, ended by a zero. */
int tb_read_ask(const uint8_t *payload, long count, tb_ask *ask);
int tb_read_hello(const uint8_t *payload, long count, tb_hello *hello);
int tb_read_describe(const uint8_t *payload, long count, uint32_t *session, uint32_t *axis);
int tb_read_axis(const uint8_t *payload, long count, tb_axis *axis);
int tb_read_limit(const uint8_t *payload, long count, tb_limit *limit);
int tb_read_sample(const uint8_t *payload, long count, uint32_t axes, uint32_t features,
                   tb_readings *sample);
int tb_read_command(const uint8_t *payload, long count, uint32_t axes, tb_command *command);
int tb_read_count(const uint8_t *payload, long count, uint32_t *session);
int tb_read_counts(const uint8_t *payload, long count, tb_counts *counts);
int tb_read_word(const uint8_t *payload, long count, uint8_t *text); /* of TB_WORDS_ROOM bytes */

#endif
