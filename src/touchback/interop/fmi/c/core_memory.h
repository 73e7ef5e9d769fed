/* The memory of a model's motion. */
#ifndef FMU_CORE_MEMORY_H
#define FMU_CORE_MEMORY_H

#include "model.h"

typedef struct fmu_core {
    model m;
    double x[FMU_NX + 1];  /* the state that constraints allow, where a rate was asked for last, */
    double u[1 + FMU_NU];  /* and [t, inputs...] there */
} fmu_core;

#endif
