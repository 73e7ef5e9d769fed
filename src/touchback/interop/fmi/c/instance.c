#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLACK = 1e-9; /* of a communication step that is all but whole steps */
static const double MOST_STEPS = 1e9;

int tb_tell(tb_instance *self, int status, const char *text, ...) {
    if (self->say && (self->logging || status >= TB_ERROR)) {
        char message[512];
        va_list given;
        va_start(given, text);
        vsnprintf(message, sizeof message, text, given);
        va_end(given);
        self->say(self, status, message);
    }
    if (status >= TB_ERROR)
        self->now.failed = 1;
    return status;
}

int tb_allowed(tb_instance *self, const char *call, int phases) {
    if (!self)
        return 0;
    if (self->now.failed && phases != TB_ANY) {
        tb_tell(self, TB_ERROR, "%s: an earlier call failed; reset or free the instance.", call);
        return 0;
    }
    if (!(self->now.phase & phases)) {
        tb_tell(self, TB_ERROR, "%s may not be called now (phase %d).", call, (int)self->now.phase);
        return 0;
    }
    return 1;
}

/* ---- beginning ------------------------------------------------------------------------------ */

static uint64_t model_number(void) {
    uint64_t sum = 1469598103934665603u; /* FNV-1a */
    for (const char *c = TB_TOKEN; *c; c++)
        sum = (sum ^ (unsigned char)*c) * 1099511628211u;
    return sum ^ sizeof(tb_state);
}

static void forget(tb_instance *self) { self->rate_known = self->outputs_known = 0; }

void tb_reset(tb_instance *self) {
    tb_state *now = &self->now;
    memset(now, 0, sizeof *now);
    now->model = model_number();
    now->phase = TB_INSTANTIATED;
    memcpy(now->start, tb_starts, TB_NX * sizeof(double));
    memcpy(now->x, tb_starts, TB_NX * sizeof(double));
    memcpy(now->inputs, tb_input_starts, TB_NU * sizeof(double));
    memcpy(now->parameters, tb_parameter_starts, TB_NP * sizeof(double));
    tb_core_begin(&self->core);
    self->block_known = self->moves = 0;
    forget(self);
}

tb_instance *tb_make(const char *name, const char *token, int logging, void *environment,
                     void *logger, void (*say)(tb_instance *, int, const char *)) {
    tb_instance *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->logging = logging;
    self->environment = environment;
    self->logger = logger;
    self->say = say;
    snprintf(self->name, sizeof self->name, "%s", name ? name : "");
    const char *trouble = NULL;
    if (!token || strcmp(token, TB_TOKEN) != 0)
        trouble = "the token given is of another model";
#ifdef __FMA__
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
        trouble = "this processor lacks FMA or AVX2, which the binary was built for; build the "
                  "sources";
#endif
    if (trouble) {
        tb_tell(self, TB_ERROR, "Not instantiated: %s.", trouble);
        free(self);
        return NULL;
    }
    tb_reset(self);
    return self;
}

/* ---- what follows from the state ------------------------------------------------------------ */

static int know_block(tb_instance *self) {
    if (self->block_known)
        return TB_OK;
    if (!tb_core_parameters(&self->core, self->now.parameters))
        return tb_tell(self, TB_DISCARD, "The parameters give numbers that aren't finite.");
    if (TB_SLOPES)
        tb_model_slope_parameters(self->now.parameters, NULL, NULL, self->slope_block, NULL, NULL);
    self->block_known = 1;
    return TB_OK;
}

/* Until it is initialised, the state is that nearest to the start which constraints allow. */
static int settle_start(tb_instance *self) {
    int chosen;
    memcpy(self->now.x, self->now.start, TB_NX * sizeof(double));
    tb_core_begin(&self->core);
    self->block_known = 0;
    int status = know_block(self);
    if (status != TB_OK)
        return status;
    if (!tb_core_settle(&self->core, self->now.time, self->now.x, self->now.inputs, &chosen))
        return tb_tell(self, TB_DISCARD, "The constraints can't be met from the start values.");
    return TB_OK;
}

