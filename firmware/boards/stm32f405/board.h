/* What the files of this board give each other. */
#ifndef KEY_STM32F405_BOARD_H
#define KEY_STM32F405_BOARD_H

#include <stdint.h>

#include "registers.h"

/* A pin's mode, and its function where that is ALTERNATE. */
static inline void board_pin(uint32_t port, uint32_t pin, uint32_t mode, uint32_t function) {
    GPIO_AFR(port, pin) = (GPIO_AFR(port, pin) & ~(15u << 4 * (pin % 8))) | function << 4 * (pin % 8);
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << 2 * pin)) | mode << 2 * pin;
}

void board_motor(void); /* encoder, bridge and converter, and lets the bridge work */

#endif
