#include "fixed_step.h"

#include <string.h>

/* Takes steps first .. first + count - 1 of length h from x, step k starting at t0 + k h (no drift
 * of the clock), and copies the state into the next row of `record` after every `every`-th step.
 * Returns the steps taken: fewer than count when the next state is not finite; x is then the last
 * good state and *bad the index of the culprit. Scratch holds 5 * state size doubles. */
long tb_fixed_steps(tb_step step, const tb_problem *problem, double t0, double h, long first,
                    long count, long every, double *x, double *record, double *scratch, long *bad) {
    long n = tb_state_size(problem);
    double *next = scratch;
    for (long k = first; k < first + count; k++) {
        step(problem, t0 + (double)k * h, h, x, next, scratch + n);
        if (problem->settle)
            problem->settle(problem, t0 + (double)(k + 1) * h, next, 1);
        *bad = tb_first_not_finite(next, n);
        if (*bad >= 0)
            return k - first;
        memcpy(x, next, (size_t)n * sizeof *x);
        if ((k + 1) % every == 0) {
            memcpy(record, x, (size_t)n * sizeof *x);
            record += n;
        }
    }
    return count;
}
