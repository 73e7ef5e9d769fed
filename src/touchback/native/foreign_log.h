/* Texts that foreign code tells in the manner of printf, as FMUs of FMI 2.0 do: the newest are
 * kept. A callback of Python's can't read what follows a format. */
#ifndef TOUCHBACK_FOREIGN_LOG_H
#define TOUCHBACK_FOREIGN_LOG_H

#include <stdint.h>

enum { TB_LOG_TEXTS = 8, TB_LOG_BYTES = 512 }; /* of a text, with the 0 at its end */

typedef struct tb_foreign_log {
    _Atomic long count; /* of all that were told: the newest are in places count - 1, … of a ring */
    uint8_t texts[TB_LOG_TEXTS][TB_LOG_BYTES];
} tb_foreign_log;

/* Environment, instance, status, category, format: fmi2CallbackLogger. */
typedef void (*tb_foreign_logger)(void *, const char *, int, const char *, const char *, ...);

/* What tells a tb_foreign_log, which is the environment; any threads may at once. */
tb_foreign_logger tb_foreign_log_teller(void);

#endif
