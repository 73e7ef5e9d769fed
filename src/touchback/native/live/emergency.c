#include "live/emergency.h"

#include <pthread.h>
#include <string.h>

enum { RUNS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    long number;
    tb_commands *commands; /* NULL: a free place */
} known[RUNS];
static long last;

static void hold(void) {
    pthread_mutex_lock(&lock);
}
static void let_go(void) {
    pthread_mutex_unlock(&lock);
}
static void prepare(void) {
    pthread_atfork(hold, let_go, let_go);
} /* a child can lock it, too */

void tb_emergency_over_forks(void) {
    pthread_once(&once, prepare);
}

long tb_emergency_add(tb_commands *commands) {
    long number = 0;
    tb_emergency_over_forks();
    hold();
    for (long i = 0; i < RUNS && !number; i++)
        if (!known[i].commands) {
            known[i].commands = commands;
            number = known[i].number = ++last;
        }
    let_go();
    return number;
}

void tb_emergency_remove(long number) {
    hold();
    for (long i = 0; i < RUNS; i++)
        if (known[i].number == number)
            known[i].commands = 0;
    let_go();
}

/* What others ask of a run; NULL when it has ended. While the list is held. */
static tb_commands *commands_of(long number) {
    for (long i = 0; i < RUNS; i++)
        if (known[i].commands && known[i].number == number)
            return known[i].commands;
    return 0;
}

int tb_emergency_stop(long number) {
    hold();
    tb_commands *found = commands_of(number);
    if (found)
        atomic_fetch_add(&found->halts, 1);
    let_go();
    return found != 0;
}

int tb_emergency_place(long number, tb_run_place *place) {
    hold();
    const tb_commands *found = commands_of(number);
    if (found) {
        uint64_t bits = atomic_load(&found->time);
        memcpy(&place->time, &bits, sizeof bits);
        place->tick = atomic_load(&found->tick);
        place->paused = atomic_load(&found->paused);
    }
    let_go();
    return found && place->tick > 0;
}
