/* A problem seen from Python: its rate at one state, and its inputs along a run. */
#include <string.h>

#include "integrate/problem.h"

#include "integrate/cells.h"

long tb_problem_save_warm_start(const tb_problem *problem, double *memory) {
    return tb_save_warm_start(problem, memory);
}

void tb_problem_rate(const tb_problem *problem, double t, const double *x, double *rate) {
    tb_rate(problem, t, x, rate);
}

double tb_problem_too_far(const tb_problem *problem, const double *x, const double *next) {
    return tb_too_far(problem, x, next);
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

void tb_solved_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                    const double *a, long a_count, const double *lambda, long lambda_count,
                    double *rate, double *solved) {
    long n = tb_state_size(problem);
    for (long row = 0; row < rows; row++, x += n) {
        if (problem->kind && problem->kind->count_all)
            problem->kind->count_all(problem, times[row], x);
        tb_rate(problem, times[row], x, rate);
        memcpy(solved, a, (size_t)a_count * sizeof *a);
        memcpy(solved + a_count, lambda, (size_t)lambda_count * sizeof *lambda);
        solved += a_count + lambda_count;
    }
}

void tb_settle_rows(const tb_problem *problem, long rows, const double *times, double *x,
                    long accepted) {
    long n = tb_state_size(problem);
    for (long row = 0; row < rows && tb_settles(problem); row++)
        tb_settle(problem, times[row], x + row * n, accepted);
}

void tb_problem_project(const tb_problem *problem, double t, double *x) {
    if (tb_projects(problem))
        problem->kind->project(problem, t, x);
}
