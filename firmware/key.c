#include "key.h"

#include "hardware.h"
#include "motor.h"
#include "sense.h"
#include "wire/far_end.h"

#define TURN 6.28318531
#ifdef SENSE_HALL
#define UNIT (HALL_TRAVEL / (4095.0 * 4095.0))
#else
#define UNIT (TURN / ((double)COUNTS_PER_TURN * ENCODER_GEAR))
#endif
#define FORCE_UNIT 1e-4f /* N m */

enum { HOMING, STILL, HOMED };

static tb_far_end far;
static sense position;
static struct {
    int32_t wanted;   /* mA */
    int32_t integral; /* mV · 256 */
    int32_t voltage;  /* mV */
} loop;
static uint32_t homing, still, sent;

static void set_text(uint8_t *place, const char *text) {
    while ((*place++ = (uint8_t)*text++))
        ;
}

void key_start(uint32_t session) {
    tb_axis *axis = far.axes;
    far.hello.axes = 1;
    far.hello.features = TB_FEATURES;
    far.hello.firmware = 1;
#ifdef SIMULATED
    far.hello.flags = TB_SIMULATED;
    set_text(far.hello.name, "emulated key");
#else
    set_text(far.hello.name, "key");
#endif
    far.tick = 1000000 / KEY_RATE;
    far.watchdog = 20000;
    axis->position_unit = UNIT;
    axis->velocity_unit = (float)UNIT;
    axis->force_unit = FORCE_UNIT;
    axis->current_unit = axis->voltage_unit = 1e-3f;
    axis->force = TORQUE_CONSTANT * MOTOR_GEAR * (float)CURRENT_LIMIT * 1e-3f;
    axis->velocity = FASTEST;
    axis->low = LOWEST;
    axis->high = HIGHEST;
    set_text(axis->name, "key");
#ifdef PATTERN /* positions that a test can tell the age of, see plant.c */
    axis->velocity = axis->high = 1e9f;
    axis->low = -1e9f;
#endif
    position.last = hardware_counter();
    tb_far_open(&far, session);
}

void key_byte(uint8_t byte) { tb_far_take(&far, byte, hardware_micros()); }

/* A PI controller with the pole of the windings cancelled, closed at a tenth of its rate. Without a
 * wish for current it lets go of the motor at once. */
void key_fast(void) {
    const int32_t gain = (int32_t)(256.0f * INDUCTANCE * KEY_FAST / 10.0f * 6.28f);
    const int32_t reset = (int32_t)(256.0f * RESISTANCE / 10.0f * 6.28f);
    int32_t current = hardware_current(), error = loop.wanted - current;
    if (!loop.wanted) {
        loop.integral = 0;
        loop.voltage = 0;
        hardware_drive(0);
        return;
    }
    int32_t wanted = (gain * error + loop.integral) / 256;
    loop.voltage = wanted > SUPPLY ? SUPPLY : wanted < -SUPPLY ? -SUPPLY : wanted;
    if (wanted == loop.voltage) /* at the limit the integral waits */
        loop.integral += reset * error;
    hardware_drive(loop.voltage);
}

static int32_t current_for(float torque) {
    float milliamps = torque * (1e3f / (TORQUE_CONSTANT * MOTOR_GEAR));
    int32_t wanted = (int32_t)(milliamps + (milliamps < 0.0f ? -0.5f : 0.5f));
    return wanted > CURRENT_LIMIT ? CURRENT_LIMIT : wanted < -CURRENT_LIMIT ? -CURRENT_LIMIT : wanted;
}

/* An incremental encoder begins anywhere: the key is pushed gently up onto its rest stop, where it is
 * to stay for 40 ms. Returns the current for that. */
static int32_t home(int32_t velocity) {
    still = velocity > -200 && velocity < 200 ? still + 1 : 0;
    if (homing == HOMING && still * 1000 > 40 * KEY_RATE) {
        position.zero = position.count;
        homing = HOMED;
        return 0;
    }
    return current_for(HOMING_TORQUE);
}

static void read_position(tb_reading *reading) {
#ifdef SENSE_HALL
    int32_t front, rear;
    hardware_hall(&front, &rear);
    reading->position = sense_hall(front, rear);
#else
    reading->position = sense_counter(&position, hardware_counter());
#endif
    reading->velocity = sense_velocity(&position, reading->position, KEY_RATE);
}

void key_tick(void) {
    tb_reading reading = {0};
    int32_t force;
    read_position(&reading);
    reading.current = hardware_current();
    reading.voltage = loop.voltage;
    uint32_t wrong = reading.current > 2 * CURRENT_LIMIT || reading.current < -2 * CURRENT_LIMIT
                         ? TB_OVERCURRENT : 0;
#if defined SENSE_HALL || defined PATTERN
    homing = HOMED; /* absolute */
#endif
    tb_far_tick(&far, hardware_micros(), wrong | (homing == HOMED ? TB_HOMED : 0), &reading, &force);
    loop.wanted = wrong ? 0 : homing == HOMED ? current_for((float)force * FORCE_UNIT)
                                              : home(reading.velocity);
    key_pump();
}

void key_pump(void) {
    while (sent < far.waiting && hardware_send(far.outbox[sent]))
        sent++;
    if (sent == far.waiting)
        sent = far.waiting = 0;
}
