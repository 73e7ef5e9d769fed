#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLACK = 1e-9; /* of a communication step that is all but whole steps */
static const double GRID = 1e-6;  /* of a step: communication points nearer than this are on its grid */
static const double MOST_STEPS = 1e9;

int fmu_tell(fmu_instance *self, int status, const char *text, ...) {
    if (self->say && (self->logging || status >= FMU_ERROR)) {
        char message[512];
        va_list given;
        va_start(given, text);
        vsnprintf(message, sizeof message, text, given);
        va_end(given);
        self->say(self, status, message);
    }
    if (status >= FMU_ERROR)
        self->now.failed = 1;
    return status;
}

int fmu_allowed(fmu_instance *self, const char *call, int phases) {
    if (!self)
        return 0;
    if (self->now.failed && phases != FMU_ANY) {
        fmu_tell(self, FMU_ERROR, "%s: an earlier call failed; reset or free the instance.", call);
        return 0;
    }
    if (!(self->now.phase & phases)) {
        fmu_tell(self, FMU_ERROR, "%s may not be called now (phase %d).", call, (int)self->now.phase);
        return 0;
    }
    return 1;
}

/* ---- beginning ------------------------------------------------------------------------------ */

static uint64_t model_number(void) {
    uint64_t sum = 1469598103934665603u; /* FNV-1a */
    for (const char *c = FMU_TOKEN; *c; c++)
        sum = (sum ^ (unsigned char)*c) * 1099511628211u;
    return sum ^ sizeof(fmu_state);
}

static void forget(fmu_instance *self) { self->rate_known = self->outputs_known = 0; }

void fmu_reset(fmu_instance *self) {
    fmu_state *now = &self->now;
    memset(now, 0, sizeof *now);
    now->model = model_number();
    now->phase = FMU_INSTANTIATED;
    memcpy(now->start, fmu_starts, FMU_NX * sizeof(double));
    memcpy(now->x, fmu_starts, FMU_NX * sizeof(double));
    memcpy(now->inputs, fmu_input_starts, FMU_NU * sizeof(double));
    memcpy(now->parameters, fmu_parameter_starts, FMU_NP * sizeof(double));
    fmu_core_begin(&self->core);
    self->block_known = self->moves = 0;
    forget(self);
}

fmu_instance *fmu_make(const char *name, const char *token, int logging, void *environment,
                     void *logger, void (*say)(fmu_instance *, int, const char *)) {
    fmu_instance *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->logging = logging;
    self->environment = environment;
    self->logger = logger;
    self->say = say;
    snprintf(self->name, sizeof self->name, "%s", name ? name : "");
    const char *trouble = NULL;
    if (!token || strcmp(token, FMU_TOKEN) != 0)
        trouble = "the token given is of another model";
#ifdef __FMA__
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
        trouble = "this processor lacks FMA or AVX2, which the binary was built for; build the "
                  "sources";
#endif
    if (trouble) {
        fmu_tell(self, FMU_ERROR, "Not instantiated: %s.", trouble);
        free(self);
        return NULL;
    }
    fmu_reset(self);
    return self;
}

/* ---- what follows from the state ------------------------------------------------------------ */

static int know_block(fmu_instance *self) {
    if (self->block_known)
        return FMU_OK;
    if (!fmu_core_parameters(&self->core, self->now.parameters))
        return fmu_tell(self, FMU_DISCARD, "The parameters give numbers that aren't finite.");
#if FMU_SLOPES
    fmu_model_slope_parameters(self->now.parameters, NULL, NULL, self->slope_block, NULL, NULL);
#endif
    self->block_known = 1;
    return FMU_OK;
}

/* Until it is initialised, the state is that nearest to the start which constraints allow. */
static int settle_start(fmu_instance *self) {
    memcpy(self->now.x, self->now.start, FMU_NX * sizeof(double));
    fmu_core_begin(&self->core);
    self->block_known = 0;
    int status = know_block(self);
    if (status != FMU_OK)
        return status;
    if (!fmu_core_start(&self->core, self->now.time, self->now.x, self->now.inputs))
        return fmu_tell(self, FMU_DISCARD, "The constraints can't be met from the start values.");
    return FMU_OK;
}

int fmu_know_rate(fmu_instance *self) {
    if (self->rate_known)
        return FMU_OK;
    int status = self->now.phase & FMU_BEGINNING ? settle_start(self) : know_block(self);
    if (status != FMU_OK)
        return status;
    const fmu_state *now = &self->now;
    if (!fmu_core_rate(&self->core, now->time, now->x, now->inputs, self->rate))
        return fmu_tell(self, FMU_DISCARD, "At time %.9g the equations of motion have no answer.",
                       now->time);
    self->rate_known = 1;
    return FMU_OK;
}

