#include "integrate/sampler.h"

#include <string.h>

void tb_sample(const tb_sampler *sampler, const tb_problem *problem, double t, double *x) {
    size_t inputs = (size_t)sampler->inputs;
    size_t n = (size_t)sampler->accelerations_count, m = (size_t)sampler->multipliers_count;
    if (sampler->accelerations) /* of constrained systems, which updates may measure */
        tb_rate(problem, t, x, sampler->rate);
    else
        tb_set_inputs(problem, t, x);
    memcpy(sampler->u, problem->u, inputs * sizeof(double));
    if (sampler->accelerations) {
        memcpy(sampler->u + inputs, sampler->accelerations, n * sizeof(double));
        memcpy(sampler->u + inputs + n, sampler->multipliers, m * sizeof(double));
    }
    sampler->update.call(x, sampler->u, problem->p, sampler->out, sampler->update.work,
                         sampler->update.context);
    for (long i = 0; i < sampler->count; i++) {
        double *memory = x + sampler->places[i], before = *memory;
        *memory = sampler->out[i];
        sampler->out[i] = before;
    }
}

void tb_take_back(const tb_sampler *sampler, double *x) {
    for (long i = 0; i < sampler->count; i++)
        x[sampler->places[i]] = sampler->out[i];
}
