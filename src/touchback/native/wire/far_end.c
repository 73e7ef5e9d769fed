#include "wire/far_end.h"

static void send(tb_far_end *far, const uint8_t *payload, long count) {
    uint8_t frame[TB_FRAME];
    uint32_t length = (uint32_t)tb_frame(payload, count, frame);
    if (far->waiting + length > TB_OUTBOX)
        return; /* the line is slower than what is said: lost, as numbers tell */
    for (uint32_t i = 0; i < length; i++)
        far->outbox[far->waiting++] = frame[i];
}

static void say(tb_far_end *far, const char *text) {
    uint8_t payload[TB_PAYLOAD];
    send(far, payload, tb_pack_word((const uint8_t *)text, payload));
}

static void say_hello(tb_far_end *far) {
    uint8_t payload[TB_PAYLOAD];
    tb_hello hello = far->hello;
    hello.features = far->greeted ? far->granted : far->hello.features;
    hello.period = far->every * far->tick;
    send(far, payload, tb_pack_hello(&hello, payload));
}

void tb_far_open(tb_far_end *far, uint32_t session) {
    far->hello.version = TB_WIRE_VERSION;
    far->hello.session = far->counts.session = session & 255;
    far->hello.watchdog = far->watchdog;
    far->every = 1;
    for (uint32_t i = 0; i < far->hello.axes; i++) {
        far->axes[i].session = far->hello.session;
        far->axes[i].axis = i;
    }
    say_hello(far);
}

static void answer(tb_far_end *far, const tb_ask *ask) {
    if (ask->lowest > TB_WIRE_VERSION || ask->highest < TB_WIRE_VERSION) {
        say(far, "only version 2 of the protocol is spoken here");
        return;
    }
    uint32_t watchdog = ask->watchdog ? ask->watchdog : far->watchdog;
    far->hello.watchdog = watchdog < TB_SHORTEST_WATCHDOG ? TB_SHORTEST_WATCHDOG
                          : watchdog > far->watchdog      ? far->watchdog
                                                          : watchdog;
    far->granted = far->hello.features & ask->features;
    far->every = ask->period / far->tick;
    if (!far->every)
        far->every = 1;
    far->greeted = far->renewed = 1;
    say_hello(far);
}

static void describe(tb_far_end *far, uint32_t axis) {
    uint8_t payload[TB_PAYLOAD];
    if (axis < far->hello.axes)
        send(far, payload, tb_pack_axis(far->axes + axis, payload));
}

static void narrow(tb_far_end *far, const tb_limit *limit) {
    if (limit->axis >= far->hello.axes)
        return;
    tb_axis *axis = far->axes + limit->axis;
    axis->force = limit->force < axis->force ? limit->force : axis->force;
    axis->velocity = limit->velocity < axis->velocity ? limit->velocity : axis->velocity;
    axis->low = limit->low > axis->low ? limit->low : axis->low;
    axis->high = limit->high < axis->high ? limit->high : axis->high;
    describe(far, limit->axis);
}

/* Numbers from 0 to 65 535 go round; what is behind the last one is old, or the same once more. */
static void apply_command(tb_far_end *far, const tb_command *command, uint32_t now) {
    uint32_t ahead = (command->number - far->command.number) & 0xFFFF;
    if (!far->renewed && (!ahead || ahead > 0x8000)) {
        far->counts.refused++;
        return;
    }
    far->counts.lost += far->renewed ? 0 : ahead - 1;
    far->renewed = 0;
    far->counts.commands++;
    far->command = *command;
    far->commanded = 1;
    far->commanded_at = now;
    if (command->flags & TB_CLEAR)
        far->status &= ~(uint32_t)(TB_FAULT | TB_BEYOND | TB_BAD_SENSOR | TB_OVERCURRENT);
}

static void take(tb_far_end *far, long count, uint32_t now) {
    const uint8_t *payload = far->unframer.bytes;
    uint32_t session, axis, own = far->hello.session;
    uint8_t reply[TB_PAYLOAD];
    tb_ask ask;
    tb_limit limit;
    tb_command command;
    if (tb_read_ask(payload, count, &ask))
        answer(far, &ask);
    else if (tb_read_command(payload, count, far->hello.axes, &command)) {
        if (command.session == own && far->greeted)
            apply_command(far, &command, now);
        else
            far->counts.refused++; /* meant for what was here before a reset */
    } else if (tb_read_describe(payload, count, &session, &axis) && session == own)
        describe(far, axis);
    else if (tb_read_limit(payload, count, &limit) && limit.session == own)
        narrow(far, &limit);
    else if (tb_read_count(payload, count, &session) && session == own)
        send(far, reply, tb_pack_counts(&far->counts, reply));
}

