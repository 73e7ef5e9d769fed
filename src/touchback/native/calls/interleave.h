/* Rows of numbers as code for several lanes has them, number k of all lanes side by side, and back.
 * Functions to be inlined where the number of lanes is known. */
#ifndef TOUCHBACK_INTERLEAVE_H
#define TOUCHBACK_INTERLEAVE_H

enum { TB_FEW = 3 }; /* numbers from which turning vectors takes less than placing each */

#define TB_INLINED static inline __attribute__((always_inline))

/* Only code for four and eight lanes needs so many at once: it runs where the processor has AVX and
 * AVX-512. */
#ifdef __x86_64__
#include <immintrin.h>
#define TB_WITH_FOUR __attribute__((target("avx")))
#define TB_WITH_EIGHT __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define TB_WITH_FOUR
#define TB_WITH_EIGHT
#endif

typedef double tb_pair __attribute__((vector_size(16), may_alias));
typedef double tb_four __attribute__((vector_size(32), may_alias));
typedef double tb_loose_four __attribute__((vector_size(32), may_alias, aligned(8)));
typedef long tb_order __attribute__((vector_size(32)));
typedef double tb_eight __attribute__((vector_size(64), may_alias));
typedef double tb_loose_eight __attribute__((vector_size(64), may_alias, aligned(8)));
typedef long tb_order_of_eight __attribute__((vector_size(64)));

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

/* Eight rows of eight numbers as columns: pairs change places, then pairs of pairs, then halves. */
TB_INLINED void tb_turn_rows(tb_eight row[8]) {
    const tb_order_of_eight low[3] = {
        {0, 8, 2, 10, 4, 12, 6, 14}, {0, 1, 8, 9, 4, 5, 12, 13}, {0, 1, 2, 3, 8, 9, 10, 11}};
    const tb_order_of_eight high[3] = {
        {1, 9, 3, 11, 5, 13, 7, 15}, {2, 3, 10, 11, 6, 7, 14, 15}, {4, 5, 6, 7, 12, 13, 14, 15}};
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < 8; i++) {
            int other = i | 1 << level;
            if (other == i)
                continue;
            tb_eight first = row[i], second = row[other];
            row[i] = __builtin_shuffle(first, second, low[level]);
            row[other] = __builtin_shuffle(first, second, high[level]);
        }
}

TB_INLINED void tb_turn_eight(const double *from, long from_stride, double *to, long to_stride) {
    tb_eight row[8];
    for (int i = 0; i < 8; i++)
        row[i] = *(const tb_loose_eight *)(from + i * from_stride);
    tb_turn_rows(row);
    for (int i = 0; i < 8; i++)
        *(tb_loose_eight *)(to + i * to_stride) = row[i];
}

/* At most eight rows of at most eight numbers: nothing beside them is read or written. */
#ifdef __x86_64__
TB_WITH_EIGHT static inline void tb_turn_few(const double *from, long from_stride, long rows,
                                             long columns, double *to, long to_stride) {
    __mmask8 read = (__mmask8)((1 << columns) - 1), written = (__mmask8)((1 << rows) - 1);
    tb_eight row[8];
    for (int i = 0; i < 8; i++)
        row[i] = _mm512_maskz_loadu_pd(i < rows ? read : 0, from + i * from_stride);
    tb_turn_rows(row);
    for (int i = 0; i < 8; i++)
        _mm512_mask_storeu_pd(to + i * to_stride, i < columns ? written : 0, row[i]);
}
#else
static inline void tb_turn_few(const double *from, long from_stride, long rows, long columns,
                               double *to, long to_stride) {
    for (long i = 0; i < rows; i++)
        for (long k = 0; k < columns; k++)
            to[k * to_stride + i] = from[i * from_stride + k];
}
#endif

/* The next `width` of `size` numbers after those at k: the last may overlap those before. */
TB_INLINED long tb_next(long k, long width, long size) {
    return k + 2 * width > size && k + width < size ? size - width : k + width;
}

/* Code for several lanes loads whole vectors: these are stored whole, or the load would wait. */
TB_INLINED void tb_interleave(const double *from, long stride, long size, long lanes, double *to) {
    if (lanes == 4 && size >= 4) {
        for (long k = 0; k < size; k = tb_next(k, 4, size))
            tb_turn(from + k, stride, to + 4 * k, 4);
        return;
    }
    if (lanes == 8 && size >= 8) {
        for (long k = 0; k < size; k = tb_next(k, 8, size))
            tb_turn_eight(from + k, stride, to + 8 * k, 8);
        return;
    }
    if (lanes == 8 && size >= TB_FEW) {
        tb_turn_few(from, stride, 8, size, to, 8);
        return;
    }
    for (long k = 0; k < size; k++, from++)
        if (lanes == 1)
            to[k] = from[0];
        else if (lanes == 2)
            ((tb_pair *)to)[k] = (tb_pair){from[0], from[stride]};
        else if (lanes == 4)
            ((tb_four *)to)[k] =
                (tb_four){from[0], from[stride], from[2 * stride], from[3 * stride]};
        else if (lanes == 8)
            ((tb_eight *)to)[k] =
                (tb_eight){from[0],          from[stride],     from[2 * stride], from[3 * stride],
                           from[4 * stride], from[5 * stride], from[6 * stride], from[7 * stride]};
        else
            for (long lane = 0; lane < lanes; lane++)
                to[k * lanes + lane] = from[lane * stride];
}

/* The way back: the row of each lane at to, to + stride, … */
TB_INLINED void tb_part_lanes(const double *from, long size, long lanes, double *to, long stride) {
    if (lanes == 4 && size >= 4) {
        for (long k = 0; k < size; k = tb_next(k, 4, size))
            tb_turn(from + 4 * k, 4, to + k, stride);
        return;
    }
    if (lanes == 8 && size >= 8) {
        for (long k = 0; k < size; k = tb_next(k, 8, size))
            tb_turn_eight(from + 8 * k, 8, to + k, stride);
        return;
    }
    if (lanes == 8 && size >= TB_FEW) {
        tb_turn_few(from, 8, size, 8, to, stride);
        return;
    }
    for (long k = 0; k < size; k++)
        for (long lane = 0; lane < lanes; lane++)
            to[lane * stride + k] = from[k * lanes + lane];
}

#endif