int fmu_know_outputs(fmu_instance *self) {
    int status = fmu_know_rate(self);
    if (status != FMU_OK || self->outputs_known)
        return status;
    fmu_core_outputs(&self->core, self->outputs);
    self->outputs_known = 1;
    return FMU_OK;
}

int fmu_get_indicators(fmu_instance *self, double *values, size_t count) {
    if (count != FMU_NI)
        return fmu_tell(self, FMU_ERROR, "There are %d event indicators.", FMU_NI);
    int status = fmu_know_rate(self);
#if FMU_SLOPES
    if (status == FMU_OK && FMU_NI > 0)
        fmu_model_indicators(self->core.x, self->core.u, self->slope_block, values, NULL, NULL);
#else
    (void)values;
#endif
    return status;
}

/* ---- variables ------------------------------------------------------------------------------ */

static int get_one(fmu_instance *self, uint32_t at, double *value) {
    int status = FMU_OK;
    if (at == FMU_TIME)
        *value = self->now.time;
    else if (at < FMU_OUTPUTS)
        *value = self->now.inputs[at - FMU_INPUTS];
    else if (at < FMU_STATES) {
        status = fmu_know_outputs(self);
        *value = self->outputs[at - FMU_OUTPUTS];
    } else if (at < FMU_RATES) {
        if (self->now.phase & FMU_INITIALIZING)
            status = fmu_know_rate(self);
        const double *from = self->now.phase == FMU_INSTANTIATED ? self->now.start : self->now.x;
        *value = from[at - FMU_STATES];
    } else if (at < FMU_PARAMETERS) {
        status = fmu_know_rate(self);
        *value = self->rate[at - FMU_RATES];
    } else if (at < FMU_INDICATORS)
        *value = self->now.parameters[at - FMU_PARAMETERS];
    else {
        status = fmu_get_indicators(self, self->indicators, FMU_NI);
        *value = self->indicators[at - FMU_INDICATORS];
    }
    return status;
}

int fmu_get(fmu_instance *self, const uint32_t *references, size_t count, double *values) {
    for (size_t i = 0; i < count; i++) {
        if (references[i] >= FMU_REFERENCES)
            return fmu_tell(self, FMU_ERROR, "No variable has the reference %u.", references[i]);
        int status = get_one(self, references[i], values + i);
        if (status != FMU_OK)
            return status;
    }
    return FMU_OK;
}

static int set_one(fmu_instance *self, uint32_t at, double value) {
    fmu_state *now = &self->now;
    if (!isfinite(value))
        return fmu_tell(self, FMU_DISCARD, "Variable %u: its value isn't finite; it was not set.", at);
    if (at >= FMU_INPUTS && at < FMU_OUTPUTS) {
        now->inputs[at - FMU_INPUTS] = value;
    } else if (at >= FMU_STATES && at < FMU_RATES && now->phase & FMU_BEGINNING) {
        now->start[at - FMU_STATES] = value;
    } else if (at >= FMU_PARAMETERS && at < FMU_INDICATORS && now->phase != FMU_CONTINUOUS) {
        uint32_t i = at - FMU_PARAMETERS;
        if (value < fmu_least[i] || value > fmu_most[i])
            return fmu_tell(self, FMU_DISCARD, "Parameter %u: %.9g lies outside %.9g to %.9g.", at,
                           value, fmu_least[i], fmu_most[i]);
        now->parameters[i] = value;
        self->block_known = 0;
    } else
        return fmu_tell(self, FMU_ERROR, "Variable %u can't be set now.", at);
    forget(self);
    return FMU_OK;
}

