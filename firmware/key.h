/* A motorised key: position, current loop, watchdog, and its end of the line. No heap.
 *
 * All of these are called from interrupts of one priority, so that none interrupts another. */
#ifndef KEY_H
#define KEY_H

#include <stdint.h>

enum { KEY_FAST = 8000 }; /* current loops a second */
#ifndef KEY_RATE
#define KEY_RATE 1000 /* ticks, and samples, a second */
#endif

void key_start(uint32_t session);
void key_byte(uint8_t byte); /* from the line */
void key_fast(void);         /* the current loop, KEY_FAST times a second */
void key_tick(void);         /* KEY_RATE times a second, after the current loop */
void key_pump(void);         /* sends what the line takes */

#endif
