/* Time goes on: by steps of its own, or by those of an integrator and its events. */
#include "instance.h"

#include <math.h>
#include <string.h>

static const double SLACK = 1e-9; /* of a communication step that is all but whole steps */
static const double GRID = 1e-6;  /* of a step: points nearer than this are on its grid */
static const double MOST_STEPS = 1e9;

int fmu_initialized(fmu_instance *self, int phase) {
    int status = fmu_know_rate(self);
    if (status != FMU_OK)
        return fmu_tell(self, FMU_ERROR, "The model can't begin from these values.");
    self->now.phase = phase;
    self->now.begin = self->now.time;
    return FMU_OK;
}

/* Into how many equal steps a communication step is cut; 0 where it can't be: memories take their
 * values every so many steps, which then are all of one length. */
static long steps_in(double step) {
    double whole = ceil(step / FMU_STEP - SLACK);
    if (FMU_TICKS && fabs(step / FMU_STEP - whole) > 2.0 * SLACK)
        return 0;
    return whole < 1.0 ? 1 : (long)whole;
}

/* Whether steps of h from here go on along the grid of FMU_STEP that began earlier; then h is
 * exactly that, and times don't gather rounding. */
static int on_grid(const fmu_state *now, double time, double *h) {
    if (fabs(*h - FMU_STEP) > SLACK * FMU_STEP)
        return 0;
    *h = FMU_STEP;
    return fabs(now->begin + (double)now->steps * FMU_STEP - time) <= GRID * FMU_STEP;
}

int fmu_advance(fmu_instance *self, double time, double step) {
    fmu_state *now = &self->now;
    if (!isfinite(time) || !(step > 0.0) || !(step / FMU_STEP < MOST_STEPS))
        return fmu_tell(self, FMU_ERROR, "No step of %.9g s from %.9g s can be taken.", step, time);
    long count = steps_in(step);
    if (count == 0)
        return fmu_tell(self, FMU_DISCARD, "Steps are multiples of %.9g s, as ticks are.",
                        FMU_STEP);
    int status = fmu_know_block(self);
    if (status != FMU_OK)
        return status;
    double x[FMU_NX + 1], h = step / (double)count;
    if (!on_grid(now, time, &h)) { /* which begins anew here */
        now->begin = time;
        now->steps = 0;
    }
    memcpy(x, now->x, FMU_NX * sizeof *x);
    fmu_core_remember(&self->core, now->memory);
    fmu_forget(self);
    for (long k = 0; k < count; k++)
        if (!fmu_core_step(&self->core, now->begin, now->steps + k, h, x, now->inputs)) {
            fmu_core_recall(&self->core, now->memory);
            return fmu_tell(self, FMU_DISCARD, "The step from %.9g s has no answer.", time);
        }
    memcpy(now->x, x, FMU_NX * sizeof *x);
    now->steps += count;
    now->time = time + step;
    return FMU_OK;
}

int fmu_set_time(fmu_instance *self, double time) {
    if (!isfinite(time))
        return fmu_tell(self, FMU_ERROR, "The time isn't finite.");
    self->now.time = time;
    fmu_forget(self);
    return FMU_OK;
}

int fmu_set_states(fmu_instance *self, const double *x, size_t count) {
    if (count != FMU_NX)
        return fmu_tell(self, FMU_ERROR, "There are %d continuous states.", FMU_NX);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return fmu_tell(self, FMU_DISCARD, "State %zu isn't finite; none was set.", i + 1);
    memcpy(self->now.x, x, count * sizeof *x);
    fmu_forget(self);
    return FMU_OK;
}

int fmu_get_states(fmu_instance *self, double *x, size_t count) {
    if (count != FMU_NX)
        return fmu_tell(self, FMU_ERROR, "There are %d continuous states.", FMU_NX);
    memcpy(x, self->now.x, count * sizeof *x);
    return FMU_OK;
}

int fmu_get_rates(fmu_instance *self, double *rates, size_t count) {
    if (count != FMU_NX)
        return fmu_tell(self, FMU_ERROR, "There are %d continuous states.", FMU_NX);
    int status = fmu_know_rate(self);
    memcpy(rates, self->rate, count * sizeof *rates);
    return status;
}

/* Where other coordinates become dependent, those that were so may be integrated from where they
 * belong: at an event, which moves the states by what the integrator's tolerance left. */
int fmu_step_completed(fmu_instance *self, int *event) {
    int status = fmu_know_block(self), chosen = 0;
    if (status != FMU_OK)
        return status;
    memcpy(self->moved, self->now.x, FMU_NX * sizeof(double));
    if (!fmu_core_settle(&self->core, self->now.time, self->moved, self->now.inputs, &chosen))
        return fmu_tell(self, FMU_DISCARD, "At time %.9g the constraints can't be met.",
                        self->now.time);
    self->moves = *event = chosen;
    if (chosen)
        fmu_forget(self);
    return FMU_OK;
}

int fmu_event(fmu_instance *self, int *changed) {
    *changed = self->moves;
    if (self->moves) {
        memcpy(self->now.x, self->moved, FMU_NX * sizeof(double));
        fmu_forget(self);
    }
    self->moves = 0;
    return FMU_OK;
}
