/* Rows of numbers as code for several lanes has them, number k of all lanes side by side, and back.
 * Functions to be inlined where the number of lanes is known. */
#ifndef TOUCHBACK_INTERLEAVE_H
#define TOUCHBACK_INTERLEAVE_H

#define TB_INLINED static inline __attribute__((always_inline))

/* Only code for four lanes needs four at once: it runs where the processor has AVX. */
#ifdef __x86_64__
#define TB_WITH_FOUR __attribute__((target("avx")))
#else
#define TB_WITH_FOUR
#endif

typedef double tb_pair __attribute__((vector_size(16), may_alias));
typedef double tb_four __attribute__((vector_size(32), may_alias));
typedef double tb_loose_four __attribute__((vector_size(32), may_alias, aligned(8)));
typedef long tb_order __attribute__((vector_size(32)));

/* Four rows of four numbers as columns, and back. */
TB_INLINED void tb_turn(const double *from, long from_stride, double *to, long to_stride) {
    tb_four a = *(const tb_loose_four *)from, b = *(const tb_loose_four *)(from + from_stride);
    tb_four c = *(const tb_loose_four *)(from + 2 * from_stride);
    tb_four d = *(const tb_loose_four *)(from + 3 * from_stride);
    const tb_order low = {0, 4, 2, 6}, high = {1, 5, 3, 7};
    const tb_order first = {0, 1, 4, 5}, last = {2, 3, 6, 7};
    tb_four ab = __builtin_shuffle(a, b, low), AB = __builtin_shuffle(a, b, high);
    tb_four cd = __builtin_shuffle(c, d, low), CD = __builtin_shuffle(c, d, high);
    *(tb_loose_four *)to = __builtin_shuffle(ab, cd, first);
    *(tb_loose_four *)(to + to_stride) = __builtin_shuffle(AB, CD, first);
    *(tb_loose_four *)(to + 2 * to_stride) = __builtin_shuffle(ab, cd, last);
    *(tb_loose_four *)(to + 3 * to_stride) = __builtin_shuffle(AB, CD, last);
}

/* The next four of `size` numbers after those at k: the last four may overlap those before. */
TB_INLINED long tb_next_four(long k, long size) {
    return k + 8 > size && k + 4 < size ? size - 4 : k + 4;
}

/* Code for several lanes loads whole vectors: these are stored whole, or the load would wait. */
TB_INLINED void tb_interleave(const double *from, long stride, long size, long lanes, double *to) {
    if (lanes == 4 && size >= 4) {
        for (long k = 0; k < size; k = tb_next_four(k, size))
            tb_turn(from + k, stride, to + 4 * k, 4);
        return;
    }
    for (long k = 0; k < size; k++, from++)
        if (lanes == 1)
            to[k] = from[0];
        else if (lanes == 2)
            ((tb_pair *)to)[k] = (tb_pair){from[0], from[stride]};
        else if (lanes == 4)
            ((tb_four *)to)[k] = (tb_four){from[0], from[stride], from[2 * stride], from[3 * stride]};
        else
            for (long lane = 0; lane < lanes; lane++)
                to[k * lanes + lane] = from[lane * stride];
}

/* The way back: the row of each lane at to, to + stride, … */
TB_INLINED void tb_part_lanes(const double *from, long size, long lanes, double *to, long stride) {
    if (lanes == 4 && size >= 4) {
        for (long k = 0; k < size; k = tb_next_four(k, size))
            tb_turn(from + 4 * k, 4, to + k, stride);
        return;
    }
    for (long k = 0; k < size; k++)
        for (long lane = 0; lane < lanes; lane++)
            to[lane * stride + k] = from[k * lanes + lane];
}

#endif
