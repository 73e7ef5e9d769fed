/* The key that the reference firmware is for, as it is built (docs/wire.md): change it to yours.
 * Downwards is positive. */
#ifndef KEY_MOTOR_H
#define KEY_MOTOR_H

#define COUNTS_PER_TURN (512 * 4)      /* of the encoder's shaft: 512 lines, all edges */
#define ENCODER_GEAR (24 * 8)          /* turns of the encoder's shaft for one of the key */
#define MOTOR_GEAR 24                  /* turns of the motor for one of the key: the capstan */
#define TORQUE_CONSTANT 0.020f         /* N m/A at the motor; `touchback device calibrate` measures it */
#define CURRENT_LIMIT 3000             /* mA */
#define CURRENT_SCALE 4028             /* µA a count: 3.3 V / 4096, amplified 20 times of 10 mOhm */
#define SUPPLY 12000                   /* mV */
#define RESISTANCE 2.0f                /* ohm, of the windings */
#define INDUCTANCE 1.0e-3f             /* H */
#define LOWEST (-0.02f)                /* rad: beyond these the key faults */
#define HIGHEST 0.12f
#define FASTEST 60.0f                  /* rad/s */
#define HOMING_TORQUE (-0.06f)         /* N m: upwards, onto the rest stop */
#define HALL_TRAVEL 0.10f              /* rad over which the Hall pair is linear */

#endif
