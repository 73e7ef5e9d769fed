#include "integrate/samples.h"

void tb_sampled_input(double t, const double *x, double *u, const tb_samples *samples) {
    (void)x;
    for (long i = 0; i < samples->count; i++)
        u[samples->slots[i]] = tb_lookup1(&samples->tables[i], t, TB_VALUE);
}
