/* Shared memory that its owner may cut short: a page that is gone would end the process (SIGBUS).
 * In a guarded range zeros take its place, and it is known that something was lost. */
#ifndef TOUCHBACK_SIGBUS_GUARD_H
#define TOUCHBACK_SIGBUS_GUARD_H

#include <stdint.h>

/* Returns the number of the guard, -1 on systems without them, or -2 when there are too many. */
long tb_sigbus_guard(void *start, int64_t bytes);
/* Pages that were lost. */
long tb_sigbus_guard_lost(long guard);
/* Before the range is unmapped. */
void tb_sigbus_guard_end(long guard);

#endif
