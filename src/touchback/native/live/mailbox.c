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

/* Makes the sequence odd; returns the even one before, or -1 after so many tries. */
static int64_t hold(tb_mailbox *box, long tries) {
    uint64_t before = atomic_load_explicit(&box->sequence, memory_order_relaxed);
    for (long k = 0;; k++) {
        if (before % 2 == 0 &&
            atomic_compare_exchange_weak_explicit(&box->sequence, &before, before + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return (int64_t)before;
        if (k >= tries)
            return -1;
        if (k >= PATIENCE)
            sched_yield();
        before = atomic_load_explicit(&box->sequence, memory_order_relaxed);
    }
}

static void fill(tb_mailbox *box, uint64_t count, int64_t stamp, const double *values) {
    atomic_store_explicit(&box->stamp, stamp, memory_order_relaxed);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        atomic_store_explicit(&box->bits[i], bits, memory_order_relaxed);
    }
}

int tb_mailbox_write(tb_mailbox *box, uint64_t count, int64_t stamp, const double *values,
                     long tries) {
    int64_t before = hold(box, tries);
    if (before < 0)
        return -1;
    /* No store of the message may be seen before the odd sequence. */
    atomic_thread_fence(memory_order_release);
    fill(box, count, stamp, values);
    atomic_store_explicit(&box->sequence, (uint64_t)before + 2, memory_order_release);
    return 0;
}

int tb_mailbox_write_together(tb_mailbox *const *boxes, long boxes_count, const int64_t *stamps,
                              const double *values, long tries) {
    int64_t before[TB_TOGETHER];
    long held = 0;
    if (boxes_count > TB_TOGETHER)
        return -1;
    while (held < boxes_count && (before[held] = hold(boxes[held], tries)) >= 0)
        held++;
    int64_t more = held == boxes_count ? 2 : 0; /* 0: lets go of those held, as they were */
    atomic_thread_fence(memory_order_release);
    for (long i = 0; more && i < held; i++)
        fill(boxes[i], 1, stamps[i], values + i);
    for (long i = 0; i < held; i++)
        atomic_store_explicit(&boxes[i]->sequence, (uint64_t)(before[i] + more),
                              memory_order_release);
    return more ? 0 : -1;
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
