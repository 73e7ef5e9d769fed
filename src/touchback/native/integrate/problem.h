/* What an integrator needs to know: a state x = [q, v, z], its rate, and the inputs u = [t,
 * inputs...]. */
#ifndef TOUCHBACK_PROBLEM_H
#define TOUCHBACK_PROBLEM_H

#include <float.h>
#include <stdint.h>

#include "calls/abi.h"
#include "device.h"

struct tb_problem;
struct tb_samples;
struct tb_constrained;
struct tb_contact_state;
struct tb_modes;
struct tb_newton;
struct tb_sampler;
struct tb_energy_balance;

/* See knots.h. */
typedef struct tb_knots {
    long count, next;
    const double *at, *before; /* rising; the last times that are read on the way to them */
    double latest, earliest;   /* what is read of any later time, and of any earlier one */
    long room, ended;
    double *ends; /* of accepted steps, in order */
} tb_knots;

struct tb_cells;

/* Refreshes u[1:] at a time and a state; must not touch anything else. */
typedef void (*tb_input)(double t, const double *x, double *u, const struct tb_samples *samples);

typedef struct tb_callable {
    tb_function call;
    double *work;
    const void *context;
} tb_callable;

static inline void tb_call(const tb_callable *f, const double *x, const double *u, const double *p,
                           double *out) {
    f->call(x, u, p, out, f->work, f->context);
}
#define TB_CALL(owner, function, x, u, p, out) tb_call(&(owner)->function, x, u, p, out)
#define TB_HAS(owner, function) ((owner)->function.call)

/* What went wrong in solvers so far. */
typedef struct tb_solver_status {
    long chattering;    /* steps with more transitions between modes than a step may have */
    long paradoxes;     /* evaluations in which the friction of constraints had no answer */
    long not_converged; /* states that could not be made consistent */
} tb_solver_status;

/* What a kind of dynamics can do beside its rate. Each kind has a table, in its own folder, and
 * works on its own member of the problem; whoever holds a problem calls through the table (the
 * functions below) and never asks which kind it is. Any entry may be NULL. */
typedef struct tb_dynamics_kind {
    /* Makes a state that an integrator has reached consistent, in place. `accepted` tells the end
     * of a step from an interpolated state. Returns 1 when the rate at the end of the step must be
     * evaluated anew, 0 when the one evaluated before stands. */
    long (*settle)(const struct tb_problem *problem, double t, double *x, long accepted);
    /* Moves a state onto the constraints by the smallest step (weighted with the mass), also under
     * formulations that let it drift, and settles it. */
    void (*project)(const struct tb_problem *problem, double t, double *x);
    /* How far constraints are open at a state [m or rad]. */
    double (*gap)(const struct tb_problem *problem, double t, const double *x);
    /* How far the state that was settled last has left them open. */
    double (*settled_gap)(const struct tb_problem *problem);
    tb_solver_status (*status)(const struct tb_problem *problem);
    /* What comes next hangs on the state alone, not on how it was reached. */
    void (*reset_warm_start)(const struct tb_problem *problem);
    /* What comes next hangs on beside the state, as numbers: writes them (where `memory` isn't
     * NULL) and returns how many there are. */
    long (*save_warm_start)(const struct tb_problem *problem, double *memory);
    /* Takes so many numbers back; returns 0, and has changed nothing, when they can't be its own.
     */
    int (*restore_warm_start)(const struct tb_problem *problem, const double *memory);
    /* Before the rate at a recorded state: what couldn't act at the one before acts again. */
    void (*count_all)(const struct tb_problem *problem, double t, const double *x);
} tb_dynamics_kind;

typedef struct tb_problem {
    long nq, nv, nz;
    tb_callable rate;               /* out = dx/dt */
    tb_callable configuration_rate; /* out = dq/dt; call is NULL when nq == nv and dq/dt = v */
    tb_input input;                 /* NULL when the inputs are constant */
    const struct tb_samples *samples;
    double *u;
    const double *p;
    const tb_dynamics_kind *kind; /* NULL when every state is consistent */
    const struct tb_constrained *constrained;
    struct tb_contact_state *contact_state;
    struct tb_modes *modes;
    struct tb_newton *newton;   /* of implicit methods (newton.h); NULL for the others */
    struct tb_sampler *sampler; /* of memories (sampler.h); NULL without any */
    struct tb_energy_balance *energy_balance; /* NULL when none is kept */
    struct tb_cells
        *cells;      /* of positions, in which steps look (cells.h); NULL when there are none */
    tb_knots *knots; /* at which adaptive steps end (knots.h); NULL when nobody knows of any */
} tb_problem;

enum {
    TB_REACHED = 0,    /* the end of the interval */
    TB_PAUSED = 1,     /* the end of the chunk of steps that the caller asked for */
    TB_NOT_FINITE = 2, /* a NaN or an infinity in the state or its rate */
    TB_STEP_TOO_SMALL = 3,
    TB_STEP_LIMIT = 4,
    TB_EVENT = 5,       /* an active event, where the step was ended */
    TB_INTERRUPTED = 6, /* by who asked for it (interrupt.h), after the last whole step */
};

static inline long tb_state_size(const tb_problem *problem) {
    return problem->nq + problem->nv + problem->nz;
}

