/* Exponentials, logarithms, powers and arcs, to less than 0.8 units in the last place.
 *
 * What has to be more exact than a number is the sum of two; only the first terms of a series need
 * that, the others are small beside them. */
#include <math.h>
#include <stdint.h>

#include "bits.h"

typedef struct {
    double high, low;
} pair;

/* Where |a| >= |b|. */
static pair sum(double a, double b) {
    double high = a + b;
    return (pair){high, b - (high - a)};
}

static pair product(double a, double b) {
    double high = a * b;
    return (pair){high, fma(a, b, -high)};
}

/* Where |a| >= |b|. */
static pair plus(pair a, pair b) {
    pair both = sum(a.high, b.high);
    return sum(both.high, both.low + (a.low + b.low));
}

static pair times(pair a, pair b) {
    pair both = product(a.high, b.high);
    return sum(both.high, both.low + (a.high * b.low + a.low * b.high));
}

static pair quotient(pair a, pair b) {
    double high = a.high / b.high;
    return (pair){high, (fma(-high, b.high, a.high) + a.low - high * b.low) / b.high};
}

/* first + x (second + x (...)) */
static double polynomial(double x, const double *coefficients, int count) {
    double y = 0.0;
    while (count--)
        y = y * x + coefficients[count];
    return y;
}

/* ---- exponentials ---------------------------------------------------------------------------- */

/* Of the first 41 bits, so that products with exponents are exact. */
static const double LN2_HIGH = 0x1.62e42fefa3p-1, LN2_LOW = 0x1.3de6af278ece6p-42;

static double power_of_two(int e) { return number_of((uint64_t)(e + 1023) << 52); }

/* e^x by e^x = 2^k e^r, |r| <= ln(2)/2, and the series of e^r. */
static double raised(pair x) {
    static const double series[] = {
        1.0 / 2,        1.0 / 6,         1.0 / 24,         1.0 / 120,         1.0 / 720,
        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,     1.0 / 3628800,     1.0 / 39916800,
        1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200,
    };
    if (x.high > 710.0)
        return INFINITY;
    if (x.high < -746.0)
        return 0.0;
    int k = (int)floor(x.high * 0x1.71547652b82fep0 + 0.5);
    double whole = x.high - k * LN2_HIGH;
    pair r = {whole, x.low - k * LN2_LOW};
    r = fabs(r.high) > fabs(r.low) ? sum(r.high, r.low) : sum(r.low, r.high);
    pair y = sum(1.0, r.high);
    y.high += y.low + (r.low + r.high * r.high * polynomial(r.high, series, 13));
    return y.high * power_of_two(k / 2) * power_of_two(k - k / 2);
}

double exp(double x) { return x != x ? x : raised((pair){x, 0.0}); }

/* ---- hyperbolic functions -------------------------------------------------------------------- */

/* e^|x| / 2, finite as long as sinh and cosh are. */
static double half_raised(double x) {
    if (fabs(x) > 1000.0)
        return INFINITY;
    return raised(plus((pair){fabs(x), 0.0}, (pair){-LN2_HIGH, -LN2_LOW}));
}

/* x + x^3/3! + x^5/5! + ... of |x| < 1: the difference of exponentials would lose digits there. */
static double sinh_series(double x) {
    static const double series[] = {
        1.0 / 6,           1.0 / 120,          1.0 / 5040,          1.0 / 362880,
        1.0 / 39916800,    1.0 / 6227020800,   1.0 / 1307674368000, 1.0 / 355687428096000,
        1.0 / 121645100408832000,
    };
    return x + x * (x * x * polynomial(x * x, series, 9));
}

double sinh(double x) {
    if (!(fabs(x) >= 1.0))
        return sinh_series(x);
    double e = half_raised(x);
    return copysign(e - 0.25 / e, x);
}

double cosh(double x) {
    if (x != x)
        return x;
    double e = half_raised(x);
    return e + 0.25 / e;
}

double tanh(double x) {
    if (!(fabs(x) >= 1.0))
        return sinh_series(x) / cosh(x);
    double e = half_raised(fmin(fabs(x), 30.0)), square = 4.0 * e * e; /* from 20 on it is 1 */
    return copysign(1.0 - 2.0 / (square + 1.0), x);
}

/* ---- logarithms ------------------------------------------------------------------------------ */

/* ln x of a finite x > 0 by x = 2^k m, sqrt(1/2) <= m < sqrt(2), and ln m = 2 artanh s with
 * s = (m - 1)/(m + 1). */
static pair logarithm(double x) {
    static const pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    static const pair fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    static const double series[] = {1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                    1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27};
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t above = bits_of(x) - bits_of(0x1.6a09e667f3bcdp-1);
    k += (int)((int64_t)above >> 52);
    double m = number_of(bits_of(x) - ((uint64_t)(int64_t)((int64_t)above >> 52) << 52));
    pair s = quotient((pair){m - 1.0, 0.0}, sum(m < 1.0 ? 1.0 : m, m < 1.0 ? m : 1.0));
    pair z = times(s, s);
    pair inner = plus(fifth, (pair){z.high * polynomial(z.high, series, 11), 0.0});
    pair y = plus(s, times(s, times(z, plus(third, times(z, inner)))));
    pair doubled = {2.0 * y.high, 2.0 * y.low};
    return k ? plus((pair){k * LN2_HIGH, k * LN2_LOW}, doubled) : doubled;
}

