#define _GNU_SOURCE
#include "front/connection_gate.h"

#include <errno.h>

#ifdef __linux__

#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/emergency.h"

enum { MOST = 1024, AT_ONCE = 64 };
enum {
    IN = 256 << 10,
    OUT = 64 << 10,
    KERNEL = 128 << 10,
    LONGEST_GREETING = 64 << 10,
    ANSWERS = 1024,
    ANSWER = 256
}; /* bytes */
enum { ONE_FILE = CMSG_SPACE(sizeof(int)) }; /* bytes that a file takes beside a message */

static const int64_t FLUSH = 5000000000; /* ns for the last words of a server to be taken */
static const int64_t PAUSE = 50000000;   /* ns without accepting, when there are no files left */
static const int LOOK = 100;             /* ms between looks at deadlines */

typedef struct queue {
    unsigned char *data;
    size_t size, start, count; /* `start` is where the first of `count` bytes is */
} queue;

typedef struct connection {
    int64_t id, since;
    int outer, inner; /* of the client; towards the server, -1 before it is handed over */
    int trusted, outer_ended, inner_ended;
    int gone; /* it made room, has no files any more, and waits for its end */
    int deaf; /* the server reads no more, and may still have something to say */
    int64_t flush_until;
    long group;
    tb_scan scan, told; /* of what the client and the server say */
    queue in, out;
    unsigned char answers[ANSWERS]; /* to stops, until the server's words can be interrupted */
    size_t answer_count;            /* bytes */
} connection;

