#include "linear/tree_widths.h"

#ifdef __x86_64__
#include <immintrin.h>

#define LANES 4
#define STRIP 2
#define NAME(x) x##_of_four
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED(a, b, c) (vec_of_four) _mm256_fmadd_pd(a, b, c)
#define LESS(a, b, c) (vec_of_four) _mm256_fnmadd_pd(a, b, c)
#include "linear/tree_lanes.h"
#endif
