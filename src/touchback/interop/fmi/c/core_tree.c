/* A tree of joints: accelerations in closed form, every state allowed. */
#include "core.h"

#include <math.h>
#include <string.h>

static int finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

static void rate_at(tb_core *core, double t, const double *x, double *rate) {
    core->u[0] = t;
    tb_model_rate(x, core->u, core->block, rate, NULL, NULL);
}

void tb_core_begin(tb_core *core) { memset(core, 0, sizeof *core); }

int tb_core_parameters(tb_core *core, const double *parameters) {
    tb_model_parameters(parameters, NULL, NULL, core->block, NULL, NULL);
    return finite(core->block, TB_BLOCK);
}

int tb_core_rate(tb_core *core, double t, const double *x, const double *inputs, double *rate) {
    memcpy(core->x, x, TB_NX * sizeof *x);
    memcpy(core->u + 1, inputs, TB_NU * sizeof *x);
    rate_at(core, t, x, rate);
    return finite(rate, TB_NX);
}

int tb_core_settle(tb_core *core, double t, double *x, const double *inputs, int *chosen) {
    (void)core, (void)t, (void)inputs;
    *chosen = 0;
    return finite(x, TB_NX);
}

/* The classical Runge-Kutta method of order 4 (Kutta 1901). */
int tb_core_step(tb_core *core, double t, double h, double *x, const double *inputs) {
    double *k1 = core->k[0], *k2 = core->k[1], *k3 = core->k[2], *k4 = core->k[3], *next = core->next;
    memcpy(core->u + 1, inputs, TB_NU * sizeof *x);
    rate_at(core, t, x, k1);
    for (int i = 0; i < TB_NX; i++)
        next[i] = x[i] + 0.5 * h * k1[i];
    rate_at(core, t + 0.5 * h, next, k2);
    for (int i = 0; i < TB_NX; i++)
        next[i] = x[i] + 0.5 * h * k2[i];
    rate_at(core, t + 0.5 * h, next, k3);
    for (int i = 0; i < TB_NX; i++)
        next[i] = x[i] + h * k3[i];
    rate_at(core, t + h, next, k4);
    for (int i = 0; i < TB_NX; i++)
        x[i] = x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    return finite(x, TB_NX);
}

void tb_core_remember(const tb_core *core, double *memory) { (void)core, (void)memory; }
void tb_core_recall(tb_core *core, const double *memory) { (void)core, (void)memory; }

int tb_core_level(const tb_core *core, int column) {
    (void)core, (void)column;
    return 0;
}
