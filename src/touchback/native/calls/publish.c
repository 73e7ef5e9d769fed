#define _DEFAULT_SOURCE /* mmap flags and clocks beside C11 */

#include "calls/publish.h"

#include <string.h>
#include <sys/mman.h>

void *tb_publish(const void *code, size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    memcpy(memory, code, size);
    if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
        munmap(memory, size);
        return NULL;
    }
    __builtin___clear_cache((char *)memory, (char *)memory + size);
    return memory;
}

void tb_withdraw(void *memory, size_t size) {
    munmap(memory, size);
}
