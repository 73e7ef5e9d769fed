/* What becomes of bytes from a board. */
#include <math.h>
#include <string.h>

#include "daq/stream.h"
#include "live/clock.h"

static const long TRIES = 1000;
static const double FAR = 4e9;  /* s that a number may be behind its block: as ns in 64 bits */
static const int SETTLE = 1000; /* blocks like the first that filters see before it: at rest */

static const long SIZES[] = {1, 1, 2, 2, 4, 4, 4, 8}; /* bytes, in the order of TB_DAQ_INT8 */

static double number(const uint8_t *bytes, long type) {
    uint64_t bits = 0;
    for (long i = 0; i < SIZES[type]; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    uint32_t half = (uint32_t)bits;
    float single;
    double whole;
    memcpy(&single, &half, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    switch (type) {
    case TB_DAQ_INT8: return (int8_t)bits;
    case TB_DAQ_INT16: return (int16_t)bits;
    case TB_DAQ_INT32: return (int32_t)bits;
    case TB_DAQ_FLOAT32: return (double)single;
    case TB_DAQ_FLOAT64: return whole;
    default: return (double)bits;
    }
}

/* ns after the block's beginning at which a channel's newest number is measured as a rule. */
static int64_t regular(const tb_daq_field *field) {
    return field->skew + (field->count - 1) * field->spacing;
}

/* At which it was, by what the block that was unpacked says of it. */
static int64_t newest(const tb_daq *daq, const tb_daq_field *field) {
    double behind = field->behind < 0 ? 0.0 : daq->u[1 + field->behind];
    return regular(field) - (int64_t)(1e9 * fmax(-FAR, fmin(FAR, behind)));
}

/* When a block began, in our clock; as long as nobody knows, as late as it can be. */
static int64_t begun(tb_daq *daq, int64_t index, int64_t arrival) {
    if (daq->dated && daq->fit.count)
        return tb_fit_here(&daq->fit, daq->started + index * daq->period);
    int64_t length = 0;
    for (long i = 0; i < daq->field_count; i++)
        length = regular(daq->fields + i) > length ? regular(daq->fields + i) : length;
    atomic_fetch_add(&daq->undated, 1);
    return arrival - length;
}

static void unpack(tb_daq *daq, const uint8_t *block, int64_t index, int64_t arrival) {
    double *raw = daq->u + 1, *ages = raw + daq->raw_count;
    daq->u[0] = 1e-9 * (double)(index * daq->period);
    for (long i = 0; i < daq->field_count; i++) {
        const tb_daq_field *field = daq->fields + i;
        for (long k = 0; k < field->count; k++)
            *raw++ = number(block + field->offset + k * SIZES[field->type], field->type);
    }
    for (long i = 0; i < daq->field_count; i++)
        ages[i] = 1e-9 * (double)(arrival - daq->began - newest(daq, daq->fields + i));
}

static void update(tb_daq *daq) {
    const tb_callable *f = &daq->updates;
    f->call(daq->x, daq->u, daq->p, daq->next, f->work, f->context);
    memcpy(daq->x, daq->next, (size_t)daq->x_count * sizeof *daq->x);
}

static void log_block(tb_daq *daq, int64_t index, int64_t arrival) {
    double *row = tb_ring_next(&daq->blocks);
    if (!row) {
        atomic_fetch_add(&daq->unlogged, 1);
        return;
    }
    row[0] = (double)index;
    row[1] = 1e-9 * (double)daq->began;
    row[2] = 1e-9 * (double)arrival;
    memcpy(row + TB_DAQ_BLOCK_HEAD, daq->u + 1, (size_t)daq->raw_count * sizeof *row);
    tb_ring_done(&daq->blocks);
}

/* When a block began and which one it is, by its stamp or by counting. */
static void place_block(tb_daq *daq, const uint8_t *block, int64_t count, int64_t arrival) {
    int64_t stamp[2];
    if (!daq->stamped) {
        daq->index = count;
        daq->began = begun(daq, count, arrival);
        return;
    }
    memcpy(stamp, block, sizeof stamp);
    if (count && stamp[1] > daq->index + 1)
        atomic_fetch_add(&daq->lost, stamp[1] - daq->index - 1);
    daq->began = stamp[0];
    daq->index = stamp[1];
}

/* The channel of the first number that is none, -1 when all are: a filter that takes one never gets
 * rid of it. */
static long not_finite(const tb_daq *daq) {
    const double *raw = daq->u + 1;
    for (long i = 0; i < daq->field_count; i++)
        for (long k = 0; k < daq->fields[i].count; k++)
            if (!isfinite(*raw++))
                return i;
    return -1;
}

static void publish(tb_daq *daq, int64_t arrival) {
    long head = TB_DAQ_BLOCK_HEAD, raw = daq->raw_count;
    double *row = daq->next; /* has room for it */
    row[0] = (double)daq->index;
    row[1] = 1e-9 * (double)daq->began;
    row[2] = 1e-9 * (double)arrival;
    memcpy(row + head, daq->u + 1, (size_t)raw * sizeof *row);
    memcpy(row + head + raw, daq->x, (size_t)daq->x_count * sizeof *row);
    tb_mailbox_write(daq->latest, (uint64_t)(head + raw + daq->x_count), arrival, row, TRIES);
}

/* All inputs of a run get what is of one block, at once. */
static void hand_over(tb_daq *daq) {
    const tb_daq_binding *binding = tb_handover_taken(&daq->binding);
    tb_mailbox *boxes[TB_TOGETHER];
    int64_t stamps[TB_TOGETHER];
    double values[TB_TOGETHER];
    long count = 0;
    if (daq->doubted)
        return; /* what can't be dated isn't used: inputs grow stale */
    for (long i = 0; binding && i < binding->count && count < TB_TOGETHER; i++) {
        tb_daq_output *output = binding->outputs + i;
        double value = daq->x[output->place];
        int outside = !(value >= output->low && value <= output->high && isfinite(value));
        if (outside) {
            atomic_fetch_add(&daq->outside, 1);
            if (!output->outside)
                tb_daq_event(daq, TB_DAQ_OUTSIDE, (double)i, value);
        } else {
            boxes[count] = output->mailbox;
            stamps[count] = daq->began + newest(daq, daq->fields + output->field) - output->delay;
            values[count++] = value;
        }
        output->outside = outside;
    }
    if (tb_mailbox_write_together(boxes, count, stamps, values, TRIES))
        atomic_fetch_add(&daq->unheard, 1);
}

/* Returns whether the block can be used. */
static int take_block(tb_daq *daq, const uint8_t *block, int64_t arrival) {
    place_block(daq, block, atomic_fetch_add(&daq->received, 1), arrival);
    unpack(daq, block, daq->index, arrival);
    log_block(daq, daq->index, arrival);
    long broken = not_finite(daq);
    if (broken >= 0) {
        atomic_fetch_add(&daq->not_finite, 1);
        if (!daq->broken)
            tb_daq_event(daq, TB_DAQ_NOT_FINITE, (double)broken, (double)daq->index);
        daq->broken = 1;
        return 0;
    }
    daq->broken = 0;
    for (int k = 0; !daq->primed && k < SETTLE; k++)
        update(daq);
    daq->primed = 1;
    update(daq);
    return 1;
}

long tb_daq_take(tb_daq *daq, const uint8_t *bytes, int64_t count, int64_t arrival) {
    long blocks = 0, usable = 0; /* the freshest */
    if (!daq->whole)
        daq->filled = 0;
    for (int64_t at = 0; at < count;) {
        int64_t part = daq->block - daq->filled;
        part = part < count - at ? part : count - at;
        memcpy(daq->partial + daq->filled, bytes + at, (size_t)part);
        at += part;
        daq->filled += (long)part;
        if (daq->filled < daq->block)
            break;
        daq->filled = 0;
        usable = take_block(daq, daq->partial, arrival);
        blocks++;
    }
    if (usable) {
        publish(daq, arrival);
        hand_over(daq);
    }
    return blocks;
}
