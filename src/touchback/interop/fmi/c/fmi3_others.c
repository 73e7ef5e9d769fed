/* Functions of the interface 3.0 for what this model hasn't: variables that aren't real, clocks,
 * arrays, scheduled execution. They are there, as importers look for them, and say so. */
#include "fmi3_calls.h"

static fmi3Status none(fmi3Instance c, const char *what, size_t asked) {
    if (!c)
        return fmi3Error;
    return asked ? (fmi3Status)fmu_tell(of(c), FMU_ERROR, "There are no %s.", what) : fmi3OK;
}

#define REFERENCES fmi3Instance c, const fmi3ValueReference at[], size_t count

#define OTHER(type)                                                                                \
    FMU_EXPORT fmi3Status NAMED(fmi3Get##type)(REFERENCES, fmi3##type values[], size_t size) {     \
        (void)at, (void)values, (void)size;                                                        \
        return none(c, "variables of type " #type, count);                                         \
    }                                                                                              \
    FMU_EXPORT fmi3Status NAMED(fmi3Set##type)(REFERENCES, const fmi3##type values[],              \
                                               size_t size) {                                      \
        (void)at, (void)values, (void)size;                                                        \
        return none(c, "variables of type " #type, count);                                         \
    }
OTHER(Float32)
OTHER(Int8)
OTHER(UInt8)
OTHER(Int16)
OTHER(UInt16)
OTHER(Int32)
OTHER(UInt32)
OTHER(Int64)
OTHER(UInt64)
OTHER(Boolean)
OTHER(String)

FMU_EXPORT fmi3Status NAMED(fmi3GetBinary)(REFERENCES, size_t sizes[], fmi3Binary values[],
                                          size_t size) {
    (void)at, (void)sizes, (void)values, (void)size;
    return none(c, "binary variables", count);
}

FMU_EXPORT fmi3Status NAMED(fmi3SetBinary)(REFERENCES, const size_t sizes[],
                                          const fmi3Binary values[], size_t size) {
    (void)at, (void)sizes, (void)values, (void)size;
    return none(c, "binary variables", count);
}

#define CLOCKS(name, ...)                                                                          \
    FMU_EXPORT fmi3Status NAMED(name)(REFERENCES, __VA_ARGS__) {                                   \
        (void)at;                                                                                  \
        return none(c, "clocks", count);                                                           \
    }
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
CLOCKS(fmi3GetClock, fmi3Clock values[])
CLOCKS(fmi3SetClock, const fmi3Clock values[])
CLOCKS(fmi3GetIntervalDecimal, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
CLOCKS(fmi3GetIntervalFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
       fmi3IntervalQualifier qualifiers[])
CLOCKS(fmi3GetShiftDecimal, fmi3Float64 shifts[])
CLOCKS(fmi3GetShiftFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
CLOCKS(fmi3SetIntervalDecimal, const fmi3Float64 intervals[])
CLOCKS(fmi3SetIntervalFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
CLOCKS(fmi3SetShiftDecimal, const fmi3Float64 shifts[])
CLOCKS(fmi3SetShiftFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])

FMU_EXPORT fmi3Status NAMED(fmi3GetOutputDerivatives)(REFERENCES, const fmi3Int32 orders[],
                                                     fmi3Float64 values[], size_t size) {
    (void)at;
    return none(c, "derivatives of outputs", count);
}

FMU_EXPORT fmi3Instance NAMED(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
    return NULL;
}

FMU_EXPORT fmi3Status NAMED(fmi3ActivateModelPartition)(fmi3Instance c, fmi3ValueReference clock,
                                                       fmi3Float64 time) {
    return none(c, "clocks", 1);
}

FMU_EXPORT fmi3Status NAMED(fmi3EnterConfigurationMode)(fmi3Instance c) {
    return none(c, "structural parameters", 1);
}

FMU_EXPORT fmi3Status NAMED(fmi3ExitConfigurationMode)(fmi3Instance c) {
    return none(c, "structural parameters", 1);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetNumberOfVariableDependencies)(fmi3Instance c,
                                                                fmi3ValueReference at,
                                                                size_t *count) {
    return none(c, "dependencies by element; modelDescription.xml has those of variables", 1);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetVariableDependencies)(
    fmi3Instance c, fmi3ValueReference at, size_t elements[], fmi3ValueReference independents[],
    size_t independent_elements[], fmi3DependencyKind kinds[], size_t count) {
    return none(c, "dependencies by element; modelDescription.xml has those of variables", 1);
}

FMU_EXPORT fmi3Status NAMED(fmi3GetAdjointDerivative)(
    fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
    size_t seed_count, fmi3Float64 result[], size_t result_count) {
    return none(c, "adjoint derivatives", 1);
}
