#include "red_zone.h"

#ifdef __SANITIZE_ADDRESS__

#include <sanitizer/asan_interface.h>

int64_t tb_red_zone(void) {
    return 64;
}
void tb_forbid(void *start, int64_t bytes) {
    ASAN_POISON_MEMORY_REGION(start, (size_t)bytes);
}
void tb_allow(void *start, int64_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(start, (size_t)bytes);
}

#else

int64_t tb_red_zone(void) {
    return 0;
}
void tb_forbid(void *start, int64_t bytes) {
    (void)start, (void)bytes;
}
void tb_allow(void *start, int64_t bytes) {
    (void)start, (void)bytes;
}

#endif
