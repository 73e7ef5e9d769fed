/* Inputs given as samples on a time grid: linear in between, held beyond the ends. */
#include "integrate/problem.h"

/* Tables in time for some of the inputs; slots[i] is the place of series i in u. */
typedef struct tb_samples {
    long count;
    const long *slots;
    const tb_table *tables;
} tb_samples;

void tb_sampled_input(double t, const double *x, double *u, const void *data) {
    const tb_samples *samples = data;
    (void)x;
    for (long i = 0; i < samples->count; i++)
        u[samples->slots[i]] = tb_lookup1(&samples->tables[i], t, TB_VALUE);
}
