/* Plain evaluation of a program, one operation after the other: the reference for emitted code and
 * the back end of last resort. `tb_interpret` follows the one calling convention; its context is a
 * tb_program and its work holds one double for every node. */
#ifndef TOUCHBACK_INTERPRETER_H
#define TOUCHBACK_INTERPRETER_H

#include <stdint.h>

#include "calls/table.h"

/* Node i applies op[i] to nodes a[i], b[i], c[i]. CONST: a indexes constants. INPUT: a is the array
 * (0 x, 1 u, 2 p) and b the index. LOOKUP: c indexes tables and wants. An output -k is the negative
 * of node k. */
typedef struct tb_program {
    long nodes, output_count;
    const int32_t *op, *a, *b, *c, *outputs;
    const double *constants;
    const tb_table *const *tables;
    const int32_t *wants;
} tb_program;

/* The names of the operations by their numbers, with a blank after each. */
const char *tb_operation_names(void);

void tb_interpret(const double *x, const double *u, const double *p, double *out, double *work,
                  const void *ctx);

#endif
