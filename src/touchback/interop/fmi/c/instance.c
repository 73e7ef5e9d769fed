#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        fmu_tell(self, FMU_ERROR, "%s may not be called now (phase %d).", call,
                 (int)self->now.phase);
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

void fmu_forget(fmu_instance *self) { self->rate_known = self->outputs_known = 0; }

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
    fmu_forget(self);
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

int fmu_know_block(fmu_instance *self) {
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

/* Whether nobody has set other states to start from than those of the defaults. */
static int start_is_default(const fmu_state *now) {
    return memcmp(now->start, fmu_starts, FMU_NX * sizeof(double)) == 0;
}

static int inputs_and_parameters_are_default(const fmu_state *now) {
    return memcmp(now->inputs, fmu_input_starts, FMU_NU * sizeof(double)) == 0 &&
           memcmp(now->parameters, fmu_parameter_starts, FMU_NP * sizeof(double)) == 0 &&
           now->time == 0.0;
}

/* Until it is initialised, the state is that nearest to the start which constraints allow; where
 * only parameters and inputs were set, that which is assembled for them. */
static int settle_start(fmu_instance *self) {
    fmu_state *now = &self->now;
    memcpy(now->x, now->start, FMU_NX * sizeof(double));
    fmu_core_begin(&self->core);
    self->block_known = 0;
    int status = fmu_know_block(self);
    if (status != FMU_OK)
        return status;
    int refused;
    if (start_is_default(now) && !inputs_and_parameters_are_default(now))
        refused = fmu_core_assemble(&self->core, now->time, now->x, now->inputs);
    else
        refused = !fmu_core_start(&self->core, now->time, now->x, now->inputs);
    if (refused == 2)
        return fmu_tell(self, FMU_DISCARD,
                        "Where contacts begin was found with the default parameters and "
                        "inputs: export the FMU with these, or set the states to start from.");
    if (refused)
        return fmu_tell(self, FMU_DISCARD, "The constraints can't be met from the start values.");
    return FMU_OK;
}

int fmu_know_rate(fmu_instance *self) {
    if (self->rate_known)
        return FMU_OK;
    int status = self->now.phase & FMU_BEGINNING ? settle_start(self) : fmu_know_block(self);
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
        return fmu_tell(self, FMU_DISCARD, "Variable %u: its value isn't finite; it was not set.",
                        at);
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
    fmu_forget(self);
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
    fmu_forget(self);
    int status = fmu_know_block(self);
    if (!fmu_core_recall(&self->core, self->now.memory))
        return fmu_tell(self, FMU_ERROR, "The state given is damaged.");
    return status;
}
