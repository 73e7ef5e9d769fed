/* Both ends of the wire under random, mutated and well-formed but senseless frames, built with
 * sanitizers: fuzz SEED FRAMES. Ends with a word and status 1 where an end does what it must not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/clock.h"
#include "wire/far_end.h"
#include "wire/line.h"

enum { EACH = 2500 }; /* frames, then anew: a driver that met another device stays away from it */
static uint64_t state;
static long handed, acted; /* values and forces, so that it is known that there were some */

static uint32_t draw(void) { /* xorshift64* (Vigna 2016) */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(state * 2685821657736338717u >> 32);
}

static uint32_t below(uint32_t count) { return draw() % count; }

static float anything(void) {
    union {
        uint32_t bits;
        float number;
    } as = {draw()};
    const float usual[] = {0.0f, 1e-4f, 1.0f, -1.0f, 1e30f, INFINITY, NAN};
    return below(2) ? as.number : usual[below(7)];
}

static void must(int holds, const char *what) {
    if (holds)
        return;
    printf("%s\n", what);
    exit(1);
}

static long of_driver(uint32_t axes, uint32_t session, uint32_t number, uint8_t *payload) {
    tb_ask ask = {below(4), below(5), draw(), below(3) ? below(40000) : draw(), below(3) ? 0 : draw()};
    tb_limit limit = {session, below(8), anything(), anything(), anything(), anything()};
    tb_command command = {session, number, below(4), {0}};
    for (int i = 0; i < TB_AXES; i++)
        command.forces[i] = (int32_t)draw();
    switch (below(8)) {
    case 0: return tb_pack_ask(&ask, payload);
    case 1: return tb_pack_limit(&limit, payload);
    case 2: return tb_pack_describe(session, below(9), payload);
    case 3: return tb_pack_count(session, payload);
    default: return tb_pack_command(&command, axes, payload);
    }
}

static long of_device(const tb_line *line, uint32_t axes, uint32_t session, uint8_t *payload) {
    uint32_t number = below(4) ? line->last + 1 : draw(), usual = below(4);
    tb_hello hello = {below(8) ? 2 : below(4), session, below(64) ? axes : below(9), draw(),
                      below(4) ? 15 : draw(), below(8) ? 1000 : draw(), below(8) ? 20000 : draw(), draw(),
                      "device"};
    float units[9] = {1e-5f, 1e-4f, 1e-4f, 1.0f, 1.0f, 2.0f, 1e9f, -1e9f, 1e9f};
    if (below(4) == 0)
        units[below(9)] = anything();
    tb_axis axis = {session, below(TB_AXES), below(3), (double)units[0], units[1], units[2], units[3],
                    units[4], units[5], units[6], units[7], units[8], "axis"};
    tb_readings sample = {session, number, below(4) ? (uint32_t)(line->instant / 1000) : draw(),
                          usual ? TB_HOMED : draw(), usual ? line->number : draw(),
                          usual ? below(3000) : draw(), {{0}}};
    tb_counts counts = {session, draw(), draw(), draw(), draw(), draw(), draw(), draw()};
    for (int i = 0; i < TB_AXES; i++)
        sample.axes[i] = (tb_reading){(int32_t)draw() >> below(32), (int32_t)draw(), (int32_t)draw(),
                                      (int32_t)draw(), (int32_t)draw()};
    switch (below(16)) {
    case 0: return tb_pack_hello(&hello, payload);
    case 1: case 2: case 3: return tb_pack_axis(&axis, payload);
    case 4: return tb_pack_counts(&counts, payload);
    case 5: return tb_pack_word((const uint8_t *)"a word", payload);
    default: return tb_pack_sample(&sample, axes, 15, payload);
    }
}

/* A frame, perhaps with bytes changed, cut or put in; or noise. Returns its length. */
static long worn(const uint8_t *payload, long count, uint8_t *bytes) {
    long length = tb_frame(payload, count, bytes);
    if (below(4) == 0)
        for (uint32_t i = below(4); i-- && length;)
            bytes[below((uint32_t)length)] = (uint8_t)draw();
    if (below(16) == 0)
        length = (long)below((uint32_t)length + 1);
    if (below(16) == 0) {
        length = below(300);
        for (long i = 0; i < length; i++)
            bytes[i] = (uint8_t)draw();
    }
    return length;
}

/* ---- the device's end ---- */

