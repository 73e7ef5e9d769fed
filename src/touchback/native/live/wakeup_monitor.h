/* A monitor of wakeups: a thread that only sleeps to instants of a clock and notes how late it
 * woke. It has no work of its own, so that what makes it late is the machine and not a run. */
#ifndef TOUCHBACK_LIVE_WAKEUP_MONITOR_H
#define TOUCHBACK_LIVE_WAKEUP_MONITOR_H

#include <stdatomic.h>
#include <stdint.h>

#include "live/statistics.h"

typedef struct tb_wakeup_monitor {
    double period;      /* ns between its instants */
    double phase;       /* ns from its start to the first */
    int64_t lead;       /* ns: it sleeps to so long before an instant, as ticks do */
    long spins;         /* whether it also spins to the instant, as ticks do */
    int64_t late_limit; /* ns */
    long priority, cpu; /* wanted; 0 and -1 for none */
    long priority_error;

    int64_t wakes, late, delay; /* delay: ns, of all together */
    int64_t largest;
    int64_t counts[TB_BUCKETS];

    int64_t thread;
    _Atomic long stop;
} tb_wakeup_monitor;

/* Returns 0 or an errno. */
int tb_wakeup_monitor_start(tb_wakeup_monitor *monitor);
/* Ends and joins the thread, if there is one. */
void tb_wakeup_monitor_join(tb_wakeup_monitor *monitor);

#endif
