#include "calls/processor.h"

int tb_has_avx(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx");
#else
    return 0;
#endif
}

int tb_has_avx512(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}
