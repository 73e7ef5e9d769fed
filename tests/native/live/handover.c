/* What is handed to a thread is seen whole by it, and is used no more once another is taken: one thread
 * hands over pieces that it writes and frees, another adds them up. For the thread sanitizer. */
#include "live/handover.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 300, NUMBERS = 16 };

static tb_handover handover;
static _Atomic int stop;

static void *takes(void *data) {
    long *torn = data;
    while (!atomic_load(&stop)) {
        tb_handover_take(&handover, tb_handover_wanted(&handover));
        const long *piece = tb_handover_taken(&handover);
        for (long i = 1; piece && i < NUMBERS; i++)
            *torn += piece[i] != piece[0];
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    long torn = 0, late = 0, *before = NULL;
    pthread_create(&thread, NULL, takes, &torn);
    for (long k = 1; k <= PIECES; k++) {
        long *piece = malloc(NUMBERS * sizeof *piece);
        for (long i = 0; i < NUMBERS; i++)
            piece[i] = k;
        late += tb_hand_over(&handover, piece, 60000000000) != 0;
        free(before);
        before = piece;
    }
    late += tb_hand_over(&handover, NULL, 60000000000) != 0;
    free(before);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    printf("%ld torn, %ld late\n", torn, late);
    return 0;
}
