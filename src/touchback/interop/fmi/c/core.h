/* The motion of the model, by the C that a project of it has (model.h). All that return a number
 * give 0 where no answer was found, unless said. */
#ifndef FMU_CORE_H
#define FMU_CORE_H

#include <stdint.h>

#include "fmu_model.h"
#include "core_memory.h"

/* Makes the memory of an instance. */
void fmu_core_begin(fmu_core *core);
/* The block that functions read, of parameters. */
int fmu_core_parameters(fmu_core *core, const double *parameters);
/* Moves a state onto the constraints, from which a run starts. */
int fmu_core_start(fmu_core *core, double t, double *x, const double *inputs);
/* Assembles the initial state for the present parameters and inputs. Returns 0, or what
 * model_assemble does. */
int fmu_core_assemble(fmu_core *core, double t, double *x, const double *inputs);
/* dx/dt; core->x is then the state that constraints allow, and core->u [t, inputs...] there. */
int fmu_core_rate(fmu_core *core, double t, const double *x, const double *inputs, double *rate);
/* What sensors show there. */
void fmu_core_outputs(fmu_core *core, double *outputs);
/* Moves a state that was reached onto the constraints. *chosen tells that other coordinates depend
 * on the rest from here on. */
int fmu_core_settle(fmu_core *core, double t, double *x, const double *inputs, int *chosen);
/* Step number `steps` of length h since t0 of the fixed-step method. */
int fmu_core_step(fmu_core *core, double t0, int64_t steps, double h, double *x,
                  const double *inputs);
/* What else the next step hangs on; 0 where memory isn't of this model. */
void fmu_core_remember(const fmu_core *core, double *memory);
int fmu_core_recall(fmu_core *core, const double *memory);
/* Of a velocity coordinate: 0 independent, 1 dependent, 2 dependent in velocity only. */
int fmu_core_level(const fmu_core *core, int column);

#endif