double log(double x) {
    if (x != x || (x > 0.0 && isinf(x)))
        return x;
    return x > 0.0 ? logarithm(x).high : x < 0.0 ? NAN : -INFINITY;
}

/* ---- powers ---------------------------------------------------------------------------------- */

static int is_whole(double y) { return fabs(y) >= 0x1p52 || floor(y) == y; }
static int is_odd(double y) {
    return fabs(y) < 0x1p53 && is_whole(y) && !is_whole(0.5 * y);
}

/* x^y of x >= 0 where it, y or the power is 0 or infinite. */
static double extreme(double x, double y) {
    if (isinf(y) && x == 1.0)
        return 1.0;
    return (x > 1.0) == (y > 0.0) ? INFINITY : 0.0;
}

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (x != x || y != y)
        return x + y;
    double size = fabs(x), sign = signbit(x) && is_odd(y) ? -1.0 : 1.0;
    if (size == 0.0 || isinf(x) || isinf(y))
        return sign * extreme(size, y);
    if (x < 0.0 && !is_whole(y))
        return NAN;
    pair l = logarithm(size);
    if (!(fabs(y * l.high) < 800.0))
        return sign * extreme(size, y);
    pair exponent = product(y, l.high);
    exponent.low += y * l.low;
    return sign * raised(exponent);
}

/* ---- arcs ------------------------------------------------------------------------------------ */

static const pair QUARTER = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54}; /* of a turn */

/* The angle of (x, y) with 0 <= y <= x, from the nearest eighth of x on: with c = k/8
 * atan(y/x) = atan(c) + atan((y - c x)/(x + c y)). */
static pair small_angle(pair y, pair x) {
    static const pair eighths[] = {
        {0.0, 0.0},
        {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    };
    static const double series[] = {-1.0 / 3, 1.0 / 5,   -1.0 / 7, 1.0 / 9,
                                    -1.0 / 11, 1.0 / 13, -1.0 / 15};
    int k = (int)(8.0 * (y.high / x.high) + 0.5);
    double c = 0.125 * k;
    pair cx = product(c, x.high), below = sum(x.high, c * y.high);
    below.low += fma(c, y.high, -(c * y.high)) + x.low + c * y.low;
    pair t = quotient((pair){y.high - cx.high, y.low - c * x.low - cx.low}, below);
    double z = t.high * t.high, rest = t.low + t.high * z * polynomial(z, series, 7);
    pair angle = k ? sum(eighths[k].high, t.high) : (pair){t.high, 0.0};
    return sum(angle.high, angle.low + (eighths[k].low + rest));
}

/* The same in the whole upper half plane. */
static double angle_of(pair y, pair x) {
    int left = x.high < 0.0;
    if (left)
        x = (pair){-x.high, -x.low};
    int steep = y.high > x.high;
    pair a = steep ? small_angle(x, y) : small_angle(y, x);
    if (!steep && !left)
        return a.high + a.low;
    double turns = steep ? 1.0 : 2.0, sign = steep == left ? 1.0 : -1.0;
    pair all = sum(turns * QUARTER.high, sign * a.high);
    return all.high + (all.low + (turns * QUARTER.low + sign * a.low));
}

double atan2(double y, double x) {
    if (x != x || y != y)
        return x + y;
    double height = fabs(y), width = fabs(x), found;
    if (isinf(height) && isinf(width)) /* a diagonal, seen from afar */
        height = width = 1.0;
    int ey = (int)(bits_of(height) >> 52), ex = (int)(bits_of(width) >> 52);
    if (height == 0.0)
        found = signbit(x) ? 2.0 * QUARTER.high : 0.0;
    else if (isinf(width) || ey < ex - 60)
        found = signbit(x) ? 2.0 * QUARTER.high : height / width;
    else if (isinf(height) || ex < ey - 60)
        found = QUARTER.high;
    else {
        int e = 1023 - (ex > ey ? ex : ey); /* near 1: nothing overflows or is lost */
        double by = power_of_two(e / 2), more = power_of_two(e - e / 2);
        height = height * by * more;
        width = width * by * more;
        found = angle_of((pair){height, 0.0}, (pair){signbit(x) ? -width : width, 0.0});
    }
    return copysign(found, y);
}

/* sqrt(1 - x^2) */
static pair other_leg(double x) {
    pair square = product(x, x), left = sum(1.0, -square.high);
    left.low -= square.low;
    double root = sqrt(left.high);
    return root > 0.0 ? sum(root, (fma(-root, root, left.high) + left.low) / (2.0 * root))
                      : (pair){0.0, 0.0};
}

double asin(double x) {
    if (!(fabs(x) <= 1.0))
        return x != x ? x : NAN;
    if (fabs(x) < 0x1p-28)
        return x;
    return copysign(angle_of((pair){fabs(x), 0.0}, other_leg(x)), x);
}

double acos(double x) {
    if (!(fabs(x) <= 1.0))
        return x != x ? x : NAN;
    return angle_of(other_leg(x), (pair){x, 0.0});
}
