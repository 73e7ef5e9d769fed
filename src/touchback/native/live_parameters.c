/* Live parameters: a block written beside the one in use, and swapped in at a tick. */
#include <string.h>

#include "constrained.h"
#include "live.h"
#include "newton.h"

/* Offers a block, replacing an offer that no tick has taken yet. Called by one thread at a time. */
void tb_live_offer(tb_live *live, const double *block, int64_t version) {
    for (;;) {
        long state = atomic_load(&live->offer);
        if (state != TB_BEING_TAKEN &&
            atomic_compare_exchange_strong(&live->offer, &state, TB_BEING_WRITTEN))
            break;
    }
    memcpy(live->blocks[1 - live->active], block, (size_t)live->block_size * sizeof *block);
    live->offered_version = version;
    atomic_store(&live->offer, TB_OFFERED);
}

static void use_block(tb_live *live, long which) {
    live->active = which;
    live->problem.p = live->blocks[which];
    if (live->newton_start)
        live->problem.newton->p = live->blocks[which] + live->newton_start;
}

static double model_time(const tb_live *live) {
    return live->run.t0 + (double)live->run.steps * live->run.h;
}

/* Returns 0 when constraints can't be met from here, or a number is bad. */
static int settle(tb_live *live) {
    if (!live->problem.settle)
        return 1;
    const tb_constraint_statistics *statistics =
        &((const tb_constrained *)live->problem.settle_data)->statistics;
    long before = statistics->not_converged;
    live->problem.settle(&live->problem, model_time(live), live->run.x, 1);
    return statistics->not_converged == before &&
           tb_first_not_finite(live->run.x, tb_state_size(&live->problem)) < 0;
}

static void note(tb_live *live, int64_t version, int refused) {
    size_t n = (size_t)tb_state_size(&live->problem);
    double *row = tb_ring_next(&live->swaps);
    if (!row)
        return;
    row[0] = (double)version;
    row[1] = (double)(live->tick + 1); /* the tick that is beginning */
    row[2] = refused;
    row[3] = model_time(live);
    memcpy(row + 4, live->good, n * sizeof *row);
    memcpy(row + 4 + n, live->run.x, n * sizeof *row);
    tb_ring_done(&live->swaps);
}

long tb_live_take_parameters(tb_live *live) {
    long wanted = TB_OFFERED;
    live->tried_version = 0;
    if (atomic_load_explicit(&live->offer, memory_order_relaxed) != TB_OFFERED ||
        !atomic_compare_exchange_strong(&live->offer, &wanted, TB_BEING_TAKEN))
        return 0;
    size_t bytes = (size_t)tb_state_size(&live->problem) * sizeof(double);
    int64_t version = live->offered_version;
    use_block(live, 1 - live->active);
    int bad = !settle(live);
    live->tried_version = version;
    if (bad) {
        use_block(live, 1 - live->active);
        memcpy(live->run.x, live->good, bytes);
        settle(live);
        live->statistics->swaps_refused++;
    } else {
        live->version = version;
        live->statistics->swaps++;
    }
    note(live, version, bad);
    atomic_store(&live->offer, TB_NOTHING);
    return bad ? TB_SWAP_REFUSED : TB_SWAPPED;
}
