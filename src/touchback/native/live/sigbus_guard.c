#define _GNU_SOURCE
#include "live/sigbus_guard.h"

#include <stdatomic.h>

#ifdef __linux__

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GUARDS = 256, TOO_MANY = -2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static _Atomic long handing; /* the thread that hands a signal on; 0: none */
static uintptr_t page;       /* bytes */
static struct {
    _Atomic uintptr_t start, end; /* start is 0 in a free place */
    _Atomic long lost;
} guards[GUARDS];

/* What isn't ours goes to the handler that was there before, and guards stay. One that was
 * installed between two guards hands it back (by raise, or by a call): then the process ends, as
 * without handlers. */
static void hand_on(int number, siginfo_t *info, void *context) {
    int sent = info->si_code <= 0; /* by a process, as kill does: no access failed */
    int plain = !(before.sa_flags & SA_SIGINFO);
    if (sent && plain && before.sa_handler == SIG_IGN)
        return;
    long thread = syscall(SYS_gettid);
    int known = plain && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN);
    if (known || atomic_load(&handing) == thread) {
        struct sigaction none = {.sa_handler = SIG_DFL};
        sigaction(SIGBUS, &none, NULL); /* an access that failed does so again */
        if (sent)
            raise(number);
        return;
    }
    atomic_store(&handing, thread);
    if (plain)
        before.sa_handler(number);
    else
        before.sa_sigaction(number, info, context);
    atomic_store(&handing, 0);
}

/* Takes the place of a page that is gone. Only what may be called in a handler of signals. */
static void replace(int number, siginfo_t *info, void *context) {
    uintptr_t place = (uintptr_t)info->si_addr;
    for (long i = 0; info->si_code > 0 && i < GUARDS; i++) {
        uintptr_t start = atomic_load(&guards[i].start);
        if (!start || place < start || place >= atomic_load(&guards[i].end))
            continue;
        void *whole = (void *)(place / page * page);
        if (mmap(whole, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                 0) != MAP_FAILED) {
            atomic_fetch_add(&guards[i].lost, 1);
            return;
        }
    }
    hand_on(number, info, context);
}

long tb_sigbus_guard(void *start, int64_t bytes) {
    long found = TOO_MANY;
    pthread_mutex_lock(&lock);
    struct sigaction ours = {.sa_sigaction = replace,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER}, /* see hand_on */
        now;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    int installed = !sigaction(SIGBUS, NULL, &now);
    if (installed && now.sa_sigaction != replace) { /* or somebody took its place since */
        before = now;
        installed = !sigaction(SIGBUS, &ours, NULL);
    }
    for (long i = 0; installed && i < GUARDS && found < 0; i++)
        if (!atomic_load(&guards[i].start)) {
            atomic_store(&guards[i].lost, 0);
            atomic_store(&guards[i].end, (uintptr_t)start + (uintptr_t)bytes);
            atomic_store(&guards[i].start, (uintptr_t)start);
            found = i;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

long tb_sigbus_guard_lost(long guard) {
    return guard < 0 ? 0 : atomic_load(&guards[guard].lost);
}

void tb_sigbus_guard_end(long guard) {
    if (guard >= 0)
        atomic_store(&guards[guard].start, 0);
}

#else

long tb_sigbus_guard(void *start, int64_t bytes) {
    return (void)start, (void)bytes, -1;
}
long tb_sigbus_guard_lost(long guard) {
    return (void)guard, 0;
}
void tb_sigbus_guard_end(long guard) {
    (void)guard;
}

#endif
