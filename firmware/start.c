/* From reset to main of a Cortex-M, and where interrupts go: a board's vectors.h says which. */
#include <stddef.h>
#include <stdint.h>

#include "vectors.h"

extern uint32_t stack_top, data_start, data_end, data_kept, bss_start, bss_end;
int main(void);
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
#ifdef __ARM_FP
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: the processor may use its FPU */
    __asm volatile("dsb\n\tisb");
#endif
    main();
}

/* What nobody expects: reset, so that motors let go and the driver notices. */
static void trap(void) {
    *(volatile uint32_t *)0xE000ED0C = 0x05FA0004;
    for (;;)
        ;
}

typedef void (*handler)(void);
#pragma GCC diagnostic ignored "-Woverride-init" /* all trap, but those of the board */
__attribute__((section(".vectors"), used)) static const handler VECTORS[16 + LAST_INTERRUPT + 1] = {
    [0 ... 16 + LAST_INTERRUPT] = trap, [0] = (handler)&stack_top, [1] = reset,
    [15] = SYSTICK_HANDLER, HANDLERS,
};
