/* The front of a server that is written in Python: a thread of C that accepts connections, holds
 * strangers to their greeting, relays what clients and server say, and does and answers the
 * emergency stops that pass by, whatever the interpreter is busy with. The server gets a stop that
 * was answered too, with a mark in place of its word (tb_scan_choose_mark).
 *
 * A connection reaches the server once its greeting (a line, or the head of a request) is whole.
 * Until the server trusts it, which it does when it has seen the token, it is a stranger's: there
 * are so many of them at most, and the oldest makes room for a new one. */
#ifndef TOUCHBACK_FRONT_H
#define TOUCHBACK_FRONT_H

#include <stdint.h>

#include "front/stop_message.h"

typedef struct tb_front tb_front;

typedef struct tb_front_counts {
    int64_t accepted, trusted, strangers, crowded_out, too_slow, stops;
} tb_front_counts;

enum { TB_FRONT_LISTENERS = 8, TB_FRONT_GROUPS = 256, TB_FRONT_RUNS = 16 };

/* Begins: it owns the listeners, and writes to `handing` (a Unix stream, which it owns too) the
 * number of each connection, int64_t, with the server's end of it beside (SCM_RIGHTS). There are no
 * more strangers than have room in a quarter of the files that the process may open. `greeting`: ns
 * in which a greeting must be whole, and on lines the token be given; 0: everybody is trusted.
 * Returns NULL and errno. */
tb_front *tb_front_open(const int *listeners, long count, int handing, long protocol,
                        long strangers, int64_t greeting);
/* A client, whose stops are those of a group. Returns 0 when the connection is gone. */
int tb_front_trust(tb_front *front, int64_t id, long group);
/* Which runs (live/emergency.h) clients of a group stop: at most TB_FRONT_RUNS. `answers`: stops
 * are answered here, with where the last of the runs is that has made a tick; else only done. */
void tb_front_watch(tb_front *front, long group, const int64_t *runs, long count, int answers);
void tb_front_count(tb_front *front, tb_front_counts *counts);
/* Ends all connections and the thread. */
void tb_front_close(tb_front *front);
/* In a child process, which doesn't have the thread: closes its copies of the files and frees
 * nothing. */
void tb_front_abandon(tb_front *front);

#endif