int tb_know_rate(tb_instance *self) {
    if (self->rate_known)
        return TB_OK;
    int status = self->now.phase & TB_BEGINNING ? settle_start(self) : know_block(self);
    if (status != TB_OK)
        return status;
    const tb_state *now = &self->now;
    if (!tb_core_rate(&self->core, now->time, now->x, now->inputs, self->rate))
        return tb_tell(self, TB_DISCARD, "At time %.9g the equations of motion have no answer.",
                       now->time);
    self->rate_known = 1;
    return TB_OK;
}

int tb_know_outputs(tb_instance *self) {
    int status = tb_know_rate(self);
    if (status != TB_OK || self->outputs_known)
        return status;
    const tb_core *core = &self->core;
    tb_model_outputs(core->x, core->u, core->block, self->outputs, NULL, NULL);
    self->outputs_known = 1;
    return TB_OK;
}

int tb_get_indicators(tb_instance *self, double *values, size_t count) {
    if (count != TB_NI)
        return tb_tell(self, TB_ERROR, "There are %d event indicators.", TB_NI);
    int status = tb_know_rate(self);
    if (status == TB_OK && TB_NI > 0)
        tb_model_indicators(self->core.x, self->core.u, self->slope_block, values, NULL, NULL);
    return status;
}

/* ---- variables ------------------------------------------------------------------------------ */

static int get_one(tb_instance *self, uint32_t at, double *value) {
    int status = TB_OK;
    if (at == TB_TIME)
        *value = self->now.time;
    else if (at < TB_OUTPUTS)
        *value = self->now.inputs[at - TB_INPUTS];
    else if (at < TB_STATES) {
        status = tb_know_outputs(self);
        *value = self->outputs[at - TB_OUTPUTS];
    } else if (at < TB_RATES) {
        if (self->now.phase & TB_INITIALIZING)
            status = tb_know_rate(self);
        const double *from = self->now.phase == TB_INSTANTIATED ? self->now.start : self->now.x;
        *value = from[at - TB_STATES];
    } else if (at < TB_PARAMETERS) {
        status = tb_know_rate(self);
        *value = self->rate[at - TB_RATES];
    } else if (at < TB_INDICATORS)
        *value = self->now.parameters[at - TB_PARAMETERS];
    else {
        status = tb_get_indicators(self, self->indicators, TB_NI);
        *value = self->indicators[at - TB_INDICATORS];
    }
    return status;
}

int tb_get(tb_instance *self, const uint32_t *references, size_t count, double *values) {
    for (size_t i = 0; i < count; i++) {
        if (references[i] >= TB_REFERENCES)
            return tb_tell(self, TB_ERROR, "No variable has the reference %u.", references[i]);
        int status = get_one(self, references[i], values + i);
        if (status != TB_OK)
            return status;
    }
    return TB_OK;
}

static int set_one(tb_instance *self, uint32_t at, double value) {
    tb_state *now = &self->now;
    if (!isfinite(value))
        return tb_tell(self, TB_DISCARD, "Variable %u: its value isn't finite; it was not set.", at);
    if (at >= TB_INPUTS && at < TB_OUTPUTS) {
        now->inputs[at - TB_INPUTS] = value;
    } else if (at >= TB_STATES && at < TB_RATES && now->phase & TB_BEGINNING) {
        now->start[at - TB_STATES] = value;
    } else if (at >= TB_PARAMETERS && at < TB_INDICATORS && now->phase != TB_CONTINUOUS) {
        uint32_t i = at - TB_PARAMETERS;
        if (value < tb_least[i] || value > tb_most[i])
            return tb_tell(self, TB_DISCARD, "Parameter %u: %.9g lies outside %.9g to %.9g.", at,
                           value, tb_least[i], tb_most[i]);
        now->parameters[i] = value;
        self->block_known = 0;
    } else
        return tb_tell(self, TB_ERROR, "Variable %u can't be set now.", at);
    forget(self);
    return TB_OK;
}

