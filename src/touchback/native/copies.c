/* One function for a row of copies of a mechanism: the copies' arrays are cut out of the row's,
 * x = [q of all, v of all, z of all], u = [t, inputs of all], p = [blocks of all]. */
#include <string.h>

#include "abi.h"

typedef struct tb_copies {
    tb_function call;
    const void *context;
    long count;
    long nq, nv, nz, inputs, parameters, outputs;
    long rate; /* whether the outputs are laid out as x is */
    long work; /* of the function, in doubles: the copy's x, u and outputs come after it */
} tb_copies;

/* Moves the parts of copy i between the row's array and its own: out of it, or into it. */
static void take(const tb_copies *c, long i, const double *row, double *own) {
    const long sizes[3] = {c->nq, c->nv, c->nz};
    for (long k = 0; k < 3; k++) {
        memcpy(own, row + i * sizes[k], (size_t)sizes[k] * sizeof *own);
        own += sizes[k];
        row += c->count * sizes[k];
    }
}

static void put(const tb_copies *c, long i, const double *own, double *row) {
    const long sizes[3] = {c->nq, c->nv, c->nz};
    for (long k = 0; k < 3; k++) {
        memcpy(row + i * sizes[k], own, (size_t)sizes[k] * sizeof *own);
        own += sizes[k];
        row += c->count * sizes[k];
    }
}

void tb_copies_call(const double *x, const double *u, const double *p, double *out, double *work,
                    const void *ctx) {
    const tb_copies *c = ctx;
    double *own_x = work + c->work, *own_u = own_x + c->nq + c->nv + c->nz;
    double *own_out = own_u + 1 + c->inputs;
    own_u[0] = u[0];
    for (long i = 0; i < c->count; i++) {
        take(c, i, x, own_x);
        memcpy(own_u + 1, u + 1 + i * c->inputs, (size_t)c->inputs * sizeof *u);
        double *result = c->rate ? own_out : out + i * c->outputs;
        c->call(own_x, own_u, p + i * c->parameters, result, work, c->context);
        if (c->rate)
            put(c, i, own_out, out);
    }
}
