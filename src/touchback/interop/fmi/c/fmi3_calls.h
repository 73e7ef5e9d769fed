/* What the files with functions of the interface 3.0 share. */
#ifndef FMU_FMI3_CALLS_H
#define FMU_FMI3_CALLS_H

#ifdef FMU_STANDARD_HEADERS /* those of the standard in place of ours, to check that they agree */
#include "fmi3Functions.h"
#define FMU_EXPORT FMI3_Export
#define NAMED(name) name
#else
#include "export.h"
#include "fmi3.h"
#endif

#include "instance.h"

static inline fmu_instance *of(fmi3Instance c) { return (fmu_instance *)c; }

#define ALLOWED(call, phases)                                                                      \
    if (!fmu_allowed(of(c), call, phases))                                                         \
    return fmi3Error

#endif
