#define _DEFAULT_SOURCE /* clocks beside C11 */

#include "seconds.h"

#include <time.h>

double tb_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
