/* Finds emergency stops in what clients send, byte by byte, without keeping more than a short
 * message: lines of JSON, or frames of WebSockets after a request of HTTP. */
#ifndef TOUCHBACK_STOP_MESSAGE_H
#define TOUCHBACK_STOP_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum { TB_LINES, TB_WEB };   /* protocols */
enum { TB_STOP_TEXT = 256 }; /* bytes: a stop has a word and an id of at most 64 characters */

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
} tb_scan;

/* Takes more bytes; returns how many stops ended in them. */
long tb_scan_take(tb_scan *scan, const unsigned char *data, size_t count);
/* Whether a text is {"do": "stop"}, perhaps with an "id". */
int tb_is_stop(const void *text, long count);

#endif
