/* One tick of a live run. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "integrate/sampler.h"
#include "live/clock.h"
#include "live/live.h"

/* Whether a step that found no consistent state has left constraints open. What formulations
 * without projection let drift is far below this; the implicit ones don't settle and see to it
 * themselves. */
static int open_loop(const tb_live *live) {
    static const double GAP = 1e-3; /* m or rad */
    return !(tb_settled_gap(&live->problem) <= GAP);
}

/* Whether a step led where no mechanism is: numbers that grow without bound stay finite for long.
 */
static int diverged(tb_live *live) {
    static const double LARGEST = 1e30; /* of states other than velocities, in any unit */
    const tb_problem *problem = &live->problem;
    const long ends[] = {0, problem->nq, problem->nq + problem->nv, tb_state_size(problem)};
    const double limits[] = {LARGEST, live->max_speed, LARGEST};
    for (int part = 0; part < 3 && !isinf(live->max_speed); part++) {
        long start = ends[part], count = ends[part + 1] - start;
        long place = tb_first_beyond(live->run.x + start, count, limits[part]);
        if (place >= 0) {
            live->diverged_place = start + place;
            live->diverged_value = live->run.x[start + place];
            return 1;
        }
    }
    return 0;
}

/* Steps and measures; after a bad number, an open loop or a divergence the state is the one before
 * the tick. */
static long step(tb_live *live) {
    long written = 0, steps = live->run.steps;
    tb_solver_status before = tb_solver_status_of(&live->problem);
    int status = tb_fixed_advance(&live->run, &live->problem, live->steps_per_tick, LONG_MAX, NULL,
                                  &written);
    tb_solver_status after = tb_solver_status_of(&live->problem);
    live->statistics->chattering += after.chattering - before.chattering;
    live->statistics->paradoxes += after.paradoxes > before.paradoxes;
    int open = status == TB_REACHED && open_loop(live);
    int fast = status == TB_REACHED && !open && diverged(live);
    if (status == TB_REACHED && !open && !fast && tb_live_measure(live)) {
        memcpy(live->measured, live->trial, (size_t)live->output_count * sizeof(double));
        return 0;
    }
    memcpy(live->run.x, live->good, (size_t)tb_state_size(&live->problem) * sizeof(double));
    live->run.steps = steps;
    if (status == TB_INTERRUPTED)
        return TB_STOPPED | TB_HELD;
    live->statistics->not_finite += !open && !fast;
    live->statistics->open_loops += open;
    live->statistics->diverged += fast;
    return (open ? TB_OPEN_LOOP : fast ? TB_DIVERGED : TB_BAD_NUMBER) | TB_HELD;
}

static void record(tb_live *live, const tb_trace *trace) {
    long n = tb_state_size(&live->problem), inputs = live->input_count - 1;
    double *row = tb_ring_next(&live->ring);
    if (!row) {
        live->statistics->lost_rows++;
        return;
    }
    const double head[TB_ROW_HEAD] = {
        (double)live->tick,      tb_live_time(live),          (double)live->flags,
        (double)live->version,   (double)live->tried_version, (double)live->steps_per_tick,
        (double)trace->lateness, (double)trace->step_time,    (double)trace->input_age,
    };
    memcpy(row, head, sizeof head);
    memcpy(row += TB_ROW_HEAD, live->problem.u + 1, (size_t)inputs * sizeof *row);
    memcpy(row += inputs, live->run.x, (size_t)n * sizeof *row);
    memcpy(row += n, live->delivered, (size_t)live->output_count * sizeof *row);
    for (long i = 0; i < live->energy_count; i++)
        row[live->output_count + i] = live->energies[i].energy;
    tb_ring_done(&live->ring);
}

/* Another number of substeps; the model's time goes on where it is. */
static void set_substeps(tb_live *live, long substeps) {
    live->run.t0 = tb_live_time(live);
    live->run.steps = 0;
    live->run.h = live->tick_length / (double)substeps;
    live->steps_per_tick = substeps;
    if (live->problem.sampler)
        live->problem.sampler->every = substeps;
}

static long take_overload(tb_commands *commands) {
    long found = commands->overloaded;
    commands->overloaded = 0;
    return found ? TB_OVERLOADED : 0;
}

