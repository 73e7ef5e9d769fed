/* The functions of the functional mock-up interface 2.0. */
#ifdef FMU_STANDARD_HEADERS /* those of the standard in place of ours, to check that they agree */
#include "fmi2Functions.h"
#define FMU_EXPORT FMI2_Export
#define NAMED(name) name
#else
#include "fmi2.h"
#include "export.h"
#endif

#include <stdlib.h>
#include <string.h>

#include "instance.h"

static fmu_instance *of(fmi2Component c) { return (fmu_instance *)c; }

/* Some importers show the format as it is: so it is the message itself, with each % twice. */
static void say(fmu_instance *self, int status, const char *text) {
    char format[1024];
    size_t n = 0;
    for (; *text && n + 2 < sizeof format; text++) {
        if (*text == '%')
            format[n++] = '%';
        format[n++] = *text;
    }
    format[n] = '\0';
    fmi2CallbackLogger logger;
    memcpy(&logger, &self->logger, sizeof logger);
    if (logger)
        logger(self->environment, self->name, (fmi2Status)status, "logStatusError", format);
}

#define ALLOWED(call, phases)                                                                      \
    if (!fmu_allowed(of(c), call, phases))                                                         \
    return fmi2Error

FMU_EXPORT const char *NAMED(fmi2GetTypesPlatform)(void) { return "default"; }
FMU_EXPORT const char *NAMED(fmi2GetVersion)(void) { return "2.0"; }

FMU_EXPORT fmi2Status NAMED(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t count,
                                                const fmi2String categories[]) {
    (void)count, (void)categories;
    ALLOWED("fmi2SetDebugLogging", FMU_ANY);
    of(c)->logging = on;
    return fmi2OK;
}

FMU_EXPORT fmi2Component NAMED(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token,
                                               fmi2String resources,
                                               const fmi2CallbackFunctions *functions,
                                               fmi2Boolean visible, fmi2Boolean logging) {
    (void)type, (void)resources, (void)visible;
    void *logger = NULL;
    if (functions)
        memcpy(&logger, &functions->logger, sizeof logger);
    fmu_instance *self = fmu_make(name, token, logging,
                                functions ? functions->componentEnvironment : NULL, logger, say);
    if (self)
        self->stepwise = type == fmi2CoSimulation;
    return self;
}

FMU_EXPORT void NAMED(fmi2FreeInstance)(fmi2Component c) { free(c); }

FMU_EXPORT fmi2Status NAMED(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerance_given,
                                                fmi2Real tolerance, fmi2Real start,
                                                fmi2Boolean stop_given, fmi2Real stop) {
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    ALLOWED("fmi2SetupExperiment", FMU_INSTANTIATED);
    return (fmi2Status)fmu_set_time(of(c), start);
}

FMU_EXPORT fmi2Status NAMED(fmi2EnterInitializationMode)(fmi2Component c) {
    ALLOWED("fmi2EnterInitializationMode", FMU_INSTANTIATED);
    of(c)->now.phase = FMU_INITIALIZING;
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2ExitInitializationMode)(fmi2Component c) {
    ALLOWED("fmi2ExitInitializationMode", FMU_INITIALIZING);
    return (fmi2Status)fmu_initialized(of(c), of(c)->stepwise ? FMU_STEPS : FMU_EVENTS);
}

FMU_EXPORT fmi2Status NAMED(fmi2Terminate)(fmi2Component c) {
    ALLOWED("fmi2Terminate", FMU_RUNNING);
    of(c)->now.phase = FMU_TERMINATED;
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2Reset)(fmi2Component c) {
    ALLOWED("fmi2Reset", FMU_ANY);
    fmu_reset(of(c));
    return fmi2OK;
}

/* ---- variables: all are real ---------------------------------------------------------------- */

#define REFERENCES fmi2Component c, const fmi2ValueReference at[], size_t count

FMU_EXPORT fmi2Status NAMED(fmi2GetReal)(REFERENCES, fmi2Real values[]) {
    ALLOWED("fmi2GetReal", FMU_ANY);
    return (fmi2Status)fmu_get(of(c), at, count, values);
}

FMU_EXPORT fmi2Status NAMED(fmi2SetReal)(REFERENCES, const fmi2Real values[]) {
    ALLOWED("fmi2SetReal", FMU_BEGINNING | FMU_RUNNING);
    return (fmi2Status)fmu_set(of(c), at, count, values);
}