struct tb_front {
    pthread_t thread;
    pthread_mutex_t lock;
    int listeners[TB_FRONT_LISTENERS];
    long listener_count;
    int handing, wake;
    long strangers;
    int64_t greeting;
    long protocol;
    int64_t last_id, accept_at;
    int closing;
    long count;
    connection *all[MOST];
    struct pollfd files[1 + TB_FRONT_LISTENERS + 2 * MOST];
    int64_t runs[TB_FRONT_GROUPS][TB_FRONT_RUNS];
    long run_counts[TB_FRONT_GROUPS];
    int answering[TB_FRONT_GROUPS];
    tb_front_counts counts;
    tb_front *next;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t fronts_lock = PTHREAD_MUTEX_INITIALIZER;
static tb_front *fronts; /* that are open */

static void hold(void) {
    pthread_mutex_lock(&fronts_lock);
    for (tb_front *each = fronts; each; each = each->next)
        pthread_mutex_lock(&each->lock);
}

static void let_go(void) {
    for (tb_front *each = fronts; each; each = each->next)
        pthread_mutex_unlock(&each->lock);
    pthread_mutex_unlock(&fronts_lock);
}

/* A child finds connections whole. Fronts are held before runs, as by stop(): what is registered
 * last is called first. */
static void prepare(void) {
    tb_emergency_over_forks();
    pthread_atfork(hold, let_go, let_go);
}

static void close_files(connection *each) {
    if (each->outer >= 0)
        close(each->outer);
    if (each->inner >= 0)
        close(each->inner);
    each->outer = each->inner = -1;
}

static void end(tb_front *front, long i) {
    connection *each = front->all[i];
    front->all[i] = front->all[--front->count];
    close_files(each);
    free(each->in.data);
    free(each->out.data);
    free(each);
}

/* Bytes from a file to the end of a queue: how many, 0 at its end, -1 for none now, -2 for an
 * error. */
static ssize_t fill(queue *bytes, int file) {
    if (bytes->start && bytes->start + bytes->count == bytes->size) {
        memmove(bytes->data, bytes->data + bytes->start, bytes->count);
        bytes->start = 0;
    }
    unsigned char *to = bytes->data + bytes->start + bytes->count;
    ssize_t got = recv(file, to, bytes->size - bytes->start - bytes->count, MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? -1 : -2;
    bytes->count += (size_t)got;
    return got;
}

/* Bytes from a queue, but its last few, to a file; returns 0 when it takes no more for ever. */
static int drain(queue *bytes, size_t but, int file) {
    while (bytes->count > but) {
        ssize_t sent =
            send(file, bytes->data + bytes->start, bytes->count - but, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR;
        bytes->start += (size_t)sent;
        bytes->count -= (size_t)sent;
    }
    bytes->start = bytes->count ? bytes->start : 0;
    return 1;
}

/* Bytes to the end of a queue; returns 0 when there is no room for them. */
static int append(queue *bytes, const unsigned char *data, size_t count) {
    if (bytes->size - bytes->count < count)
        return 0;
    if (bytes->size - bytes->start - bytes->count < count) {
        memmove(bytes->data, bytes->data + bytes->start, bytes->count);
        bytes->start = 0;
    }
    memcpy(bytes->data + bytes->start + bytes->count, data, count);
    bytes->count += count;
    return 1;
}

/* The place of the stranger who makes room for another, or -1: the oldest, those first who haven't
 * even greeted. */
static long oldest_stranger(const tb_front *front, const connection *other) {
    long oldest = -1;
    for (long i = 0; i < front->count; i++) {
        const connection *each = front->all[i], *before = oldest < 0 ? 0 : front->all[oldest];
        if (each->trusted || each->gone || each == other)
            continue;
        int silent = each->inner < 0, was = before && before->inner < 0;
        if (!before || silent > was || (silent == was && each->since < before->since))
            oldest = i;
    }
    return oldest;
}

/* Two ends of a stream; where there are no files left, strangers make room for them. */
static int paired(tb_front *front, const connection *each, int pair[2]) {
    while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        long oldest = errno == EMFILE || errno == ENFILE ? oldest_stranger(front, each) : -1;
        if (oldest < 0)
            return 0;
        front->counts.crowded_out++;
        front->all[oldest]->gone = 1; /* places stay as they were polled */
        close_files(front->all[oldest]);
    }
    return 1;
}

/* Gives a connection to the server; returns 0 where that isn't possible. The server's end travels
 * in the message, so that one which nobody takes is closed with the socket. */
static int hand_over(tb_front *front, connection *each) {
    int pair[2];
    if (!paired(front, each, pair))
        return 0;
    union {
        struct cmsghdr head;
        char bytes[ONE_FILE];
    } beside = {.bytes = {0}};
    struct iovec identity = {&each->id, sizeof each->id};
    struct msghdr message = {.msg_iov = &identity,
                             .msg_iovlen = 1,
                             .msg_control = &beside,
                             .msg_controllen = sizeof beside.bytes};
    beside.head.cmsg_level = SOL_SOCKET;
    beside.head.cmsg_type = SCM_RIGHTS;
    beside.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&beside.head), &pair[1], sizeof(int));
    int sent = sendmsg(front->handing, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof each->id;
    close(pair[1]);
    if (sent)
        each->inner = pair[0];
    else
        close(pair[0]);
    return sent;
}

/* Writes down what a stop is answered, with its newline or as a frame; returns how many bytes. The
 * time has digits to the ns: printf's point is a comma in some countries. */
static long write_answer(unsigned char *to, const connection *each, const tb_run_place *place) {
    enum { HEAD = 4, LAST_TEXT = 0x81, TWO_MORE = 126 };
    int web = each->scan.protocol == TB_WEB;
    const tb_stop *stop = &each->scan.stop;
    char text[ANSWER - HEAD];
    long id = stop->id_count;
    int64_t ns = (int64_t)(fabs(place->time) * 1e9 + 0.5);
    long count = snprintf(text, sizeof text,
                          "{%s\"id\":%.*s,\"ok\":true,\"state\":\"%s\",\"tick\":%lld,"
                          "\"time\":%s%lld.%09lld}%s",
                          web ? "\"tell\":\"answer\"," : "", (int)(id ? id : 4),
                          id ? (const char *)each->scan.text + stop->id : "null",
                          place->paused ? "paused" : "running", (long long)place->tick,
                          place->time < 0.0 ? "-" : "", (long long)(ns / 1000000000),
                          (long long)(ns % 1000000000), web ? "" : "\n");
    long head = 0;
    if (web) { /* the length in as few bytes as it takes: browsers end the connection otherwise */
        to[head++] = LAST_TEXT;
        if (count >= TWO_MORE) {
            to[head++] = TWO_MORE;
            to[head++] = (unsigned char)(count >> 8);
        }
        to[head++] = (unsigned char)count;
    }
    memcpy(to + head, text, (size_t)count);
    return head + count;
}

/* Where the last run is that a group stops, of those that have made a tick; 0 without any. */
static int place_of_last(const tb_front *front, long group, tb_run_place *place) {
    for (long i = front->run_counts[group]; i-- > 0;)
        if (tb_emergency_place((long)front->runs[group][i], place))
            return 1;
    return 0;
}

/* Answers a stop that just ended before `end`, if that can be done in place of the server. Lines
 * without an id are answered in their order: where others wait, the server does it. */
static void answer(const tb_front *front, connection *each, unsigned char *end) {
    tb_run_place place;
    int in_turn = each->told.messages == each->scan.messages - 1;
    int named = each->scan.protocol == TB_WEB || each->scan.stop.id_count;
    int here = end - (each->in.data + each->in.start) > (long)each->scan.place;
    if (!front->answering[each->group] || each->scan.stop.word < 0 || !(named || in_turn) ||
        !here || each->answer_count + ANSWER > ANSWERS || each->inner_ended || each->deaf ||
        !place_of_last(front, each->group, &place) ||
        fabs(place.time) > 1e9)
        return;
    tb_scan_mark_answered(&each->scan, end);
    each->answer_count +=
        (size_t)write_answer(each->answers + each->answer_count, each, &place);
}

static void follow(tb_scan *scan, const unsigned char *data, size_t count) {
    for (size_t taken = 0; taken < count;)
        taken += tb_scan_take(scan, data + taken, count - taken);
}

static void stop(tb_front *front, connection *each, unsigned char *end) {
    long found = 0; /* from the last: who has seen the first stopped finds all of them stopped */
    for (long i = front->run_counts[each->group]; i-- > 0;)
        found += tb_emergency_stop((long)front->runs[each->group][i]);
    front->counts.stops++;
    if (found)
        answer(front, each, end);
}

/* From the client to the server; returns 0 when the connection is to end. */
static int take_in(tb_front *front, connection *each) {
    if (each->outer_ended || each->in.count == each->in.size)
        return 1;
    ssize_t got = fill(&each->in, each->outer);
    if (got == -2)
        return 0;
    if (got == 0)
        each->outer_ended = 1;
    unsigned char *end = each->in.data + each->in.start + each->in.count;
    for (unsigned char *at = end - (got > 0 ? got : 0); at < end;) {
        at += tb_scan_take(&each->scan, at, (size_t)(end - at));
        if (each->scan.stops && each->trusted)
            stop(front, each, at);
    }
    if (each->inner < 0) {
        if (each->scan.greeted)
            return hand_over(front, each);
        return !each->outer_ended && each->in.count < LONGEST_GREETING;
    }
    return 1;
}

/* Bytes that wait in front of the server until it is known whether they are a stop. */
static size_t held_back(const connection *each) {
    return each->outer_ended ? 0 : tb_scan_pending(&each->scan);
}

static void relay_in(connection *each) {
    if (each->inner < 0)
        return;
    each->deaf =
        each->deaf || each->inner_ended || !drain(&each->in, held_back(each), each->inner);
    if (each->deaf)
        each->in.count = each->in.start = 0;
    if (each->outer_ended == 1 && !each->in.count) {
        shutdown(each->inner, SHUT_WR);
        each->outer_ended = 2;
    }
}

/* Says what stops are answered, between messages of the server. */
static void give_answers(connection *each) {
    if (each->answer_count && tb_scan_is_between(&each->told) &&
        append(&each->out, each->answers, each->answer_count)) {
        follow(&each->told, each->answers, each->answer_count);
        each->answer_count = 0;
    }
}

/* From the server to the client; returns 0 when the connection is to end. */
static int relay_out(connection *each, int readable) {
    give_answers(each);
    if (readable && !each->inner_ended && each->out.count < each->out.size) {
        ssize_t got = fill(&each->out, each->inner);
        if (got > 0)
            follow(&each->told, each->out.data + each->out.start + each->out.count - got,
                   (size_t)got);
        if (got == 0 || got == -2) {
            each->inner_ended = 1;
            each->flush_until = tb_clock_now() + FLUSH;
        }
    }
    give_answers(each);
    int going = drain(&each->out, 0, each->outer);
    return going && !(each->inner_ended && !each->out.count);
}

/* Makes room for one more stranger. */
static void crowd_out(tb_front *front) {
    long strangers = 0, oldest = oldest_stranger(front, NULL);
    for (long i = 0; i < front->count; i++)
        strangers += !front->all[i]->trusted && !front->all[i]->gone;
    if (oldest >= 0 && (strangers >= front->strangers || front->count >= MOST)) {
        front->counts.crowded_out++;
        end(front, oldest);
    }
}

static int prepared(queue *bytes, size_t size) {
    bytes->data = malloc(size); /* pages that nobody touches cost nothing */
    bytes->size = size;
    return bytes->data != NULL;
}

/* Returns 0 when nobody waits. */
static int accept_one(tb_front *front, int listener) {
    int file = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            front->accept_at = tb_clock_now() + PAUSE;
        return 0;
    }
    crowd_out(front);
    connection *each = front->count < MOST ? calloc(1, sizeof *each) : NULL;
    if (!each || !prepared(&each->in, IN) || !prepared(&each->out, OUT)) {
        close(file);
        if (each)
            free(each->in.data);
        free(each);
        return 1;
    }
    static const int ONE = 1, BYTES = KERNEL;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &ONE, sizeof ONE);
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &BYTES, sizeof BYTES);
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &BYTES, sizeof BYTES);
    each->id = ++front->last_id;
    each->since = tb_clock_now();
    each->outer = file;
    each->inner = -1;
    each->scan.protocol = each->told.protocol = front->protocol;
    each->trusted = front->greeting == 0;
    front->all[front->count++] = each;
    front->counts.accepted++;
    if (each->trusted && !hand_over(front, each))
        end(front, front->count - 1);
    return 1;
}