static inline void tb_set_inputs(const tb_problem *problem, double t, const double *x) {
    const tb_knots *knots = problem->knots;
    if (knots)
        t = t > knots->latest ? knots->latest : t < knots->earliest ? knots->earliest : t;
    problem->u[0] = t;
    if (problem->input)
        problem->input(t, x, problem->u, problem->samples);
}

/* Lets another problem have the inputs and parameters of this one. */
static inline void tb_lend_inputs(const tb_problem *problem, tb_problem *to) {
    to->u = problem->u;
    to->p = problem->p;
    to->input = problem->input;
    to->samples = problem->samples;
    to->knots = problem->knots;
}

static inline void tb_rate(const tb_problem *problem, double t, const double *x, double *rate) {
    tb_set_inputs(problem, t, x);
    problem->rate.call(x, problem->u, problem->p, rate, problem->rate.work, problem->rate.context);
}

static inline int tb_settles(const tb_problem *problem) {
    return problem->kind && problem->kind->settle;
}

static inline long tb_settle(const tb_problem *problem, double t, double *x, long accepted) {
    return tb_settles(problem) ? problem->kind->settle(problem, t, x, accepted) : 0;
}

/* Whether there are constraints that a state can be projected onto. */
static inline int tb_projects(const tb_problem *problem) {
    return problem->kind && problem->kind->project;
}

static inline double tb_gap(const tb_problem *problem, double t, const double *x) {
    return problem->kind && problem->kind->gap ? problem->kind->gap(problem, t, x) : 0.0;
}

static inline double tb_settled_gap(const tb_problem *problem) {
    return problem->kind && problem->kind->settled_gap ? problem->kind->settled_gap(problem) : 0.0;
}

static inline tb_solver_status tb_solver_status_of(const tb_problem *problem) {
    static const tb_solver_status NONE;
    return problem->kind && problem->kind->status ? problem->kind->status(problem) : NONE;
}

static inline void tb_reset_warm_start(const tb_problem *problem) {
    if (problem->kind && problem->kind->reset_warm_start)
        problem->kind->reset_warm_start(problem);
}

static inline long tb_save_warm_start(const tb_problem *problem, double *memory) {
    const tb_dynamics_kind *kind = problem->kind;
    return kind && kind->save_warm_start ? kind->save_warm_start(problem, memory) : 0;
}

static inline int tb_restore_warm_start(const tb_problem *problem, const double *memory) {
    const tb_dynamics_kind *kind = problem->kind;
    return kind && kind->restore_warm_start ? kind->restore_warm_start(problem, memory) : 1;
}

/* Index of the first NaN or number beyond a limit, whatever its sign; -1 when there is none. Eight
 * are looked at together, in vectors that every processor has. */
static inline long tb_first_beyond(const double *values, long count, double limit) {
    typedef double two __attribute__((vector_size(16), may_alias, aligned(8)));
    typedef int64_t both __attribute__((vector_size(16)));
    const two above = {limit, limit}, below = {-limit, -limit};
    long i = 0;
    for (; i + 8 <= count; i += 8) {
        both within = {-1, -1};
        for (long k = i; k < i + 8; k += 2) {
            two pair = *(const two *)(values + k);
            within &= (pair <= above) & (pair >= below);
        }
        if (!(within[0] & within[1]))
            break;
    }
    for (; i < count; i++)
        if (!(values[i] <= limit && values[i] >= -limit))
            return i;
    return -1;
}

/* Index of the first NaN or infinity, -1 when all numbers are finite. */
static inline long tb_first_not_finite(const double *values, long count) {
    return tb_first_beyond(values, count, DBL_MAX);
}

typedef struct tb_cells {
    long count;
    tb_callable numbers; /* of x and p alone */
    const double *p;
    const long *starts; /* count + 1: of the breaks of each */
    const double *breaks;
    double *first, *last; /* count: scratch */
} tb_cells;

/* ---- seen from Python (problem.c) ---------------------------------------------------------- */

/* What warm-starts the next step beside the state, where `memory` isn't NULL, and how many numbers.
 */
long tb_problem_save_warm_start(const tb_problem *problem, double *memory);
void tb_problem_rate(const tb_problem *problem, double t, const double *x, double *rate);
/* How far it is from a state to the next one, as a multiple of how far its cells allow (cells.h).
 */
double tb_problem_too_far(const tb_problem *problem, const double *x, const double *next);
/* The inputs at each of many times and states, as the integrators saw them. */
void tb_input_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                   double *inputs, long input_count);
/* What the rate leaves at two places, the accelerations and the multipliers that it solved for, at
 * each of many times and states: rows of the one after the other. `rate` is memory for one rate. */
void tb_solved_rows(const tb_problem *problem, long rows, const double *times, const double *x,
                    const double *a, long a_count, const double *lambda, long lambda_count,
                    double *rate, double *solved);
/* A state moved onto the constraints, where there are any. */
void tb_problem_project(const tb_problem *problem, double t, double *x);
/* Rows of states made consistent in place, as an integrator leaves them. */
void tb_settle_rows(const tb_problem *problem, long rows, const double *times, double *x,
                    long accepted);

#endif
