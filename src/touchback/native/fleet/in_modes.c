/* Instances with modes: each begins as if nothing had run before it, makes the steps of a run of its
 * own, and is read after its end in the order in which such a run is, as rates of constraints remember
 * the one before: so it has the same bits. */
#include <string.h>

#include "fleet/batch.h"
#include "modes/modes.h"

static void begin(const tb_batch *b, tb_batch_worker *w, long instance) {
    tb_recall(w->problem, w->fresh);
    tb_modes_renew(w->problem->modes);
    b->told[instance] = (tb_batch_told){.gap = tb_modes_open(w->problem, b->t0, w->x, 0)};
    tb_modes_begin(w->problem->modes, w->problem, b->t0, w->x);
}

static void keep(const tb_batch *b, tb_batch_worker *w, long row) {
    memcpy(w->states + row * b->states, w->x, (size_t)b->states * sizeof *w->x);
}

/* Makes all steps; returns 0 where that can't be, or somebody asked to stop. A crowd of transitions is
 * looked for where a run of its own looks. */
static int advance(const tb_batch *b, tb_batch_worker *w, tb_fixed *run, atomic_int *stop,
                   int answers) {
    keep(b, w, 0);
    while (run->steps < b->steps) {
        if (tb_batch_stopped(stop, answers) || tb_fixed_take(run, w->problem) != TB_REACHED)
            return 0;
        if (run->steps % b->every == 0)
            keep(b, w, run->steps / b->every);
        if ((run->steps % b->look == 0 || run->steps == b->steps) &&
            tb_modes_crowded(w->problem->modes, b->crowded))
            return 0;
    }
    if (b->steps % b->every) /* the end isn't recorded, but a run of its own has it */
        keep(b, w, b->steps / b->every + 1);
    return 1;
}

static double instant(const tb_batch *b, long row) {
    long steps = row * b->every;
    return b->t0 + (double)(steps < b->steps ? steps : b->steps) * b->h;
}

/* Whether all causes of transitions are numbers, mode by mode. */
static int is_read(const tb_batch *b, const tb_batch_worker *w, long rows) {
    tb_modes *e = w->problem->modes;
    for (long number = 0; number < e->mode_count; number++) {
        tb_mode *mode = tb_modes_lend(e, w->problem, number);
        for (long row = 0; row < rows; row++) {
            const double *x = w->states + row * b->states;
            if (tb_mode_of(e, x) == number && tb_mode_unread(mode, instant(b, row), x) >= 0)
                return 0;
        }
    }
    return 1;
}

/* What is recorded at an instant. */
static void note(const tb_batch *b, const tb_batch_worker *w, long instance, long row) {
    const double *x = w->states + row * b->states;
    double *to = b->record + (instance * (b->steps / b->every + 1) + row) * b->width;
    for (long k = 0; k < b->width; k++) {
        long place = b->recorded[k];
        to[k] = place < b->states ? x[place] : w->shown[place - b->states];
    }
}

static void tell(const tb_batch *b, const tb_batch_worker *w, long instance, long rows) {
    long before = tb_troubles_of(w->problem).paradoxes;
    for (long row = 0; row < rows; row++) {
        double t = instant(b, row);
        if (b->sensors || b->rubs)
            tb_modes_rows(w->problem, 1, &t, w->states + row * b->states, w->solutions, w->shown,
                          b->sensors);
        if (row <= b->steps / b->every)
            note(b, w, instance, row);
    }
    tb_batch_told *told = b->told + instance;
    told->paradoxes = (double)(tb_troubles_of(w->problem).paradoxes - before);
    for (long row = 0; row < rows; row++) {
        double open = tb_modes_open(w->problem, instant(b, row), w->states + row * b->states, 1);
        if (!(open <= told->largest_h))
            told->largest_h = open;
    }
}

void tb_batch_in_modes(const tb_batch *b, tb_batch_worker *w, long instance, atomic_int *stop,
                       int answers) {
    tb_fixed run = {.step = b->step, .t0 = b->t0, .h = b->h, .x = w->x, .scratch = w->scratch};
    long rows = b->steps / b->every + 1 + (b->steps % b->every != 0);
    tb_batch_load(b, w, instance);
    begin(b, w, instance);
    int whole = advance(b, w, &run, stop, answers) && is_read(b, w, rows);
    if (tb_batch_stopped(stop, 0))
        return;
    memcpy(b->x + instance * b->states, w->x, (size_t)b->states * sizeof *w->x);
    if (whole)
        tell(b, w, instance, rows);
    b->told[instance].whole = whole;
    b->made[instance] = run.steps;
}
