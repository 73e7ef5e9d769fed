/* Shared memory that its owner may cut short: a page that is gone would end the process (SIGBUS).
 * In a sheltered range zeros take its place, and it is known that something was lost. */
#ifndef TOUCHBACK_SHELTER_H
#define TOUCHBACK_SHELTER_H

#include <stdint.h>

/* Returns the number of the shelter, -1 on systems without them, or -2 when there are too many. */
long tb_shelter(void *start, int64_t bytes);
/* Pages that were lost. */
long tb_shelter_lost(long shelter);
/* Before the range is unmapped. */
void tb_shelter_end(long shelter);

#endif
