#include <string.h>

#include "live/live.h"

double *tb_ring_next(tb_ring *ring) {
    int64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    if (written - atomic_load_explicit(&ring->read, memory_order_acquire) >= ring->capacity)
        return NULL;
    return ring->rows + written % ring->capacity * ring->width;
}

void tb_ring_done(tb_ring *ring) {
    int64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    atomic_store_explicit(&ring->written, written + 1, memory_order_release);
}

int64_t tb_ring_drain(tb_ring *ring, double *rows, int64_t limit) {
    int64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    int64_t count = atomic_load_explicit(&ring->written, memory_order_acquire) - read;
    count = count < limit ? count : limit;
    for (int64_t i = 0; i < count; i++)
        memcpy(rows + i * ring->width, ring->rows + (read + i) % ring->capacity * ring->width,
               (size_t)ring->width * sizeof *rows);
    atomic_store_explicit(&ring->read, read + count, memory_order_release);
    return count;
}
