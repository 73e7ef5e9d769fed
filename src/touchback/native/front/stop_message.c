#include "front/stop_message.h"

#include <string.h>

static const char *skip(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

/* The end of a string without its quotes, at which *at stands; NULL where it has no end. */
static const char *string_end(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && ++at >= end)
            break;
    return at < end ? at : NULL;
}

static int is(const char *word, const char *from, const char *to) {
    return (size_t)(to - from) == strlen(word) && !memcmp(word, from, (size_t)(to - from));
}

/* A number, null or a string: where it ends; NULL for anything else. */
static const char *plain_end(const char *at, const char *end) {
    if (at < end && *at == '"') {
        const char *last = string_end(at, end);
        return last ? last + 1 : NULL;
    }
    const char *from = at;
    while (at < end && *at != ',' && *at != '}' && *at != '{' && *at != '[' && *at != '"')
        at++;
    return at > from && at < end && (*at == ',' || *at == '}') ? at : NULL;
}

/* Whether an id as it is written may stand in an answer: whole numbers up to 2^53, null, and plain
 * strings of up to 64 characters; others are left to who reads all of JSON. */
static int is_plain_id(const char *at, const char *end) {
    if (is("null", at, end))
        return 1;
    if (*at == '"') {
        for (const char *c = at + 1; c < end - 1; c++)
            if (*c < ' ' || *c > '~' || *c == '\\')
                return 0;
        return end - at <= 64 + 2;
    }
    const char *first = at + (*at == '-');
    for (const char *c = first; c < end; c++)
        if (*c < '0' || *c > '9')
            return 0;
    return end > first && end - first <= 15 && (*first != '0' || end - first == 1);
}

static const char *trimmed(const char *from, const char *end) {
    while (end > from && skip(end - 1, end) == end)
        end--;
    return end;
}

int tb_is_stop(const void *text, long count, tb_stop *found) {
    const char *start = text, *end = start + count, *at = skip(start, end);
    int stops = 0, words = 0, ids = 0, plain = 1;
    tb_stop place = {-1, 0, 0};
    if (at >= end || *at != '{')
        return 0;
    do {
        const char *key = skip(at + 1, end), *last;
        if (key >= end || *key != '"' || !(last = string_end(key, end)))
            return 0;
        int is_do = is("do", key + 1, last);
        if (!is_do && !is("id", key + 1, last))
            return 0; /* another message, or none of ours */
        at = skip(last + 1, end);
        if (at >= end || *at != ':')
            return 0;
        const char *value = skip(at + 1, end);
        if (!(last = plain_end(value, end)))
            return 0;
        const char *whole = trimmed(value, last);
        if (is_do && !(stops = is("\"stop\"", value, whole)))
            return 0;
        if (is_do) {
            words++;
            place.word = value + 1 - start;
        } else {
            ids++;
            plain = plain && is_plain_id(value, whole);
            place.id = value - start;
            place.id_count = is("null", value, whole) ? 0 : whole - value;
        }
        at = skip(last, end);
    } while (at < end && *at == ',');
    if (words > 1 || ids > 1 || !plain)
        place.word = -1;
    if (found)
        *found = place;
    return stops && at < end && *at == '}' && skip(at + 1, end) == end;
}

/* Of a message that ended: whether it is a stop. */
static int end_message(tb_scan *scan, int may_stop) {
    scan->messages++;
    scan->stops = may_stop && tb_is_stop(scan->text, scan->count, &scan->stop);
    return scan->stops != 0;
}

static int take_line(tb_scan *scan, unsigned char byte) {
    if (byte != '\n') {
        if (scan->count < TB_STOP_TEXT)
            scan->text[scan->count] = byte;
        scan->count += scan->count <= TB_STOP_TEXT; /* one more: too long to be a stop */
        return 0;
    }
    scan->greeted = 1;
    int stops = end_message(scan, scan->count <= TB_STOP_TEXT);
    scan->place = (uint64_t)scan->count;
    scan->count = 0;
    return stops;
}

static void take_request(tb_scan *scan, unsigned char byte) {
    static const char BLANK[] = "\r\n\r\n";
    scan->ending = byte == BLANK[scan->ending] ? scan->ending + 1 : byte == '\r';
    scan->greeted = scan->ending == 4;
}

/* How long the head of a frame is, as far as it can be told. */
static long head_size(const tb_scan *scan) {
    if (scan->head_count < 2)
        return 2;
    long length = scan->head[1] & 127, mask = scan->head[1] & 128 ? 4 : 0;
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + mask;
}

static void begin_payload(tb_scan *scan) {
    enum { LAST = 0x80, TEXT = 1, BINARY = 2 };
    long length = scan->head[1] & 127, more = length == 126 ? 2 : length == 127 ? 8 : 0;
    scan->left = more ? 0 : (uint64_t)length;
    for (long i = 0; i < more; i++)
        scan->left = scan->left << 8 | scan->head[2 + i];
    int whole = scan->head[0] == (LAST | TEXT) || scan->head[0] == (LAST | BINARY);
    scan->watched = whole && scan->head[1] & 128 && scan->left <= TB_STOP_TEXT;
    scan->place = 0;
    scan->count = 0;
}

static int end_payload(tb_scan *scan) {
    scan->head_count = 0;
    return end_message(scan, scan->watched != 0);
}

/* Takes one byte of a frame, or more of a payload that is no stop: `*i` becomes the last of them.
 * Returns whether a stop ended. */
static int take_frame(tb_scan *scan, const unsigned char *data, size_t count, size_t *i) {
    if (!scan->left) {
        scan->head[scan->head_count++] = data[*i];
        if (scan->head_count < head_size(scan))
            return 0;
        begin_payload(scan);
    } else if (scan->watched) {
        unsigned char mask = scan->head[scan->head_count - 4 + (long)(scan->place++ % 4)];
        scan->text[scan->count++] = data[*i] ^ mask;
        scan->left--;
    } else {
        uint64_t rest = count - *i, passed = scan->left < rest ? scan->left : rest;
        scan->left -= passed;
        *i += (size_t)passed - 1;
    }
    return !scan->left && end_payload(scan);
}

size_t tb_scan_take(tb_scan *scan, const unsigned char *data, size_t count) {
    scan->stops = 0;
    for (size_t i = 0; i < count; i++) {
        int stops = 0;
        if (scan->protocol == TB_LINES)
            stops = take_line(scan, data[i]);
        else if (!scan->greeted)
            take_request(scan, data[i]);
        else
            stops = take_frame(scan, data, count, &i);
        if (stops)
            return i + 1;
    }
    return count;
}

size_t tb_scan_pending(const tb_scan *scan) {
    if (scan->protocol == TB_LINES)
        return scan->count <= TB_STOP_TEXT ? (size_t)scan->count : 0;
    if (scan->left && !scan->watched)
        return 0;
    return (size_t)scan->head_count + (scan->left ? (size_t)scan->place : 0);
}

int tb_scan_is_between(const tb_scan *scan) {
    return scan->protocol == TB_LINES ? !scan->count : scan->greeted && !scan->head_count;
}

static unsigned char answered_mark[TB_MARK];

void tb_scan_choose_mark(const unsigned char *characters) {
    memcpy(answered_mark, characters, TB_MARK);
}

void tb_scan_mark_answered(const tb_scan *scan, unsigned char *end) {
    static const char WORD[] = "stop";
    unsigned char *text = end - (long)scan->place - (scan->protocol == TB_LINES);
    for (long i = 0; i < TB_MARK; i++) /* masked or not */
        text[scan->stop.word + i] ^= (unsigned char)(WORD[i] ^ answered_mark[i]);
}
