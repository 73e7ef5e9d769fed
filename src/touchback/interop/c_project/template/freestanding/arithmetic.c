/* Copies, and arithmetic that not every processor has, rounded to nearest as IEEE 754 wants it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bits.h"

/* ---- copies (weak: a machine may have better ones) ------------------------------------------- */

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    while (count--)
        *target++ = *source++;
    return to;
}

__attribute__((weak)) void *memmove(void *to, const void *from, size_t count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    if (target < source)
        return memcpy(to, from, count);
    while (count--)
        target[count] = source[count];
    return to;
}

__attribute__((weak)) void *memset(void *to, int value, size_t count) {
    uint8_t *target = to;
    while (count--)
        *target++ = (uint8_t)value;
    return to;
}

__attribute__((weak)) int memcmp(const void *a, const void *b, size_t count) {
    const uint8_t *first = a, *second = b;
    for (; count--; first++, second++)
        if (*first != *second)
            return *first < *second ? -1 : 1;
    return 0;
}

/* ---- numbers as m 2^e with 2^52 <= m < 2^53 -------------------------------------------------- */

#define HIDDEN (UINT64_C(1) << 52)

/* Of a finite number other than zero. */
static uint64_t taken_apart(double x, int *e) {
    uint64_t bits = bits_of(x), m = bits & (HIDDEN - 1);
    int exponent = (int)(bits >> 52 & 0x7FF);
    *e = (exponent ? exponent : 1) - 1075;
    if (exponent)
        return m | HIDDEN;
    for (; m < HIDDEN; m <<= 1)
        --*e;
    return m;
}

typedef struct {
    uint64_t high, low;
} wide;

static wide product(uint64_t a, uint64_t b) {
    uint64_t a1 = a >> 32, a0 = a & UINT32_MAX, b1 = b >> 32, b0 = b & UINT32_MAX;
    uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (cross & UINT32_MAX);
    return (wide){a1 * b1 + (cross >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX)};
}

static wide up(wide w, int by) {
    if (by == 0)
        return w;
    if (by >= 64)
        return (wide){w.low << (by - 64), 0};
    return (wide){w.high << by | w.low >> (64 - by), w.low << by};
}

/* To the right; what falls off leaves its trace in the last bit. */
static wide down(wide w, int by) {
    if (by == 0)
        return w;
    if (by >= 128)
        return (wide){0, (w.high | w.low) != 0};
    if (by >= 64) {
        uint64_t lost = w.low | (by > 64 ? w.high << (128 - by) : 0);
        return (wide){0, w.high >> (by - 64) | (lost != 0)};
    }
    uint64_t lost = w.low << (64 - by);
    return (wide){w.high >> by, w.high << (64 - by) | w.low >> by | (lost != 0)};
}

static int less(wide a, wide b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
static wide sum(wide a, wide b) {
    uint64_t low = a.low + b.low;
    return (wide){a.high + b.high + (low < a.low), low};
}
static wide difference(wide a, wide b) {
    return (wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

/* w 2^e, rounded; the last bit of w may be the trace of more. */
static double rounded(int negative, wide w, int e) {
    int top = 127;
    while (!((top >= 64 ? w.high >> (top - 64) : w.low >> top) & 1))
        top--;
    int exponent = top + e, normal = exponent >= -1022;
    int by = (normal ? top - 52 : -1074 - e) - 2; /* two bits are left to round by */
    uint64_t m = by >= 0 ? down(w, by).low : up(w, -by).low;
    m = (m >> 2) + ((m & 3) == 3 || (m & 7) == 6);
    uint64_t bits = normal ? ((uint64_t)(exponent + 1022) << 52) + m : m;
    if (exponent > 1023 || bits >= UINT64_C(0x7FF) << 52)
        bits = UINT64_C(0x7FF) << 52;
    return number_of(bits | (uint64_t)negative << 63);
}

static double wide_fma(double a, double b, double c) {
    if (!isfinite(a) || !isfinite(b) || !isfinite(c) || a == 0.0 || b == 0.0 || c == 0.0)
        return a * b + c;
    int ea, eb, ec, negative = signbit(a) != signbit(b), apart = negative != (signbit(c) != 0);
    uint64_t ma = taken_apart(a, &ea), mb = taken_apart(b, &eb), mc = taken_apart(c, &ec);
    /* Both with their first bits near the top: what cancels loses nothing. */
    wide ab = up(product(ma, mb), 20), other = up((wide){0, mc}, 73);
    int e = ea + eb - 20, distance = e - (ec - 73);
    if (distance >= 0)
        other = down(other, distance > 128 ? 128 : distance);
    else {
        ab = down(ab, -distance > 128 ? 128 : -distance);
        e = ec - 73;
    }
    if (!apart)
        return rounded(negative, sum(ab, other), e);
    if (less(ab, other))
        return rounded(!negative, difference(other, ab), e);
    wide left = difference(ab, other);
    return left.high | left.low ? rounded(negative, left, e) : 0.0;
}

static int exponent_of(double x) { return (int)(bits_of(x) >> 52 & 0x7FF) - 1023; }

/* a + b, and what that lost (Knuth). */
static double sum_of(double a, double b, double *lost) {
    double s = a + b, part = s - a;
    *lost = (a - (s - part)) + (b - part);
    return s;
}

/* In additions and multiplications alone, where nothing over- or underflows: Boldo, Melquiond,
 * "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
 * 2008. */
static double fma_of_sums(double a, double b, double c) {
    const double halves = 134217729.0; /* 2^27 + 1: of 26 bits each */
    double ta = halves * a, a1 = ta - (ta - a), a0 = a - a1;
    double tb = halves * b, b1 = tb - (tb - b), b0 = b - b1;
    double product = a * b, rest = ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0;
    double low, lower, lost, inner = sum_of(c, rest, &lower), high = sum_of(product, inner, &low);
    double odd = sum_of(lower, low, &lost);
    uint64_t bits = bits_of(odd);
    if (lost != 0.0 && !(bits & 1)) /* towards what was lost, where the last bit is set */
        odd = number_of((lost > 0.0) == (odd > 0.0) ? bits + 1 : bits - 1);
    return high + odd;
}

double software_fma(double a, double b, double c) {
    int ea = exponent_of(a), eb = exponent_of(b), far = 400;
    if (ea > -far && ea < far && eb > -far && eb < far && exponent_of(c) < 900)
        return fma_of_sums(a, b, c);
    return wide_fma(a, b, c);
}

/* Bit by bit. */
double software_sqrt(double x) {
    if (x != x || x == 0.0 || (isinf(x) && x > 0.0))
        return x;
    if (x < 0.0)
        return NAN;
    int e;
    uint64_t m = taken_apart(x, &e), root = 0, rest = 0;
    if (e & 1) {
        m <<= 1;
        e--;
    }
    for (int i = 54; i >= -54; i -= 2) { /* two bits of m 2^54 at a time, for one of the root */
        rest = rest << 2 | (i >= 0 ? m >> i & 3 : 0);
        uint64_t trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    return rounded(0, (wide){0, root << 1 | (rest != 0)}, e / 2 - 28);
}

double floor(double x) {
    if (!(fabs(x) < 0x1p52) || x == 0.0)
        return x;
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1.0 : whole;
}
