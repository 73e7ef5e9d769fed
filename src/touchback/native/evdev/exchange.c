/* What a wheel's thread hands over to a run, and what it gives to the device. */
#include <errno.h>
#include <math.h>

#include "evdev/wheel.h"
#include "live/clock.h"

static const long TRIES = 1000;
static const uint32_t LENGTH = 200;      /* ms after which the effect ends by itself */
static const int64_t PUT_OFF = 50000000; /* ns after which its end is put off */

/* ---- to the run
 * ---------------------------------------------------------------------------------- */

void tb_wheel_give(tb_wheel *wheel, int64_t stamp) {
    const tb_wheel_binding *binding = tb_handover_taken(&wheel->binding);
    for (long i = 0; binding && i < binding->input_count; i++) {
        tb_wheel_input *input = binding->inputs + i;
        if (wheel->values.strange >> input->code & 1)
            continue; /* the run notices that nothing comes */
        double value = input->gain * wheel->values.values[input->code] + input->offset;
        value = fmin(fmax(value, input->least), input->most);
        int outside = !(value >= input->low && value <= input->high);
        if (!outside)
            tb_mailbox_write(input->mailbox, 1, stamp, &value, TRIES);
        else if (!input->outside) {
            atomic_fetch_add(&wheel->outside, 1);
            tb_wheel_event(wheel, TB_WHEEL_OUTSIDE, (double)i, value);
        }
        input->outside = outside;
    }
}

/* ---- to the device
 * ------------------------------------------------------------------------------- */

/* Of a torque; one beyond full is full, and counted. What is no number is no force. */
static int32_t level_of(tb_wheel *wheel, double torque, double full) {
    double level = TB_WHEEL_FULL * torque / full;
    atomic_fetch_add(&wheel->taken, 1);
    if (!isfinite(level))
        return 0;
    if (fabs(level) > TB_WHEEL_FULL)
        atomic_fetch_add(&wheel->saturated, 1);
    return (int32_t)lrint(fmin(fmax(level, -TB_WHEEL_FULL), TB_WHEEL_FULL));
}

/* The level that the run asks for now. */
static int32_t asked(tb_wheel *wheel) {
    tb_wheel_binding *binding = tb_handover_taken(&wheel->binding);
    if (!binding || !binding->publication.mailbox)
        return 0;
    tb_publication *publication = &binding->publication;
    int64_t slow = 3 * publication->period, limit = slow > wheel->oldest ? slow : wheel->oldest;
    int found = tb_publication_take(publication, limit);
    int64_t age = tb_clock_now() - publication->stamp;
    if (found == TB_PUBLISHED_NEW) {
        wheel->trouble_reported = 0;
        return level_of(wheel, publication->message[binding->place], binding->full);
    }
    if (found == TB_PUBLISHED_SAME && age <= limit)
        return wheel->wanted;
    if (found == TB_PUBLISHED_LATE)
        atomic_fetch_add(&wheel->late, 1);
    if (wheel->wanted && !wheel->trouble_reported) {
        wheel->trouble_reported = 1;
        tb_wheel_event(wheel, TB_WHEEL_LET_GO, 1e-6 * (double)age, 0.0);
    }
    return 0;
}

static int give_level(tb_wheel *wheel) {
    int64_t begin = tb_clock_now();
    int error = wheel->backend->upload((int)wheel->file, &wheel->effect, wheel->wanted, LENGTH);
    int64_t took = tb_clock_now() - begin;
    if (took > wheel->longest)
        atomic_store(&wheel->longest, took);
    wheel->uploaded = begin; /* also where it failed: not at once again */
    if (error)
        return error;
    wheel->level = wheel->wanted;
    atomic_fetch_add(&wheel->levels, 1);
    return 0;
}

void tb_wheel_push(tb_wheel *wheel) {
    wheel->wanted = asked(wheel);
    if (wheel->file < 0 || !(wheel->about.features & TB_EVDEV_CONSTANT))
        return;
    int error = 0, news = wheel->wanted != wheel->level || wheel->effect < 0;
    int due = (wheel->level || wheel->wanted) && wheel->instant - wheel->played > PUT_OFF;
    if (!news && !due)
        return;
    if (news && wheel->wanted && wheel->instant - wheel->uploaded < wheel->spacing)
        return; /* that has time; a force of zero has none */
    error = give_level(wheel);
    if (!error && (due || wheel->played == 0)) {
        error = wheel->backend->play((int)wheel->file, wheel->effect, 1);
        wheel->played = wheel->instant;
    }
    if (!error)
        return;
    atomic_fetch_add(&wheel->refused, 1);
    if (error == ENODEV || error == EPIPE)
        tb_wheel_lose(wheel, error);
    else if (wheel->refused == 1)
        tb_wheel_event(wheel, TB_WHEEL_REFUSED, error, 0.0);
}

void tb_wheel_let_go(tb_wheel *wheel) {
    if (wheel->file < 0 || wheel->effect < 0)
        return;
    wheel->backend->play((int)wheel->file, wheel->effect, 0);
    wheel->backend->erase((int)wheel->file, wheel->effect);
    wheel->effect = -1;
    wheel->level = 0;
}
