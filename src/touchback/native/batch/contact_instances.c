/* How instances with rigid contacts begin, step in time, and are reported. */
#include <string.h>

#include "batch/batch.h"
#include "contact/moreau_jean.h"

static double begin(const tb_batch *b, tb_batch_worker *w) {
    tb_moreau_jean *s = w->stepper;
    size_t bytes = (size_t)s->rows * sizeof *s->impulses;
    s->x = w->x;
    s->t0 = b->t0;
    s->steps = s->pivots = s->sweeps = s->swept = s->rough = s->unsettled = 0;
    memset(s->impulses, 0, bytes);
    memset(s->before, 0, bytes);
    return 0.0;
}

static int take(tb_batch_worker *w) {
    return tb_moreau_jean_take(w->stepper, w->problem, w->solutions,
                               w->solutions + w->stepper->rows);
}

static int report(const tb_batch *b, tb_batch_worker *w, long instance) {
    const tb_problem *problem = w->problem;
    if (w->stepper->unsettled)
        return 0;
    for (long row = 0; row <= b->steps / b->every; row++) {
        const double *x = w->states + row * b->states;
        if (TB_HAS(w, sensors)) {
            tb_set_inputs(problem, tb_batch_instant(b, row), x);
            TB_CALL(w, sensors, x, problem->u, b->sensor_p + instance * b->sensor_stride, w->shown);
        }
        tb_batch_note(b, w, instance, row);
    }
    return 1;
}

const tb_batch_kind tb_batch_contact_kind = {begin, take, NULL, report};
