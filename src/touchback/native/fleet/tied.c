/* Instances with constraints: each begins as if nothing had run before it, makes the steps of a run of
 * its own, and is read after its end in the order in which such a run is, as rates of constraints
 * remember the one before: so it has the same bits. */
#include <string.h>

#include "fleet/batch.h"

long tb_batch_kept(const tb_batch *b) {
    return b->steps / b->every + 1 + (b->steps % b->every != 0);
}

double tb_batch_instant(const tb_batch *b, long row) {
    long steps = row * b->every;
    return b->t0 + (double)(steps < b->steps ? steps : b->steps) * b->h;
}

void tb_batch_note(const tb_batch *b, const tb_batch_worker *w, long instance, long row) {
    const double *x = w->states + row * b->states;
    double *to = b->record + (instance * (b->steps / b->every + 1) + row) * b->width;
    for (long k = 0; k < b->width; k++) {
        long place = b->recorded[k];
        to[k] = place < b->states ? x[place] : w->shown[place - b->states];
    }
}

static void keep(const tb_batch *b, tb_batch_worker *w, long row) {
    memcpy(w->states + row * b->states, w->x, (size_t)b->states * sizeof *w->x);
}

/* Makes all steps; returns 0 where that can't be, or somebody asked to stop. */
static int advance(const tb_batch *b, tb_batch_worker *w, tb_fixed *run, atomic_int *stop,
                   int answers) {
    int (*goes_on)(const tb_batch *, const tb_batch_worker *) = b->way->goes_on;
    keep(b, w, 0);
    while (run->steps < b->steps) {
        if (tb_batch_stopped(stop, answers) || tb_fixed_take(run, w->problem) != TB_REACHED)
            return 0;
        if (run->steps % b->every == 0)
            keep(b, w, run->steps / b->every);
        if (goes_on && (run->steps % b->look == 0 || run->steps == b->steps) && !goes_on(b, w))
            return 0;
    }
    if (b->steps % b->every) /* the end isn't recorded, but a run of its own has it */
        keep(b, w, b->steps / b->every + 1);
    return 1;
}

void tb_batch_tied(const tb_batch *b, tb_batch_worker *w, long instance, atomic_int *stop,
                   int answers) {
    tb_fixed run = {.step = b->step, .t0 = b->t0, .h = b->h, .x = w->x, .scratch = w->scratch};
    tb_batch_load(b, w, instance);
    b->told[instance] = (tb_batch_told){.gap = b->way->begin(b, w)};
    int whole = advance(b, w, &run, stop, answers) && b->way->tell(b, w, instance);
    if (tb_batch_stopped(stop, 0))
        return;
    memcpy(b->x + instance * b->states, w->x, (size_t)b->states * sizeof *w->x);
    b->told[instance].whole = whole;
    b->made[instance] = run.steps;
}
