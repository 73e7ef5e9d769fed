/* What a run remembers beside its state: told now and then, so that it can be gone on with from any
 * tick, bit for bit. */
#include <stddef.h>

#include "live/live.h"

long tb_live_save_warm_start(const tb_live *live, double *memory) {
    return tb_save_warm_start(&live->problem, memory);
}

int tb_live_restore_warm_start(tb_live *live, const double *memory) {
    return tb_restore_warm_start(&live->problem, memory);
}

static int is_due(const tb_live *live) {
    return atomic_load_explicit(&live->commands->note, memory_order_relaxed) ||
           (live->memory_size &&
            (live->tick % live->note_every == 0 || live->flags & TB_RESTRUCTURED));
}

void tb_live_log_warm_start(tb_live *live) {
    double *row = is_due(live) ? tb_ring_next(&live->memories) : NULL;
    if (!row) /* a full ring is emptied soon: who asked waits, others find an earlier row */
        return;
    atomic_store(&live->commands->note, 0);
    row[0] = (double)live->tick;
    row[1] = live->run.t0;
    row[2] = (double)live->run.steps;
    row[3] = (double)live->flags;
    tb_save_warm_start(&live->problem, row + TB_WARM_START_HEAD);
    tb_ring_done(&live->memories);
}
