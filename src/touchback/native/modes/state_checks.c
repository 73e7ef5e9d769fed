/* What the states of a run tell beside its transitions: how far they leave the constraints of their
 * mode open, and whether the causes of transitions are numbers there. */
#ifndef TB_ON_DEVICE
#include <math.h>

#include "modes/modes.h"
#endif

TB_DEVICE double tb_modes_open(const tb_problem *problem, double t, const double *x, int tracking) {
    tb_modes *e = problem->modes;
    long number = tb_mode_of(e, x);
    if (number < 0)
        return 0.0;
    const tb_mode *mode = e->modes + number;
    tb_set_inputs(problem, t, x);
    return tb_widest_gap(mode->constrained->model, mode->constrained->work, x, problem->u,
                         problem->p, tracking ? NULL : mode->tracks);
}

TB_DEVICE long tb_mode_unread(tb_mode *mode, double t, const double *x) {
    tb_modes *e = mode->modes;
    tb_mode_values_at(mode, t, x, e->values);
    for (long k = 0; k < mode->exit_count; k++)
        if (isnan(e->values[mode->exits[k].when]))
            return k;
    return -1;
}
