/* Pause, single steps and the speed of a live run: what the clock follows beside its schedule. */
#include <string.h>

#include "live/clock.h"
#include "live/live.h"
#include "live/swap.h"

/* ns: how long a paused run waits between looks, and how soon a slow one notices a command. */
static const int64_t SHORTEST = 1000000, LONGEST = 10000000;

static uint64_t asked_speed(const tb_live *live) {
    return atomic_load_explicit(&live->commands->speed, memory_order_relaxed);
}

static int paused(const tb_live *live) {
    return atomic_load_explicit(&live->commands->paused, memory_order_relaxed) != 0;
}

/* The next tick is due `ahead` ns from now, whatever the schedule was: nobody is late for it. */
static void begin_anew(tb_live *live, int64_t ahead) {
    live->epoch = tb_clock_now() + ahead;
    live->due = 0;
    live->statistics->backlog = live->statistics->by_steps = 0;
}

void tb_live_follow_speed(tb_live *live) {
    uint64_t asked = asked_speed(live);
    if (asked == live->speed)
        return;
    double speed;
    memcpy(&speed, &asked, sizeof speed);
    int64_t last = live->epoch + (int64_t)((double)(live->due - 1) * live->period);
    live->speed = asked;
    live->period = 1e9 * live->tick_length / speed;
    live->late_limit = (int64_t)(live->period / 10);
    int64_t ahead = last + (int64_t)live->period - tb_clock_now();
    begin_anew(live, ahead > 0 ? ahead : 0);
}

/* Whether a tick would find nothing new. */
static int nothing_to_do(const tb_live *live) {
    const tb_commands *commands = live->commands;
    const tb_swap *swap = atomic_load_explicit(&commands->swap, memory_order_acquire);
    if (atomic_load(&commands->singles) > 0 || atomic_load(&commands->closing) ||
        atomic_load(&commands->resume) || atomic_load(&commands->failed) ||
        atomic_load(&commands->note) || tb_live_halted(live) ||
        atomic_load(&commands->substeps) != live->steps_per_tick ||
        atomic_load(&live->offer) == TB_OFFERED || atomic_load(&live->placing) != TB_NOTHING ||
        (swap && tb_live_time(live) >= swap->not_before))
        return 0;
    for (long i = 0; i < live->guard_count; i++)
        if (live->guards[i].blend > 0.0) /* still on its way to safe */
            return 0;
    for (long i = 0; i < live->input_count; i++)
        if (!live->inputs[i].place && /* the emergency stop's */
            tb_mailbox_sequence(live->inputs[i].mailbox) != live->inputs[i].seen)
            return 0;
    return 1;
}

/* Whether somebody waits for the next tick now, however slowly the model's time goes: the tick that
 * only rests, single ones (which are made as fast as they go), and the emergency stop. */
static int cannot_wait(const tb_live *live) {
    if (paused(live) && (!(live->flags & TB_AT_REST) || atomic_load(&live->commands->singles) > 0))
        return 1;
    if (tb_live_halted(live))
        return 1;
    for (long i = 0; i < live->input_count; i++)
        if (!live->inputs[i].place && /* the emergency stop's */
            tb_mailbox_sequence(live->inputs[i].mailbox) != live->inputs[i].seen)
            return 1;
    return 0;
}

int tb_live_rests(tb_live *live) {
    if (!paused(live) || !(live->flags & TB_AT_REST) || !nothing_to_do(live))
        return 0;
    int64_t period = (int64_t)live->period;
    int64_t moment = period < SHORTEST ? SHORTEST : period > LONGEST ? LONGEST : period;
    tb_clock_wait(tb_clock_now() + moment, 0, &live->commands->stop);
    begin_anew(live, 0);
    return 1;
}

int tb_live_wait(tb_live *live, int64_t instant) {
    const _Atomic long *stop = &live->commands->stop;
    while (live->period > (double)LONGEST && tb_clock_now() < instant - LONGEST) {
        if (cannot_wait(live)) {
            begin_anew(live, 0);
            return 0;
        }
        tb_clock_wait(tb_clock_now() + LONGEST, 0, stop);
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return 0;
        if (asked_speed(live) != live->speed)
            return 0;
    }
    tb_clock_wait(instant, live->spin, stop);
    return !atomic_load_explicit(stop, memory_order_relaxed);
}

void tb_live_pause(tb_live *live, long wanted) {
    if (!wanted)
        atomic_store(&live->commands->singles, 0);
    atomic_store(&live->commands->paused, wanted);
}

void tb_live_single(tb_live *live, long ticks) {
    atomic_fetch_add(&live->commands->singles, ticks);
}

void tb_live_set_speed(tb_live *live, double speed) {
    uint64_t bits;
    memcpy(&bits, &speed, sizeof bits);
    atomic_store(&live->commands->speed, bits);
}

/* ---- another state ------------------------------------------------------------------------- */

void tb_live_place(tb_live *live, const double *state) {
    for (;;) {
        long now = atomic_load(&live->placing);
        if (now != TB_BEING_TAKEN &&
            atomic_compare_exchange_strong(&live->placing, &now, TB_BEING_WRITTEN))
            break;
    }
    memcpy(live->place, state, (size_t)tb_state_size(&live->problem) * sizeof *state);
    atomic_store(&live->placing, TB_OFFERED);
}

/* Taken as it is when its constraints are met; told in a ring, of which a replay takes it. */
long tb_live_take_place(tb_live *live) {
    static const double DRIFT = 1e-9; /* m or rad */
    long wanted = TB_OFFERED, n = tb_state_size(&live->problem);
    size_t bytes = (size_t)n * sizeof(double);
    if (atomic_load_explicit(&live->placing, memory_order_relaxed) != TB_OFFERED)
        return 0;
    double *row = tb_ring_next(&live->places); /* a full one is emptied soon: until then it waits */
    if (!row || !atomic_compare_exchange_strong(&live->placing, &wanted, TB_BEING_TAKEN))
        return 0;
    row[0] = (double)live->version;
    row[1] = (double)(live->tick + 1); /* the tick that is beginning */
    row[3] = tb_live_time(live);
    memcpy(row + TB_PLACE_HEAD, live->place, bytes);
    memcpy(row + TB_PLACE_HEAD + n, live->run.x, bytes);
    memcpy(live->rate, live->run.x, bytes);
    memcpy(live->run.x, live->place, bytes);
    int bad = !tb_live_meet(live, DRIFT);
    if (bad) {
        memcpy(live->run.x, live->rate, bytes);
        tb_live_meet(live, 1e300);
        live->statistics->places_refused++;
    } else
        live->statistics->places++;
    row[2] = bad;
    memcpy(row + TB_PLACE_HEAD + 2 * n, live->run.x, bytes);
    tb_ring_done(&live->places);
    atomic_store(&live->placing, TB_NOTHING);
    return bad ? TB_PLACE_REFUSED : TB_PLACED;
}
