/* Numbers and text of messages as bytes, little-endian. */
#ifndef TOUCHBACK_WIRE_BYTES_H
#define TOUCHBACK_WIRE_BYTES_H

#include "wire/messages.h"

typedef struct writer {
    uint8_t *bytes;
    long count;
} writer;

typedef struct reader {
    const uint8_t *bytes;
    long count, left;
} reader;

static inline void put(writer *out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        out->bytes[out->count++] = (uint8_t)(value >> 8 * i);
}

static inline void put_float(writer *out, float value) {
    union {
        float number;
        uint32_t bits;
    } as = {value};
    put(out, as.bits, 4);
}

static inline void put_double(writer *out, double value) {
    union {
        double number;
        uint64_t bits;
    } as = {value};
    put(out, as.bits, 8);
}

static inline void put_text(writer *out, const uint8_t *text, int most) {
    for (int i = 0; i < most && text[i]; i++)
        out->bytes[out->count++] = text[i];
}

static inline uint64_t take(reader *in, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)in->bytes[in->count++] << 8 * i;
    in->left -= bytes;
    return value;
}

static inline int32_t take_signed(reader *in, int bytes) {
    uint32_t value = (uint32_t)take(in, bytes);
    return bytes == 2 ? (int32_t)(int16_t)(uint16_t)value : (int32_t)value;
}

static inline float take_float(reader *in) {
    union {
        uint32_t bits;
        float number;
    } as = {(uint32_t)take(in, 4)};
    return as.number;
}

static inline double take_double(reader *in) {
    union {
        uint64_t bits;
        double number;
    } as = {take(in, 8)};
    return as.number;
}

static inline void take_text(reader *in, uint8_t *text) {
    long i = 0;
    while (in->left > 0)
        text[i++] = (uint8_t)take(in, 1);
    text[i] = 0;
}

static inline int32_t clipped(int32_t value) {
    return value > 32767 ? 32767 : value < -32767 ? -32767 : value;
}

/* A reader behind the kind, when kind and size are right. */
static inline int opened(reader *in, const uint8_t *payload, long count, int kind, long least,
                         long most) {
    *in = (reader){payload, 1, count - 1};
    return count >= least && count <= most && payload[0] == kind;
}

#endif
