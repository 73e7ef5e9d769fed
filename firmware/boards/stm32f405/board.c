/* A board with an STM32F405 (Cortex-M4F at 168 MHz): clock, line, ticks. Pins, encoder, bridge and
 * current are in motor_pins.c, unless a simulated key is behind them (SIMULATED).
 *
 * Never run on a chip. Line, ticks, clock and interrupts run under qemu (-machine netduinoplus2),
 * which has neither the chip's clock tree nor its pins. */
#include <stdint.h>

#include "board.h"
#include "hardware.h"
#include "key.h"
#include "registers.h"
#include "vectors.h"
#ifdef SIMULATED
#include "plant.h"
enum { TIMER_CLOCK = 1000 }; /* MHz: the emulator's timers have this, whatever the clock tree says */
#else
enum { TIMER_CLOCK = 84 }; /* MHz of TIM2 and TIM3: twice their bus */
#endif

enum { CLOCK = 168, FAST_BUS = 84 }; /* MHz */
#ifndef CRYSTAL
#define CRYSTAL 8 /* MHz; 12 on some boards */
#endif
#ifndef BAUD
#define BAUD 921600
#endif
enum { ROOM = 256 };

static uint8_t outgoing[ROOM]; /* the chip's own buffer holds one byte */
static uint32_t first, last;   /* of those that wait; they go round */

uint32_t hardware_micros(void) { return TIM_CNT(TIM2); }

static void send_next(void) {
    while (first != last && USART_SR & BIT(TXE))
        USART_DR = outgoing[first++ % ROOM];
    if (first == last)
        USART_CR1 &= ~BIT(TXEIE);
    else
        USART_CR1 |= BIT(TXEIE);
}

int hardware_send(uint8_t byte) {
    if (last - first == ROOM)
        return 0;
    outgoing[last++ % ROOM] = byte;
    send_next();
    return 1;
}

/* Reading the data after the status also clears an overrun. */
void usart_interrupt(void) {
    while (USART_SR & (BIT(RXNE) | BIT(ORE)))
        key_byte((uint8_t)USART_DR);
    send_next();
    key_pump();
}

void tick_interrupt(void) {
    IWDG_KR = 0xAAAA;
#ifdef SIMULATED
    plant_follow(hardware_micros());
#endif
    key_tick();
}

#ifdef SIMULATED

static void set_clock(void) {}
void adc_interrupt(void) {}

#else

/* A crystal that doesn't start leaves the chip at 16 MHz, where no baud rate is right: it waits here,
 * with the bridge off as it was at reset. */
static void set_clock(void) {
    RCC_CR |= BIT(HSEON);
    while (!(RCC_CR & BIT(HSERDY)))
        ;
    RCC_APB1ENR |= BIT(PWREN);
    PWR_CR |= BIT(14);                             /* VOS: for more than 144 MHz */
    FLASH_ACR = BIT(8) | BIT(9) | BIT(10) | 5;     /* prefetch, caches, five wait states */
    RCC_PLLCFGR = CRYSTAL | 336u << 6 | 0u << 16 | BIT(22) | 7u << 24; /* 1 MHz · 336 / 2 */
    RCC_CR |= BIT(PLLON);
    while (!(RCC_CR & BIT(PLLRDY)))
        ;
    RCC_CFGR = 5u << 10 | 4u << 13;                /* buses: 42 and 84 MHz */
    RCC_CFGR |= 2;                                 /* and now the PLL */
    while ((RCC_CFGR >> 2 & 3) != 2)
        ;
}

#endif

static void set_up_line(void) {
    RCC_AHB1ENR |= BIT(GPIOAEN) | BIT(GPIOBEN);
    RCC_APB2ENR |= BIT(USART1EN);
    board_pin(GPIOB, 6, ALTERNATE, 7); /* transmit */
    board_pin(GPIOB, 7, ALTERNATE, 7); /* receive */
    USART_BRR = (FAST_BUS * 1000000 + BAUD / 2) / BAUD; /* 921 600: 91, 0.2 % fast */
    USART_CR1 = BIT(UE) | BIT(TE) | BIT(RE) | BIT(RXNEIE);
}

static void set_up_clocks(void) {
    RCC_APB1ENR |= BIT(TIM2EN);
    TIM_PSC(TIM2) = TIMER_CLOCK - 1; /* a microsecond */
    TIM_ARR(TIM2) = 0xFFFFFFFFu;
    TIM_EGR(TIM2) = 1;
    TIM_CR1(TIM2) = 1;
    SYSTICK_RELOAD = CLOCK * 1000000 / KEY_RATE - 1;
    SYSTICK_NOW = 0;
}

/* Not cleared at a reset: it makes each session another one. */
static uint32_t session __attribute__((section(".noinit")));

/* Interrupts keep their priority of reset, the same for all: none interrupts another. */
int main(void) {
    set_clock();
    set_up_line();
    set_up_clocks();
#ifdef SIMULATED
    plant_start(hardware_micros());
#else
    board_motor();
#endif
    key_start(++session);
    key_pump();
    IWDG_KR = 0xCCCC; /* should ticks stop: a reset after 20 ms, which turns the bridge off */
    IWDG_KR = 0x5555;
    IWDG_PR = 0;
    IWDG_RLR = 160; /* of 32 kHz / 4, which is a third less or half more */
    NVIC_ISER(0) = BIT(18);
    NVIC_ISER(1) = BIT(37 - 32);
    SYSTICK_CONTROL = 7; /* the processor's clock, with its interrupt */
    for (;;)
        __asm volatile("wfi");
}
