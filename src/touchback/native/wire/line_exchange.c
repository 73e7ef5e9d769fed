/* What a line's thread does with what it gets, and what it sends. */
#include <math.h>
#include <string.h>

#include "live/clock.h"
#include "wire/line.h"

static const long TRIES = 1000;
static const int64_t KEEP_ALIVE = 5000000; /* ns between commands that ask for nothing */
static const long MISHEARD = 5; /* asks that a device may answer with what it says unasked */

/* ---- sent
 * ---------------------------------------------------------------------------------------- */

void tb_line_ask(tb_line *line) {
    uint8_t payload[TB_PAYLOAD];
    line->asked = line->instant;
    if (line->state == TB_LINE_DESCRIBING)
        tb_line_send(
            line, payload,
            tb_pack_describe(line->about.hello.session, (uint32_t)line->described, payload));
    else
        tb_line_send(line, payload, tb_pack_ask(&line->ask, payload));
}

static void command(tb_line *line, tb_command *wanted) {
    uint8_t payload[TB_PAYLOAD];
    if (line->pending_count) { /* the line is full */
        atomic_fetch_add(&line->unsent, 1);
        return;
    }
    wanted->session = line->about.hello.session;
    wanted->number = line->number = (line->number + 1) & 0xFFFF;
    if (atomic_exchange(&line->clear, 0))
        wanted->flags |= TB_CLEAR;
    line->sent = line->departures[line->number % TB_LINE_HISTORY] = tb_clock_now();
    tb_line_send(line, payload, tb_pack_command(wanted, line->about.hello.axes, payload));
    atomic_fetch_add(&line->commands, 1);
}

static int32_t units(double force, double unit) {
    double counted = force / unit;
    if (!isfinite(counted))
        return 0;
    return (int32_t)lrint(counted > 32767.0 ? 32767.0 : counted < -32767.0 ? -32767.0 : counted);
}

void tb_line_forces(tb_line *line) {
    tb_line_binding *binding = tb_handover_taken(&line->binding);
    tb_command wanted = {0};
    int found = binding && binding->output_count
                    ? tb_publication_take(&binding->publication, line->oldest)
                    : TB_PUBLISHED_NONE;
    if (found == TB_PUBLISHED_LATE)
        atomic_fetch_add(&line->unsent, 1); /* until more comes there is no force */
    if (found == TB_PUBLISHED_NEW) {
        wanted.flags = TB_ENABLE;
        for (long i = 0; i < binding->output_count; i++) {
            const tb_line_output *output = binding->outputs + i;
            double force = output->gain * binding->publication.message[output->place];
            wanted.forces[output->axis] +=
                units(force, (double)line->about.axes[output->axis].force_unit);
        }
        command(line, &wanted);
    } else if (found != TB_PUBLISHED_SAME && line->instant - line->sent > KEEP_ALIVE)
        command(line, &wanted); /* forces of zero, not enabled */
}

/* ---- received
 * ------------------------------------------------------------------------------------ */

static void tell(tb_line *line) {
    enum { WORDS = sizeof(tb_line_about) / sizeof(double) };
    _Static_assert(sizeof(tb_line_about) % sizeof(double) == 0, "a mailbox has whole doubles");
    double words[WORDS];
    memcpy(words, &line->about, sizeof words);
    tb_mailbox_write(line->known, WORDS, line->instant, words, TRIES);
}

static int alike(const tb_axis *a, const tb_axis *b) {
    return a->kind == b->kind && a->position_unit == b->position_unit &&
           a->force_unit == b->force_unit;
}

static void refuse(tb_line *line, long event, double first, double second) {
    atomic_store(&line->state, TB_LINE_ASKING);
    if (!line->trouble_reported)
        tb_line_event(line, event, first, second);
    line->trouble_reported = 1;
}

