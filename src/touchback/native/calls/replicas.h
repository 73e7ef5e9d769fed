/* One function for a row of copies of a mechanism. A state has the positions of all copies, then
 * all velocities, then the others, as every state does; so do rates. u is the time, the inputs that
 * all copies share (a copy's first), and the other inputs of each copy. As many copies as a vector
 * register holds are computed at once, those that are left one by one: p holds the blocks of such a
 * group interleaved, as the code for several lanes takes them. */
#ifndef TOUCHBACK_REPLICAS_H
#define TOUCHBACK_REPLICAS_H

#include "calls/abi.h"

enum { TB_PARTS = 3 };

typedef struct tb_replicas {
    tb_function one, wide; /* of a copy, and of `lanes` copies */
    const void *one_context, *wide_context;
    long count, lanes, shared, inputs, parameters; /* inputs: of one copy, without those shared */
    long states[TB_PARTS], outputs[TB_PARTS];      /* sizes of the parts of a copy's x and out */
    long work; /* of either function, in doubles: x, u and out follow it */
} tb_replicas;

/* Of the one calling convention, with a tb_replicas as its context. */
void tb_replicas_call(const double *x, const double *u, const double *p, double *out, double *work,
                      const void *ctx);

#endif