void tb_far_take(tb_far_end *far, uint8_t byte, uint32_t now) {
    long count;
    int found = tb_unframe(&far->unframer, byte, &count);
    if (found == TB_WHOLE)
        take(far, count, now);
    else if (found == TB_VERSION_1)
        say(far, "version 1 of the protocol isn't spoken here any more, use version 2");
    far->counts.damaged = (uint32_t)far->unframer.damaged;
}

/* What is wrong with these readings; limits hold once positions mean something. */
static uint32_t judged(const tb_far_end *far, uint32_t status, const tb_reading *readings) {
    uint32_t wrong = status & (TB_BAD_SENSOR | TB_OVERCURRENT);
    for (uint32_t i = 0; i < far->hello.axes && status & TB_HOMED; i++) {
        const tb_axis *axis = far->axes + i;
        float position = (float)readings[i].position * (float)axis->position_unit;
        float velocity = (float)readings[i].velocity * axis->velocity_unit;
        if (position < axis->low || position > axis->high || velocity > axis->velocity ||
            velocity < -axis->velocity)
            wrong |= TB_BEYOND;
    }
    return wrong;
}

static int32_t limited(tb_far_end *far, uint32_t i) {
    float unit = far->axes[i].force_unit;
    /* a hundredth of a unit more: floats may lie just below a whole number */
    float most = far->axes[i].force / (unit < 0.0f ? -unit : unit) + 0.01f;
    int32_t limit = most < 32767.0f ? (int32_t)most : 32767;
    int32_t force = far->command.forces[i];
    if (force <= limit && force >= -limit)
        return force;
    far->status |= TB_CLIPPED;
    return force > 0 ? limit : -limit;
}

/* Forces for the motors: those commanded, or none. */
static void give(tb_far_end *far, uint32_t age, int32_t *forces) {
    uint32_t acts = far->status & TB_ENABLED, moves = 0;
    far->status &= ~(uint32_t)TB_CLIPPED;
    for (uint32_t i = 0; i < far->hello.axes; i++) {
        forces[i] = acts ? limited(far, i) : 0;
        moves |= forces[i] != 0;
    }
    if (moves && age > far->counts.longest)
        far->counts.longest = age;
}

static void tell(tb_far_end *far, uint32_t now, uint32_t age, const tb_reading *readings) {
    uint8_t payload[TB_PAYLOAD];
    tb_readings sample = {far->hello.session,
                          far->counts.samples,
                          now,
                          far->status,
                          far->command.number,
                          age < TB_LONG_AGO ? age : TB_LONG_AGO,
                          {{0}}};
    for (uint32_t i = 0; i < far->hello.axes; i++)
        sample.axes[i] = readings[i];
    send(far, payload, tb_pack_sample(&sample, far->hello.axes, far->granted, payload));
    far->counts.samples++;
    far->ticks = 0;
}

void tb_far_tick(tb_far_end *far, uint32_t now, uint32_t status, tb_reading *readings,
                 int32_t *forces) {
    uint32_t age = far->commanded ? now - far->commanded_at : TB_LONG_AGO;
    uint32_t wrong = judged(far, status, readings);
    if (far->commanded && age >= far->hello.watchdog) {
        far->counts.let_go += !(far->status & TB_LET_GO);
        far->commanded = 0; /* its age would come round with the clock */
        age = TB_LONG_AGO;
    }
    uint32_t latched = far->status & (TB_FAULT | TB_BEYOND | TB_BAD_SENSOR | TB_OVERCURRENT);
    far->status = latched | wrong | (wrong ? TB_FAULT : 0) | (status & TB_HOMED) |
                  (far->hello.flags & TB_SIMULATED) | (far->commanded ? 0 : TB_LET_GO);
    if (far->commanded && far->command.flags & TB_ENABLE && status & TB_HOMED &&
        !(far->status & TB_FAULT))
        far->status |= TB_ENABLED;
    give(far, age, forces);
    for (uint32_t i = 0; i < far->hello.axes; i++)
        readings[i].force = forces[i];
    if (far->greeted && ++far->ticks >= far->every)
        tell(far, now, age, readings);
}
