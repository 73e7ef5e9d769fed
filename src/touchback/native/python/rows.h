/* A function for many rows of arguments: as many at once as a vector register holds, on threads. */
#ifndef TOUCHBACK_ROWS_OF_CALLS_H
#define TOUCHBACK_ROWS_OF_CALLS_H

#include "calls/abi.h"

enum { TB_MOST_LANES = 8, TB_MOST_PARTS = 8, TB_MOST_THREADS = 64 };

/* Where a part of each row's arguments is read: row i at from + i * stride (0: the same for all),
 * and at which place of [x, u] it goes. */
typedef struct tb_part {
    const double *from;
    long stride, size, place;
} tb_part;

typedef struct tb_rows {
    tb_function one, wide; /* of a row, and of `lanes` rows */
    long context_count;    /* 1 where threads may share them, else as many as threads */
    const void *one_contexts[TB_MOST_THREADS], *wide_contexts[TB_MOST_THREADS];
    long lanes, x, u, p, out, work; /* sizes of a row's arrays; `work` of either function */
    long part_count;
    tb_part parts[TB_MOST_PARTS];
    const double *block; /* parameters */
    long block_stride;   /* 0: the same for all rows */
    double *result;      /* row i at result + i * width */
    long first, width;   /* which of a row's outputs are wanted */
} tb_rows;

/* Computes the rows on up to so many threads; each row's bits are those of a call of its own.
 * Returns 0, or −1 where memory is short. */
int tb_rows_run(const tb_rows *rows, long count, long threads);

#endif