int tb_set(tb_instance *self, const uint32_t *references, size_t count, const double *values) {
    int worst = TB_OK;
    for (size_t i = 0; i < count; i++) {
        int status = set_one(self, references[i], values[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* ---- going on ------------------------------------------------------------------------------- */

int tb_initialized(tb_instance *self, int phase) {
    int status = tb_know_rate(self);
    if (status != TB_OK)
        return tb_tell(self, TB_ERROR, "The model can't begin from these values.");
    self->now.phase = phase;
    return TB_OK;
}

int tb_advance(tb_instance *self, double time, double step) {
    tb_state *now = &self->now;
    if (!isfinite(time) || !(step > 0.0) || !(step / TB_STEP < MOST_STEPS))
        return tb_tell(self, TB_ERROR, "No step of %.9g s from %.9g s can be taken.", step, time);
    int status = know_block(self);
    if (status != TB_OK)
        return status;
    double whole = ceil(step / TB_STEP - SLACK), x[TB_NX + 1];
    long count = whole < 1.0 ? 1 : (long)whole;
    memcpy(x, now->x, TB_NX * sizeof *x);
    forget(self);
    for (long k = 0; k < count; k++) {
        double from = time + step * (double)k / (double)count;
        if (!tb_core_step(&self->core, from, step / (double)count, x, now->inputs)) {
            tb_core_recall(&self->core, now->memory);
            return tb_tell(self, TB_DISCARD, "The step from %.9g s has no answer.", from);
        }
    }
    memcpy(now->x, x, TB_NX * sizeof *x);
    tb_core_remember(&self->core, now->memory);
    now->time = time + step;
    return TB_OK;
}

int tb_set_time(tb_instance *self, double time) {
    if (!isfinite(time))
        return tb_tell(self, TB_ERROR, "The time isn't finite.");
    self->now.time = time;
    forget(self);
    return TB_OK;
}

int tb_set_states(tb_instance *self, const double *x, size_t count) {
    if (count != TB_NX)
        return tb_tell(self, TB_ERROR, "There are %d continuous states.", TB_NX);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return tb_tell(self, TB_DISCARD, "State %zu isn't finite; none was set.", i + 1);
    memcpy(self->now.x, x, count * sizeof *x);
    forget(self);
    return TB_OK;
}

int tb_get_states(tb_instance *self, double *x, size_t count) {
    if (count != TB_NX)
        return tb_tell(self, TB_ERROR, "There are %d continuous states.", TB_NX);
    memcpy(x, self->now.x, count * sizeof *x);
    return TB_OK;
}

int tb_get_rates(tb_instance *self, double *rates, size_t count) {
    if (count != TB_NX)
        return tb_tell(self, TB_ERROR, "There are %d continuous states.", TB_NX);
    int status = tb_know_rate(self);
    memcpy(rates, self->rate, count * sizeof *rates);
    return status;
}

/* Where other coordinates become dependent, those that were so may be integrated from where they
 * belong: at an event, which moves the states by what the integrator's tolerance left. */
int tb_step_completed(tb_instance *self, int *event) {
    int status = know_block(self), chosen = 0;
    if (status != TB_OK)
        return status;
    memcpy(self->moved, self->now.x, TB_NX * sizeof(double));
    if (!tb_core_settle(&self->core, self->now.time, self->moved, self->now.inputs, &chosen))
        return tb_tell(self, TB_DISCARD, "At time %.9g the constraints can't be met.", self->now.time);
    tb_core_remember(&self->core, self->now.memory);
    self->moves = *event = chosen;
    if (chosen)
        forget(self);
    return TB_OK;
}

int tb_event(tb_instance *self, int *changed) {
    *changed = self->moves;
    if (self->moves) {
        memcpy(self->now.x, self->moved, TB_NX * sizeof(double));
        forget(self);
    }
    self->moves = 0;
    return TB_OK;
}

/* ---- kept states ---------------------------------------------------------------------------- */

tb_state *tb_kept(tb_instance *self, tb_state *old) {
    tb_state *kept = old ? old : malloc(sizeof *kept);
    if (!kept)
        return NULL;
    tb_core_remember(&self->core, self->now.memory);
    memcpy(kept, &self->now, sizeof *kept);
    return kept;
}

int tb_is_state(const void *bytes, size_t size) {
    tb_state given;
    if (!bytes || size != sizeof given)
        return 0;
    memcpy(&given, bytes, size);
    return given.model == model_number();
}

int tb_restore(tb_instance *self, const tb_state *kept) {
    if (!tb_is_state(kept, sizeof *kept))
        return tb_tell(self, TB_ERROR, "The state given is of another model.");
    memcpy(&self->now, kept, sizeof *kept);
    self->block_known = self->moves = 0;
    forget(self);
    int status = know_block(self);
    tb_core_recall(&self->core, self->now.memory);
    return status;
}
