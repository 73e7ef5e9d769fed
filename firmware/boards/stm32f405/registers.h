/* Registers of the STM32F405 that the key uses, under the names and chapters of its reference manual,
 * RM0090. Addresses were compared with ST's header (stm32f405xx.h of STM32CubeF4), but for the first
 * register of flash and of a port; single bits, and what is written into them, were not: check them
 * before a motor is connected. */
#ifndef KEY_STM32F405_REGISTERS_H
#define KEY_STM32F405_REGISTERS_H

#include <stdint.h>

#ifndef REGISTER /* tests put memory of their own there */
#define REGISTER(address) (*(volatile uint32_t *)(address))
#endif
#define BIT(n) (1u << (n))

/* Clocks (chapter 7), flash (3), power (5). */
#define RCC_CR REGISTER(0x40023800)
#define RCC_PLLCFGR REGISTER(0x40023804)
#define RCC_CFGR REGISTER(0x40023808)
#define RCC_AHB1ENR REGISTER(0x40023830)
#define RCC_APB1ENR REGISTER(0x40023840)
#define RCC_APB2ENR REGISTER(0x40023844)
#define FLASH_ACR REGISTER(0x40023C00)
#define PWR_CR REGISTER(0x40007000)
enum { HSEON = 16, HSERDY = 17, PLLON = 24, PLLRDY = 25 };               /* RCC_CR */
enum { GPIOAEN = 0, GPIOBEN = 1 };                                        /* RCC_AHB1ENR */
enum { TIM2EN = 0, TIM3EN = 1, PWREN = 28 };                              /* RCC_APB1ENR */
enum { TIM1EN = 0, USART1EN = 4, ADC1EN = 8 };                            /* RCC_APB2ENR */

/* Pins (chapter 8): two bits of mode and of pull for each, four of its function. */
#define GPIOA 0x40020000u
#define GPIOB 0x40020400u
#define GPIO_MODER(port) REGISTER((port) + 0x00)
#define GPIO_PUPDR(port) REGISTER((port) + 0x0C)
#define GPIO_BSRR(port) REGISTER((port) + 0x18)
#define GPIO_AFR(port, pin) REGISTER((port) + 0x20 + 4 * ((pin) / 8))
enum { INPUT, OUTPUT, ALTERNATE, ANALOG };

/* Timers (chapters 17 and 18): TIM1 on the fast bus, TIM2 with 32 bits, TIM3 with 16. */
#define TIM1 0x40010000u
#define TIM2 0x40000000u
#define TIM3 0x40000400u
#define TIM_CR1(timer) REGISTER((timer) + 0x00)
#define TIM_CR2(timer) REGISTER((timer) + 0x04)
#define TIM_SMCR(timer) REGISTER((timer) + 0x08)
#define TIM_EGR(timer) REGISTER((timer) + 0x14)
#define TIM_CCMR1(timer) REGISTER((timer) + 0x18)
#define TIM_CCER(timer) REGISTER((timer) + 0x20)
#define TIM_CNT(timer) REGISTER((timer) + 0x24)
#define TIM_PSC(timer) REGISTER((timer) + 0x28)
#define TIM_ARR(timer) REGISTER((timer) + 0x2C)
#define TIM_RCR(timer) REGISTER((timer) + 0x30)
#define TIM_CCR1(timer) REGISTER((timer) + 0x34)
#define TIM_CCR2(timer) REGISTER((timer) + 0x38)
#define TIM_BDTR(timer) REGISTER((timer) + 0x44)

/* The analogue converter (chapter 13). */
#define ADC_SR REGISTER(0x40012000)
#define ADC_CR1 REGISTER(0x40012004)
#define ADC_CR2 REGISTER(0x40012008)
#define ADC_SMPR2 REGISTER(0x40012010)
#define ADC_JSQR REGISTER(0x40012038)
#define ADC_JDR(n) REGISTER(0x4001203C + 4 * ((n) - 1))
#define ADC_CCR REGISTER(0x40012304)
enum { JEOC = 2, JSTRT = 3 };                                   /* ADC_SR */
enum { JEOCIE = 7, SCAN = 8 };                                  /* ADC_CR1 */
enum { ADON = 0, JEXTSEL = 16, JEXTEN = 20 };                   /* ADC_CR2 */

/* The line (chapter 30). */
#define USART_SR REGISTER(0x40011000)
#define USART_DR REGISTER(0x40011004)
#define USART_BRR REGISTER(0x40011008)
#define USART_CR1 REGISTER(0x4001100C)
enum { ORE = 3, RXNE = 5, TXE = 7 };                            /* USART_SR */
enum { RE = 2, TE = 3, RXNEIE = 5, TXEIE = 7, UE = 13 };        /* USART_CR1 */

/* The independent watchdog (chapter 21). */
#define IWDG_KR REGISTER(0x40003000)
#define IWDG_PR REGISTER(0x40003004)
#define IWDG_RLR REGISTER(0x40003008)

/* Of every Cortex-M4. */
#define SYSTICK_CONTROL REGISTER(0xE000E010)
#define SYSTICK_RELOAD REGISTER(0xE000E014)
#define SYSTICK_NOW REGISTER(0xE000E018)
#define NVIC_ISER(n) REGISTER(0xE000E100 + 4 * (n))

#endif