static fmi2Status no_others(fmi2Component c, size_t count) {
    ALLOWED("Getting and setting", FMU_ANY);
    return count ? (fmi2Status)fmu_tell(of(c), FMU_ERROR, "There are real variables only.")
                 : fmi2OK;
}

#define OTHER(type)                                                                                \
    FMU_EXPORT fmi2Status NAMED(fmi2Get##type)(REFERENCES, fmi2##type values[]) {                  \
        return (void)at, (void)values, no_others(c, count);                                        \
    }                                                                                              \
    FMU_EXPORT fmi2Status NAMED(fmi2Set##type)(REFERENCES, const fmi2##type values[]) {            \
        return (void)at, (void)values, no_others(c, count);                                        \
    }
OTHER(Integer)
OTHER(Boolean)
OTHER(String)

/* ---- states that are kept ------------------------------------------------------------------- */

FMU_EXPORT fmi2Status NAMED(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state) {
    ALLOWED("fmi2GetFMUstate", FMU_ANY);
    *state = fmu_kept(of(c), *state);
    return *state ? fmi2OK : (fmi2Status)fmu_tell(of(c), FMU_ERROR, "No memory for a state.");
}

FMU_EXPORT fmi2Status NAMED(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state) {
    ALLOWED("fmi2SetFMUstate", FMU_ANY);
    return (fmi2Status)fmu_restore(of(c), state);
}

FMU_EXPORT fmi2Status NAMED(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state) {
    ALLOWED("fmi2FreeFMUstate", FMU_ANY);
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state,
                                                       size_t *size) {
    (void)state;
    ALLOWED("fmi2SerializedFMUstateSize", FMU_ANY);
    *size = sizeof(fmu_state);
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state,
                                                  fmi2Byte bytes[], size_t size) {
    ALLOWED("fmi2SerializeFMUstate", FMU_ANY);
    if (!state || size < sizeof(fmu_state))
        return (fmi2Status)fmu_tell(of(c), FMU_ERROR, "A state has %zu bytes.", sizeof(fmu_state));
    memcpy(bytes, state, sizeof(fmu_state));
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[],
                                                    size_t size, fmi2FMUstate *state) {
    ALLOWED("fmi2DeSerializeFMUstate", FMU_ANY);
    if (!fmu_is_state(bytes, size))
        return (fmi2Status)fmu_tell(of(c), FMU_ERROR,
                                    "The bytes given are no state of this model.");
    fmu_state *kept = *state ? *state : malloc(sizeof *kept);
    if (!kept)
        return (fmi2Status)fmu_tell(of(c), FMU_ERROR, "No memory for a state.");
    memcpy(kept, bytes, sizeof *kept);
    *state = kept;
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2GetDirectionalDerivative)(
    fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
    const fmi2ValueReference knowns[], size_t known_count, const fmi2Real seed[],
    fmi2Real result[]) {
    ALLOWED("fmi2GetDirectionalDerivative", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED);
    return (fmi2Status)fmu_get_slopes(of(c), unknowns, unknown_count, knowns, known_count, seed,
                                     result);
}

/* ---- model exchange ------------------------------------------------------------------------- */

FMU_EXPORT fmi2Status NAMED(fmi2EnterEventMode)(fmi2Component c) {
    ALLOWED("fmi2EnterEventMode", FMU_CONTINUOUS | FMU_EVENTS);
    of(c)->now.phase = FMU_EVENTS;
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info) {
    ALLOWED("fmi2NewDiscreteStates", FMU_EVENTS);
    int changed;
    int status = fmu_event(of(c), &changed);
    *info = (fmi2EventInfo){0, 0, 0, changed, 0, 0.0};
    return (fmi2Status)status;
}

FMU_EXPORT fmi2Status NAMED(fmi2EnterContinuousTimeMode)(fmi2Component c) {
    ALLOWED("fmi2EnterContinuousTimeMode", FMU_EVENTS);
    of(c)->now.phase = FMU_CONTINUOUS;
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean no_way_back,
                                                        fmi2Boolean *event, fmi2Boolean *end) {
    (void)no_way_back;
    ALLOWED("fmi2CompletedIntegratorStep", FMU_CONTINUOUS);
    *event = *end = 0;
    return (fmi2Status)fmu_step_completed(of(c), event);
}

