/* A live run: a problem stepped against a clock by a thread of its own. All memory is given; in a
 * tick nothing allocates, locks, waits or leaves C.
 *
 * Tick k, due at epoch + k period: take inputs from mailboxes, take new parameters, step, guard
 * against NaN, measure, see how old the inputs are by now, guard the outputs, publish them, and
 * note everything in the ring. */
#ifndef TOUCHBACK_LIVE_H
#define TOUCHBACK_LIVE_H

#include <stdint.h>

#include "integrate/fixed_step.h"
#include "live/energy.h"
#include "live/mailbox.h"
#include "live/safety.h"
#include "live/statistics.h"
#include "live/wakeup_monitor.h"

enum {                      /* flags of a tick */
       TB_STALE = 1,        /* an input is older than it may be */
       TB_BAD_NUMBER = 2,   /* a NaN or an infinity; latched */
       TB_STOPPED = 4,      /* emergency stop; latched */
       TB_BEYOND_LIMIT = 8, /* an output whose limit trips; latched */
       TB_HELD = 16,        /* the model was not stepped */
       TB_SWAPPED = 32,     /* new parameters were taken */
       TB_SWAP_REFUSED = 64,
       TB_RESUMED = 128,        /* a command cleared the latched faults before this tick */
       TB_OPEN_LOOP = 256,      /* constraints that a step left unmet; latched */
       TB_ACTIVE = 512,         /* more energy would have left through a port than may; latched */
       TB_DAMPED = 1024,        /* a port's forces were damped */
       TB_RESTRUCTURED = 2048,  /* the first tick of another structure */
       TB_DIVERGED = 4096,      /* a speed, or another state, beyond what can be; latched */
       TB_DEVICE_FAILED = 8192, /* what serves a port raised; latched */
       TB_AT_REST = 16384, /* paused: outputs are safe, and the model isn't stepped unless by a */
       TB_SINGLE = 32768,  /* single step that was asked for */
       TB_PLACED = 65536,  /* another state was taken before the step */
       TB_PLACE_REFUSED = 131072,
       TB_RENEWED = 262144, /* what the motion remembered beside its state was forgotten before */
       TB_OVERLOADED =
           524288, /* more periods were left out than may be; latched with guarded outputs */
       TB_LATCHED = TB_BAD_NUMBER | TB_STOPPED | TB_BEYOND_LIMIT | TB_OPEN_LOOP | TB_ACTIVE |
           TB_DIVERGED | TB_DEVICE_FAILED | TB_OVERLOADED,
       TB_HOLDING = TB_BAD_NUMBER | TB_STOPPED | TB_OPEN_LOOP | TB_DIVERGED,
};

typedef struct tb_input_port {
    tb_mailbox *mailbox;
    long place;               /* in u; 0 for the port of the emergency stop */
    _Atomic long quiet_limit; /* ticks without a message that may pass; -1: any number */
    long quiet;               /* ticks since the last message */
    int64_t seen;             /* sequence of the last message */
    int64_t stamp;
    int64_t made;        /* ns: its stamp, at the latest the tick that took it; or the first tick */
    _Atomic double safe; /* what it is while silent, once it has spoken; NaN: what it said last */
    int64_t messages, contended; /* contended: ticks that met a writer and kept the value before */
    _Atomic long group; /* ports of one number above 0 get messages together, or none (mailbox.h) */
    int64_t found, found_stamp; /* of the tick at hand: the sequence, or -1 for a writer met */
    double found_value;
} tb_input_port;

/* A ring of rows with one writer and one reader. */
typedef struct tb_ring {
    double *rows;
    int64_t width, capacity;
    _Atomic int64_t written, read;
} tb_ring;

/* Row: tick, time, flags, version, version offered in this tick (0: none), substeps, lateness, step
 * time, input age [ns], inputs, state, outputs as delivered, energies of ports. */
enum { TB_ROW_HEAD = 9 };
enum { TB_WARM_START_HEAD = 4 }; /* of what is remembered after a tick: tick, t0, steps, flags */
enum { TB_MESSAGE_HEAD = 3 };    /* of what is published: tick, time, flags */
enum { TB_SWAP_HEAD = 4 };       /* of a row of swaps: version, tick, refused, time */
enum { TB_PLACE_HEAD = 4 };      /* of a row of places: the same */

/* A change of parameters is followed by parts of its way that move positions by no more than this
 * [m or rad]; where parts as small as the second don't do, it is refused. */
#define TB_NEAR 0.05
#define TB_LEAST_PART (1.0 / 4096)

enum { TB_NOTHING, TB_OFFERED, TB_BEING_WRITTEN, TB_BEING_TAKEN }; /* the second parameter block */

struct tb_swap;

