/* Interrupts of the LM3S6965 that are used; its table has 44 (data sheet, table 2-9). */
enum { LAST_INTERRUPT = 43 };
void uart_interrupt(void);
void timer_interrupt(void);
#define SYSTICK_HANDLER trap
#define HANDLERS [16 + 5] = uart_interrupt, [16 + 19] = timer_interrupt
