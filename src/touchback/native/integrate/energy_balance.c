#include "integrate/energy_balance.h"

#include <string.h>

#include "integrate/dense_output.h"

/* Adds what the powers at the state in b->x do in `weight` seconds; sums keep their rounding
 * (Kahan), as a balance over a million steps shall close too. */
static void add(tb_energy_balance *b, double t, double weight) {
    const tb_problem *own = b->own;
    long n = tb_state_size(own);
    double *rates = b->u + b->inputs;
    tb_settle(own, t, b->x, 0);
    if (b->with_rates)
        tb_rate(own, t, b->x, rates);
    else
        tb_set_inputs(own, t, b->x);
    memcpy(b->u, own->u, (size_t)b->inputs * sizeof *rates);
    if (b->rows)
        memcpy(rates + n, b->multipliers, (size_t)b->rows * sizeof *rates);
    b->powers.call(b->x, b->u, b->p, b->values, b->powers.work, b->powers.context);
    for (long i = 0; i < b->count; i++) {
        double term = weight * b->values[i] - b->rounding[i], sum = b->work[i] + term;
        b->rounding[i] = (sum - b->work[i]) - term;
        b->work[i] = sum;
    }
}

void tb_energy_balance_add_step(tb_energy_balance *b, double t, double h, const double *dense,
                                double part) {
    long n = tb_state_size(b->own);
    for (long i = 0; i < b->nodes; i++) {
        double s = part * b->places[i];
        tb_dense_state(n, dense, s, b->x);
        add(b, t + s * h, part * b->weights[i] * h);
    }
    b->t = t + part * h;
    tb_dense_state(n, dense, part, b->x);
    /* as the run does: which coordinates depend is reviewed here */
    tb_settle(b->own, b->t, b->x, 1);
}

void tb_energy_balance_add_cubic(tb_energy_balance *b, double t, double h, const double *x,
                                 const double *next) {
    long n = tb_state_size(b->own);
    double *first = b->dense + TB_DENSE_ROWS * n, *last = first + n;
    tb_rate(b->own, t, x, first);
    tb_rate(b->own, t + h, next, last);
    tb_dense_cubic(n, h, x, next, first, last, b->dense);
    tb_energy_balance_add_step(b, t, h, b->dense, 1.0);
}

void tb_energy_balance_add_rows(tb_energy_balance *b, long rows, const double *times,
                                const double *weights, const double *x) {
    long n = tb_state_size(b->own);
    for (long row = 0; row < rows; row++) {
        memcpy(b->x, x + row * n, (size_t)n * sizeof *x);
        add(b, times[row], weights[row]);
    }
}