static void greet(tb_line *line, const tb_hello *hello) {
    if (line->state == TB_LINE_RUNNING && hello->session == line->about.hello.session)
        return; /* an answer that came late */
    if (hello->version != TB_WIRE_VERSION) {
        refuse(line, TB_LINE_STRANGER, hello->version, 0.0);
        return;
    }
    double number;
    long flaw = tb_hello_flaw(hello, line->quiet_limit, &number);
    if (flaw) {
        refuse(line, TB_LINE_FLAWED, (double)(8 * flaw), number);
        return;
    }
    if (line->state == TB_LINE_RUNNING)
        tb_line_event(line, TB_LINE_RESET, hello->session, 0.0);
    if (line->state == TB_LINE_RUNNING || hello->features & ~line->ask.features) {
        atomic_store(&line->state, TB_LINE_ASKING); /* a reset: it hasn't been asked yet */
        line->asked = 0;
        if (++line->unasked > MISHEARD)
            refuse(line, TB_LINE_FLAWED, 8 * TB_GRANTED, hello->features);
        return;
    }
    if (line->greeted &&
        (hello->axes != line->about.hello.axes || line->granted & ~hello->features)) {
        /* an input would take what isn't sent for 0 */
        refuse(line, TB_LINE_CHANGED, hello->axes, 0.0);
        return;
    }
    line->about.hello = *hello;
    line->described = 0;
    atomic_store(&line->state, TB_LINE_DESCRIBING);
    tb_line_ask(line);
}

static void begin(tb_line *line) {
    memset(&line->fit, 0, sizeof line->fit);
    line->first = 1;
    line->sampled = line->instant;
    line->sent = 0;
    line->status = 0;
    line->trouble_reported = line->unasked = 0;
    line->echo = 0x10000;
    line->granted |= line->about.hello.features;
    atomic_fetch_add(&line->greeted, 1);
    tell(line);
    tb_line_event(line, TB_LINE_MET, line->about.hello.session, 0.0);
    atomic_store(&line->state, TB_LINE_RUNNING);
}

static void describe(tb_line *line, const tb_axis *axis) {
    if (line->state == TB_LINE_RUNNING && axis->session == line->about.hello.session) {
        double number;
        if (axis->axis < line->about.hello.axes && alike(axis, line->about.axes + axis->axis) &&
            !tb_axis_flaw(axis, line->about.hello.features, &number)) {
            line->about.axes[axis->axis] = *axis; /* narrower limits */
            tell(line);
        }
        return;
    }
    if (line->state != TB_LINE_DESCRIBING || axis->session != line->about.hello.session ||
        axis->axis != (uint32_t)line->described)
        return;
    double number;
    long flaw = tb_axis_flaw(axis, line->about.hello.features, &number);
    if (flaw) {
        refuse(line, TB_LINE_FLAWED, (double)(axis->axis + 8 * flaw), number);
        return;
    }
    if (line->greeted && !alike(axis, line->about.axes + axis->axis)) {
        refuse(line, TB_LINE_CHANGED, axis->axis, 0.0);
        return;
    }
    line->about.axes[axis->axis] = *axis;
    if (++line->described == (long)line->about.hello.axes)
        begin(line);
    else
        tb_line_ask(line);
}

/* The values of an axis in SI units. */
static void measured(const tb_line *line, const tb_readings *sample, long i, double *values) {
    const tb_axis *axis = line->about.axes + i;
    const tb_reading *reading = sample->axes + i;
    values[TB_LINE_POSITION] = reading->position * axis->position_unit;
    values[TB_LINE_VELOCITY] = reading->velocity * (double)axis->velocity_unit;
    values[TB_LINE_FORCE] = reading->force * (double)axis->force_unit;
    values[TB_LINE_CURRENT] = reading->current * (double)axis->current_unit;
    values[TB_LINE_VOLTAGE] = reading->voltage * (double)axis->voltage_unit;
}

static void hand_over(tb_line *line, const double *latest, int64_t stamp) {
    const tb_line_binding *binding = tb_handover_taken(&line->binding);
    for (long i = 0; binding && i < binding->input_count; i++) {
        tb_line_input *input = binding->inputs + i;
        const double *values = latest + TB_LINE_HEAD + input->axis * TB_LINE_FIELDS;
        double value = input->gain * values[input->field] + input->offset;
        int outside = !(value >= input->low && value <= input->high && isfinite(value));
        if (!outside)
            tb_mailbox_write(input->mailbox, 1, stamp, &value, TRIES);
        else {
            atomic_fetch_add(&line->outside, 1);
            if (!input->outside)
                tb_line_event(line, TB_LINE_OUTSIDE, (double)i, value);
        }
        input->outside = outside;
    }
}

