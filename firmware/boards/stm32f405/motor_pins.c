/* Encoder, bridge and current on an STM32F405. Never run on a chip, nor in emulation: written after the
 * reference manual (what of it was compared: registers.h), compiled in the tests.
 *
 *   PA6, PA7   encoder A and B             TIM3, which counts all edges
 *   PA8, PA9   the bridge's two inputs     TIM1, 24 kHz; the current is taken midway between pulses
 *   PB0        the bridge's enable         low at reset, with the bridge's own pull-down
 *   PA0        current sense, in the motor's wire; 2048 without a current
 *   PA1, PA4   Hall sensors, front and rear */
#ifndef SIMULATED

#include <stdint.h>

#include "board.h"
#include "hardware.h"
#include "key.h"
#include "motor.h"
#include "vectors.h"

enum { FULL = 3500 };                        /* 168 MHz / (2 · 24 kHz): up, and down again */
enum { EACH = 2 * 24000 / KEY_FAST };        /* ends of a count from current loop to current loop */
enum { QUIET = 256 };                        /* conversions for the current's zero */

static uint32_t conversions, sum;
static int32_t zero = 2048;

uint16_t hardware_counter(void) { return (uint16_t)TIM_CNT(TIM3); }

void hardware_hall(int32_t *front, int32_t *rear) {
    *front = (int32_t)ADC_JDR(2);
    *rear = (int32_t)ADC_JDR(3);
}

int32_t hardware_current(void) {
    return ((int32_t)ADC_JDR(1) - zero) * CURRENT_SCALE / 1000;
}

/* One half of the bridge is chopped, the other stays low; with both low the motor is shorted. */
void hardware_drive(int32_t millivolts) {
    int32_t duty = millivolts * (FULL / 4) / (SUPPLY / 4);
    TIM_CCR1(TIM1) = (uint32_t)(duty > 0 ? duty : 0);
    TIM_CCR2(TIM1) = (uint32_t)(duty < 0 ? -duty : 0);
}

/* After the three conversions, in the middle of a PWM period. The first ones, without a current, tell
 * where its zero is; only then the bridge is let work. */
void adc_interrupt(void) {
    ADC_SR = ~(BIT(JEOC) | BIT(JSTRT));
    if (conversions < QUIET) {
        sum += ADC_JDR(1);
        if (++conversions == QUIET) {
            zero = (int32_t)(sum / QUIET);
            GPIO_BSRR(GPIOB) = BIT(0);
        }
        return;
    }
    key_fast();
}

static void set_up_encoder(void) {
    RCC_APB1ENR |= BIT(TIM3EN);
    for (uint32_t pin = 6; pin <= 7; pin++) {
        GPIO_PUPDR(GPIOA) |= 1u << 2 * pin;
        board_pin(GPIOA, pin, ALTERNATE, 2);
    }
    TIM_ARR(TIM3) = 0xFFFF;
    TIM_CCMR1(TIM3) = 1u | 3u << 4 | 1u << 8 | 3u << 12; /* both inputs, eight alike of 84 MHz */
    TIM_SMCR(TIM3) = 3;                                  /* all edges of both */
    TIM_CR1(TIM3) = 1;
}

static void set_up_bridge(void) {
    RCC_APB2ENR |= BIT(TIM1EN);
    GPIO_BSRR(GPIOB) = BIT(16);
    board_pin(GPIOB, 0, OUTPUT, 0);
    board_pin(GPIOA, 8, ALTERNATE, 1);
    board_pin(GPIOA, 9, ALTERNATE, 1);
    TIM_ARR(TIM1) = FULL;
    TIM_RCR(TIM1) = EACH - 1;
    TIM_CCMR1(TIM1) = 6u << 4 | 1u << 3 | 6u << 12 | 1u << 11; /* PWM 1, changed with a period */
    TIM_CCER(TIM1) = BIT(0) | BIT(4);
    TIM_CR2(TIM1) = 2u << 4; /* its update starts the converter */
    TIM_BDTR(TIM1) = BIT(15);
    TIM_EGR(TIM1) = 1; /* before it counts: then updates come at the top, in the middle of a pause */
    TIM_CR1(TIM1) = 1u << 5 | BIT(7) | 1; /* up and down: the pulse lies about the count's bottom */
}

static void set_up_converter(void) {
    RCC_APB2ENR |= BIT(ADC1EN);
    board_pin(GPIOA, 0, ANALOG, 0);
    board_pin(GPIOA, 1, ANALOG, 0);
    board_pin(GPIOA, 4, ANALOG, 0);
    ADC_CCR = 1u << 16;                              /* 84 MHz / 4 */
    ADC_SMPR2 = 1u | 1u << 3 | 1u << 12;             /* 15 clocks: 0.7 µs */
    ADC_JSQR = 2u << 20 | 0u << 5 | 1u << 10 | 4u << 15; /* three: channels 0, 1, 4 */
    ADC_CR1 = BIT(SCAN) | BIT(JEOCIE);
    ADC_CR2 = BIT(ADON) | 1u << JEXTSEL | 1u << JEXTEN; /* at TIM1's update */
}

void board_motor(void) {
    set_up_encoder();
    set_up_converter();
    set_up_bridge();
}

#endif
