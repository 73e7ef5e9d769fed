/* Messages that go to and fro all the time. */
#include "wire/bytes.h"

enum { SAMPLE = 14, COMMAND = 5, COUNT = 2, COUNTS = 30 }; /* bytes, without axes */

long tb_axis_bytes(uint32_t features) {
    return 4 + (features & TB_HAS_VELOCITY ? 4 : 0) + (features & TB_HAS_FORCE ? 2 : 0) +
           (features & TB_HAS_CURRENT ? 2 : 0) + (features & TB_HAS_VOLTAGE ? 2 : 0);
}

long tb_pack_sample(const tb_readings *sample, uint32_t axes, uint32_t features, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_SAMPLE, 1);
    put(&out, sample->session, 1);
    put(&out, sample->number, 2);
    put(&out, sample->time, 4);
    put(&out, sample->status, 2);
    put(&out, sample->echo, 2);
    put(&out, sample->since, 2);
    for (uint32_t i = 0; i < axes && i < TB_AXES; i++) {
        const tb_reading *axis = sample->axes + i;
        put(&out, (uint32_t)axis->position, 4);
        if (features & TB_HAS_VELOCITY)
            put(&out, (uint32_t)axis->velocity, 4);
        if (features & TB_HAS_FORCE)
            put(&out, (uint32_t)clipped(axis->force), 2);
        if (features & TB_HAS_CURRENT)
            put(&out, (uint32_t)clipped(axis->current), 2);
        if (features & TB_HAS_VOLTAGE)
            put(&out, (uint32_t)clipped(axis->voltage), 2);
    }
    return out.count;
}

int tb_read_sample(const uint8_t *payload, long count, uint32_t axes, uint32_t features,
                   tb_readings *sample) {
    reader in;
    long size = SAMPLE + (long)axes * tb_axis_bytes(features);
    if (axes > TB_AXES || !opened(&in, payload, count, TB_SAMPLE, size, size))
        return 0;
    sample->session = (uint32_t)take(&in, 1);
    sample->number = (uint32_t)take(&in, 2);
    sample->time = (uint32_t)take(&in, 4);
    sample->status = (uint32_t)take(&in, 2);
    sample->echo = (uint32_t)take(&in, 2);
    sample->since = (uint32_t)take(&in, 2);
    for (uint32_t i = 0; i < axes; i++) {
        tb_reading *axis = sample->axes + i;
        axis->position = take_signed(&in, 4);
        axis->velocity = features & TB_HAS_VELOCITY ? take_signed(&in, 4) : 0;
        axis->force = features & TB_HAS_FORCE ? take_signed(&in, 2) : 0;
        axis->current = features & TB_HAS_CURRENT ? take_signed(&in, 2) : 0;
        axis->voltage = features & TB_HAS_VOLTAGE ? take_signed(&in, 2) : 0;
    }
    return 1;
}

long tb_pack_command(const tb_command *command, uint32_t axes, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_COMMAND, 1);
    put(&out, command->session, 1);
    put(&out, command->number, 2);
    put(&out, command->flags, 1);
    for (uint32_t i = 0; i < axes && i < TB_AXES; i++)
        put(&out, (uint32_t)clipped(command->forces[i]), 2);
    return out.count;
}

int tb_read_command(const uint8_t *payload, long count, uint32_t axes, tb_command *command) {
    reader in;
    long size = COMMAND + 2 * (long)axes;
    if (axes > TB_AXES || !opened(&in, payload, count, TB_COMMAND, size, size))
        return 0;
    command->session = (uint32_t)take(&in, 1);
    command->number = (uint32_t)take(&in, 2);
    command->flags = (uint32_t)take(&in, 1);
    for (uint32_t i = 0; i < axes; i++)
        command->forces[i] = take_signed(&in, 2);
    return 1;
}

long tb_pack_count(uint32_t session, uint8_t *payload) {
    writer out = {payload, 0};
    put(&out, TB_COUNT, 1);
    put(&out, session, 1);
    return out.count;
}

int tb_read_count(const uint8_t *payload, long count, uint32_t *session) {
    reader in;
    if (!opened(&in, payload, count, TB_COUNT, COUNT, COUNT))
        return 0;
    *session = (uint32_t)take(&in, 1);
    return 1;
}

long tb_pack_counts(const tb_counts *counts, uint8_t *payload) {
    const uint32_t numbers[7] = {counts->samples, counts->commands, counts->lost,   counts->refused,
                                 counts->damaged, counts->let_go,   counts->longest};
    writer out = {payload, 0};
    put(&out, TB_COUNTS, 1);
    put(&out, counts->session, 1);
    for (int i = 0; i < 7; i++)
        put(&out, numbers[i], 4);
    return out.count;
}

int tb_read_counts(const uint8_t *payload, long count, tb_counts *counts) {
    reader in;
    if (!opened(&in, payload, count, TB_COUNTS, COUNTS, COUNTS))
        return 0;
    counts->session = (uint32_t)take(&in, 1);
    uint32_t *const numbers[7] = {&counts->samples, &counts->commands, &counts->lost,
                                  &counts->refused, &counts->damaged,  &counts->let_go,
                                  &counts->longest};
    for (int i = 0; i < 7; i++)
        *numbers[i] = (uint32_t)take(&in, 4);
    return 1;
}