/* What other threads ask for; of the run, whatever its structure. */
typedef struct tb_commands {
    _Atomic long stop;    /* at once */
    _Atomic long closing; /* once guarded outputs have followed their ramps to safe */
    _Atomic long resume;  /* unless faults other than these are latched */
    _Atomic long substeps;
    _Atomic long renew;  /* forget what isn't in the state, as the first recordings began */
    _Atomic long note;   /* what isn't in the state, so that a recording can begin */
    _Atomic long failed; /* what serves a port */
    _Atomic long halts;  /* emergency stops so far: in memory that no other process shares */
    long halts_taken;    /* of them by ticks */
    int64_t halt_time;   /* ns: when a tick last stopped a run that wasn't, whoever asked for it */
    _Atomic int64_t tick; /* published last, and the model's time then: bits of a double */
    _Atomic uint64_t time;
    /* Of the clock's thread alone: ns of periods left out that are not forgiven yet (a tenth of the
     * time that passes is), when that was, how many may be, and whether there were more. */
    double slip_debt;
    int64_t slip_time;
    double slip_limit;
    long overloaded;
    _Atomic long paused;
    _Atomic long singles;   /* steps that may be made though it is paused */
    _Atomic uint64_t speed; /* bits of a double: how fast the model's time goes, of real time */
    _Atomic(struct tb_swap *) swap; /* another structure (live/swap.h) */
} tb_commands;

typedef struct tb_live {
    tb_problem problem; /* u and p lie in the arena */
    tb_fixed run;
    double tick_length;                 /* of the model's time */
    double period;                      /* ns between ticks; 0: as fast as possible */
    uint64_t speed;                     /* bits of the one that the period is of */
    int64_t spin, late_limit, catch_up; /* ns, ns, ticks */
    int64_t epoch, due;                 /* when tick 0 of the schedule was, and the next tick's */
    int64_t tick;
    long flags; /* of the last tick, latched faults included */

    long input_count;
    tb_input_port *inputs;
    long guard_count;
    tb_guard *guards;
    const _Atomic uint64_t *gains; /* bits of a double for each output */
    long energy_count;
    tb_energy *energies;

    tb_callable outputs; /* call is NULL without sensors */
    long output_count, acceleration_count, multiplier_count;
    double *accelerations, *multipliers; /* of the last rate; NULL in trees */
    double *kept;                        /* both, while measuring */
    double *output_u, *measured, *trial, *delivered;
    double *rate;        /* scratch of the state's size */
    double *good;        /* the state before this tick */
    double max_speed;    /* of a generalized velocity; infinite: nothing is too fast */
    long diverged_place; /* of the last state beyond its bound, and what it would have been */
    double diverged_value;
    double *message; /* [tick, time, flags, outputs, state, energies] */
    tb_mailbox *published;
    int64_t
        mirror; /* bytes from it, and from the ports' word, to what other processes see; 0: none */

    double *blocks[3]; /* in use, on offer, and a mix on the way from one to the other */
    long block_size, active;
    long newton_start;              /* of the Jacobian's parameters in a block; 0 without any */
    long parameter_start;           /* of the parameters themselves, which end a block */
    int64_t version, tried_version; /* in use, tried in this tick */
    _Atomic long offer;
    /* Blocks on offer, one after the other: a ramp is many. `offer` says who may touch them. */
    double *queue;
    int64_t *queue_versions;
    long queue_capacity, queue_head, queue_count;
    int64_t stride, next_take; /* ticks between them; the first tick that may take one */
    double *place;             /* a state on offer */
    _Atomic long placing;      /* as `offer` */
    long steps_per_tick;       /* in use */
    long entered;              /* by a swap; 0 after the first tick */
    tb_commands *commands;

    tb_ring ring, swaps; /* row of swaps: version, tick, refused, time, states before, after */
    tb_ring places; /* row: version, tick, refused, time, the state offered, those before, after */
    tb_ring memories; /* row: TB_WARM_START_HEAD, what the motion remembers beside its state */
    long memory_size, note_every; /* numbers of it; ticks from one such row to the next */
    tb_live_statistics *statistics;

    /* The thread. */
    int64_t thread;
    int64_t thread_id;
    long priority, cpu; /* wanted; 0 and -1 for none */
    long priority_error, pin_error;
    int64_t page_faults;                     /* from the first tick to the end; -1 while it runs */
    int64_t switches_asked, switches_forced; /* context switches, once it has ended */
    int64_t
        queued; /* ns that it was ready to run while others did, once it has ended; -1: unknown */
    tb_wakeup_monitor *wakeup_monitor; /* starts and ends with the thread */
    _Atomic long running;
} tb_live;

/* The model's time. */
static inline double tb_live_time(const tb_live *live) {
    return live->run.t0 + (double)live->run.steps * live->run.h;
}

