/* The functions of the functional mock-up interface 3.0 that the model answers; fmi3_others.c has
 * the rest. */
#include "fmi3_calls.h"

#include <stdlib.h>
#include <string.h>

static void say(fmu_instance *self, int status, const char *text) {
    fmi3LogMessageCallback logger;
    memcpy(&logger, &self->logger, sizeof logger);
    if (logger)
        logger(self->environment, (fmi3Status)status, "logStatusError", text);
}

static fmi3Instance made(fmi3String name, fmi3String token, fmi3Boolean logging,
                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                         int stepwise) {
    void *logger = NULL;
    memcpy(&logger, &log, sizeof logger);
    fmu_instance *self = fmu_make(name, token, logging, environment, logger, say);
    if (self)
        self->stepwise = stepwise;
    return self;
}

FMU_EXPORT const char *NAMED(fmi3GetVersion)(void) { return "3.0"; }

FMU_EXPORT fmi3Status NAMED(fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t count,
                                                const fmi3String categories[]) {
    (void)count, (void)categories;
    ALLOWED("fmi3SetDebugLogging", FMU_ANY);
    of(c)->logging = on;
    return fmi3OK;
}

FMU_EXPORT fmi3Instance NAMED(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token,
                                                           fmi3String resources,
                                                           fmi3Boolean visible, fmi3Boolean logging,
                                                           fmi3InstanceEnvironment environment,
                                                           fmi3LogMessageCallback log) {
    (void)resources, (void)visible;
    return made(name, token, logging, environment, log, 0);
}

FMU_EXPORT fmi3Instance NAMED(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
    const fmi3ValueReference intermediate[], size_t intermediate_count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update) {
    (void)resources, (void)visible, (void)events, (void)early, (void)intermediate;
    (void)intermediate_count, (void)update;
    return made(name, token, logging, environment, log, 1);
}

FMU_EXPORT void NAMED(fmi3FreeInstance)(fmi3Instance c) { free(c); }

FMU_EXPORT fmi3Status NAMED(fmi3EnterInitializationMode)(fmi3Instance c,
                                                         fmi3Boolean tolerance_given,
                                                         fmi3Float64 tolerance, fmi3Float64 start,
                                                         fmi3Boolean stop_given, fmi3Float64 stop) {
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    ALLOWED("fmi3EnterInitializationMode", FMU_INSTANTIATED);
    of(c)->now.phase = FMU_INITIALIZING;
    return (fmi3Status)fmu_set_time(of(c), start);
}

FMU_EXPORT fmi3Status NAMED(fmi3ExitInitializationMode)(fmi3Instance c) {
    ALLOWED("fmi3ExitInitializationMode", FMU_INITIALIZING);
    return (fmi3Status)fmu_initialized(of(c), of(c)->stepwise ? FMU_STEPS : FMU_EVENTS);
}

FMU_EXPORT fmi3Status NAMED(fmi3Terminate)(fmi3Instance c) {
    ALLOWED("fmi3Terminate", FMU_RUNNING);
    of(c)->now.phase = FMU_TERMINATED;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3Reset)(fmi3Instance c) {
    ALLOWED("fmi3Reset", FMU_ANY);
    fmu_reset(of(c));
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3GetFloat64)(fmi3Instance c, const fmi3ValueReference at[],
                                           size_t count, fmi3Float64 values[], size_t size) {
    ALLOWED("fmi3GetFloat64", FMU_ANY);
    if (size != count)
        return (fmi3Status)fmu_tell(of(c), FMU_ERROR, "There are no arrays among the variables.");
    return (fmi3Status)fmu_get(of(c), at, count, values);
}

FMU_EXPORT fmi3Status NAMED(fmi3SetFloat64)(fmi3Instance c, const fmi3ValueReference at[],
                                           size_t count, const fmi3Float64 values[], size_t size) {
    ALLOWED("fmi3SetFloat64", FMU_BEGINNING | FMU_RUNNING);
    if (size != count)
        return (fmi3Status)fmu_tell(of(c), FMU_ERROR, "There are no arrays among the variables.");
    return (fmi3Status)fmu_set(of(c), at, count, values);
}

/* ---- states that are kept ------------------------------------------------------------------- */

FMU_EXPORT fmi3Status NAMED(fmi3GetFMUState)(fmi3Instance c, fmi3FMUState *state) {
    ALLOWED("fmi3GetFMUState", FMU_ANY);
    *state = fmu_kept(of(c), *state);
    return *state ? fmi3OK : (fmi3Status)fmu_tell(of(c), FMU_ERROR, "No memory for a state.");
}

FMU_EXPORT fmi3Status NAMED(fmi3SetFMUState)(fmi3Instance c, fmi3FMUState state) {
    ALLOWED("fmi3SetFMUState", FMU_ANY);
    return (fmi3Status)fmu_restore(of(c), state);
}

