/* Emergency stops by number: who has the number of a run stops it from any thread, without Python
 * and whatever has become of the run since. */
#ifndef TOUCHBACK_EMERGENCY_H
#define TOUCHBACK_EMERGENCY_H

#include "live/live.h"

/* Holds the list of runs over forks from now on, as tb_emergency_add does too. */
void tb_emergency_over_forks(void);
/* The number of a run from now on, above 0 and never given twice; 0: there are too many. */
long tb_emergency_add(tb_commands *commands);
/* The run ends: its number stops nothing from the return of this on. */
void tb_emergency_remove(long number);
/* Returns 1, or 0 when that run has ended. */
int tb_emergency_stop(long number);

/* Where a run is, as its last tick published it. */
typedef struct tb_run_place {
    int64_t tick;
    double time;
    long paused;
} tb_run_place;

/* Returns 0 when that run has ended, or has made no tick yet. */
int tb_emergency_place(long number, tb_run_place *place);

#endif
