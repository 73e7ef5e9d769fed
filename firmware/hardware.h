/* What a board gives to the key. A board is one folder under boards/ that has these. */
#ifndef KEY_HARDWARE_H
#define KEY_HARDWARE_H

#include <stdint.h>

uint32_t hardware_micros(void); /* a clock that goes round */

/* The position: of a quadrature encoder the 16-bit counter of its timer, which goes round; of two Hall
 * sensors in opposition their voltages, 0 to 4095. */
uint16_t hardware_counter(void);
void hardware_hall(int32_t *front, int32_t *rear);

int32_t hardware_current(void);           /* through the motor, mA */
void hardware_drive(int32_t millivolts);  /* at the motor; 0 shorts it, which brakes */

int hardware_send(uint8_t byte); /* 0: the line's buffer is full */

#endif