FMU_EXPORT fmi3Status NAMED(fmi3FreeFMUState)(fmi3Instance c, fmi3FMUState *state) {
    ALLOWED("fmi3FreeFMUState", FMU_ANY);
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state,
                                                       size_t *size) {
    (void)state;
    ALLOWED("fmi3SerializedFMUStateSize", FMU_ANY);
    *size = sizeof(fmu_state);
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state,
                                                  fmi3Byte bytes[], size_t size) {
    ALLOWED("fmi3SerializeFMUState", FMU_ANY);
    if (!state || size < sizeof(fmu_state))
        return (fmi3Status)fmu_tell(of(c), FMU_ERROR, "A state has %zu bytes.", sizeof(fmu_state));
    memcpy(bytes, state, sizeof(fmu_state));
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[],
                                                    size_t size, fmi3FMUState *state) {
    ALLOWED("fmi3DeserializeFMUState", FMU_ANY);
    if (!fmu_is_state(bytes, size))
        return (fmi3Status)fmu_tell(of(c), FMU_ERROR,
                                    "The bytes given are no state of this model.");
    fmu_state *kept = *state ? *state : malloc(sizeof *kept);
    if (!kept)
        return (fmi3Status)fmu_tell(of(c), FMU_ERROR, "No memory for a state.");
    memcpy(kept, bytes, sizeof *kept);
    *state = kept;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3GetDirectionalDerivative)(
    fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
    size_t seed_count, fmi3Float64 result[], size_t result_count) {
    ALLOWED("fmi3GetDirectionalDerivative", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED);
    if (seed_count != known_count || result_count != unknown_count)
        return (fmi3Status)fmu_tell(of(c), FMU_ERROR, "There are no arrays among the variables.");
    return (fmi3Status)fmu_get_slopes(of(c), unknowns, unknown_count, knowns, known_count, seed,
                                     result);
}

/* ---- events, and model exchange ------------------------------------------------------------- */

FMU_EXPORT fmi3Status NAMED(fmi3EnterEventMode)(fmi3Instance c) {
    ALLOWED("fmi3EnterEventMode", FMU_CONTINUOUS | FMU_EVENTS);
    of(c)->now.phase = FMU_EVENTS;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3EvaluateDiscreteStates)(fmi3Instance c) {
    ALLOWED("fmi3EvaluateDiscreteStates", FMU_INITIALIZING | FMU_EVENTS);
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3UpdateDiscreteStates)(fmi3Instance c, fmi3Boolean *again,
                                                     fmi3Boolean *end, fmi3Boolean *nominals,
                                                     fmi3Boolean *values, fmi3Boolean *next_given,
                                                     fmi3Float64 *next) {
    ALLOWED("fmi3UpdateDiscreteStates", FMU_EVENTS);
    int changed;
    int status = fmu_event(of(c), &changed);
    *again = *end = *nominals = *next_given = false;
    *values = changed != 0;
    *next = 0.0;
    return (fmi3Status)status;
}

FMU_EXPORT fmi3Status NAMED(fmi3EnterContinuousTimeMode)(fmi3Instance c) {
    ALLOWED("fmi3EnterContinuousTimeMode", FMU_EVENTS);
    of(c)->now.phase = FMU_CONTINUOUS;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean no_way_back,
                                                        fmi3Boolean *event, fmi3Boolean *end) {
    (void)no_way_back;
    ALLOWED("fmi3CompletedIntegratorStep", FMU_CONTINUOUS);
    int moves = 0;
    int status = fmu_step_completed(of(c), &moves);
    *event = moves != 0;
    *end = false;
    return (fmi3Status)status;
}

FMU_EXPORT fmi3Status NAMED(fmi3SetTime)(fmi3Instance c, fmi3Float64 time) {
    ALLOWED("fmi3SetTime", FMU_CONTINUOUS | FMU_EVENTS);
    return (fmi3Status)fmu_set_time(of(c), time);
}

FMU_EXPORT fmi3Status NAMED(fmi3SetContinuousStates)(fmi3Instance c, const fmi3Float64 x[],
                                                    size_t count) {
    ALLOWED("fmi3SetContinuousStates", FMU_CONTINUOUS);
    return (fmi3Status)fmu_set_states(of(c), x, count);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 rates[],
                                                              size_t count) {
    ALLOWED("fmi3GetContinuousStateDerivatives", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED);
    return (fmi3Status)fmu_get_rates(of(c), rates, count);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 values[],
                                                   size_t count) {
    ALLOWED("fmi3GetEventIndicators", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED);
    return (fmi3Status)fmu_get_indicators(of(c), values, count);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetContinuousStates)(fmi3Instance c, fmi3Float64 x[],
                                                    size_t count) {
    ALLOWED("fmi3GetContinuousStates", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED);
    return (fmi3Status)fmu_get_states(of(c), x, count);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 x[],
                                                              size_t count) {
    ALLOWED("fmi3GetNominalsOfContinuousStates", FMU_ANY);
    for (size_t i = 0; i < count; i++)
        x[i] = 1.0;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t *count) {
    ALLOWED("fmi3GetNumberOfEventIndicators", FMU_ANY);
    *count = FMU_NI;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t *count) {
    ALLOWED("fmi3GetNumberOfContinuousStates", FMU_ANY);
    *count = FMU_NX;
    return fmi3OK;
}

/* ---- co-simulation -------------------------------------------------------------------------- */

FMU_EXPORT fmi3Status NAMED(fmi3EnterStepMode)(fmi3Instance c) {
    ALLOWED("fmi3EnterStepMode", FMU_EVENTS | FMU_STEPS);
    of(c)->now.phase = FMU_STEPS;
    return fmi3OK;
}

FMU_EXPORT fmi3Status NAMED(fmi3DoStep)(fmi3Instance c, fmi3Float64 time, fmi3Float64 step,
                                       fmi3Boolean no_way_back, fmi3Boolean *event,
                                       fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *reached) {
    (void)no_way_back;
    ALLOWED("fmi3DoStep", FMU_STEPS);
    int status = fmu_advance(of(c), time, step);
    *event = *end = *early = false;
    *reached = of(c)->now.time;
    return (fmi3Status)status;
}