/* Whether a connection has had its time. */
static int too_slow(const tb_front *front, const connection *each, int64_t now) {
    if (each->inner_ended)
        return now > each->flush_until;
    int waits = each->inner < 0 || (front->protocol == TB_LINES && !each->trusted);
    return front->greeting && waits && now > each->since + front->greeting;
}

static long wanted(tb_front *front) {
    long count = 0;
    int64_t now = tb_clock_now();
    front->files[count++] = (struct pollfd){front->wake, POLLIN, 0};
    for (long i = 0; i < front->listener_count; i++)
        front->files[count++] =
            (struct pollfd){now < front->accept_at ? -1 : front->listeners[i], POLLIN, 0};
    for (long i = 0; i < front->count; i++) {
        const connection *each = front->all[i];
        short outer = 0, inner = 0;
        if (!each->outer_ended && each->in.count < each->in.size)
            outer |= POLLIN;
        if (each->out.count)
            outer |= POLLOUT;
        if (!each->inner_ended && each->out.count < each->out.size)
            inner |= POLLIN;
        if (each->in.count > held_back(each))
            inner |= POLLOUT;
        /* A file without events is left out: one that hung up would be told of again and again. */
        front->files[count++] = (struct pollfd){outer ? each->outer : -1, outer, 0};
        front->files[count++] = (struct pollfd){inner ? each->inner : -1, inner, 0};
    }
    return count;
}

