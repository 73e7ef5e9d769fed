/* What a live run publishes, as the thread of a driver follows it: it takes what is new, in the
 * structure whose places it knows, and nothing that waited for too long. */
#ifndef TOUCHBACK_PUBLICATION_H
#define TOUCHBACK_PUBLICATION_H

#include <stdatomic.h>
#include <stdint.h>

#include "live/mailbox.h"

enum {
    TB_PUBLISHED_NONE, /* no run, or one whose places are others now */
    TB_PUBLISHED_NEW,
    TB_PUBLISHED_SAME,
    TB_PUBLISHED_LATE, /* it waited for too long, for this thread stood still: not to be used */
};

typedef struct tb_publication {
    const tb_mailbox *mailbox;    /* NULL: none */
    uint64_t count;               /* doubles */
    double *message;              /* room for them */
    int64_t period;               /* ns between messages */
    const _Atomic uint64_t *word; /* of the ports' directory: places hold while it is … */
    uint64_t known;               /* … this */

    int64_t sequence, stamp; /* of the last one taken; -1 and 0 before */
} tb_publication;

/* Takes what is new into `message`, unless it is older than `oldest` ns. */
int tb_publication_take(tb_publication *publication, int64_t oldest);
/* ns until the next look at it. */
int64_t tb_publication_pause(const tb_publication *publication, int64_t now);

#endif
