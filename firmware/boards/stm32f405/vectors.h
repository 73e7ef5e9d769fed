/* Interrupts of the STM32F405 that are used; its table has 82 (numbers compared with ST's
 * stm32f405xx.h). */
enum { LAST_INTERRUPT = 81 };
void tick_interrupt(void);
void adc_interrupt(void);
void usart_interrupt(void);
#define SYSTICK_HANDLER tick_interrupt
#define HANDLERS [16 + 18] = adc_interrupt, [16 + 37] = usart_interrupt
