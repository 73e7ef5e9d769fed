#include "calls/copies.h"

#define INLINE static inline __attribute__((always_inline)) /* with a number of lanes that is known */

typedef double pair __attribute__((vector_size(16), may_alias));
typedef double four __attribute__((vector_size(32), may_alias));

static long size_of(const long parts[TB_PARTS]) { return parts[0] + parts[1] + parts[2]; }

/* Code for several lanes loads whole vectors: these are stored whole, or the load would wait. */
INLINE void interleave(const double *from, long stride, long size, long lanes, double *to) {
    for (long k = 0; k < size; k++, from++)
        if (lanes == 1)
            to[k] = from[0];
        else if (lanes == 2)
            ((pair *)to)[k] = (pair){from[0], from[stride]};
        else
            ((four *)to)[k] = (four){from[0], from[stride], from[2 * stride], from[3 * stride]};
}

/* The parts of copies `first`, first + 1, … of the row. */
INLINE void gather(const tb_copies *c, const double *row, long first, long lanes, double *to) {
    for (long part = 0; part < TB_PARTS; part++) {
        long size = c->states[part];
        interleave(row + first * size, size, size, lanes, to);
        row += c->count * size;
        to += lanes * size;
    }
}

INLINE void scatter(const tb_copies *c, const double *from, long first, long lanes, double *row) {
    for (long part = 0; part < TB_PARTS; part++) {
        long size = c->outputs[part];
        for (long k = 0; k < size; k++)
            for (long lane = 0; lane < lanes; lane++)
                row[(first + lane) * size + k] = from[k * lanes + lane];
        row += c->count * size;
        from += lanes * size;
    }
}

typedef struct row {
    const double *x, *u, *p;
    double *out, *work;
} row;

/* Computes groups of `lanes` copies from `first` on, and returns the first that is in none. */
INLINE long groups(const tb_copies *c, const row *all, long first, long lanes) {
    tb_function call = lanes == 1 ? c->one : c->wide;
    const void *context = lanes == 1 ? c->one_context : c->wide_context;
    double *x = all->work + c->work, *u = x + lanes * size_of(c->states);
    double *own = u + lanes * (1 + c->shared), *out = own + lanes * c->inputs;
    interleave(all->u, 0, 1 + c->shared, lanes, u);
    for (; first + lanes <= c->count; first += lanes) {
        gather(c, all->x, first, lanes, x);
        interleave(all->u + 1 + c->shared + first * c->inputs, c->inputs, c->inputs, lanes, own);
        call(x, u, all->p + first * c->parameters, out, all->work, context);
        scatter(c, out, first, lanes, all->out);
    }
    return first;
}

void tb_copies_call(const double *x, const double *u, const double *p, double *out, double *work,
                    const void *ctx) {
    const tb_copies *c = ctx;
    const row all = {x, u, p, out, work};
    long first = 0;
    if (c->lanes == 2)
        first = groups(c, &all, 0, 2);
    else if (c->lanes == 4)
        first = groups(c, &all, 0, 4);
    groups(c, &all, first, 1);
}
