/* The clock of live runs: monotonic nanoseconds, waits to absolute instants, and what a thread may
 * ask of the scheduler. Linux; elsewhere every request answers ENOSYS. */
#ifndef TOUCHBACK_CLOCK_H
#define TOUCHBACK_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

int64_t tb_clock_now(void);
/* Sleeps until `spin` nanoseconds before the instant, then spins to it. Returns early when *stop is
 * set; a long sleep is cut into slices so that this is noticed. */
void tb_clock_wait(int64_t instant, int64_t spin, const _Atomic long *stop);

/* Processor time of the calling thread in ns: what passes beyond it, others took. */
int64_t tb_clock_worked(void);
/* Timers of the calling thread fire when they are due; by default the kernel may gather them. */
void tb_clock_sharpen(void);

/* Each returns 0 or the errno that says why not. */
int tb_clock_priority(int priority); /* SCHED_FIFO of the calling thread */
int tb_clock_pin(int cpu);           /* the calling thread to one processor */
int tb_memory_lock(void *start, int64_t bytes);
int tb_memory_unlock(void *start, int64_t bytes);

#endif