static void serve(tb_front *front) {
    int64_t now = tb_clock_now();
    long polled = front->count;       /* before new ones come */
    for (long i = polled; i-- > 0;) { /* the last takes the place of one that ends */
        const struct pollfd *files = front->files + 1 + front->listener_count + 2 * i;
        connection *each = front->all[i];
        if (each->gone) {
            end(front, i);
            continue;
        }
        int going = 1;
        if (files[0].revents & (POLLIN | POLLHUP | POLLERR))
            going = take_in(front, each);
        relay_in(each);
        going = going && relay_out(each, files[1].revents);
        if (!going || too_slow(front, each, now)) {
            front->counts.too_slow += going;
            end(front, i);
        }
    }
    for (long i = 0; i < front->listener_count; i++)
        for (int k = 0; k < AT_ONCE && front->files[1 + i].revents; k++)
            if (!accept_one(front, front->listeners[i]))
                break;
}

static void *body(void *data) {
    tb_front *front = data;
    pthread_setname_np(pthread_self(), "touchback-front");
    pthread_mutex_lock(&front->lock);
    while (!front->closing) {
        long count = wanted(front);
        pthread_mutex_unlock(&front->lock);
        int ready = poll(front->files, (nfds_t)count, LOOK);
        pthread_mutex_lock(&front->lock);
        uint64_t woken;
        if (ready > 0 && front->files[0].revents && read(front->wake, &woken, sizeof woken) < 0)
            continue;
        serve(front);
    }
    pthread_mutex_unlock(&front->lock);
    return NULL;
}

