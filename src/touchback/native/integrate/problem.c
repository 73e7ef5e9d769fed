/* A problem seen from Python: its rate at one state, and its inputs along a run. */
#include "integrate/problem.h"

void tb_problem_rate(const tb_problem *problem, double t, const double *x, double *rate) {
    tb_rate(problem, t, x, rate);
}

void tb_input_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                   double *inputs, long input_count) {
    long n = tb_state_size(problem);
    for (long row = 0; row < rows; row++) {
        tb_set_inputs(problem, times[row], x + row * n);
        for (long i = 0; i < input_count; i++)
            inputs[row * input_count + i] = problem->u[i];
    }
}

void tb_settle_rows(const tb_problem *problem, long rows, const double *times, double *x,
                    long accepted) {
    long n = tb_state_size(problem);
    for (long row = 0; row < rows && tb_settles(problem); row++)
        tb_settle(problem, times[row], x + row * n, accepted);
}
