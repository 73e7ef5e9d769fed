#include "live/swap.h"

#include <math.h>
#include <string.h>

#include "linear/dense.h"
#include "live/clock.h"

static double *parameters(const tb_live *live) {
    return live->blocks[live->active] + live->parameter_start;
}

static void fill_block(const tb_staged *function, const double *from) {
    if (function->first.call)
        function->first.call(from, from, from, function->block, function->first.work,
                             function->first.context);
}

static void carry_numbers(const tb_swap *swap) {
    const double *sources[] = {swap->from->run.x, parameters(swap->from)};
    double *targets[] = {swap->to->run.x, parameters(swap->to)};
    for (long i = 0; i < swap->move_count; i++) {
        const tb_move *move = swap->moves + i;
        targets[move->target][move->to] = sources[move->source][move->from];
    }
    for (long i = 0; i < swap->block_count; i++)
        fill_block(swap->blocks + i, parameters(swap->to));
}

/* Lets modes that were carried over by their old numbers have their new ones. Returns 0 where the
 * new structure has no such mode. */
static int carry_modes(tb_swap *swap) {
    double *x = swap->to->run.x;
    for (long i = 0; i < swap->renumbered_count; i++) {
        const tb_renumbered *group = swap->renumbered + i;
        double old = x[group->place];
        long known = old >= 0.0 && old < (double)group->count ? (long)old : -1;
        long number = known < 0 ? -1 : group->numbers[known];
        if (number < 0) {
            swap->lost_group = i;
            swap->lost_mode = known;
            return 0;
        }
        x[group->place] = (double)number;
    }
    return 1;
}

static void carry_inputs(const tb_swap *swap) {
    for (long i = 0; i < swap->to->input_count; i++) {
        tb_input_port *port = swap->to->inputs + i;
        long from = swap->inputs[i];
        if (from < 0) { /* a message of long ago is none */
            port->seen = tb_mailbox_sequence(port->mailbox) & ~(int64_t)1;
            continue;
        }
        const tb_input_port *before = swap->from->inputs + from;
        port->quiet = before->quiet;
        port->seen = before->seen;
        port->stamp = before->stamp;
        port->made = before->made;
        port->messages = before->messages;
        port->contended = before->contended;
        port->group = before->group;
        if (port->place)
            swap->to->problem.u[port->place] = swap->from->problem.u[before->place];
    }
}

/* Velocities of the new tree, nearest to those of the bodies. Returns 0 when there are none. */
static int carry_velocities(tb_swap *swap) {
    tb_live *from = swap->from, *to = swap->to;
    long nq = to->problem.nq, n = to->problem.nv, inputs = to->input_count;
    if (!swap->transfer.second.call)
        return 1;
    fill_block(&swap->velocities, parameters(from));
    fill_block(&swap->transfer, parameters(to));
    tb_set_inputs(&from->problem, tb_live_time(from), from->run.x);
    const tb_callable *velocities = &swap->velocities.second, *transfer = &swap->transfer.second;
    velocities->call(from->run.x, from->problem.u, swap->velocities.block,
                     swap->transfer_u + inputs, velocities->work, velocities->context);
    memcpy(swap->transfer_u, to->problem.u, (size_t)inputs * sizeof(double));
    transfer->call(to->run.x, swap->transfer_u, swap->transfer.block, swap->transferred,
                   transfer->work, transfer->context);
    double *change = swap->transferred, *M = change + n, *v = to->run.x + nq;
    if (tb_first_not_finite(change, n + n * n) >= 0 || tb_cholesky_factor(n, M))
        return 0;
    tb_cholesky_solve(n, M, change);
    for (long i = 0; i < n; i++)
        v[i] += change[i];
    return 1;
}

/* Onto the new constraints, M-orthogonally. Returns 0 when they can't be met from here. */
static int meet_constraints(tb_swap *swap) {
    const tb_problem *problem = &swap->to->problem;
    long failures = tb_solver_status_of(problem).not_converged;
    if (tb_projects(problem))
        problem->kind->project(problem, tb_live_time(swap->to), swap->to->run.x);
    return tb_solver_status_of(problem).not_converged == failures;
}

