/* Runs the model for MODEL_RUN steps and tells the debugger (semihosting) its time, states and
 * sensors after each, as hexadecimal numbers: their every bit. The last line has what a step took,
 * counted by the processor's timer. */
#include <stdint.h>
#include <string.h>

#include "model.h"

#ifndef TICK
#define TICK 40 /* instructions: 25 MHz where -icount shift=0 lets one take a nanosecond */
#endif

static model the_model;
static double outputs[MODEL_OUTPUTS + 1];
static char line[64];

static volatile uint32_t *const TIMER = (volatile uint32_t *)0xE000E010; /* SysTick */

static uint32_t ask_debugger(uint32_t what, const void *with) {
    register uint32_t r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void say(const char *text) { ask_debugger(4, text); }

static void say_number(double number) {
    static const char DIGITS[] = "0123456789abcdef";
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 16; i++)
        line[i] = DIGITS[bits >> (60 - 4 * i) & 15];
    line[16] = 0;
    say(line);
}

static void say_count(uint32_t count) {
    char *at = line + sizeof line - 1;
    *at = 0;
    do
        *--at = (char)('0' + count % 10);
    while (count /= 10);
    say(at);
}

static void say_row(model *m) {
    model_outputs(m, outputs);
    say_number(model_time(m));
    for (int i = 0; i < MODEL_STATES; i++, say_number(m->state[i - 1]))
        say(" ");
    for (int i = 0; i < MODEL_OUTPUTS; i++, say_number(outputs[i - 1]))
        say(" ");
    say("\n");
}

int main(void) {
    uint64_t ticks = 0;
    model *m = &the_model;
    TIMER[1] = 0xFFFFFF;
    TIMER[2] = 0;
    TIMER[0] = 5; /* on, by the processor's clock */
    model_init(m);
    say_row(m);
    for (int k = 0; k < MODEL_RUN; k++) {
        uint32_t before = TIMER[2];
        if (model_step(m)) {
            say("# stopped being a number\n");
            break;
        }
        ticks += (before - TIMER[2]) & 0xFFFFFF;
        say_row(m);
    }
    say("# instructions a step: ");
    say_count((uint32_t)(ticks * TICK / MODEL_RUN));
    say("\n# bytes of memory: ");
    say_count(sizeof the_model);
    say("\n");
    ask_debugger(0x18, (const void *)0x20026);
    return 0;
}
