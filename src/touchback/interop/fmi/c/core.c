#include "core.h"

#include <math.h>
#include <string.h>

#if FMU_CONSTRAINED
#include "constrained/constrained.h"
#endif

static int finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

static void take_inputs(fmu_core *core, double t, const double *inputs) {
    core->m.u[0] = core->u[0] = t;
    memcpy(core->m.u + 1, inputs, FMU_NU * sizeof(double));
    memcpy(core->u + 1, inputs, FMU_NU * sizeof(double));
}

static long choices(const fmu_core *core) {
#if FMU_CONSTRAINED
    return core->m.problem.constrained->work->statistics.choices;
#else
    (void)core;
    return 0;
#endif
}

void fmu_core_begin(fmu_core *core) { model_init(&core->m); }

int fmu_core_parameters(fmu_core *core, const double *parameters) {
    memcpy(core->m.parameters, parameters, FMU_NP * sizeof(double));
    model_use_parameters(&core->m);
    return finite(core->m.problem.p, FMU_BLOCK);
}

int fmu_core_start(fmu_core *core, double t, double *x, const double *inputs) {
    take_inputs(core, t, inputs);
    memcpy(core->m.state, x, FMU_NX * sizeof(double));
    int open = model_start(&core->m, t);
    memcpy(x, core->m.state, FMU_NX * sizeof(double));
    return finite(x, FMU_NX) && !open;
}

int fmu_core_assemble(fmu_core *core, double t, double *x, const double *inputs) {
    take_inputs(core, t, inputs);
    int refused = model_assemble(&core->m, t);
    memcpy(x, core->m.state, FMU_NX * sizeof(double));
    return refused ? refused : finite(x, FMU_NX) ? 0 : 1;
}

int fmu_core_rate(fmu_core *core, double t, const double *x, const double *inputs, double *rate) {
    take_inputs(core, t, inputs);
    long before = model_unanswered(&core->m);
    model_rate(&core->m, t, x, rate);
#if FMU_CONSTRAINED
    x = core->m.problem.constrained->work->x;
#endif
    memcpy(core->x, x, FMU_NX * sizeof(double));
    return finite(rate, FMU_NX) && model_unanswered(&core->m) == before;
}

void fmu_core_outputs(fmu_core *core, double *outputs) {
    memcpy(core->m.state, core->x, FMU_NX * sizeof(double));
    core->m.run.t0 = core->u[0];
    core->m.run.steps = 0;
    model_outputs(&core->m, outputs);
}

int fmu_core_settle(fmu_core *core, double t, double *x, const double *inputs, int *chosen) {
    take_inputs(core, t, inputs);
    long before = model_unanswered(&core->m), made = choices(core);
    tb_settle(&core->m.problem, t, x, 1);
    *chosen = choices(core) != made;
    return finite(x, FMU_NX) && model_unanswered(&core->m) == before;
}

int fmu_core_step(fmu_core *core, double t0, int64_t steps, double h, double *x,
                  const double *inputs) {
    tb_fixed *run = &core->m.run;
    run->t0 = t0;
    run->steps = (long)steps; /* which say when memories take their values */
    run->h = h;
    run->rate_known = 0;
    take_inputs(core, model_time(&core->m), inputs);
    long before = model_unanswered(&core->m);
    memcpy(core->m.state, x, FMU_NX * sizeof(double));
    int bad = model_step(&core->m);
    memcpy(x, core->m.state, FMU_NX * sizeof(double));
    return bad == 0 && model_unanswered(&core->m) == before;
}

void fmu_core_remember(const fmu_core *core, double *memory) {
    tb_save_warm_start(&core->m.problem, memory);
}

int fmu_core_recall(fmu_core *core, const double *memory) {
    return tb_restore_warm_start(&core->m.problem, memory);
}

int fmu_core_level(const fmu_core *core, int column) {
#if FMU_CONSTRAINED
    return core->m.problem.constrained->work->level[column];
#else
    (void)core, (void)column;
    return 0;
#endif
}
