/* Numbers as their bits, and back. */
#ifndef FREESTANDING_BITS_H
#define FREESTANDING_BITS_H

#include <stdint.h>

static inline uint64_t bits_of(double x) {
    union {
        double x;
        uint64_t bits;
    } both = {x};
    return both.bits;
}

static inline double number_of(uint64_t bits) {
    union {
        uint64_t bits;
        double x;
    } both = {bits};
    return both.x;
}

#endif
