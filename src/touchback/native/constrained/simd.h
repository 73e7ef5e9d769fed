/* Several states at once: each number is a vector with one of each state, a *lane*, as code for
 * several lanes has them. What a lane holds has the bits that a state alone would give. */
#ifndef TOUCHBACK_CONSTRAINED_SIMD_H
#define TOUCHBACK_CONSTRAINED_SIMD_H

#include <math.h>

#ifdef __x86_64__
#define TB_REGISTER 32                      /* bytes */
#define WIDE __attribute__((target("avx"))) /* called only where the processor has it */
#else
#define TB_REGISTER 16
#define WIDE
#endif
#define WIDE_INLINED WIDE static inline __attribute__((always_inline))

enum { TB_LANES = TB_REGISTER / 8 };

#pragma GCC visibility push(hidden)

typedef double tb_lanes __attribute__((vector_size(TB_REGISTER), may_alias));
typedef long tb_bits
    __attribute__((vector_size(TB_REGISTER), may_alias)); /* of a truth: all or none */

WIDE_INLINED tb_lanes tb_chosen(tb_bits which, tb_lanes yes, tb_lanes no) {
#ifdef __x86_64__
    return __builtin_ia32_blendvpd256(no, yes, (tb_lanes)which);
#else
    return (tb_lanes)((which & (tb_bits)yes) | (~which & (tb_bits)no));
#endif
}
WIDE_INLINED tb_lanes tb_size(tb_lanes x) {
    const tb_bits sign = (tb_bits){} + (long)(1UL << 63);
    return (tb_lanes)((tb_bits)x & ~sign);
}
WIDE_INLINED tb_lanes tb_larger(tb_lanes x, tb_lanes y) { /* y where x is no number */
#ifdef __x86_64__
    return __builtin_ia32_maxpd256(x, y);
#else
    return tb_chosen(x > y, x, y);
#endif
}
WIDE_INLINED int tb_any(tb_bits which) {
#ifdef __x86_64__
    return __builtin_ia32_movmskpd256((tb_lanes)which) != 0;
#else
    return (which[0] | which[1]) != 0;
#endif
}
WIDE_INLINED tb_lanes tb_square_root(tb_lanes x) {
#ifdef __x86_64__
    return __builtin_ia32_sqrtpd256(x);
#else
    return (tb_lanes){sqrt(x[0]), sqrt(x[1])};
#endif
}
/* Of each lane the number at its own place. */
WIDE_INLINED tb_lanes tb_picked(const tb_lanes *from, const int *places) {
    tb_lanes picked;
    for (int lane = 0; lane < TB_LANES; lane++)
        picked[lane] = from[places[lane]][lane];
    return picked;
}
WIDE_INLINED void tb_put(tb_lanes *to, const int *places, tb_lanes numbers) {
    for (int lane = 0; lane < TB_LANES; lane++)
        to[places[lane]][lane] = numbers[lane];
}

#pragma GCC visibility pop

#endif
