/* Last-value mailboxes: a message of doubles and a time stamp that is replaced as a whole.
 *
 * A sequence lock: the sequence is odd while a message is being written, and two more after it. Any
 * number of threads or processes may write, any number may read; a reader that met a writer tries
 * again, and never sees half a message. Works in shared memory: no pointers, no futexes. */
#ifndef TOUCHBACK_MAILBOX_H
#define TOUCHBACK_MAILBOX_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct tb_mailbox {
    _Atomic uint64_t sequence; /* half of it counts the messages so far */
    _Atomic int64_t stamp;     /* ns, CLOCK_MONOTONIC, when the message was made */
    uint64_t count;            /* doubles in a message */
    uint64_t type;             /* 1: IEEE 754 doubles */
    _Atomic uint64_t bits[];   /* of the doubles */
} tb_mailbox;

enum { TB_MAILBOX_DOUBLES = 1 };

void tb_mailbox_open(tb_mailbox *box, uint64_t count);
/* Whoever writes or reads brings the count that it made room for: the one in the box is for other
 * processes to look at, and one of them may have written anything there. */
/* Returns 0, or -1 when another writer held the mailbox for all of the tries (it died, perhaps). */
int tb_mailbox_write(tb_mailbox *box, uint64_t count, int64_t stamp, const double *values,
                     long tries);
/* Messages of one double each for several mailboxes, of which a reader that compares sequences sees
 * all or none: every mailbox is held before one changes. Returns 0, or -1 when one could not be
 * had; then none has changed. At most TB_TOGETHER of them. */
enum { TB_TOGETHER = 256 };
int tb_mailbox_write_together(tb_mailbox *const *boxes, long boxes_count, const int64_t *stamps,
                              const double *values, long tries);
/* Returns the sequence of the message read, or -1 when every one of the tries met a writer. */
int64_t tb_mailbox_read(const tb_mailbox *box, uint64_t count, int64_t *stamp, double *values,
                        long tries);

static inline int64_t tb_mailbox_sequence(const tb_mailbox *box) {
    return (int64_t)atomic_load_explicit(&box->sequence, memory_order_acquire);
}

#endif
