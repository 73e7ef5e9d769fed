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

int tb_is_stop(const void *text, long count) {
    const char *end = (const char *)text + count, *at = skip(text, end);
    int stops = 0;
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
        if (is_do && !(stops = is("\"stop\"", value, last)))
            return 0;
        at = skip(last, end);
    } while (at < end && *at == ',');
    return stops && at < end && *at == '}' && skip(at + 1, end) == end;
}

static long take_line(tb_scan *scan, unsigned char byte) {
    if (byte != '\n') {
        if (scan->count < TB_STOP_TEXT)
            scan->text[scan->count] = byte;
        scan->count += scan->count <= TB_STOP_TEXT; /* one more: too long to be a stop */
        return 0;
    }
    long count = scan->count;
    scan->greeted = 1;
    scan->count = 0;
    return count <= TB_STOP_TEXT && tb_is_stop(scan->text, count);
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

static long end_payload(tb_scan *scan) {
    scan->head_count = 0;
    return scan->watched && tb_is_stop(scan->text, scan->count);
}

long tb_scan_take(tb_scan *scan, const unsigned char *data, size_t count) {
    long stops = 0;
    for (size_t i = 0; i < count; i++) {
        if (scan->protocol == TB_LINES) {
            stops += take_line(scan, data[i]);
        } else if (!scan->greeted) {
            take_request(scan, data[i]);
        } else if (!scan->left) {
            scan->head[scan->head_count++] = data[i];
            if (scan->head_count == head_size(scan)) {
                begin_payload(scan);
                if (!scan->left)
                    stops += end_payload(scan);
            }
        } else if (scan->watched) {
            unsigned char mask = scan->head[scan->head_count - 4 + (long)(scan->place++ % 4)];
            scan->text[scan->count++] = data[i] ^ mask;
            if (!--scan->left)
                stops += end_payload(scan);
        } else {
            size_t rest = count - i;
            uint64_t passed = scan->left < rest ? scan->left : rest;
            scan->left -= passed;
            i += (size_t)passed - 1;
            if (!scan->left)
                end_payload(scan);
        }
    }
    return stops;
}