int fmu_set(fmu_instance *self, const uint32_t *references, size_t count, const double *values) {
    int worst = FMU_OK;
    for (size_t i = 0; i < count; i++) {
        int status = set_one(self, references[i], values[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* ---- going on ------------------------------------------------------------------------------- */

int fmu_initialized(fmu_instance *self, int phase) {
    int status = fmu_know_rate(self);
    if (status != FMU_OK)
        return fmu_tell(self, FMU_ERROR, "The model can't begin from these values.");
    self->now.phase = phase;
    self->now.begin = self->now.time;
    return FMU_OK;
}

/* Into how many equal steps a communication step is cut; 0 where it can't be: memories take their values
 * every so many steps, which then are all of one length. */
static long steps_in(double step) {
    double whole = ceil(step / FMU_STEP - SLACK);
    if (FMU_TICKS && fabs(step / FMU_STEP - whole) > 2.0 * SLACK)
        return 0;
    return whole < 1.0 ? 1 : (long)whole;
}

/* Whether steps of h from here go on along the grid of FMU_STEP that began earlier; then h is exactly
 * that, and times don't gather rounding. */
static int on_grid(const fmu_state *now, double time, double *h) {
    if (fabs(*h - FMU_STEP) > SLACK * FMU_STEP)
        return 0;
    *h = FMU_STEP;
    return fabs(now->begin + (double)now->steps * FMU_STEP - time) <= GRID * FMU_STEP;
}

int fmu_advance(fmu_instance *self, double time, double step) {
    fmu_state *now = &self->now;
    if (!isfinite(time) || !(step > 0.0) || !(step / FMU_STEP < MOST_STEPS))
        return fmu_tell(self, FMU_ERROR, "No step of %.9g s from %.9g s can be taken.", step, time);
    long count = steps_in(step);
    if (count == 0)
        return fmu_tell(self, FMU_DISCARD, "Steps are multiples of %.9g s, as ticks are.", FMU_STEP);
    int status = know_block(self);
    if (status != FMU_OK)
        return status;
    double x[FMU_NX + 1], h = step / (double)count;
    if (!on_grid(now, time, &h)) { /* which begins anew here */
        now->begin = time;
        now->steps = 0;
    }
    memcpy(x, now->x, FMU_NX * sizeof *x);
    fmu_core_remember(&self->core, now->memory);
    forget(self);
    for (long k = 0; k < count; k++)
        if (!fmu_core_step(&self->core, now->begin, now->steps + k, h, x, now->inputs)) {
            fmu_core_recall(&self->core, now->memory);
            return fmu_tell(self, FMU_DISCARD, "The step from %.9g s has no answer.", time);
        }
    memcpy(now->x, x, FMU_NX * sizeof *x);
    now->steps += count;
    now->time = time + step;
    return FMU_OK;
}

int fmu_set_time(fmu_instance *self, double time) {
    if (!isfinite(time))
        return fmu_tell(self, FMU_ERROR, "The time isn't finite.");
    self->now.time = time;
    forget(self);
    return FMU_OK;
}

int fmu_set_states(fmu_instance *self, const double *x, size_t count) {
    if (count != FMU_NX)
        return fmu_tell(self, FMU_ERROR, "There are %d continuous states.", FMU_NX);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return fmu_tell(self, FMU_DISCARD, "State %zu isn't finite; none was set.", i + 1);
    memcpy(self->now.x, x, count * sizeof *x);
    forget(self);
    return FMU_OK;
}

int fmu_get_states(fmu_instance *self, double *x, size_t count) {
    if (count != FMU_NX)
        return fmu_tell(self, FMU_ERROR, "There are %d continuous states.", FMU_NX);
    memcpy(x, self->now.x, count * sizeof *x);
    return FMU_OK;
}

int fmu_get_rates(fmu_instance *self, double *rates, size_t count) {
    if (count != FMU_NX)
        return fmu_tell(self, FMU_ERROR, "There are %d continuous states.", FMU_NX);
    int status = fmu_know_rate(self);
    memcpy(rates, self->rate, count * sizeof *rates);
    return status;
}

/* Where other coordinates become dependent, those that were so may be integrated from where they
 * belong: at an event, which moves the states by what the integrator's tolerance left. */
int fmu_step_completed(fmu_instance *self, int *event) {
    int status = know_block(self), chosen = 0;
    if (status != FMU_OK)
        return status;
    memcpy(self->moved, self->now.x, FMU_NX * sizeof(double));
    if (!fmu_core_settle(&self->core, self->now.time, self->moved, self->now.inputs, &chosen))
        return fmu_tell(self, FMU_DISCARD, "At time %.9g the constraints can't be met.", self->now.time);
    self->moves = *event = chosen;
    if (chosen)
        forget(self);
    return FMU_OK;
}

int fmu_event(fmu_instance *self, int *changed) {
    *changed = self->moves;
    if (self->moves) {
        memcpy(self->now.x, self->moved, FMU_NX * sizeof(double));
        forget(self);
    }
    self->moves = 0;
    return FMU_OK;
}

/* ---- kept states ---------------------------------------------------------------------------- */

fmu_state *fmu_kept(fmu_instance *self, fmu_state *old) {
    fmu_state *kept = old ? old : malloc(sizeof *kept);
    if (!kept)
        return NULL;
    fmu_core_remember(&self->core, self->now.memory);
    memcpy(kept, &self->now, sizeof *kept);
    return kept;
}

int fmu_is_state(const void *bytes, size_t size) {
    fmu_state given;
    if (!bytes || size != sizeof given)
        return 0;
    memcpy(&given, bytes, size);
    return given.model == model_number();
}

int fmu_restore(fmu_instance *self, const fmu_state *kept) {
    if (!fmu_is_state(kept, sizeof *kept))
        return fmu_tell(self, FMU_ERROR, "The state given is of another model.");
    memcpy(&self->now, kept, sizeof *kept);
    self->block_known = self->moves = 0;
    forget(self);
    int status = know_block(self);
    if (!fmu_core_recall(&self->core, self->now.memory))
        return fmu_tell(self, FMU_ERROR, "The state given is damaged.");
    return status;
}
