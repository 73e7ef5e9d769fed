/* Where there is no key: this is one, behind the same hardware layer. */
#ifndef KEY_PLANT_H
#define KEY_PLANT_H

#include <stdint.h>

void plant_start(uint32_t now);
void plant_follow(uint32_t now); /* key and current loop, up to now [µs] */

#endif
