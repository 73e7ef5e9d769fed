/* Inputs given as samples on a time grid: linear in between, held beyond the ends. */
#include "problem.h"

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

/* The inputs at each of many times and states, as the integrators saw them. */
void tb_input_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                   double *inputs, long input_count) {
    long n = tb_state_size(problem);
    for (long row = 0; row < rows; row++) {
        tb_set_inputs(problem, times[row], x + row * n);
        for (long i = 0; i < input_count; i++)
            inputs[row * input_count + i] = problem->u[i];
    }
}