/* When it was measured, in our clock, or 0 as long as nobody knows: exchanges that were all held up
 * on the line don't tell whether it is new. With how far that may be off, s. */
static int64_t dated(tb_line *line, const tb_readings *sample, double *doubt) {
    int64_t there = tb_fit_unwrap(&line->fit, sample->time);
    uint32_t behind = (line->number - sample->echo) & 0xFFFF;
    if (sample->since < TB_LONG_AGO && sample->echo != line->echo && behind < TB_LINE_HISTORY) {
        int64_t sent = line->departures[sample->echo % TB_LINE_HISTORY];
        line->echo = sample->echo;
        tb_fit_take(&line->fit, sent, there - (int64_t)sample->since * 1000, there, line->instant);
    }
    tb_fit_check(&line->fit, there, line->instant);
    *doubt = tb_fit_doubt(&line->fit, there);
    if (!line->fit.count || 1e9 * *doubt > (double)line->oldest)
        return 0;
    int64_t here = tb_fit_here(&line->fit, there);
    return here < line->instant ? here : line->instant;
}

static void log_sample(tb_line *line, const double *latest) {
    double *row = line->log.capacity ? tb_ring_next(&line->log) : NULL;
    if (!row)
        return;
    memcpy(row, latest, TB_LINE_LATEST * sizeof *row);
    tb_ring_done(&line->log);
}

static void take_sample(tb_line *line, const tb_readings *sample) {
    uint32_t ahead = (sample->number - line->last) & 0xFFFF;
    if (!line->first && (!ahead || ahead > 0x8000))
        return;
    atomic_fetch_add(&line->lost, line->first ? 0 : ahead - 1);
    atomic_fetch_add(&line->samples, 1);
    line->first = 0;
    line->last = sample->number;
    line->sampled = line->instant;
    double doubt;
    int64_t stamp = dated(line, sample, &doubt);
    uint32_t fresh = sample->status & ~line->status;
    line->status = sample->status;
    if (fresh & TB_FAULT)
        tb_line_event(line, TB_LINE_STATUS, sample->status, 0.0);
    double latest[TB_LINE_LATEST] = {1e-9 * (double)stamp,    1e-9 * (double)line->fit.device,
                                     sample->status,          sample->session,
                                     line->fit.round_trip,    line->fit.drift,
                                     (double)line->fit.count, doubt};
    for (long i = 0; i < (long)line->about.hello.axes; i++)
        measured(line, sample, i, latest + TB_LINE_HEAD + i * TB_LINE_FIELDS);
    int late = !stamp || line->instant - stamp + (int64_t)(1e9 * doubt) > line->oldest;
    atomic_fetch_add(&line->late, late);
    atomic_fetch_add(&line->unhomed, !(sample->status & TB_HOMED));
    tb_mailbox_write(line->latest, TB_LINE_LATEST, stamp, latest, TRIES);
    if (!late && sample->status & TB_HOMED)
        hand_over(line, latest, stamp);
    log_sample(line, latest);
}

void tb_line_received(tb_line *line, long count) {
    const uint8_t *payload = line->unframer.bytes;
    tb_hello hello;
    tb_axis axis;
    tb_readings sample;
    tb_counts counts;
    if (line->state == TB_LINE_RUNNING && tb_read_sample(payload, count, line->about.hello.axes,
                                                         line->about.hello.features, &sample)) {
        if (sample.session == line->about.hello.session)
            take_sample(line, &sample);
    } else if (tb_read_hello(payload, count, &hello))
        greet(line, &hello);
    else if (tb_read_axis(payload, count, &axis))
        describe(line, &axis);
    else if (tb_read_counts(payload, count, &counts) &&
             counts.session == line->about.hello.session) {
        line->about.counts = counts;
        line->about.counted++;
        tell(line);
    } else if (tb_read_word(payload, count, line->about.word))
        tell(line);
}
