/* The motion of the model: a tree of joints (core_tree.c), or one under constraints
 * (core_constrained.c). All return 0 where no answer was found. */
#ifndef TB_CORE_H
#define TB_CORE_H

#include "model.h"
#include "core_memory.h"

/* Makes the memory of an instance. */
void tb_core_begin(tb_core *core);
/* The block that functions read, of parameters. */
int tb_core_parameters(tb_core *core, const double *parameters);
/* dx/dt; core->x is then the state that constraints allow, core->solved the accelerations and
 * multipliers there, and core->u [t, inputs..., solved...]. */
int tb_core_rate(tb_core *core, double t, const double *x, const double *inputs, double *rate);
/* Moves a state onto the constraints. *chosen tells that other coordinates depend on the rest. */
int tb_core_settle(tb_core *core, double t, double *x, const double *inputs, int *chosen);
/* One step of the fixed-step method, from t to t + h. */
int tb_core_step(tb_core *core, double t, double h, double *x, const double *inputs);
/* What else the next step hangs on. */
void tb_core_remember(const tb_core *core, double *memory);
void tb_core_recall(tb_core *core, const double *memory);
/* Of a velocity coordinate: 0 independent, 1 dependent, 2 dependent in velocity only. */
int tb_core_level(const tb_core *core, int column);

#endif
