#define _GNU_SOURCE
#include "live/shelter.h"

#include <stdatomic.h>

#ifdef __linux__

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHELTERS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static uintptr_t page; /* bytes */
static struct {
    _Atomic uintptr_t start, end; /* start is 0 in a free place */
    _Atomic long lost;
} shelters[SHELTERS];

/* Takes the place of a page that is gone. Only what may be called in a handler of signals. */
static void replace(int number, siginfo_t *info, void *context) {
    uintptr_t place = (uintptr_t)info->si_addr;
    for (long i = 0; i < SHELTERS; i++) {
        uintptr_t start = atomic_load(&shelters[i].start);
        if (!start || place < start || place >= atomic_load(&shelters[i].end))
            continue;
        void *whole = (void *)(place / page * page);
        if (mmap(whole, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED) {
            atomic_fetch_add(&shelters[i].lost, 1);
            return;
        }
    }
    (void)number, (void)context;
    sigaction(SIGBUS, &before, NULL); /* the same access faults again, and is theirs */
}

long tb_shelter(void *start, int64_t bytes) {
    long found = -1;
    pthread_mutex_lock(&lock);
    struct sigaction ours = {.sa_sigaction = replace, .sa_flags = SA_SIGINFO | SA_ONSTACK}, now;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    int installed = !sigaction(SIGBUS, NULL, &now);
    if (installed && now.sa_sigaction != replace) { /* or somebody took its place since */
        before = now;
        installed = !sigaction(SIGBUS, &ours, NULL);
    }
    for (long i = 0; installed && i < SHELTERS && found < 0; i++)
        if (!atomic_load(&shelters[i].start)) {
            atomic_store(&shelters[i].lost, 0);
            atomic_store(&shelters[i].end, (uintptr_t)start + (uintptr_t)bytes);
            atomic_store(&shelters[i].start, (uintptr_t)start);
            found = i;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

long tb_shelter_lost(long shelter) { return shelter < 0 ? 0 : atomic_load(&shelters[shelter].lost); }

void tb_shelter_end(long shelter) {
    if (shelter >= 0)
        atomic_store(&shelters[shelter].start, 0);
}

#else

long tb_shelter(void *start, int64_t bytes) { return (void)start, (void)bytes, -1; }
long tb_shelter_lost(long shelter) { return (void)shelter, 0; }
void tb_shelter_end(long shelter) { (void)shelter; }

#endif
