/* Finds emergency stops in what clients send, byte by byte, without keeping more than a short
 * message: lines of JSON, or frames of WebSockets after a request of HTTP. */
#ifndef TOUCHBACK_STOP_MESSAGE_H
#define TOUCHBACK_STOP_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum { TB_LINES, TB_WEB };   /* protocols */
enum { TB_STOP_TEXT = 256 }; /* bytes: a stop has a word and an id of at most 64 characters */
enum { TB_MARK = 4 };        /* characters in place of the word "stop" of one that was answered */

/* Where in a text its word is, without quotes, and its id, as it is written; an id of no length is
 * none. One that can't be answered without reading it in full has no word (-1). */
typedef struct tb_stop {
    long word, id, id_count;
} tb_stop;

typedef struct tb_scan {
    long protocol;
    long greeted;           /* whether the first line, or the request's head, is whole */
    long ending;            /* characters of the blank line that ends a head */
    unsigned char head[14]; /* of a frame */
    long head_count;
    uint64_t left;  /* bytes of the frame's payload */
    uint64_t place; /* in it */
    long watched;   /* whether the text may be a stop */
    unsigned char text[TB_STOP_TEXT];
    long count;
    int64_t messages; /* that ended */
    long stops;       /* whether the last of them is a stop, which ended with the last byte */
    tb_stop stop;
} tb_scan;

/* Takes bytes up to the end of a stop, or all; returns how many. */
size_t tb_scan_take(tb_scan *scan, const unsigned char *data, size_t count);
/* How many of the last bytes may become a stop with those that follow. */
size_t tb_scan_pending(const tb_scan *scan);
/* Whether no message is under way. */
int tb_scan_is_between(const tb_scan *scan);
/* What marks answered stops in this process: characters that clients don't know, else they could
 * send what is taken for answered. Chosen before the first front is opened. */
void tb_scan_choose_mark(const unsigned char *characters);
/* Marks the stop that just ended, whose last byte is before `end`, as answered; the bytes before it
 * that were pending must be there too. */
void tb_scan_mark_answered(const tb_scan *scan, unsigned char *end);
/* Whether a text is {"do": "stop"}, perhaps with an "id"; tells where its parts are. */
int tb_is_stop(const void *text, long count, tb_stop *found);

#endif
