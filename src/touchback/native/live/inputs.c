/* What a tick takes from the mailboxes of its inputs. */
#include "live/live.h"

#include <math.h>

static const long TRIES = 8; /* readings of a mailbox before the value before is kept */

static const int ROUNDS = 4; /* looks at ports of a group before their values before are kept */

static const double STALL = 2e7; /* ns that ticks may stand still besides: machines have hiccups */

/* By ticks, so that a run repeats; and by the clock from when the message was made, so that nothing
 * goes on with what was before a standstill, whether the message waited in its mailbox meanwhile or
 * had been taken. */
static int silent(const tb_live *live, const tb_input_port *port, int64_t now) {
    long quiet_limit = port->quiet_limit;
    double limit = (double)(quiet_limit + 1) * live->period + STALL;
    return quiet_limit >= 0 && (port->quiet > quiet_limit ||
                                (live->period > 0.0 && (double)(now - port->made) > limit));
}

long tb_live_silence(const tb_live *live, int64_t now) {
    for (long i = 0; i < live->input_count; i++)
        if (silent(live, live->inputs + i, now))
            return TB_STALE;
    return 0;
}

void tb_live_watch(tb_input_port *port, long quiet_limit, double safe) {
    port->safe = safe; /* first: who sees the limit finds it */
    port->quiet_limit = quiet_limit;
}

static void read_mailbox(tb_input_port *port) {
    port->found = tb_mailbox_sequence(port->mailbox);
    if (port->found != port->seen)
        port->found =
            tb_mailbox_read(port->mailbox, 1, &port->found_stamp, &port->found_value, TRIES);
}

/* Whether no mailbox of a group has changed since it was read, nor was being written then: as
 * writers hold all of them before they change one, what was read is of one message. */
static int agree(const tb_live *live, long first, long group) {
    for (long i = first; i < live->input_count; i++) {
        const tb_input_port *port = live->inputs + i;
        if (port->group == group &&
            (port->found < 0 || port->found != tb_mailbox_sequence(port->mailbox)))
            return 0;
    }
    return 1;
}

/* What the ports of a group found is of one message, or none of them found any. */
static void read_mailboxes(tb_live *live, long first) {
    tb_input_port *ports = live->inputs;
    long group = ports[first].group;
    for (long i = 0; i < first; i++)
        if (ports[i].group == group)
            return; /* done with that one */
    int agreed = agree(live, first, group);
    for (int round = 0; !agreed && round < ROUNDS; round++) {
        for (long i = first; i < live->input_count; i++)
            if (ports[i].group == group)
                read_mailbox(ports + i);
        agreed = agree(live, first, group);
    }
    for (long i = first; !agreed && i < live->input_count; i++)
        if (ports[i].group == group)
            ports[i].found = -1;
}

/* Of the oldest message in use, -1 before any came: of inputs that are watched where some are,
 * since what a hand or a program sets once, such as a pedal, holds however old it is. */
static int64_t oldest(const tb_live *live, int64_t now) {
    int64_t watched = -1, any = -1;
    int watches = 0;
    for (long i = 0; i < live->input_count; i++) {
        const tb_input_port *port = live->inputs + i;
        int64_t age = port->place && port->messages ? now - port->stamp : -1;
        any = age > any ? age : any;
        if (port->quiet_limit >= 0) {
            watches = 1;
            watched = age > watched ? age : watched;
        }
    }
    return watches ? watched : any;
}

long tb_live_take(tb_live *live, int64_t now, int64_t *age) {
    long flags = 0;
    for (long i = 0; i < live->input_count; i++)
        read_mailbox(live->inputs + i);
    for (long i = 0; i < live->input_count; i++)
        if (live->inputs[i].group)
            read_mailboxes(live, i);
    for (long i = 0; i < live->input_count; i++) {
        tb_input_port *port = live->inputs + i;
        port->quiet++;
        if (!port->made)
            port->made = now;
        if (port->found < 0) {
            port->contended++;
            live->statistics->contended++;
        } else if (port->found != port->seen) {
            port->messages += (port->found - port->seen) / 2;
            port->seen = port->found;
            port->stamp = port->found_stamp;
            port->quiet = 0;
            port->made = port->stamp < now ? port->stamp : now; /* a stamp to come gains nothing */
            if (port->place)
                live->problem.u[port->place] = port->found_value;
            else if (port->found_value != 0.0)
                flags |= TB_STOPPED;
        }
        if (port->place && port->messages && silent(live, port, now)) {
            double safe = port->safe;
            if (!isnan(safe))
                live->problem.u[port->place] = safe;
        }
    }
    *age = oldest(live, now);
    return flags;
}
