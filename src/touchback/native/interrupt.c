/* Ctrl-C for loops in C. Python's own handler is run between two of its instructions, which is
 * never while a call of this library lasts. So its place is taken for as long as a run listens: the
 * first Ctrl-C raises a flag that loops look at, and a run ends with what it has; another one goes
 * to Python as usual, which ends even an input function that hangs. */
#define _POSIX_C_SOURCE 200809L

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static atomic_long pressed; /* how often since somebody listens */
static struct sigaction before;
static _Thread_local const atomic_long *flag;

int tb_stop_asked(void) {
    return flag && atomic_load_explicit(flag, memory_order_relaxed) != 0;
}

void tb_stop_by(const atomic_long *other) {
    flag = other;
}

static void note(int number) {
    if (atomic_fetch_add(&pressed, 1))
        before.sa_handler(number);
}

int tb_listen(void) {
    if (sigaction(SIGINT, NULL, &before) || before.sa_flags & SA_SIGINFO ||
        before.sa_handler == SIG_IGN || before.sa_handler == SIG_DFL)
        return 0;
    struct sigaction own = before;
    own.sa_handler = note;
    atomic_store(&pressed, 0);
    tb_stop_by(&pressed);
    return sigaction(SIGINT, &own, NULL) == 0;
}

long tb_unlisten(void) {
    sigaction(SIGINT, &before, NULL);
    tb_stop_by(NULL);
    return atomic_load(&pressed);
}
