#include "python/rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 8 }; /* doubles in a cache line */

#define INLINE static inline __attribute__((always_inline)) /* with a number of lanes that is known */

typedef double pair __attribute__((vector_size(16), may_alias));
typedef double four __attribute__((vector_size(32), may_alias));

/* Only code for four lanes needs four at once: it runs where the processor has AVX. */
#ifdef __x86_64__
#define WITH_FOUR __attribute__((target("avx")))
#else
#define WITH_FOUR
#endif

typedef double loose __attribute__((vector_size(32), may_alias, aligned(8)));
typedef long order __attribute__((vector_size(32)));

typedef struct memory {
    double *x, *u, *p, *out, *work;
    const void *one_context, *wide_context;
} memory;

/* Four rows of four numbers as columns, and back. */
INLINE void turn(const double *from, long from_stride, double *to, long to_stride) {
    four a = *(const loose *)from, b = *(const loose *)(from + from_stride);
    four c = *(const loose *)(from + 2 * from_stride), d = *(const loose *)(from + 3 * from_stride);
    const order low = {0, 4, 2, 6}, high = {1, 5, 3, 7}, first = {0, 1, 4, 5}, last = {2, 3, 6, 7};
    four ab = __builtin_shuffle(a, b, low), AB = __builtin_shuffle(a, b, high);
    four cd = __builtin_shuffle(c, d, low), CD = __builtin_shuffle(c, d, high);
    *(loose *)to = __builtin_shuffle(ab, cd, first);
    *(loose *)(to + to_stride) = __builtin_shuffle(AB, CD, first);
    *(loose *)(to + 2 * to_stride) = __builtin_shuffle(ab, cd, last);
    *(loose *)(to + 3 * to_stride) = __builtin_shuffle(AB, CD, last);
}

/* Code for several lanes loads whole vectors: these are stored whole, or the load would wait. */
INLINE void interleave(const double *from, long stride, long size, long lanes, double *to) {
    if (lanes == 4 && size >= 4) { /* the last four may overlap those before */
        for (long k = 0; k < size; k = k + 8 > size && k + 4 < size ? size - 4 : k + 4)
            turn(from + k, stride, to + 4 * k, 4);
        return;
    }
    for (long k = 0; k < size; k++, from++)
        if (lanes == 1)
            to[k] = from[0];
        else if (lanes == 2)
            ((pair *)to)[k] = (pair){from[0], from[stride]};
        else if (lanes == 4)
            ((four *)to)[k] = (four){from[0], from[stride], from[2 * stride], from[3 * stride]};
        else
            for (long lane = 0; lane < lanes; lane++)
                to[k * lanes + lane] = from[lane * stride];
}

INLINE void gather(const tb_rows *r, const memory *m, long row, long lanes, int all) {
    for (long i = 0; i < r->part_count; i++) {
        const tb_part *part = &r->parts[i];
        if (all || part->stride)
            interleave(part->from + row * part->stride, part->stride, part->size, lanes,
                       m->x + lanes * part->place);
    }
    if (all || r->block_stride)
        interleave(r->block + row * r->block_stride, r->block_stride, r->p, lanes, m->p);
}

INLINE void scatter(const tb_rows *r, const memory *m, long row, long lanes) {
    const double *from = m->out + lanes * r->first;
    double *to = r->result + row * r->width;
    if (lanes == 4 && r->width >= 4) {
        for (long k = 0; k < r->width; k = k + 8 > r->width && k + 4 < r->width ? r->width - 4 : k + 4)
            turn(from + 4 * k, 4, to + k, r->width);
        return;
    }
    for (long k = 0; k < r->width; k++)
        for (long lane = 0; lane < lanes; lane++)
            to[lane * r->width + k] = from[k * lanes + lane];
}

/* Groups of `lanes` rows from `row` on; returns the first that is in none. */
INLINE long groups(const tb_rows *r, memory m, long row, long end, long lanes) {
    tb_function call = lanes == 1 ? r->one : r->wide;
    const void *context = lanes == 1 ? m.one_context : m.wide_context;
    m.u = m.x + lanes * r->x;
    for (int all = 1; row + lanes <= end; row += lanes, all = 0) {
        gather(r, &m, row, lanes, all);
        call(m.x, m.u, m.p, m.out, m.work, context);
        scatter(r, &m, row, lanes);
    }
    return row;
}

static long pairs(const tb_rows *r, memory m, long row, long end) {
    return groups(r, m, row, end, 2);
}

WITH_FOUR static long fours(const tb_rows *r, memory m, long row, long end) {
    return groups(r, m, row, end, 4);
}

static long whole_lines(long doubles) { return (doubles + LINE) / LINE * LINE; }

static int slice(const tb_rows *r, long row, long end, long context) {
    long arguments = whole_lines(r->lanes * (r->x + r->u)), block = whole_lines(r->lanes * r->p);
    long out = whole_lines(r->lanes * r->out), work = whole_lines(r->work);
    size_t size = (size_t)(arguments + block + out + work) * sizeof(double);
    double *all = aligned_alloc(LINE * sizeof(double), size);
    if (!all)
        return -1;
    memset(all, 0, size);
    memory m = {all, NULL, all + arguments, all + arguments + block, all + arguments + block + out,
                r->one_contexts[context], r->wide_contexts[context]};
    if (r->lanes == 2)
        row = pairs(r, m, row, end);
    else if (r->lanes == 4)
        row = fours(r, m, row, end);
    else if (r->lanes > 1)
        row = groups(r, m, row, end, r->lanes);
    groups(r, m, row, end, 1);
    free(all);
    return 0;
}

typedef struct share {
    const tb_rows *rows;
    long row, end, context;
    int status;
} share;

static void *work_on(void *given) {
    share *own = given;
    own->status = slice(own->rows, own->row, own->end, own->context);
    return NULL;
}

int tb_rows_run(const tb_rows *rows, long count, long threads) {
    share shares[TB_MOST_THREADS];
    pthread_t others[TB_MOST_THREADS];
    int started[TB_MOST_THREADS];
    long most = rows->context_count > 1 ? rows->context_count : TB_MOST_THREADS;
    threads = threads < 1 ? 1 : threads > most ? most : threads;
    long each = (count / rows->lanes / threads + 1) * rows->lanes, made = 0;
    for (long row = 0; row < count; row += each, made++)
        shares[made] = (share){rows, row, row + each < count ? row + each : count,
                               rows->context_count > 1 ? made : 0, 0};
    for (long i = 1; i < made; i++)
        started[i] = !pthread_create(&others[i], NULL, work_on, &shares[i]);
    int status = 0;
    for (long i = 0; i < made; i++) {
        if (i == 0 || !started[i])
            work_on(&shares[i]);
        else
            pthread_join(others[i], NULL);
        status |= shares[i].status;
    }
    return status;
}
