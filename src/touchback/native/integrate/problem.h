/* What an integrator needs to know: a state x = [q, v, z], its rate, and the inputs u = [t,
 * inputs...]. */
#ifndef TOUCHBACK_PROBLEM_H
#define TOUCHBACK_PROBLEM_H

#include "calls/abi.h"

/* Refreshes u[1:] at a time and a state; must not touch anything else. */
typedef void (*tb_input)(double t, const double *x, double *u, const void *data);

typedef struct tb_callable {
    tb_function call;
    double *work;
    const void *context;
} tb_callable;

struct tb_problem;
struct tb_newton;
struct tb_sampler;
struct tb_books;

/* Makes a state that an integrator has reached consistent, in place. `accepted` tells the end of a
 * step from an interpolated state. Returns 1 when the rate at the end of the step must be evaluated
 * anew, 0 when the one evaluated before stands. */
typedef long (*tb_settle)(const struct tb_problem *problem, double t, double *x, long accepted);

typedef struct tb_problem {
    long nq, nv, nz;
    tb_callable rate;               /* out = dx/dt */
    tb_callable configuration_rate; /* out = dq/dt; call is NULL when nq == nv and dq/dt = v */
    tb_input input;                 /* NULL when the inputs are constant */
    const void *input_data;
    double *u;
    const double *p;
    tb_settle settle; /* NULL when every state is consistent */
    void *settle_data;
    struct tb_newton *newton;   /* of implicit methods (newton.h); NULL for the others */
    struct tb_sampler *sampler; /* of memories (sampler.h); NULL without any */
    struct tb_books *books;     /* of energy (books.h); NULL when none are kept */
} tb_problem;

enum {
    TB_REACHED = 0,    /* the end of the interval */
    TB_PAUSED = 1,     /* the end of the chunk of steps that the caller asked for */
    TB_NOT_FINITE = 2, /* a NaN or an infinity in the state or its rate */
    TB_STEP_TOO_SMALL = 3,
    TB_STEP_LIMIT = 4,
    TB_EVENT = 5, /* an active event, where the step was ended */
    TB_INTERRUPTED = 6, /* by who asked for it (interrupt.h), after the last whole step */
};

static inline long tb_state_size(const tb_problem *problem) {
    return problem->nq + problem->nv + problem->nz;
}

static inline void tb_set_inputs(const tb_problem *problem, double t, const double *x) {
    problem->u[0] = t;
    if (problem->input)
        problem->input(t, x, problem->u, problem->input_data);
}

static inline void tb_rate(const tb_problem *problem, double t, const double *x, double *rate) {
    tb_set_inputs(problem, t, x);
    problem->rate.call(x, problem->u, problem->p, rate, problem->rate.work, problem->rate.context);
}

/* Index of the first NaN or infinity, -1 when all numbers are finite. */
static inline long tb_first_not_finite(const double *values, long count) {
    for (long i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0.0))
            return i;
    return -1;
}

#endif
