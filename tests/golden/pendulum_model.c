/* pendulum: its memory, and how it moves. Printed by Touchback. */
#include "model.h"

#include <math.h>
#include <string.h>

#include "integrate/fixed_step.h"
#include "integrate/problem.h"
#include "integrate/sampler.h"

void equations_outputs(const double *x, const double *u, const double *p, double *out, double *work,
    const void *ctx);
void equations_rate(const double *x, const double *u, const double *p, double *out, double *work,
    const void *ctx);
void equations_parameters(const double *x, const double *u, const double *p, double *out, double *work,
    const void *ctx);

const double MODEL_STEP = 0.001;
const char *const model_state_names[] = {"pivot", "pivot rate"};
const char *const model_state_units[] = {"rad", "rad/s"};
const char *const model_input_names[] = {0};
const char *const model_input_units[] = {0};
const char *const model_output_names[] = {"bob position.x", "bob position.y", "bob position.z", "energy"};
const char *const model_output_units[] = {"m", "m", "m", "J"};
const char *const model_parameter_names[] = {"length", "mass"};
const char *const model_parameter_units[] = {"m", "kg"};

static const double parameters[] = {1.0, 1.0};
static const double state[] = {0.0, 0.0};

/* Lets what is in the struct point to each other. */
static void connect(model *m) {
    m->problem.nq = 1;
    m->problem.nv = 1;
    m->problem.rate.call = equations_rate;
    m->problem.u = m->u;
    m->problem.p = m->p;
    m->outputs.call = equations_outputs;
}

void model_init(model *m) {
    memset(m, 0, sizeof *m);
    connect(m);
    m->run.step = tb_rk4_step;
    m->run.h = MODEL_STEP;
    m->run.x = m->state;
    m->run.scratch = m->scratch;
    memcpy(m->parameters, parameters, 2 * sizeof *parameters);
    memcpy(m->state, state, sizeof state);
    model_use_parameters(m);
    model_start(m, 0.0);
}

void model_use_parameters(model *m) {
    static const double none;
    equations_parameters(m->parameters, &none, &none, m->p, 0, 0);
}

int model_assemble(model *m, double t) {
    memcpy(m->state, state, sizeof state);
    return model_start(m, t);
}

int model_start(model *m, double t) {
    long before = model_unanswered(m);
    m->run.t0 = t;
    m->run.steps = 0;
    m->run.bad = -1;
    tb_reset_warm_start(&m->problem);
    tb_settle(&m->problem, t, m->state, 1);
    return model_unanswered(m) != before;
}

long model_unanswered(const model *m) {
    tb_solver_status found = tb_solver_status_of(&m->problem);
    return found.paradoxes + found.not_converged + found.chattering;
}

double model_time(const model *m) { return m->run.t0 + (double)m->run.steps * m->run.h; }

int model_step(model *m) {
    tb_fixed_take(&m->run, &m->problem);
    return (int)(m->run.bad + 1);
}

void model_rate(model *m, double t, const double *x, double *rate) {
    tb_rate(&m->problem, t, x, rate);
}

void model_outputs(model *m, double *outputs) {
    tb_set_inputs(&m->problem, model_time(m), m->state);
    memcpy(m->measured, m->u, (1 + MODEL_INPUTS) * sizeof(double));
    m->outputs.call(m->state, m->measured, m->p, outputs, m->outputs.work,
                    m->outputs.context);
}
