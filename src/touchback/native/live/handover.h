/* What a driver's thread works with, handed to it by others who may free it once it isn't used any
 * more. What was written before `tb_hand_over` is seen by the thread that takes it, and the
 * thread's last use of what it had before is over when that returns: on processors that reorder,
 * too. */
#ifndef TOUCHBACK_HANDOVER_H
#define TOUCHBACK_HANDOVER_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct tb_handover {
    _Atomic(void *) wanted, taken; /* the thread takes the one, and then says so */
} tb_handover;

/* Returns 0 when the thread has taken it, ETIMEDOUT when it hasn't for so many ns. */
int tb_hand_over(tb_handover *handover, void *what, int64_t patience);

/* Of the thread alone: what it has, and that it takes what is wanted now. */
static inline void *tb_handover_taken(const tb_handover *handover) {
    return atomic_load_explicit(&handover->taken, memory_order_relaxed);
}

static inline void *tb_handover_wanted(const tb_handover *handover) {
    return atomic_load_explicit(&handover->wanted, memory_order_acquire);
}

static inline void tb_handover_take(tb_handover *handover, void *what) {
    atomic_store_explicit(&handover->taken, what, memory_order_release);
}

#endif