/* Measures and publishes what there is before the first tick; guarded outputs are safe. */
void tb_live_prepare(tb_live *live);
/* Publishes safe outputs when no tick will follow. */
void tb_live_close(tb_live *live);
/* One tick; `now` is when it began. */
void tb_live_tick(tb_live *live, int64_t now, int64_t lateness);
/* `count` ticks in the calling thread, or fewer when it is to end or, unclocked, when *live has
 * become another structure; returns how many. */
int64_t tb_live_loop(tb_live **live, int64_t count);
/* How many numbers the motion remembers beside its state; writes them where `memory` isn't NULL. */
long tb_live_save_warm_start(const tb_live *live, double *memory);
/* Lets it go on with such numbers, between ticks; returns 0 when they can't be its own. */
int tb_live_restore_warm_start(tb_live *live, const double *memory);
/* Notes them before a tick: regularly, after the first tick of a structure, and when asked. */
void tb_live_log_warm_start(tb_live *live);
/* Repeats a recorded tick: its inputs, its substeps, and whether the model was held. */
void tb_live_repeat(tb_live *live, const double *inputs, long substeps, long flags);

/* Ticks in a thread of their own; returns 0 or an errno. */
int tb_live_start(tb_live *live);
void tb_live_join(tb_live *live);
int64_t tb_live_advance(tb_live *live, int64_t count); /* tb_live_loop, of one structure */

/* Commands, from any thread. */
void tb_live_stop(tb_live *live);
void tb_live_wind_down(tb_live *live);
void tb_live_resume(tb_live *live, long faults); /* unless others than these are latched */
void tb_live_fail(tb_live *live);
void tb_live_halt(tb_live *live); /* an emergency stop */
/* Whether one waits for its tick. */
static inline int tb_live_halted(const tb_live *live) {
    return atomic_load(&live->commands->halts) != live->commands->halts_taken;
}
void tb_live_note(tb_live *live);
void tb_live_ask_substeps(tb_live *live, long substeps);
void tb_live_set_gain(_Atomic uint64_t *gains, long output, double value);
void tb_live_watch(tb_input_port *port, long quiet_limit, double safe);
/* Offers a block, replacing offers that no tick has taken yet. Called by one thread at a time. */
void tb_live_offer(tb_live *live, const double *block, int64_t version);
/* Offers a block to be taken `stride` ticks after the one before it; returns 0 when there is no
 * room. */
long tb_live_offer_more(tb_live *live, const double *block, int64_t version, int64_t stride);
/* Takes back what no tick has taken yet; returns how many blocks. */
long tb_live_withdraw(tb_live *live);
/* Copies the parameters in use; any thread. A tick that comes meanwhile takes an offer one later.
 */
void tb_live_parameters(tb_live *live, double *values);

/* Offers a state, replacing one that no tick has taken yet; called by one thread at a time. */
void tb_live_place(tb_live *live, const double *state);
void tb_live_pause(tb_live *live, long paused);
void tb_live_single(tb_live *live, long ticks);
void tb_live_set_speed(tb_live *live, double speed);

/* Takes over the offered parameters, if any, at the start of a tick. */
long tb_live_take_parameters(tb_live *live);
/* Then the offered state. */
long tb_live_take_place(tb_live *live);
/* Onto the constraints, also under formulations that let h be: drift up to `allowed` is left to
 * them. Returns 0 when they can't be met from here, or a number is bad. */
int tb_live_meet(tb_live *live, double allowed);
/* Goes on at the speed that is asked for; its change is no lateness. */
void tb_live_follow_speed(tb_live *live);
/* Whether the run is paused and nothing is left to do; then it waits for a moment. */
int tb_live_rests(tb_live *live);
/* Waits for a tick; returns 0 when something else is asked for meanwhile. */
int tb_live_wait(tb_live *live, int64_t instant);
/* Inputs from their mailboxes. Returns flags; *age is that of the oldest message in use. */
long tb_live_take(tb_live *live, int64_t now, int64_t *age);
/* TB_STALE when an input is older at `now` than it may be. */
long tb_live_silence(const tb_live *live, int64_t now);
/* Measures at the present state into `trial`; returns 0 when a number is bad. */
int tb_live_measure(tb_live *live);
/* From what is measured to what is delivered, within the limits; returns the flags with what
 * tripped. */
long tb_live_guard(tb_live *live, long flags);
/* `stamp`: when inputs were last seen to be fresh enough. */
void tb_live_publish(tb_live *live, int64_t stamp);
/* The same place in the memory of other processes. */
static inline void *tb_live_mirrored(const tb_live *live, void *place) {
    return (char *)place + live->mirror;
}
/* A row to fill, NULL when the ring is full; tb_ring_done makes it visible. */
double *tb_ring_next(tb_ring *ring);
void tb_ring_done(tb_ring *ring);
/* Copies at most `limit` rows out, for the one reader; returns how many. */
int64_t tb_ring_drain(tb_ring *ring, double *rows, int64_t limit);

#endif
