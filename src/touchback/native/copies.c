/* One function for a row of copies of a mechanism: x, p and out are laid out copy by copy, u is the
 * time and the inputs of each copy. */
#include "abi.h"

typedef struct tb_copies {
    tb_function call;
    const void *context;
    long count, states, inputs, parameters, outputs;
    long work; /* of the function, in doubles: a copy's u comes after it */
} tb_copies;

void tb_copies_call(const double *x, const double *u, const double *p, double *out, double *work,
                    const void *ctx) {
    const tb_copies *c = ctx;
    double *own = work + c->work;
    own[0] = *u++;
    for (long i = 0; i < c->count; i++) {
        for (long k = 0; k < c->inputs; k++)
            own[1 + k] = *u++;
        c->call(x, own, p, out, work, c->context);
        x += c->states;
        p += c->parameters;
        out += c->outputs;
    }
}