static void carry_outputs(const tb_swap *swap) {
    const tb_live *from = swap->from;
    tb_live *to = swap->to;
    for (long i = 0; i < to->output_count; i++)
        if (swap->outputs[i] >= 0) {
            to->measured[i] = from->measured[swap->outputs[i]];
            to->delivered[i] = from->delivered[swap->outputs[i]];
            uint64_t gain = atomic_load(from->gains + swap->outputs[i]);
            atomic_store((_Atomic uint64_t *)to->gains + i, gain);
        }
    for (long i = 0; i < to->guard_count; i++)
        if (swap->guards[i] >= 0) {
            const tb_guard *before = from->guards + swap->guards[i];
            tb_guard *guard = to->guards + i;
            guard->safe = before->safe;
            guard->blend = before->blend;
            guard->delivered = before->delivered;
            guard->started = before->started;
        }
    for (long i = 0; i < to->energy_count; i++)
        if (swap->energies[i] >= 0) {
            const tb_energy *before = from->energies + swap->energies[i];
            tb_energy *port = to->energies + i;
            memcpy(port->before, before->before, (size_t)port->count * sizeof(double));
            port->started = before->started;
            port->energy = before->energy;
            port->largest = before->largest;
            port->taken = before->taken;
            port->damped = before->damped;
        }
}

/* The clock goes on: the tick that is beginning is the one before `due`. */
static void carry_clock(const tb_swap *swap) {
    const tb_live *from = swap->from;
    tb_live *to = swap->to;
    to->tick = from->tick;
    to->flags = from->flags;
    to->entered = 1;
    if (to->period == from->period) {
        to->epoch = from->epoch;
        to->due = from->due;
    } else {
        to->epoch = from->epoch + (int64_t)((double)(from->due - 1) * from->period);
        to->due = 1;
    }
}

/* Returns the state of the swap. */
static long carry_over(tb_swap *swap) {
    tb_live *to = swap->to;
    long nq = to->problem.nq;
    to->run.t0 = tb_live_time(swap->from);
    to->run.steps = 0;
    carry_numbers(swap);
    if (!carry_modes(swap))
        return TB_SWAP_NO_MODE;
    carry_inputs(swap);
    if (!carry_velocities(swap))
        return TB_SWAP_NOT_FINITE;
    memcpy(swap->after, to->run.x, (size_t)nq * sizeof(double));
    if (!meet_constraints(swap))
        return TB_SWAP_OPEN;
    if (tb_first_not_finite(to->run.x, tb_state_size(&to->problem)) >= 0)
        return TB_SWAP_NOT_FINITE;
    for (long i = 0; i < nq; i++)
        swap->moved = fmax(swap->moved, fabs(to->run.x[i] - swap->after[i]));
    memcpy(swap->after, to->run.x, (size_t)tb_state_size(&to->problem) * sizeof(double));
    carry_outputs(swap);
    carry_clock(swap);
    return TB_SWAP_TAKEN;
}

tb_live *tb_live_take_swap(tb_live *live) {
    tb_swap *swap = atomic_load_explicit(&live->commands->swap, memory_order_acquire);
    if (!swap || tb_live_time(live) < swap->not_before)
        return live;
    int64_t began = tb_clock_now();
    long state = carry_over(swap);
    if (state == TB_SWAP_TAKEN) {
        live = swap->to;
        live->statistics->structures++;
        atomic_store(swap->directory, swap->next_directory);
        if (live->mirror)
            atomic_store((_Atomic uint64_t *)tb_live_mirrored(live, swap->directory),
                         swap->next_directory);
    } else
        live->statistics->structures_refused++;
    swap->tick = live->tick + 1;
    swap->duration = tb_clock_now() - began;
    atomic_store(&live->commands->swap, NULL);
    atomic_store(&swap->state, state);
    return live;
}

long tb_live_swap_state(const tb_swap *swap) {
    return atomic_load_explicit(&swap->state, memory_order_acquire);
}
