/* Which transition a mode takes: where the indicators of its exits are, and where they go. */
#ifndef TB_ON_DEVICE
#include <math.h>

#include "modes/modes.h"
#endif

static const double ZERO = 1e-12;    /* of an indicator: what can't be told from nothing [SI] */
static const double NOTHING = 1e-15; /* of a change of it that can't be told from rounding */

TB_DEVICE void tb_modes_look_ahead(tb_modes *e, const tb_problem *problem, double t,
                                   const double *x, double ahead) {
    tb_mode *mode = tb_modes_lend(e, problem, tb_mode_of(e, x));
    e->step(&mode->problem, t, ahead, x, e->ahead_state, e->scratch);
    tb_mode_values_at(mode, t + ahead, e->ahead_state, e->ahead_values);
}

/* Where an exit's indicator is and goes, and what follows from it. Returns 1 when it is to be taken
 * at once. */
static int judge(tb_modes *e, const tb_exit *exit, long k) {
    double now = e->values[exit->when], then = e->ahead_values[exit->when];
    double side = -(double)exit->direction;
    e->thresholds[k] = 0.0;
    e->waits[k] = 1;
    if (isnan(now) || isnan(then)) { /* it can't be told: not passed before it can */
        e->sides[k] = 0.0;
        return 0;
    }
    if (!exit->direction) { /* it may leave zero to either side */
        e->sides[k] = (then > 0.0) - (then < 0.0);
        return 0;
    }
    e->sides[k] = side;
    if (side * then > ZERO) /* it leaves zero, or comes back over it */
        return 0;
    if (exit->struck && side * (then - now) > NOTHING) { /* it parts, to strike where it parted */
        e->thresholds[k] = fmin(side * now, 0.0);
        return 0;
    }
    e->waits[k] = 0;
    if (side * now >= -ZERO) { /* it rests at zero, or goes on so slowly that it isn't seen yet */
        e->thresholds[k] = -2.0 * ZERO;
        return 0;
    }
    return 1;
}

TB_DEVICE long tb_modes_fires(tb_modes *e, const tb_problem *problem, double t, const double *x,
                              double ahead) {
    long number = tb_mode_of(e, x), taken = -1, looked = 0;
    if (number < 0) /* a state that nobody checked: its rate says so */
        return -1;
    tb_mode *mode = tb_modes_lend(e, problem, number);
    tb_mode_values_at(mode, t, x, e->values);
    for (long k = 0; k < mode->exit_count; k++) {
        const tb_exit *exit = mode->exits + k;
        double now = e->values[exit->when];
        double side = exit->direction ? -(double)exit->direction : (now > 0.0) - (now < 0.0);
        if (side * now > ZERO) {
            e->sides[k] = side;
            e->thresholds[k] = 0.0;
            e->waits[k] = 0;
            continue;
        }
        if (!looked)
            tb_modes_look_ahead(e, problem, t, x, ahead);
        looked = 1;
        if (judge(e, exit, k) && taken < 0)
            taken = k;
    }
    return taken;
}
