/* A Stellaris LM3S6965 as qemu emulates it (-machine lm3s6965evb): Cortex-M3 at 50 MHz, a UART with
 * its FIFO, a timer for ticks, SysTick as a clock. The registers are the chip's own. */
#include <stdint.h>

#include "hardware.h"
#include "key.h"
#include "plant.h"
#include "vectors.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC REGISTER(0x400FE060)
#define RCGC1 REGISTER(0x400FE104)
#define RCGC2 REGISTER(0x400FE108)
#define UART(offset) REGISTER(0x4000C000 + (offset))
#define TIMER(offset) REGISTER(0x40030000 + (offset))
#define SYSTICK_CONTROL REGISTER(0xE000E010)
#define SYSTICK_RELOAD REGISTER(0xE000E014)
#define SYSTICK_NOW REGISTER(0xE000E018)
#define INTERRUPTS REGISTER(0xE000E100)

enum { CLOCK = 50, ROUND = 1 << 24 }; /* MHz; counts of SysTick, 0.34 s */
enum { EMPTY = 1 << 4, FULL = 1 << 5, RECEIVED = 1 << 4 | 1 << 6 };
enum { UART_IRQ = 5, TIMER_IRQ = 19 };

static uint32_t last, passed; /* of SysTick; µs until then */
static uint32_t counts;       /* that make no whole µs yet */

/* Called more often than SysTick goes round: in each tick. */
uint32_t hardware_micros(void) {
    uint32_t now = SYSTICK_NOW; /* counts down */
    counts += (last - now) & (ROUND - 1);
    last = now;
    passed += counts / CLOCK;
    counts %= CLOCK;
    return passed;
}

int hardware_send(uint8_t byte) {
    if (UART(0x18) & FULL)
        return 0;
    UART(0x00) = byte;
    return 1;
}

static void receive(void) {
    while (!(UART(0x18) & EMPTY))
        key_byte((uint8_t)UART(0x00));
}

void uart_interrupt(void) {
    UART(0x44) = RECEIVED;
    receive();
    key_pump();
}

void timer_interrupt(void) {
    TIMER(0x24) = 1;
    receive(); /* should an interrupt of the line ever be lost */
    plant_follow(hardware_micros());
    key_tick();
}

static void set_up(void) {
    RCC = (RCC & ~(0xFu << 23)) | 3u << 23 | 1u << 22; /* 200 MHz / 4 */
    RCGC1 |= 1u << 16 | 1u;
    RCGC2 |= 1u;
    SYSTICK_RELOAD = ROUND - 1;
    SYSTICK_NOW = 0;
    SYSTICK_CONTROL = 5; /* the processor's clock, without an interrupt */
    UART(0x30) = 0;
    UART(0x24) = 3; /* 50 MHz / (16 · 921600) = 3.39 */
    UART(0x28) = 25;
    UART(0x2C) = 0x70; /* 8 bits, FIFO */
    UART(0x38) = 0;
    UART(0x44) = 0x7FF;
    UART(0x30) = 0x301;
    while (!(UART(0x18) & EMPTY)) /* what came before the reset */
        (void)UART(0x00);
    UART(0x38) = RECEIVED;
    TIMER(0x0C) = 0;
    TIMER(0x24) = 1;
    TIMER(0x00) = 0; /* 32 bits */
    TIMER(0x04) = 2; /* again and again */
    TIMER(0x28) = CLOCK * 1000000 / KEY_RATE;
    TIMER(0x18) = 1;
}

/* Not cleared at a reset: it makes each session another one. */
static uint32_t session __attribute__((section(".noinit")));

int main(void) {
    set_up();
    plant_start(hardware_micros());
    key_start(++session);
    key_pump();
    INTERRUPTS = 1u << UART_IRQ | 1u << TIMER_IRQ;
    TIMER(0x0C) = 1;
    for (;;)
        __asm volatile("wfi");
}
