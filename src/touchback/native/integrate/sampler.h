/* Memories: states that change only at ticks, where each takes the value of its update. */
#ifndef TOUCHBACK_SAMPLER_H
#define TOUCHBACK_SAMPLER_H

#include "integrate/problem.h"

typedef struct tb_sampler {
    tb_callable update; /* out = the new values */
    long count;
    const long *places; /* of the memories in x */
    long every;         /* steps from tick to tick */
    long inputs;        /* length of [t, inputs...] */
    long accelerations_count, multipliers_count;
    const double *accelerations, *multipliers; /* of the last rate; NULL in trees */
    double *u, *out, *rate; /* u: inputs, accelerations, multipliers; rate: scratch */
} tb_sampler;

/* Lets the memories in x take their new values; all updates see the old ones, which stay in `out`.
 */
void tb_sample(const tb_sampler *sampler, const tb_problem *problem, double t, double *x);
/* Gives them the old ones back, where nothing comes of the step that the tick began. */
void tb_take_back(const tb_sampler *sampler, double *x);

/* How many numbers of a state, its first, can change between ticks: memories rest there. */
static inline long tb_moving_size(const tb_problem *problem) {
    long moving = problem->nq + problem->nv, z = problem->nz;
    return problem->sampler && problem->sampler->count == z ? moving : moving + z;
}

/* How many a step can change: all where it ends by making the state consistent. */
static inline long tb_changing_size(const tb_problem *problem) {
    return tb_settles(problem) ? tb_state_size(problem) : tb_moving_size(problem);
}

#endif
