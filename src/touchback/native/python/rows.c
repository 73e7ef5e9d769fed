#include "python/rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calls/interleave.h"

enum { LINE = 8 }; /* doubles in a cache line */

typedef struct memory {
    double *x, *u, *p, *out, *work;
    const void *one_context, *wide_context;
} memory;

TB_INLINED void gather(const tb_rows *r, const memory *m, long row, long lanes, int all) {
    for (long i = 0; i < r->part_count; i++) {
        const tb_part *part = &r->parts[i];
        if (all || part->stride)
            tb_interleave(part->from + row * part->stride, part->stride, part->size, lanes,
                          m->x + lanes * part->place);
    }
    if (all || r->block_stride)
        tb_interleave(r->block + row * r->block_stride, r->block_stride, r->p, lanes, m->p);
}

/* Groups of `lanes` rows from `row` on; returns the first that is in none. */
TB_INLINED long groups(const tb_rows *r, memory m, long row, long end, long lanes) {
    tb_function call = lanes == 1 ? r->one : r->wide;
    const void *context = lanes == 1 ? m.one_context : m.wide_context;
    m.u = m.x + lanes * r->x;
    for (int all = 1; row + lanes <= end; row += lanes, all = 0) {
        gather(r, &m, row, lanes, all);
        call(m.x, m.u, m.p, m.out, m.work, context);
        tb_part_lanes(m.out + lanes * r->first, r->width, lanes, r->result + row * r->width,
                      r->width);
    }
    return row;
}

static long pairs(const tb_rows *r, memory m, long row, long end) {
    return groups(r, m, row, end, 2);
}

TB_WITH_FOUR static long fours(const tb_rows *r, memory m, long row, long end) {
    return groups(r, m, row, end, 4);
}

TB_WITH_EIGHT static long eights(const tb_rows *r, memory m, long row, long end) {
    return groups(r, m, row, end, 8);
}

static long whole_lines(long doubles) {
    return (doubles + LINE) / LINE * LINE;
}

static int slice(const tb_rows *r, long row, long end, long context) {
    long arguments = whole_lines(r->lanes * (r->x + r->u)), block = whole_lines(r->lanes * r->p);
    long out = whole_lines(r->lanes * r->out), work = whole_lines(r->work);
    size_t size = (size_t)(arguments + block + out + work) * sizeof(double);
    double *all = aligned_alloc(LINE * sizeof(double), size);
    if (!all)
        return -1;
    memset(all, 0, size);
    memory m = {all,
                NULL,
                all + arguments,
                all + arguments + block,
                all + arguments + block + out,
                r->one_contexts[context],
                r->wide_contexts[context]};
    if (r->lanes == 2)
        row = pairs(r, m, row, end);
    else if (r->lanes == 4)
        row = fours(r, m, row, end);
    else if (r->lanes == 8)
        row = eights(r, m, row, end);
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
