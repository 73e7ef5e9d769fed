#include "live/mailbox.h"

#include <sched.h>
#include <string.h>

static const long PATIENCE = 100; /* tries before a writer gives its processor away */

void tb_mailbox_open(tb_mailbox *box, uint64_t count) {
    box->count = count;
    box->type = TB_MAILBOX_DOUBLES;
    for (uint64_t i = 0; i < count; i++)
        atomic_store_explicit(&box->bits[i], 0, memory_order_relaxed);
    atomic_store_explicit(&box->stamp, 0, memory_order_relaxed);
    atomic_store_explicit(&box->sequence, 0, memory_order_release);
}

int tb_mailbox_write(tb_mailbox *box, uint64_t count, int64_t stamp, const double *values,
                     long tries) {
    uint64_t before = atomic_load_explicit(&box->sequence, memory_order_relaxed);
    for (long k = 0;; k++) {
        if (before % 2 == 0 &&
            atomic_compare_exchange_weak_explicit(&box->sequence, &before, before + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            break;
        if (k >= tries)
            return -1;
        if (k >= PATIENCE)
            sched_yield();
        before = atomic_load_explicit(&box->sequence, memory_order_relaxed);
    }
    /* No store of the message may be seen before the odd sequence. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&box->stamp, stamp, memory_order_relaxed);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        atomic_store_explicit(&box->bits[i], bits, memory_order_relaxed);
    }
    atomic_store_explicit(&box->sequence, before + 2, memory_order_release);
    return 0;
}

int64_t tb_mailbox_read(const tb_mailbox *box, uint64_t count, int64_t *stamp, double *values,
                        long tries) {
    for (long k = 0; k < tries; k++) {
        uint64_t before = atomic_load_explicit(&box->sequence, memory_order_acquire);
        if (before % 2)
            continue;
        *stamp = atomic_load_explicit(&box->stamp, memory_order_relaxed);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bits = atomic_load_explicit(&box->bits[i], memory_order_relaxed);
            memcpy(values + i, &bits, sizeof bits);
        }
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&box->sequence, memory_order_relaxed) == before)
            return (int64_t)before;
    }
    return -1;
}
