/* Instances with constraints or rigid contacts: each begins as if nothing had run before it, makes
 * the steps of a run of its own, and is read after its end in the order in which such a run is, as
 * rates of constraints remember the one before: so it has the same bits. */
#include <string.h>

#include "batch/batch.h"

long tb_batch_recorded_states(const tb_batch *b) {
    return b->steps / b->every + 1 + (b->steps % b->every != 0);
}

double tb_batch_instant(const tb_batch *b, long row) {
    long steps = row * b->every;
    return b->t0 + (double)(steps < b->steps ? steps : b->steps) * b->h;
}

void tb_batch_note(const tb_batch *b, const tb_batch_worker *w, long instance, long row) {
    const double *x = w->states + row * b->states;
    double *to = b->record + (instance * (b->steps / b->every + 1) + row) * b->width;
    for (long k = 0; k < b->width; k++)
        to[k] = tb_batch_column(b, w, x, k, 0);
}

static void keep(const tb_batch *b, tb_batch_worker *w, long row) {
    memcpy(w->states + row * b->states, w->x, (size_t)b->states * sizeof *w->x);
}

int tb_batch_take_fixed(tb_batch_worker *w) {
    return tb_fixed_take(&w->run, w->problem);
}

/* Makes all steps; returns 0 where that can't be, or somebody asked to stop. */
static int advance(const tb_batch *b, tb_batch_worker *w, long *made, atomic_int *stop,
                   int answers) {
    const tb_batch_kind *kind = b->kind;
    keep(b, w, 0);
    for (*made = 0; *made < b->steps;) {
        if (tb_batch_stopped(stop, answers) || kind->take(w) != TB_REACHED)
            return 0;
        if (++*made % b->every == 0)
            keep(b, w, *made / b->every);
        if (kind->goes_on && (*made % b->look == 0 || *made == b->steps) && !kind->goes_on(b, w))
            return 0;
    }
    if (b->steps % b->every) /* the end isn't recorded, but a run of its own has it */
        keep(b, w, b->steps / b->every + 1);
    return 1;
}

void tb_batch_run_instance(const tb_batch *b, tb_batch_worker *w, long instance, atomic_int *stop,
                           int answers) {
    long made;
    tb_batch_load(b, w, instance);
    w->run = (tb_fixed){.step = b->step, .t0 = b->t0, .h = b->h, .x = w->x, .scratch = w->scratch};
    if (b->jump_starts) {
        long first = b->jump_starts[instance];
        w->run.jumps = (tb_rate_jumps){.count = b->jump_starts[instance + 1] - first,
                                       .at = b->jump_at + first,
                                       .before = b->jump_before + first};
    }
    b->reports[instance] = (tb_batch_report){.gap = b->kind->begin(b, w)};
    int whole = advance(b, w, &made, stop, answers) && b->kind->report(b, w, instance);
    if (tb_batch_stopped(stop, answers)) /* steps with contacts may have ended early */
        return;
    memcpy(b->x + instance * b->states, w->x, (size_t)b->states * sizeof *w->x);
    b->reports[instance].whole = whole;
    b->made[instance] = made;
}
