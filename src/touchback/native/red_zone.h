/* Memory that no code of ours may touch, for the address sanitizer; nothing without it. */
#ifndef TOUCHBACK_RED_ZONE_H
#define TOUCHBACK_RED_ZONE_H

#include <stdint.h>

/* Bytes to leave between pieces of memory; 0 where nobody would watch them. */
int64_t tb_red_zone(void);
/* From now on an access within is reported, and again allowed. */
void tb_forbid(void *start, int64_t bytes);
void tb_allow(void *start, int64_t bytes);

#endif
