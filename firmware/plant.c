/* A key with its motor, as numbers: a lever on a rest stop and a front stop, moved by a motor whose
 * windings have resistance, inductance and back-EMF; rubbed by friction, and pressed by a finger that
 * comes and goes. The firmware above doesn't know. */
#include "plant.h"

#include "hardware.h"
#include "key.h"
#include "motor.h"

#define STEP (1.0f / KEY_FAST)
#define INERTIA 2.1e-3f  /* kg m² at the key, the rotor's included */
#define DAMPING 0.01f    /* N m s/rad */
#ifndef RUBBING
#define RUBBING 0.012f   /* N m */
#endif
#define TRAVEL 0.0873f   /* rad: 5° */
#define STOP 400.0f      /* N m/rad */
#define STOP_DAMPING 1.5f
#define COUNTS ((float)COUNTS_PER_TURN * ENCODER_GEAR / 6.28318531f)

static float angle, speed, current, voltage;
static uint32_t steps, clock_now;
static uint32_t stepped; /* µs to which it has come */

void plant_start(uint32_t now) {
    stepped = now;
    angle = 0.03f; /* somewhere: the encoder doesn't know where */
    speed = current = voltage = 0.0f;
}

static float stops(void) {
    if (angle < 0.0f)
        return -STOP * angle - STOP_DAMPING * speed;
    if (angle > TRAVEL)
        return -STOP * (angle - TRAVEL) - STOP_DAMPING * speed;
    return 0.0f;
}

/* Presses for half a second, and is away for half a second. */
static float finger(void) {
#ifdef FINGER
    return steps / (KEY_FAST / 2) & 1 ? FINGER : 0.0f;
#else
    return 0.0f;
#endif
}

static void step(uint32_t micros) {
    const float constant = TORQUE_CONSTANT * MOTOR_GEAR;
    steps++;
    clock_now = micros;
    current += STEP / INDUCTANCE * (voltage - RESISTANCE * current - constant * speed);
#ifdef UNPLUGGED
    current = 0.0f;
#endif
    float torque = constant * current + finger() + stops() - DAMPING * speed;
    float kick = RUBBING * STEP / INERTIA, next = speed + torque * STEP / INERTIA;
    speed = next > kick ? next - kick : next < -kick ? next + kick : 0.0f; /* it sticks within */
    angle += speed * STEP;
}

/* On a board with a motor the current loop has an interrupt of its own; here the key and the loop make
 * their steps together, as many as the clock has gone on: an emulator whose machine is busy loses
 * ticks, and the key is to fall no slower for that. */
void plant_follow(uint32_t now) {
    enum { MICROS = 1000000 / KEY_FAST, MOST = 400 };
    for (int i = 0; i < MOST && now - stepped >= MICROS; i++) {
        stepped += MICROS;
        key_fast();
        step(stepped);
    }
    if (now - stepped >= MICROS)
        stepped = now;
}

uint16_t hardware_counter(void) {
#ifdef PATTERN
    /* 7 counts a millisecond of the device's clock: what is no multiple of 7 was never sent, and every
     * value tells when it was measured. */
    return (uint16_t)(clock_now / 1000 * 7);
#elif defined BACKWARDS /* A and B of the encoder are swapped */
    return (uint16_t)(int32_t)(-angle * COUNTS);
#else
    return (uint16_t)(int32_t)(angle * COUNTS);
#endif
}

/* Two fields that add up to a constant square: their difference is the position. */
static int32_t field(float part) {
    int32_t square = (int32_t)(part * 4095.0f * 4095.0f), root = 0;
    for (int32_t bit = 2048; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

void hardware_hall(int32_t *front, int32_t *rear) {
    *front = field(0.5f + 0.5f * angle / HALL_TRAVEL);
    *rear = field(0.5f - 0.5f * angle / HALL_TRAVEL);
}

int32_t hardware_current(void) { return (int32_t)(current * 1e3f); }
void hardware_drive(int32_t millivolts) { voltage = (float)millivolts * 1e-3f; }
