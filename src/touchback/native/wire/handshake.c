/* Messages by which two ends come to know each other. */
#include "wire/bytes.h"

enum { ASK = 13, HELLO = 18, DESCRIBE = 3, AXIS = 44, LIMIT = 19 }; /* bytes, without text */

long tb_pack_ask(const tb_ask *ask, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_ASK, 1);
    put(&out, ask->lowest, 1);
    put(&out, ask->highest, 1);
    put(&out, ask->features, 2);
    put(&out, ask->watchdog, 4);
    put(&out, ask->period, 4);
    return out.count;
}

/* A driver of a later version may say more: what is beyond is left. */
int tb_read_ask(const uint8_t *payload, long count, tb_ask *ask) {
    reader in;
    if (!opened(&in, payload, count, TB_ASK, ASK, TB_PAYLOAD))
        return 0;
    ask->lowest = (uint32_t)take(&in, 1);
    ask->highest = (uint32_t)take(&in, 1);
    ask->features = (uint32_t)take(&in, 2);
    ask->watchdog = (uint32_t)take(&in, 4);
    ask->period = (uint32_t)take(&in, 4);
    return ask->lowest <= ask->highest;
}

long tb_pack_hello(const tb_hello *hello, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_HELLO, 1);
    put(&out, hello->version, 1);
    put(&out, hello->session, 1);
    put(&out, hello->axes, 1);
    put(&out, hello->flags, 2);
    put(&out, hello->features, 2);
    put(&out, hello->period, 4);
    put(&out, hello->watchdog, 4);
    put(&out, hello->firmware, 2);
    put_text(&out, hello->name, TB_NAME);
    return out.count;
}

int tb_read_hello(const uint8_t *payload, long count, tb_hello *hello) {
    reader in;
    if (!opened(&in, payload, count, TB_HELLO, HELLO, HELLO + TB_NAME))
        return 0;
    hello->version = (uint32_t)take(&in, 1);
    hello->session = (uint32_t)take(&in, 1);
    hello->axes = (uint32_t)take(&in, 1);
    hello->flags = (uint32_t)take(&in, 2);
    hello->features = (uint32_t)take(&in, 2);
    hello->period = (uint32_t)take(&in, 4);
    hello->watchdog = (uint32_t)take(&in, 4);
    hello->firmware = (uint32_t)take(&in, 2);
    take_text(&in, hello->name);
    return 1;
}

long tb_pack_describe(uint32_t session, uint32_t axis, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_DESCRIBE, 1);
    put(&out, session, 1);
    put(&out, axis, 1);
    return out.count;
}

int tb_read_describe(const uint8_t *payload, long count, uint32_t *session, uint32_t *axis) {
    reader in;
    if (!opened(&in, payload, count, TB_DESCRIBE, DESCRIBE, DESCRIBE))
        return 0;
    *session = (uint32_t)take(&in, 1);
    *axis = (uint32_t)take(&in, 1);
    return 1;
}

long tb_pack_axis(const tb_axis *axis, uint8_t *payload) {
    const float numbers[8] = {axis->velocity_unit, axis->force_unit, axis->current_unit,
                              axis->voltage_unit,  axis->force,      axis->velocity,
                              axis->low,           axis->high};
    writer out = {payload, 0};
    put(&out, TB_AXIS, 1);
    put(&out, axis->session, 1);
    put(&out, axis->axis, 1);
    put(&out, axis->kind, 1);
    put_double(&out, axis->position_unit);
    for (int i = 0; i < 8; i++)
        put_float(&out, numbers[i]);
    put_text(&out, axis->name, TB_AXIS_NAME);
    return out.count;
}

int tb_read_axis(const uint8_t *payload, long count, tb_axis *axis) {
    reader in;
    if (!opened(&in, payload, count, TB_AXIS, AXIS, AXIS + TB_AXIS_NAME))
        return 0;
    axis->session = (uint32_t)take(&in, 1);
    axis->axis = (uint32_t)take(&in, 1);
    axis->kind = (uint32_t)take(&in, 1);
    axis->position_unit = take_double(&in);
    float *const numbers[8] = {&axis->velocity_unit, &axis->force_unit, &axis->current_unit,
                               &axis->voltage_unit,  &axis->force,      &axis->velocity,
                               &axis->low,           &axis->high};
    for (int i = 0; i < 8; i++)
        *numbers[i] = take_float(&in);
    take_text(&in, axis->name);
    return axis->axis < TB_AXES;
}

long tb_pack_limit(const tb_limit *limit, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_LIMIT, 1);
    put(&out, limit->session, 1);
    put(&out, limit->axis, 1);
    put_float(&out, limit->force);
    put_float(&out, limit->velocity);
    put_float(&out, limit->low);
    put_float(&out, limit->high);
    return out.count;
}

int tb_read_limit(const uint8_t *payload, long count, tb_limit *limit) {
    reader in;
    if (!opened(&in, payload, count, TB_LIMIT, LIMIT, LIMIT))
        return 0;
    limit->session = (uint32_t)take(&in, 1);
    limit->axis = (uint32_t)take(&in, 1);
    limit->force = take_float(&in);
    limit->velocity = take_float(&in);
    limit->low = take_float(&in);
    limit->high = take_float(&in);
    return limit->force >= 0.0f && limit->velocity >= 0.0f && limit->low <= limit->high;
}

long tb_pack_word(const uint8_t *text, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_WORD, 1);
    put_text(&out, text, TB_WORDS);
    return out.count;
}

int tb_read_word(const uint8_t *payload, long count, uint8_t *text) {
    reader in;
    if (!opened(&in, payload, count, TB_WORD, 1, 1 + TB_WORDS))
        return 0;
    take_text(&in, text);
    return 1;
}