FMU_EXPORT fmi2Status NAMED(fmi2SetTime)(fmi2Component c, fmi2Real time) {
    ALLOWED("fmi2SetTime", FMU_CONTINUOUS | FMU_EVENTS);
    return (fmi2Status)fmu_set_time(of(c), time);
}

FMU_EXPORT fmi2Status NAMED(fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[],
                                                    size_t count) {
    ALLOWED("fmi2SetContinuousStates", FMU_CONTINUOUS);
    return (fmi2Status)fmu_set_states(of(c), x, count);
}

FMU_EXPORT fmi2Status NAMED(fmi2GetDerivatives)(fmi2Component c, fmi2Real rates[], size_t count) {
    ALLOWED("fmi2GetDerivatives", FMU_CONTINUOUS | FMU_EVENTS | FMU_TERMINATED);
    return (fmi2Status)fmu_get_rates(of(c), rates, count);
}

FMU_EXPORT fmi2Status NAMED(fmi2GetEventIndicators)(fmi2Component c, fmi2Real values[],
                                                   size_t count) {
    ALLOWED("fmi2GetEventIndicators", FMU_CONTINUOUS | FMU_EVENTS | FMU_TERMINATED);
    return (fmi2Status)fmu_get_indicators(of(c), values, count);
}

FMU_EXPORT fmi2Status NAMED(fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t count) {
    ALLOWED("fmi2GetContinuousStates", FMU_CONTINUOUS | FMU_EVENTS | FMU_TERMINATED);
    return (fmi2Status)fmu_get_states(of(c), x, count);
}

FMU_EXPORT fmi2Status NAMED(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[],
                                                              size_t count) {
    ALLOWED("fmi2GetNominalsOfContinuousStates", FMU_ANY);
    for (size_t i = 0; i < count; i++)
        nominals[i] = 1.0;
    return fmi2OK;
}

/* ---- co-simulation -------------------------------------------------------------------------- */

FMU_EXPORT fmi2Status NAMED(fmi2DoStep)(fmi2Component c, fmi2Real time, fmi2Real step,
                                       fmi2Boolean no_way_back) {
    (void)no_way_back;
    ALLOWED("fmi2DoStep", FMU_STEPS);
    int status = fmu_advance(of(c), time, step);
    /* Discard would say that a part of the step was taken: importers go on from there for ever. */
    return status == FMU_DISCARD ? fmi2Error : (fmi2Status)status;
}

FMU_EXPORT fmi2Status NAMED(fmi2CancelStep)(fmi2Component c) {
    ALLOWED("fmi2CancelStep", 0);
    return fmi2Error;
}

FMU_EXPORT fmi2Status NAMED(fmi2SetRealInputDerivatives)(REFERENCES, const fmi2Integer orders[],
                                                        const fmi2Real values[]) {
    (void)at, (void)orders, (void)values;
    ALLOWED("fmi2SetRealInputDerivatives", FMU_ANY);
    return count ? (fmi2Status)fmu_tell(of(c), FMU_ERROR, "Inputs are held during a step.")
                 : fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2GetRealOutputDerivatives)(REFERENCES, const fmi2Integer orders[],
                                                         fmi2Real values[]) {
    (void)at, (void)orders, (void)values;
    ALLOWED("fmi2GetRealOutputDerivatives", FMU_ANY);
    return count ? (fmi2Status)fmu_tell(of(c), FMU_ERROR, "Outputs have no derivatives.") : fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind,
                                              fmi2Real *value) {
    ALLOWED("fmi2GetRealStatus", FMU_ANY);
    if (kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = of(c)->now.time;
    return fmi2OK;
}

FMU_EXPORT fmi2Status NAMED(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind,
                                                 fmi2Boolean *value) {
    ALLOWED("fmi2GetBooleanStatus", FMU_ANY);
    if (kind != fmi2Terminated)
        return fmi2Discard;
    *value = 0;
    return fmi2OK;
}

#define NO_STATUS(name, type)                                                                      \
    FMU_EXPORT fmi2Status NAMED(name)(fmi2Component c, const fmi2StatusKind kind, type *value) {   \
        (void)c, (void)kind, (void)value;                                                          \
        return fmi2Discard;                                                                        \
    }
NO_STATUS(fmi2GetStatus, fmi2Status)
NO_STATUS(fmi2GetIntegerStatus, fmi2Integer)
NO_STATUS(fmi2GetStringStatus, fmi2String)
