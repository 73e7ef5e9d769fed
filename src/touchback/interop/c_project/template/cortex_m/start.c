/* From reset to main of a Cortex-M with a floating-point unit. */
#include <stdint.h>

extern uint32_t stack_top, data_start, data_end, data_kept, bss_start, bss_end;
int main(void);
void reset(void);

void reset(void) {
    for (uint32_t *to = &data_start, *from = &data_kept; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;)
        *to++ = 0;
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: the processor may use its unit */
    __asm volatile("dsb\n\tisb");
    main();
    for (;;)
        ;
}

static void trap(void) {
    for (;;)
        ;
}

typedef void (*handler)(void);
__attribute__((section(".vectors"), used)) static const handler VECTORS[16] = {
    (handler)&stack_top, reset, trap, trap, trap, trap, trap, trap,
    trap, trap, trap, trap, trap, trap, trap, trap,
};
