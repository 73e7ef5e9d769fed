#include "foreign_log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static void tell(void *environment, const char *instance, int status, const char *category,
                 const char *format, ...) {
    (void)instance, (void)status, (void)category;
    tb_foreign_log *log = environment;
    if (!log || !format)
        return;
    long place = atomic_fetch_add(&log->count, 1) % TB_LOG_TEXTS;
    va_list given;
    va_start(given, format);
    vsnprintf((char *)log->texts[place], TB_LOG_BYTES, format, given);
    va_end(given);
}

tb_foreign_logger tb_foreign_log_teller(void) {
    return tell;
}
