/* From reset to main, and where interrupts go. */
#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_top, data_start, data_end, data_kept, bss_start, bss_end;
int main(void);
void uart_interrupt(void);
void timer_interrupt(void);
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

/* The compiler may call these for copies of structs; there is no C library. */
void *memcpy(void *to, const void *from, size_t count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    while (count--)
        *target++ = *source++;
    return to;
}

void *memset(void *to, int value, size_t count) {
    uint8_t *target = to;
    while (count--)
        *target++ = (uint8_t)value;
    return to;
}

void reset(void);
void reset(void) {
    for (uint32_t *to = &data_start, *from = &data_kept; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;)
        *to++ = 0;
    main();
}

/* What nobody expects: reset, so that motors let go and the driver notices. */
static void trap(void) {
    *(volatile uint32_t *)0xE000ED0C = 0x05FA0004;
    for (;;)
        ;
}

typedef void (*handler)(void);
__attribute__((section(".vectors"), used)) static const handler VECTORS[16 + 20] = {
    (handler)&stack_top, reset, trap, trap, trap, trap, trap, NULL, NULL, NULL, NULL,
    trap, trap, NULL, trap, trap,
    trap, trap, trap, trap, trap, uart_interrupt, trap, trap, trap, trap, trap, trap, trap, trap,
    trap, trap, trap, trap, trap, timer_interrupt, /* interrupts 0 to 19 */
};
