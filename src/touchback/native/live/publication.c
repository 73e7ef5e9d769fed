#include "live/publication.h"

#include "live/clock.h"

static const long TRIES = 1000;
static const int64_t SOON = 20000;      /* ns after a tick is due, when it has published */
static const int64_t AGAIN = 50000;     /* ns: the next look, where it hadn't */
static const int64_t PATIENCE = 10;     /* periods after which it rests, perhaps */
static const int64_t LONGEST = 1000000; /* ns */

int tb_publication_take(tb_publication *publication, int64_t oldest) {
    if (!publication->mailbox ||
        (publication->word && atomic_load(publication->word) != publication->known))
        return TB_PUBLISHED_NONE;
    int64_t stamp, sequence = tb_mailbox_sequence(publication->mailbox);
    if (sequence == publication->sequence)
        return TB_PUBLISHED_SAME;
    sequence = tb_mailbox_read(publication->mailbox, publication->count, &stamp,
                               publication->message, TRIES);
    if (sequence < 0)
        return TB_PUBLISHED_SAME;
    publication->sequence = sequence;
    publication->stamp = stamp;
    return tb_clock_now() - stamp <= oldest ? TB_PUBLISHED_NEW : TB_PUBLISHED_LATE;
}

int64_t tb_publication_pause(const tb_publication *publication, int64_t now) {
    int64_t left = publication->stamp + publication->period + SOON - now;
    if (left < AGAIN)
        left = left > -PATIENCE * publication->period ? AGAIN : LONGEST;
    return left < LONGEST ? left : LONGEST;
}
