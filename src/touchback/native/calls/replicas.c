#include "calls/replicas.h"

#include "calls/interleave.h"

static long size_of(const long parts[TB_PARTS]) {
    return parts[0] + parts[1] + parts[2];
}

/* The parts of copies `first`, first + 1, … of the row. */
TB_INLINED void gather(const tb_replicas *c, const double *row, long first, long lanes,
                       double *to) {
    for (long part = 0; part < TB_PARTS; part++) {
        long size = c->states[part];
        tb_interleave(row + first * size, size, size, lanes, to);
        row += c->count * size;
        to += lanes * size;
    }
}

TB_INLINED void scatter(const tb_replicas *c, const double *from, long first, long lanes,
                        double *row) {
    for (long part = 0; part < TB_PARTS; part++) {
        long size = c->outputs[part];
        tb_part_lanes(from, size, lanes, row + first * size, size);
        row += c->count * size;
        from += lanes * size;
    }
}

typedef struct row {
    const double *x, *u, *p;
    double *out, *work;
} row;

/* Computes groups of `lanes` copies from `first` on, and returns the first that is in none. */
TB_INLINED long groups(const tb_replicas *c, const row *all, long first, long lanes) {
    tb_function call = lanes == 1 ? c->one : c->wide;
    const void *context = lanes == 1 ? c->one_context : c->wide_context;
    double *x = all->work + c->work, *u = x + lanes * size_of(c->states);
    double *own = u + lanes * (1 + c->shared), *out = own + lanes * c->inputs;
    tb_interleave(all->u, 0, 1 + c->shared, lanes, u);
    for (; first + lanes <= c->count; first += lanes) {
        gather(c, all->x, first, lanes, x);
        tb_interleave(all->u + 1 + c->shared + first * c->inputs, c->inputs, c->inputs, lanes, own);
        call(x, u, all->p + first * c->parameters, out, all->work, context);
        scatter(c, out, first, lanes, all->out);
    }
    return first;
}

TB_WITH_FOUR static long fours(const tb_replicas *c, const row *all) {
    return groups(c, all, 0, 4);
}
TB_WITH_EIGHT static long eights(const tb_replicas *c, const row *all) {
    return groups(c, all, 0, 8);
}

void tb_replicas_call(const double *x, const double *u, const double *p, double *out, double *work,
                      const void *ctx) {
    const tb_replicas *c = ctx;
    const row all = {x, u, p, out, work};
    long first = 0;
    if (c->lanes == 2)
        first = groups(c, &all, 0, 2);
    else if (c->lanes == 4)
        first = fours(c, &all);
    else if (c->lanes == 8)
        first = eights(c, &all);
    groups(c, &all, first, 1);
}