/* Commands. Returns a flag for the tick's. */
static long apply_commands(tb_live *live) {
    tb_commands *commands = live->commands;
    long resumed = live->flags & TB_LATCHED, allowed = atomic_exchange(&commands->resume, 0);
    if (allowed && !(resumed & ~allowed)) {
        int held = live->flags & TB_HOLDING;
        if (live->flags & TB_ACTIVE) /* whoever resumes allows the limit once more */
            for (long i = 0; i < live->energy_count; i++)
                live->energies[i].energy = 0.0;
        live->flags = 0;
        /* What a formulation remembers may be as bad as the state was. */
        if (held)
            tb_settle(&live->problem, tb_live_time(live), live->run.x, 1);
    } else
        resumed = 0;
    long substeps = atomic_load(&commands->substeps);
    if (substeps != live->steps_per_tick)
        set_substeps(live, substeps);
    long renewed = atomic_exchange(&commands->renew, 0);
    if (renewed) {
        tb_reset_warm_start(&live->problem);
        tb_settle(&live->problem, tb_live_time(live), live->run.x, 1);
    }
    long entered = live->entered, rest = 0;
    live->entered = 0;
    if (atomic_load_explicit(&commands->paused, memory_order_relaxed)) {
        rest = TB_AT_REST;
        if (atomic_load_explicit(&commands->singles, memory_order_relaxed) > 0) {
            atomic_fetch_sub(&commands->singles, 1);
            rest |= TB_SINGLE;
        }
    }
    return rest | (renewed ? TB_RENEWED : 0) | (resumed ? TB_RESUMED : 0) |
           (entered ? TB_RESTRUCTURED : 0) |
           (atomic_exchange(&commands->failed, 0) ? TB_DEVICE_FAILED : 0) |
           take_overload(commands) |
           (atomic_load_explicit(&commands->closing, memory_order_relaxed) ? TB_STOPPED : 0);
}

/* The emergency stops that were asked for since the last tick, as a flag. */
static long take_halts(tb_live *live) {
    tb_commands *commands = live->commands;
    long asked = atomic_load(&commands->halts), more = asked != commands->halts_taken;
    commands->halts_taken = asked;
    return more ? TB_STOPPED : 0;
}

/* What sensors tell of a mechanism that rests when it has become another one. */
static void remeasure(tb_live *live, long flags) {
    if (flags & (TB_SWAPPED | TB_PLACED | TB_RESTRUCTURED) && !(flags & TB_HOLDING) &&
        tb_live_measure(live))
        memcpy(live->measured, live->trial, (size_t)live->output_count * sizeof(double));
}

/* The part of a tick that a replay repeats: inputs are in u. */
static long advance(tb_live *live, long flags) {
    size_t bytes = (size_t)tb_state_size(&live->problem) * sizeof(double);
    memcpy(live->good, live->run.x, bytes);
    /* Without guarded outputs nobody depends on the clock: overload is told, and that is all. */
    flags |= live->flags & (live->guard_count ? TB_LATCHED : TB_LATCHED & ~TB_OVERLOADED);
    long taken = tb_live_take_parameters(live);
    taken |= tb_live_take_place(live);
    if (taken)
        memcpy(live->good, live->run.x, bytes); /* what is good now meets the new constraints */
    flags |= taken;
    int resting = (flags & (TB_AT_REST | TB_SINGLE)) == TB_AT_REST;
    flags |= flags & TB_HOLDING || resting ? TB_HELD : step(live);
    if (resting)
        remeasure(live, flags);
    return flags;
}

/* So is this: in a run the inputs' age is known only now, in a replay from the beginning. */
static void deliver(tb_live *live, long flags) {
    live->flags = tb_live_guard(live, flags);
    live->tick++;
}

void tb_live_tick(tb_live *live, int64_t now, int64_t lateness) {
    tb_live_statistics *statistics = live->statistics;
    int64_t age = -1;
    tb_live_log_warm_start(live);
    long before = live->flags, asked = apply_commands(live);
    long flags = advance(live, asked | take_halts(live) | tb_live_take(live, now, &age));
    int64_t judged = tb_clock_now(); /* the step may have stood still, too */
    deliver(live, flags | tb_live_silence(live, judged));
    tb_live_publish(live, judged);
    int64_t step_time = tb_clock_now() - now;
    tb_trace trace = {live->tick, lateness, step_time, age, live->flags};
    record(live, &trace);
    statistics->ticks++;
    statistics->singles += (live->flags & TB_SINGLE) != 0;
    statistics->stale += (live->flags & TB_STALE) != 0;
    if (live->flags & TB_STOPPED && !((before | asked) & TB_STOPPED)) {
        statistics->stops++;
        live->commands->halt_time = now;
    }
    tb_note(statistics, TB_LATENESS, lateness);
    tb_note(statistics, TB_STEP_TIME, step_time);
    if (age >= 0)
        tb_note(statistics, TB_INPUT_AGE, age);
    tb_note_trace(statistics, &trace);
}

void tb_live_repeat(tb_live *live, const double *inputs, long substeps, long flags) {
    static const long OUTSIDE = TB_STALE | TB_STOPPED | TB_AT_REST | TB_SINGLE;
    tb_trace none = {0, 0, 0, 0, 0};
    if (flags & TB_RESUMED && !(live->flags & TB_LATCHED))
        live->flags |= TB_BEYOND_LIMIT; /* a limit that no guard of the replay sees */
    atomic_store(&live->commands->resume, flags & TB_RESUMED ? TB_LATCHED : 0);
    atomic_store(&live->commands->renew, (flags & TB_RENEWED) != 0);
    atomic_store(&live->commands->substeps, substeps);
    long asked = apply_commands(live); /* with the inputs of the tick before, as in the run */
    memcpy(live->problem.u + 1, inputs, (size_t)(live->input_count - 1) * sizeof *inputs);
    deliver(live, advance(live, asked | (flags & OUTSIDE)));
    record(live, &none);
}
