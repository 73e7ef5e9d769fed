/* What a live run gives out: measured, guarded, published. */
#include <string.h>

#include "live/clock.h"
#include "live/live.h"

int tb_live_measure(tb_live *live) {
    const tb_problem *problem = &live->problem;
    double t = tb_live_time(live);
    if (!live->outputs.call)
        return 1;
    tb_set_inputs(problem, t, live->run.x);
    long n = live->acceleration_count, m = live->multiplier_count, inputs = live->input_count;
    if (live->accelerations) { /* sensors of constrained systems read what the last rate solved */
        size_t accelerations = (size_t)n * sizeof(double), forces = (size_t)m * sizeof(double);
        memcpy(live->kept, live->accelerations, accelerations);
        memcpy(live->kept + n, live->multipliers, forces);
        tb_rate(problem, t, live->run.x, live->rate);
        memcpy(live->output_u + inputs, live->accelerations, accelerations);
        memcpy(live->output_u + inputs + n, live->multipliers, forces);
        /* A formulation may start its next step from them: measuring must leave no trace. */
        memcpy(live->accelerations, live->kept, accelerations);
        memcpy(live->multipliers, live->kept + n, forces);
    }
    memcpy(live->output_u, problem->u, (size_t)inputs * sizeof(double));
    live->outputs.call(live->run.x, live->output_u, problem->p, live->trial, live->outputs.work,
                       live->outputs.context);
    return tb_first_not_finite(live->trial, live->output_count) < 0;
}

static double gain(const tb_live *live, long output) {
    uint64_t bits = atomic_load_explicit(live->gains + output, memory_order_relaxed);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Books what has left through the ports, and damps or refuses what would leave beyond a limit. */
static long watch_energy(tb_live *live, const double *before, double *forces) {
    long flags = 0;
    for (long i = 0; i < live->energy_count; i++) {
        tb_energy *port = live->energies + i;
        tb_energy_observe(port, live->problem.u, before, live->tick_length);
        if (tb_energy_damp(port, forces, live->tick_length))
            flags |= TB_DAMPED;
        if (tb_energy_trips(port, forces, live->tick_length))
            flags |= TB_ACTIVE;
    }
    return flags;
}

long tb_live_guard(tb_live *live, long flags) {
    double *wanted = live->trial;
    for (long i = 0; i < live->output_count; i++)
        wanted[i] = gain(live, i) * live->measured[i];
    flags |= watch_energy(live, live->delivered, wanted);
    memcpy(live->delivered, wanted, (size_t)live->output_count * sizeof *wanted);
    for (long i = 0; i < live->guard_count; i++)
        if (tb_guard_trips(live->guards + i, wanted[live->guards[i].output]))
            flags |= TB_BEYOND_LIMIT;
    int healthy = !(flags & (TB_LATCHED | TB_STALE | TB_AT_REST));
    for (long i = 0; i < live->guard_count; i++) {
        double *value = live->delivered + live->guards[i].output;
        live->statistics->limited += tb_guard_deliver(live->guards + i, *value, healthy, value);
    }
    return flags;
}

void tb_live_publish(tb_live *live, int64_t stamp) {
    double *message = live->message;
    message[0] = (double)live->tick;
    message[1] = tb_live_time(live);
    message[2] = (double)live->flags;
    uint64_t time;
    memcpy(&time, message + 1, sizeof time);
    atomic_store_explicit(&live->commands->time, time, memory_order_relaxed);
    atomic_store_explicit(&live->commands->tick, live->tick, memory_order_relaxed);
    long n = tb_state_size(&live->problem);
    memcpy(message += TB_MESSAGE_HEAD, live->delivered,
           (size_t)live->output_count * sizeof *message);
    memcpy(message += live->output_count, live->run.x, (size_t)n * sizeof *message);
    for (long i = 0; i < live->energy_count; i++)
        message[n + i] = live->energies[i].energy;
    /* The run is the only writer here, so that one try is enough. */
    uint64_t count = (uint64_t)(TB_MESSAGE_HEAD + live->output_count + n + live->energy_count);
    tb_mailbox_write(live->published, count, stamp, live->message, 1);
    if (live->mirror) /* whatever others wrote there: it is tried once */
        tb_mailbox_write(tb_live_mirrored(live, live->published), count, stamp, live->message, 1);
}

static void publish_safe(tb_live *live) {
    for (long i = 0; i < live->guard_count; i++) {
        const tb_guard *guard = live->guards + i;
        if (guard->safe_kind == TB_SAFE_VALUE || guard->started) /* else there is none to hold */
            live->delivered[guard->output] = guard->safe;
    }
    tb_live_publish(live, tb_clock_now());
}

void tb_live_prepare(tb_live *live) {
    if (tb_live_measure(live))
        memcpy(live->measured, live->trial, (size_t)live->output_count * sizeof(double));
    memcpy(live->delivered, live->measured, (size_t)live->output_count * sizeof(double));
    publish_safe(live);
}

void tb_live_close(tb_live *live) {
    live->flags |= TB_STOPPED | TB_HELD;
    publish_safe(live);
}
