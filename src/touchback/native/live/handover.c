#define _GNU_SOURCE
#include "live/handover.h"

#include <errno.h>
#include <time.h>

#include "live/clock.h"

static const long LOOK = 200000; /* ns */

int tb_hand_over(tb_handover *handover, void *what, int64_t patience) {
    const struct timespec look = {0, LOOK};
    int64_t end = tb_clock_now() + patience;
    atomic_store_explicit(&handover->wanted, what, memory_order_release);
    while (atomic_load_explicit(&handover->taken, memory_order_acquire) != what) {
        if (tb_clock_now() > end)
            return ETIMEDOUT;
        nanosleep(&look, NULL);
    }
    return 0;
}
