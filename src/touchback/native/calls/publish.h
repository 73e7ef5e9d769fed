/* Machine code made runnable: memory is writable first and executable afterwards, never both at
 * once. */
#ifndef TOUCHBACK_PUBLISH_H
#define TOUCHBACK_PUBLISH_H

#include <stddef.h>

/* A read-only, executable copy of the code, or NULL when the system refuses (errno says why). */
void *tb_publish(const void *code, size_t size);
void tb_withdraw(void *memory, size_t size);

#endif
