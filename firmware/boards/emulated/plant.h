/* In emulation there is no key: this is one, behind the same hardware layer. */
#ifndef KEY_PLANT_H
#define KEY_PLANT_H

#include <stdint.h>

void plant_start(void);
void plant_step(uint32_t micros); /* 1/KEY_FAST seconds, and what the clock says after it */

#endif
