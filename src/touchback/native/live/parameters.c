/* Live parameters: a block written beside the one in use, and swapped in at a tick. */
#include <math.h>
#include <sched.h>
#include <string.h>

#include "integrate/newton.h"
#include "live/live.h"

static const double DRIFT =
    1e-9; /* m or rad: what formulations without projection may always have */

static const long PATIENCE = 100; /* tries before a caller gives its processor away */

/* From here to `let_go` no tick touches the blocks, and no other caller: one that reads must not
 * let go of what another one writes. */
static void take_hold(tb_live *live) {
    for (long k = 0;; k++) {
        long state = atomic_load(&live->offer);
        if ((state == TB_NOTHING || state == TB_OFFERED) &&
            atomic_compare_exchange_strong(&live->offer, &state, TB_BEING_WRITTEN))
            return;
        if (k >= PATIENCE)
            sched_yield();
    }
}

static void let_go(tb_live *live) {
    atomic_store(&live->offer, live->queue_count ? TB_OFFERED : TB_NOTHING);
}

static void append(tb_live *live, const double *block, int64_t version) {
    long place = (live->queue_head + live->queue_count) % live->queue_capacity;
    memcpy(live->queue + place * live->block_size, block, (size_t)live->block_size * sizeof *block);
    live->queue_versions[place] = version;
    live->queue_count++;
}

void tb_live_offer(tb_live *live, const double *block, int64_t version) {
    take_hold(live);
    live->queue_count = 0;
    live->next_take = 0;
    append(live, block, version);
    let_go(live);
}

long tb_live_offer_more(tb_live *live, const double *block, int64_t version, int64_t stride) {
    take_hold(live);
    long room = live->queue_count < live->queue_capacity;
    live->stride = stride;
    if (room)
        append(live, block, version);
    let_go(live);
    return room;
}

long tb_live_withdraw(tb_live *live) {
    take_hold(live);
    long count = live->queue_count;
    live->queue_count = 0;
    let_go(live);
    return count;
}

void tb_live_parameters(tb_live *live, double *values) {
    take_hold(live);
    memcpy(values, live->blocks[live->active] + live->parameter_start,
           (size_t)(live->block_size - live->parameter_start) * sizeof *values);
    let_go(live);
}

static void use_block(tb_live *live, long which) {
    live->problem.p = live->blocks[which];
    if (live->newton_start)
        live->problem.newton->p = live->blocks[which] + live->newton_start;
}

int tb_live_meet(tb_live *live, double allowed) {
    const tb_problem *problem = &live->problem;
    double t = tb_live_time(live), *x = live->run.x;
    long before = tb_solver_status_of(problem).not_converged;
    tb_settle(problem, t, x, 1);
    if (tb_projects(problem) && !(tb_gap(problem, t, x) <= allowed))
        problem->kind->project(problem, t, x);
    return tb_solver_status_of(problem).not_converged == before &&
           tb_first_not_finite(x, tb_state_size(problem)) < 0;
}

/* Whether the positions are near those of another state. */
static int near(const tb_live *live, const double *from) {
    for (long i = 0; i < live->problem.nq; i++)
        if (!(fabs(live->run.x[i] - from[i]) <= TB_NEAR))
            return 0;
    return 1;
}

/* Follows the constraints from one parameter block to the other: at once where positions move
 * little, else by parts of the way, so that loops stay on their branch. Returns 0 when they can't.
 */
static int follow(tb_live *live) {
    const double *from = live->blocks[live->active], *to = live->blocks[1 - live->active];
    double *mix = live->blocks[2], *last = live->rate, done = 0.0, part = 1.0;
    size_t bytes = (size_t)tb_state_size(&live->problem) * sizeof *last;
    double allowed = fmax(DRIFT, 2.0 * tb_gap(&live->problem, tb_live_time(live), live->run.x));
    memcpy(last, live->run.x, bytes);
    while (done < 1.0) {
        double next = fmin(done + part, 1.0);
        for (long i = 0; i < live->block_size && next < 1.0; i++)
            mix[i] = from[i] + next * (to[i] - from[i]);
        use_block(live, next < 1.0 ? 2 : 1 - live->active);
        if (tb_live_meet(live, allowed) && near(live, last)) {
            memcpy(last, live->run.x, bytes);
            done = next;
            part *= 2.0;
        } else {
            memcpy(live->run.x, last, bytes);
            part = 0.5 * fmin(part, 1.0 - done);
            if (part < TB_LEAST_PART)
                return 0;
        }
    }
    return 1;
}

static void note(tb_live *live, int64_t version, int refused) {
    size_t n = (size_t)tb_state_size(&live->problem);
    double *row = tb_ring_next(&live->swaps);
    if (!row)
        return;
    row[0] = (double)version;
    row[1] = (double)(live->tick + 1); /* the tick that is beginning */
    row[2] = refused;
    row[3] = tb_live_time(live);
    memcpy(row + TB_SWAP_HEAD, live->good, n * sizeof *row);
    memcpy(row + TB_SWAP_HEAD + n, live->run.x, n * sizeof *row);
    tb_ring_done(&live->swaps);
}

/* The next block on offer, beside the one in use; returns 0 when its tick hasn't come. */
static int next_block(tb_live *live, int64_t *version) {
    if (live->tick < live->next_take)
        return 0;
    long place = live->queue_head;
    memcpy(live->blocks[1 - live->active], live->queue + place * live->block_size,
           (size_t)live->block_size * sizeof(double));
    *version = live->queue_versions[place];
    live->queue_head = (place + 1) % live->queue_capacity;
    live->queue_count--;
    live->next_take = live->tick + live->stride;
    return 1;
}

long tb_live_take_parameters(tb_live *live) {
    long wanted = TB_OFFERED;
    int64_t version;
    live->tried_version = 0;
    if (atomic_load_explicit(&live->offer, memory_order_relaxed) != TB_OFFERED ||
        !atomic_compare_exchange_strong(&live->offer, &wanted, TB_BEING_TAKEN))
        return 0;
    if (!next_block(live, &version)) {
        let_go(live);
        return 0;
    }
    size_t bytes = (size_t)tb_state_size(&live->problem) * sizeof(double);
    int bad = !follow(live);
    live->tried_version = version;
    if (bad) {
        use_block(live, live->active);
        memcpy(live->run.x, live->good, bytes);
        tb_live_meet(live, INFINITY);
        live->queue_count = 0; /* what lies beyond it can't be followed either */
        live->statistics->swaps_refused++;
    } else {
        live->active = 1 - live->active;
        live->version = version;
        live->statistics->swaps++;
    }
    note(live, version, bad);
    let_go(live);
    return bad ? TB_SWAP_REFUSED : TB_SWAPPED;
}