/* Everything that is open; memory stays. */
static void shut(tb_front *front) {
    for (long i = 0; i < front->count; i++)
        close_files(front->all[i]);
    for (long i = 0; i < front->listener_count; i++)
        close(front->listeners[i]);
    close(front->handing);
    close(front->wake);
}

/* How many strangers there may be: each has up to three files, and together they take a quarter. */
static long bounded(long strangers) {
    struct rlimit files;
    long most = strangers < MOST ? strangers : MOST;
    if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur / 12 < (rlim_t)most)
        most = (long)(files.rlim_cur / 12);
    return most > 1 ? most : 1;
}

tb_front *tb_front_open(const int *listeners, long count, int handing, long protocol,
                        long strangers, int64_t greeting) {
    tb_front *front = calloc(1, sizeof *front);
    if (!front)
        return NULL;
    pthread_once(&once, prepare);
    for (long i = 0; i < count && i < TB_FRONT_LISTENERS; i++) {
        fcntl(listeners[i], F_SETFL, fcntl(listeners[i], F_GETFL) | O_NONBLOCK);
        front->listeners[front->listener_count++] = listeners[i];
    }
    front->handing = handing;
    front->protocol = protocol;
    front->strangers = bounded(strangers);
    front->greeting = greeting;
    front->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&front->lock, NULL);
    int error = front->wake < 0 ? errno : pthread_create(&front->thread, NULL, body, front);
    if (error) {
        shut(front);
        free(front);
        errno = error;
        return NULL;
    }
    pthread_mutex_lock(&fronts_lock);
    front->next = fronts;
    fronts = front;
    pthread_mutex_unlock(&fronts_lock);
    return front;
}

int tb_front_trust(tb_front *front, int64_t id, long group) {
    int found = 0;
    pthread_mutex_lock(&front->lock);
    for (long i = 0; i < front->count; i++)
        if (front->all[i]->id == id && !front->all[i]->gone) {
            front->all[i]->trusted = found = 1;
            front->all[i]->group = group < 0 || group >= TB_FRONT_GROUPS ? 0 : group;
        }
    pthread_mutex_unlock(&front->lock);
    return found;
}

void tb_front_watch(tb_front *front, long group, const int64_t *runs, long count, int answers) {
    pthread_mutex_lock(&front->lock);
    front->run_counts[group] = 0;
    for (long i = 0; i < count && i < TB_FRONT_RUNS; i++)
        front->runs[group][front->run_counts[group]++] = runs[i];
    front->answering[group] = answers;
    pthread_mutex_unlock(&front->lock);
}

void tb_front_count(tb_front *front, tb_front_counts *counts) {
    pthread_mutex_lock(&front->lock);
    *counts = front->counts;
    for (long i = 0; i < front->count; i++)
        if (!front->all[i]->gone)
            *(front->all[i]->trusted ? &counts->trusted : &counts->strangers) += 1;
    pthread_mutex_unlock(&front->lock);
}

void tb_front_close(tb_front *front) {
    pthread_mutex_lock(&front->lock);
    front->closing = 1;
    pthread_mutex_unlock(&front->lock);
    uint64_t one = 1;
    while (write(front->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
    pthread_join(front->thread, NULL);
    pthread_mutex_lock(&fronts_lock);
    tb_front **link = &fronts;
    while (*link != front)
        link = &(*link)->next;
    *link = front->next;
    pthread_mutex_unlock(&fronts_lock);
    shut(front);
    while (front->count)
        end(front, front->count - 1);
    free(front);
}

void tb_front_abandon(tb_front *front) {
    shut(front);
}

#else

tb_front *tb_front_open(const int *listeners, long count, int handing, long protocol,
                        long strangers, int64_t greeting) {
    (void)listeners, (void)count, (void)handing, (void)protocol, (void)strangers, (void)greeting;
    errno = ENOSYS;
    return 0;
}
int tb_front_trust(tb_front *front, int64_t id, long group) {
    return (void)front, (void)id, (void)group, 0;
}
void tb_front_watch(tb_front *front, long group, const int64_t *runs, long count, int answers) {
    (void)front, (void)group, (void)runs, (void)count, (void)answers;
}
void tb_front_count(tb_front *front, tb_front_counts *counts) {
    (void)front, (void)counts;
}
void tb_front_close(tb_front *front) {
    (void)front;
}
void tb_front_abandon(tb_front *front) {
    (void)front;
}

#endif