static void far_end(long frames) {
    static tb_far_end far;
    uint32_t now = 4294000000u, axes = 1 + below(TB_AXES), accepted = 0;
    memset(&far, 0, sizeof far);
    far.hello.axes = axes;
    far.hello.features = TB_FEATURES;
    far.tick = 1000;
    far.watchdog = 20000;
    for (uint32_t i = 0; i < axes; i++)
        far.axes[i] = (tb_axis){0, i, 0, 1e-4, 1e-3f, 1e-3f, 1.0f, 1.0f, 2.0f, 1e9f, -1e9f, 1e9f, "axis"};
    tb_far_open(&far, draw());
    for (long k = 0; k < frames; k++) {
        uint8_t payload[TB_PAYLOAD], bytes[512];
        uint32_t session = below(4) ? far.hello.session : draw();
        uint32_t number = below(4) ? far.command.number + 1 : draw();
        long length = worn(payload, of_driver(axes, session & 255, number, payload), bytes);
        uint32_t before = far.counts.commands;
        for (long i = 0; i < length; i++)
            tb_far_take(&far, bytes[i], now);
        if (far.counts.commands != before)
            accepted = now;
        now += below(8000);
        tb_reading readings[TB_AXES] = {{0}};
        int32_t forces[TB_AXES] = {0};
        readings[0].position = below(50) ? 0 : (int32_t)draw();
        tb_far_tick(&far, now, TB_HOMED, readings, forces);
        for (uint32_t i = 0; i < axes; i++) {
            must(forces[i] <= 2000 && forces[i] >= -2000, "a force beyond its limit");
            must(!forces[i] || now - accepted < far.hello.watchdog, "a force that outlived its command");
            acted += forces[i] != 0;
        }
        must(far.hello.watchdog <= 20000 && far.hello.watchdog >= 1000, "a watchdog beyond its own");
        must(far.waiting <= TB_OUTBOX, "more than there is room for");
        far.waiting = 0;
    }
}

/* ---- the driver's end ---- */

static struct {
    tb_mailbox box;
    _Atomic uint64_t bits[TB_LINE_LATEST];
} latest, inputs[TB_AXES];

static struct {
    tb_mailbox box;
    _Atomic uint64_t bits[sizeof(tb_line_about) / 8];
} known;

static void near_end(long frames) {
    static double events[4 * TB_LINE_EVENT], rows[4 * TB_LINE_LATEST];
    static tb_line line;
    tb_line_input bound[TB_AXES];
    tb_line_binding binding = {.input_count = TB_AXES, .inputs = bound};
    uint32_t axes = 1 + below(3); /* with six it were seldom that all are described */
    memset(&line, 0, sizeof line);
    line.file = -1;
    line.instant = tb_clock_now() + 1000000000; /* ahead of what commands are stamped with */
    line.ask = (tb_ask){2, 2, TB_FEATURES, 0, 0};
    line.oldest = INT64_MAX / 4;
    line.quiet_limit = 50000000;
    line.events = (tb_ring){events, TB_LINE_EVENT, 4, 0, 0};
    line.log = (tb_ring){rows, TB_LINE_LATEST, 4, 0, 0};
    line.latest = &latest.box;
    tb_mailbox_open(&latest.box, TB_LINE_LATEST);
    line.known = &known.box;
    tb_mailbox_open(&known.box, sizeof(tb_line_about) / 8);
    for (long i = 0; i < TB_AXES; i++) {
        tb_mailbox_open(&inputs[i].box, 1);
        bound[i] = (tb_line_input){&inputs[i].box, i % axes, i % TB_LINE_FIELDS, 2.0, 0.5, -1e3, 1e3, 0};
    }
    binding.input_count = axes;
    tb_handover_take(&line.binding, &binding);
    atomic_store(&line.state, TB_LINE_ASKING);
    for (long k = 0; k < frames; k++) {
        uint8_t payload[TB_PAYLOAD], bytes[512];
        uint32_t session = below(8) ? 7 : draw();
        long length = worn(payload, of_device(&line, axes, session & 255, payload), bytes), size;
        line.instant += below(3000000);
        for (long i = 0; i < length; i++)
            if (tb_unframe(&line.unframer, bytes[i], &size) == TB_WHOLE)
                tb_line_received(&line, size);
        if (below(4) == 0)
            line.state == TB_LINE_RUNNING ? tb_line_forces(&line) : tb_line_ask(&line);
        line.pending_count = 0;
        must(line.about.hello.axes <= TB_AXES && line.described <= TB_AXES, "more axes than there are");
        must(line.state != TB_LINE_RUNNING || line.about.hello.version == TB_WIRE_VERSION,
             "a version that isn't spoken");
        double number;
        must(line.state != TB_LINE_RUNNING || !tb_hello_flaw(&line.about.hello, line.quiet_limit, &number),
             "a device that can't be");
        for (uint32_t i = 0; line.state == TB_LINE_RUNNING && i < line.about.hello.axes; i++)
            must(!tb_axis_flaw(line.about.axes + i, line.about.hello.features, &number),
                 "an axis that can't be");
        for (uint32_t i = 0; i < axes; i++) {
            int64_t stamp;
            double value;
            if (tb_mailbox_read(&inputs[i].box, 1, &stamp, &value, 10) <= 0)
                continue;
            must(value >= -1e3 && value <= 1e3, "a value beyond its input's range");
            must(stamp <= line.instant, "a position of the future");
            handed++;
        }
        double drained[4 * TB_LINE_LATEST];
        tb_ring_drain(&line.events, drained, 4);
        tb_ring_drain(&line.log, drained, 4);
    }
}

int main(int count, char **words) {
    long frames = count > 2 ? atol(words[2]) : 100000;
    state = count > 1 ? strtoull(words[1], NULL, 10) * 2 + 1 : 1;
    for (long i = 0; i < frames; i += EACH) {
        far_end(EACH);
        near_end(EACH);
    }
    must(handed > frames / 100 && acted > frames / 100, "too little happened: this tells nothing");
    printf("%ld frames to each end\n", frames);
    return 0;
}
